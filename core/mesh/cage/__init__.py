# SPDX-License-Identifier: GPL-3.0-or-later
"""A cage of tetrahedra around any surface.

``cage``       what it is, and how it is made: :func:`cage_of`
``lattice``    the body-centred cubic lattice of which it is a part
``crossings``  where the surface crosses the lines of a finer grid
``winding``    winding numbers of lids
``inside``     which voxels of the grid are inside
``voxels``     how they lie in the tetrahedra
``surface_points``, ``joints``, ``fragments``  what hangs together within a tetrahedron
``filled``     how much of it is filled
``lids``       triangles that close an open surface
``welding``, ``order``  vertices that go with others
``face_points``  points spread over the surface, each in a tetrahedron
``carrying``   the surface, where the cage goes
``parts``, ``bonds``  a cage of loose parts that can break from each other, and what holds them
"""

from .cage import Cage, cage_of, default_cell_size
from .carrying import SmoothCarrier, carried
from .parts import cage_of_parts

__all__ = ["Cage", "SmoothCarrier", "cage_of", "cage_of_parts", "carried", "default_cell_size"]
