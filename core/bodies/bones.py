# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a cage lies around the bones of a skeleton, and goes with them as if it were bone, too.

Near counts within the cage, as in :mod:`.inside`: what a bone takes along hangs together with the
cells that it passes, so that an arm at rest does not take the ribs along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from ..mesh.cage import Cage
from ..mesh.connected import connected
from ..mesh.tetrahedra import edges_of

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Bones:
    """Straight bones in a body, as it starts.

    Attributes:
        ends: where each begins and ends [m], shape (b, 2, 3).
        reach: how far around it everything goes with it [m].
    """

    ends: Numbers
    reach: float

    @classmethod
    def of(cls, name: str, ends: ArrayLike | None, reach: float) -> Bones | None:
        """From what a caller gives; see ``Model.add_soft_body``. Raises ModelError."""
        if ends is None:
            return None
        given = np.asarray(ends, np.float64)
        if given.ndim != 3 or given.shape[1:] != (2, 3) or not np.isfinite(given).all():
            raise ModelError(
                f"The bones of '{name}' must be the two ends of each, shape (b, 2, 3), and finite."
            )
        if not 0.0 < reach < np.inf:
            raise ModelError(f"Bones of '{name}' can't take along what is {reach} m around them.")
        return cls(given, reach)

    def distances(self, points: Numbers, bone: int) -> Numbers:
        """From points, shape (n, 3), to a bone [m], shape (n,)."""
        start, end = self.ends[bone]
        along, away = end - start, points - start
        share = away @ along / max(float(along @ along), np.finfo(float).tiny)
        return np.asarray(np.linalg.norm(away - np.clip(share, 0.0, 1.0)[:, None] * along, axis=1))


@dataclass(frozen=True)
class OnBones:
    """Nodes of a cage that go with bones.

    Attributes:
        nodes: their numbers in the cage, ascending, shape (k,).
        bones: the bone of each, shape (k,).
        start: where they start [m], shape (k, 3).
    """

    nodes: Indices
    bones: Indices
    start: Numbers

    def led(self, movements: Numbers) -> Numbers:
        """Where the nodes are [m], shape (k, 3).

        Args:
            movements: of bones since the start, x → A x + b as [A b], shape (b, 3, 4).
        """
        turns, shifts = movements[self.bones, :, :3], movements[self.bones, :, 3]
        return np.asarray(np.einsum("kij,kj->ki", turns, self.start) + shifts)


def on_bones(name: str, cage: Cage, start: Numbers, bones: Bones) -> OnBones:
    """The nodes around bones, each with the nearest one.

    Args:
        start: where the nodes start [m], shape (n, 3).

    Raises:
        ModelError: there are none.
    """
    edges = edges_of(cage.tetrahedra)
    nearest, least = np.full(len(start), -1), np.full(len(start), np.inf)
    for bone in range(len(bones.ends)):
        away = bones.distances(start, bone)
        closer = _around(away, edges, bones.reach, cage.size) & (away < least)
        nearest[closer], least[closer] = bone, away[closer]
    nodes = np.flatnonzero(nearest >= 0)
    if not len(nodes):
        raise ModelError(
            f"No cell of '{name}' is within {bones.reach:g} m of a bone: let bones take along what "
            "is farther around them, or put them inside of it."
        )
    return OnBones(nodes, nearest[nodes], start[nodes])


def _around(away: Numbers, edges: Indices, reach: float, size: float) -> NDArray[np.bool_]:
    """Which nodes are within reach of a bone, and hang together with a cell that it passes."""
    near = away <= reach
    passed = near & (away <= size)
    if not passed.any():
        return passed
    parts = connected([edges[near[edges].all(axis=1)]], near)
    return np.asarray(near & np.isin(parts, np.unique(parts[passed])))
