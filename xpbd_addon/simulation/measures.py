# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the simulation stretched things in each frame, and how well the solver did.

The figures travel through the cache beside the positions, as if they were those of one more
object: a point for the solver and one for each simulated object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ...core.frame_cache import FrameCache

KEY = "measures"
"""Stands for an object's id in the cache."""


@dataclass(frozen=True)
class Measures:
    """Of one object in one frame.

    Attributes:
        largest_strain, mean_strain: elongation of its edges over their rest length; the mean is
            that of the absolute values.
        residual: the largest movement [m] that a further iteration of the solver would make
            anywhere in the scene.
        substeps, iterations: that the frame took; 0 where the solver does not tell.
        overstretch: how much longer than its stiffness allows anything in the scene was left, a
            part of its length.
    """

    largest_strain: float
    mean_strain: float
    residual: float
    substeps: int = 0
    iterations: int = 0
    overstretch: float = 0.0

    def __str__(self) -> str:
        largest, mean = 100.0 * self.largest_strain, 100.0 * self.mean_strain
        return f"Strain {largest:.1f} % max, {mean:.2f} % mean"

    @property
    def residual_text(self) -> str:
        """The residual in a unit in which it can be read."""
        millimetres = 1e3 * self.residual
        if millimetres >= 0.1:
            return f"Residual {millimetres:.1f} mm"
        return f"Residual {1e3 * millimetres:.2f} µm"

    @property
    def effort_text(self) -> str:
        """What the frame took; empty where nothing was simulated."""
        if self.substeps == 0:
            return ""
        text = f"{self.substeps} substeps"
        return text if self.iterations == 1 else f"{text} × {self.iterations} iterations"

    def missed(self, allowed: float, substeps: int, iterations: int) -> bool:
        """Whether the limits, these counts, are too low for what the frame would have needed.

        The overstretch falls with the square of the number of substeps and with that of iterations.
        """
        most = substeps**2 * iterations
        return self.substeps**2 * self.iterations * self.overstretch > most * allowed


def count(object_ids: list[str]) -> int:
    """Points that measures of these objects take."""
    return 1 + len(object_ids)


def at_rest(object_ids: list[str]) -> NDArray[np.float32]:
    """The measures of a first frame, shape (points, 3)."""
    return np.zeros((count(object_ids), 3), np.float32)


def read(cache: FrameCache, object_id: str, frame: float) -> Measures | None:
    """The measures of an object in a frame; None where there are none."""
    ids = sorted(key for key in cache.point_counts if key != KEY)
    table = cache.read(KEY, frame)
    if table is None or object_id not in ids:
        return None
    residual, substeps, iterations = table[0].tolist()
    largest, mean, overstretch = table[1 + ids.index(object_id)].tolist()
    return Measures(largest, mean, residual, round(substeps), round(iterations), overstretch)
