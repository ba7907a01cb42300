# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments of the demo on its walking figure, as ``worn_blender`` has written them down.

Needs numpy only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .contact_objects import Cloth, Collider, Motion, Scene
from .scenes import Positions

WORN = "worn"
"""Its name."""

APART = 0.001, 0.004
"""Thickness of garments and of the figure [m]."""


def worn(path: str, garments: Sequence[str]) -> Scene:
    """Garments on the figure, which takes its first steps.

    Args:
        path: of the file.
        garments: which.
    """
    with np.load(path, allow_pickle=False) as file:
        written = dict(file)
    cloths = [
        Cloth(
            name,
            written[name],
            written[f"{name}_triangles"],
            written[f"{name}_edges"],
            pins=written[f"{name}_pins"],
            motion=_following(written[f"{name}_pin_positions"]),
            thickness=APART[0],
        )
        for name in garments
    ]
    figure = written["figure"]
    collider = Collider(
        "figure", figure[0], written["figure_triangles"], _following(figure), thickness=APART[1]
    )
    return Scene(WORN, tuple(cloths), (collider,), frames=len(figure) - 1)


def _following(positions: NDArray[np.float64]) -> Motion:
    """Where things are that have a place in each frame, shape (frames + 1, n, 3)."""
    rate = Scene.frames_per_second

    def at(time: float) -> Positions:
        frame = min(int(time * rate + 1e-6), len(positions) - 2)
        part = time * rate - frame
        return np.asarray((1.0 - part) * positions[frame] + part * positions[frame + 1])

    return at
