# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs along the edges of triangles as a part of the fabric.

Tension crosses a mesh of triangles only triangle by triangle, but runs along chains of springs at
once. So as much of the membrane's stiffness as edges can carry is given to springs along them, and
the continuum keeps the rest: for small strain the sum is the fabric exactly, whatever the mesh.

A spring of stiffness c [N/m] per area, along the direction t in the material frame, resists the
strain vᵀε with v = (t_x², t_y², 2 t_x t_y); it adds c v vᵀ to the stiffness K of equation 28.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..mesh.simplices import inverses
from ..remembered import remembered

CARRIED = 0.9
"""Of the stiffness in the direction in which springs carry most; the continuum must keep some."""


@remembered
def split_stiffness(
    edges: NDArray[np.float64], compliance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What springs along the edges of triangles carry, and what is left.

    Args:
        edges: the three edges of each in the material frame [m], shape (count, 3, 2).
        compliance: K⁻¹ of the fabric for (ε_x, ε_y, ε_xy) [m/N], shape (3, 3), or of each, shape
            (count, 3, 3), not singular.

    Returns:
        Stiffness of the springs [N/m], shape (count, 3), and K of what is left [N/m], shape
        (count, 3, 3), positive definite.
    """
    compliance = np.broadcast_to(compliance, (len(edges), 3, 3))
    along = edges / np.linalg.norm(edges, axis=2)[:, :, None]
    x, y = along[:, :, 0], along[:, :, 1]
    directions = np.stack([x * x, y * y, 2.0 * x * y], axis=2)
    carried = 1.0 / np.einsum("tei,tij,tej->te", directions, compliance, directions)
    root = np.linalg.cholesky(compliance)
    scaled = directions @ root
    together = np.einsum("te,tei,tej->tij", carried, scaled, scaled)
    carried *= CARRIED / np.linalg.eigvalsh(together)[:, -1:]
    springs = np.einsum("te,tei,tej->tij", carried, directions, directions)
    return carried, inverses(compliance) - springs
