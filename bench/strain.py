# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a sheet has stretched, computed the same way for every method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .scenes import Indices, lengths

LATE = 20
"""The last so many frames, in which the sheet hangs and swings a little."""


class StrainRecord:
    """Watches a hanging sheet frame by frame.

    An edge's strain is its length over its rest length, minus one: 0.01 is one percent longer,
    and a shorter edge is negative. All edges of the quads count, those at the pins too.

    Args:
        positions: at rest [m], shape (n, 3).
        edges: pairs of vertices, shape (e, 2).
        pins: vertices that should stay where they are.
    """

    def __init__(self, positions: NDArray[Any], edges: Indices, pins: list[int]) -> None:
        self.edges = edges
        self.rest = lengths(positions, edges)
        self.pins = pins
        self.anchors = np.array(positions[pins])
        self.frames: list[dict[str, float]] = []

    def add(self, positions: NDArray[Any]) -> None:
        """Note one frame's positions [m]."""
        strain = lengths(positions, self.edges) / self.rest - 1.0
        slip = np.linalg.norm(positions[self.pins] - self.anchors, axis=1)
        self.frames.append(
            {
                "largest": float(strain.max()),
                "percentile_99": float(np.percentile(strain, 99)),
                "mean": float(strain.mean()),
                "pin_slip": float(slip.max()),
                "lowest": float(positions[:, 2].min()),
            }
        )

    def summary(self) -> dict[str, float]:
        """Return the last frame's figures, the largest strain in a typical and any frame, and the
        99th percentile in a typical one of the last.

        A sheet still swings at the last frame, one method's more than another's.
        """
        largest = [frame["largest"] for frame in self.frames]
        late = [frame["percentile_99"] for frame in self.frames[-LATE:]]
        return self.frames[-1] | {
            "largest_in_typical_frame": float(np.median(largest)),
            "largest_in_any_frame": max(largest),
            "percentile_99_late": float(np.median(late)),
        }
