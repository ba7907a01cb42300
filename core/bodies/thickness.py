# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusing a thickness at which everything would be near everything."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..mesh.surface import Indices, Positions, triangle_areas
from .painted import Painted

MOST_NEAR = 2_000_000
"""Pairs of a vertex and a face that may be nearer than twice the thickness: some GB of memory."""

MODEST = 2.0
"""Mean edges up to which a thickness is taken on a mesh of any size."""

EXACTLY = 0.95
"""Of the largest thickness allowed that is told, so that it is less in two digits."""


def check_thickness(name: str, positions: Positions, triangles: Indices, painted: Painted) -> None:
    """Raise ModelError where so much would be near each other that nothing could be simulated.

    Args:
        positions: [m], shape (n, 3). triangles: shape (t, 3). painted: the thickness [m].
    """
    thickness = float(np.sqrt(np.mean(np.square(painted))))  # whose circle is the mean circle
    corners = positions[triangles]
    edges = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    density = len(triangles) / float(triangle_areas(positions, triangles).sum())
    near = len(positions) * min(len(triangles), 4.0 * np.pi * thickness**2 * density)
    if near <= MOST_NEAR or thickness <= MODEST * edges.mean():
        return
    most = np.sqrt(MOST_NEAR / (4.0 * np.pi * density * len(positions)))
    most = EXACTLY * max(most, MODEST * edges.mean())
    raise ModelError(
        f"'{name}' is too thick for cells of {edges.mean():.2g} m: each would be near too many "
        f"others; set its thickness from {thickness:.2g} m to {most:.2g} m or less, or use a "
        "coarser mesh."
    )
