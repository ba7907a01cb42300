# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the simulation stretched things in each frame, and how well the solver did.

The figures travel through the cache beside the positions of each simulated object.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...core.frame_cache import FrameCache


class Measures(NamedTuple):
    """Of one object in one frame.

    Attributes:
        largest_strain, mean_strain: elongation of its edges over their rest length; the mean is
            that of the absolute values.
        residual: the largest movement [m] that a further iteration of the solver would make of it
            and of what it could touch.
        substeps, iterations: that the frame took for these; 0 on the first.
        overstretch: how much longer than its stiffness allows it was left where more work would
            mend it, a part of its length.
        bend_error: how wrong its bending was left, a part of what hangs over an edge.
        held_apart: number of vertices that pins or colliders hold too far apart.
        crossings: pairs of faces, or of edges of strands and faces, at least one of them the
            object's, that go through each other.
        needed: substeps that soft bodies need to be as stiff as their material, of it and what it
            could touch; 0 without any.
        squeezed: number of vertices for which pins or colliders leave no room.
        low_x, low_y, low_z, high_x, high_y, high_z: corners [m] of a box: an object whose box
            overlaps none of the others' would be the same without these.
    """

    largest_strain: float
    mean_strain: float
    residual: float
    substeps: int = 0
    iterations: int = 0
    overstretch: float = 0.0
    bend_error: float = 0.0
    held_apart: int = 0
    crossings: int = 0
    squeezed: int = 0
    needed: int = 0
    low_x: float = math.nan
    low_y: float = math.nan
    low_z: float = math.nan
    high_x: float = math.nan
    high_y: float = math.nan
    high_z: float = math.nan

    def overlaps(self, other: Measures) -> bool:
        """Whether the boxes of both do; unknown ones overlap all."""
        lows, highs = self[-6:-3] + other[-6:-3], other[-3:] + self[-3:]
        return not any(low > high for low, high in zip(lows, highs, strict=True))

    def __str__(self) -> str:
        largest, mean = 100.0 * self.largest_strain, 100.0 * self.mean_strain
        return f"Stretch {largest:.1f} % max, {mean:.2f} % mean"

    @property
    def residual_text(self) -> str:
        """What the solver has left to correct of places, and of bending where that counts."""
        millimetres = 1e3 * self.residual
        length = f"{millimetres:.1f}" if millimetres >= 0.1 else f"{millimetres:.3f}"
        length = length if millimetres >= 0.001 else "less than 0.001"
        bending = f", bend by {100.0 * self.bend_error:.0f} %" if self.bend_error >= 0.01 else ""
        return f"Still off by {length} mm{bending}"

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


COUNTS = ("substeps", "iterations", "held_apart", "crossings", "squeezed", "needed")
"""What is a whole number, in a cache of floats."""

CORNERS = ("low_x", "low_y", "low_z", "high_x", "high_y", "high_z")

AT_REST = Measures(0.0, 0.0, 0.0)


def read(cache: FrameCache, object_ids: Iterable[str], frame: float) -> dict[str, Measures]:
    """The measures in a frame of those objects of which there are any."""
    measures = {}
    for object_id in object_ids:
        found: dict[str, Any] = cache.read_measures(object_id, frame) or {}
        counts = {each: found.get(each, math.nan) for each in COUNTS}
        if found.keys() == set(Measures._fields) and all(map(math.isfinite, counts.values())):
            whole = {each: round(count) for each, count in counts.items()}
            measures[object_id] = Measures(**found | whole)
    return measures
