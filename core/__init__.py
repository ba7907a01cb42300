# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender-free library that simulates cloth, strands and soft bodies on mesh data.

The way of the data: mesh → :class:`Model` → solver step → frame. Names are imported when first
used, so that an add-on can choose the cache folder (``core.warm_up.use_cache``) before numba loads.

``model``, ``state``    what is simulated, and what changes meanwhile
``simulation``          a model in motion, frame by frame
``bodies``              what becomes particles and constraints; ``materials``: with what values
``mesh``                topology and measures
``constraints``         the types of constraints, one file each
``layout``              constraints arranged for kernels
``solvers``             the methods, one folder each
``islands``             what is stepped together, and what by itself
``contact``, ``forces``  what keeps bodies apart, and what acts on them from outside
``linear``              sparse systems
``vector``, ``native``  what makes it fast: kernels from plain Python; compiling, threads
``frame_cache``         frames on disk
``warm_up``             compiling before it is waited for
``lasting``             what goes on from one frame to the next
``checks``, ``errors``  what callers give, and how they are told what is wrong with it
``interruption``        ending what takes long before a first frame
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bodies.cloth import Cloth as Cloth
    from .bodies.cloth_material import ClothMaterial as ClothMaterial
    from .bodies.soft_body import SoftBody as SoftBody
    from .bodies.soft_material import SoftMaterial as SoftMaterial
    from .bodies.strands import StrandMaterial as StrandMaterial
    from .bodies.strands import Strands as Strands
    from .bodies.tension import tension_of as tension_of
    from .contact import Collider as Collider
    from .errors import CheckpointError as CheckpointError
    from .errors import MeshError as MeshError
    from .errors import ModelError as ModelError
    from .errors import SimulationError as SimulationError
    from .forces.air import Air as Air
    from .forces.field import Field as Field
    from .forces.outside import Surroundings as Surroundings
    from .materials.fabrics import MATERIALS as MATERIALS
    from .materials.fabrics import Material as Material
    from .mesh.surface import edge_strain as edge_strain
    from .model import Model as Model
    from .simulation import Simulation as Simulation
    from .solvers.constrained.solver import ConstrainedDynamics as ConstrainedDynamics
    from .solvers.pbd.solver import PBD as PBD
    from .solvers.projective.solver import ProjectiveDynamics as ProjectiveDynamics
    from .solvers.xpbd.solver import XPBD as XPBD

_HOME = {
    "Air": "forces.air",
    "CheckpointError": "errors",
    "Cloth": "bodies.cloth",
    "ClothMaterial": "bodies.cloth_material",
    "Collider": "contact",
    "ConstrainedDynamics": "solvers.constrained.solver",
    "Field": "forces.field",
    "MATERIALS": "materials.fabrics",
    "Material": "materials.fabrics",
    "MeshError": "errors",
    "Model": "model",
    "ModelError": "errors",
    "PBD": "solvers.pbd.solver",
    "ProjectiveDynamics": "solvers.projective.solver",
    "Simulation": "simulation",
    "SimulationError": "errors",
    "SoftBody": "bodies.soft_body",
    "SoftMaterial": "bodies.soft_material",
    "StrandMaterial": "bodies.strands",
    "Strands": "bodies.strands",
    "Surroundings": "forces.outside",
    "XPBD": "solvers.xpbd.solver",
    "edge_strain": "mesh.surface",
    "tension_of": "bodies.tension",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    if name in ("warm_up", "frame_cache"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
