# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface whose faces are no larger than the cells inside.

It touches in place of one of large faces, between whose vertices cells would sink through what they
lie on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

LONGEST = 1.0
"""Edges of cells that an edge of a face may be as long as: a soft cube of one face a side rests on
a floor as one of 16² faces a side does, to 0.1% of its height; with 1.5 it is 6% lower."""


class Refined(NamedTuple):
    """Triangles of which long edges were halved again and again.

    Attributes:
        triangles: of the vertices that there were and then the new ones, shape (s, 3).
        halved: of new vertices the ends of the edges that they halve, round by round, (k, 2) each.
        origins: the triangle that each is a part of, shape (s,).
        shares: weights of that one's corners at each of its corners, shape (s, 3, 3).
    """

    triangles: Indices
    halved: list[Indices]
    origins: Indices
    shares: Numbers

    def values(self, given: Any) -> Any:
        """What is given for each vertex, in an array, for the new ones, too; else as it is."""
        if np.ndim(given) == 0:
            return given
        for ends in self.halved:
            given = np.concatenate([given, 0.5 * np.sum(np.asarray(given)[ends], axis=1)])
        return given

    def shown(self, count: int) -> Indices:
        """For each vertex one of the first ``count``, those that there were, which is near."""
        near = np.arange(count)
        for ends in self.halved:
            near = np.concatenate([near, near[ends[:, 0]]])
        return near


def refined(points: Numbers, triangles: Indices, longest: float) -> tuple[Numbers, Refined]:
    """Halve edges that are longer than a length, and the triangles beside them.

    Of each triangle it is the longest edge that is halved, so that none becomes a sliver.

    Args:
        points: shape (n, 3); triangles: shape (t, 3).

    Returns:
        The points with those that are new, and what became of the triangles.
    """
    halved: list[Indices] = []
    origins, shares = np.arange(len(triangles)), np.tile(np.eye(3), (len(triangles), 1, 1))
    while True:
        edges = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2)
        lengths = np.linalg.norm(points[edges[..., 1]] - points[edges[..., 0]], axis=2)
        chosen = edges[np.arange(len(edges)), lengths.argmax(axis=1)]
        chosen = np.sort(chosen[lengths.max(axis=1, initial=0.0) > longest], axis=1)
        if not len(chosen):
            return points, Refined(triangles, halved, origins, shares)
        chosen = np.unique(chosen, axis=0)
        halved.append(chosen)
        points = np.concatenate([points, 0.5 * points[chosen].sum(axis=1)])
        triangles, origins, shares = _split(points, triangles, origins, shares, chosen)


def _split(
    points: Numbers, triangles: Indices, origins: Indices, shares: Numbers, chosen: Indices
) -> tuple[Indices, Indices, Numbers]:
    """Halve triangles at one chosen edge after the other, the longest first, until none has any.

    Args:
        points: of which the last are the middles of the edges.
        chosen: ends of these, ascending, shape (k, 2).
    """
    width = len(points)
    keys, count = chosen[:, 0] * width + chosen[:, 1], width - len(chosen)
    done = []
    while len(triangles):
        ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2)
        wanted = ends[..., 0] * width + ends[..., 1]
        middle = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        has = keys[middle] == wanted
        whole = ~has.any(axis=1)
        done.append((triangles[whole], origins[whole], shares[whole]))
        rows = np.flatnonzero(~whole)
        lengths = np.linalg.norm(points[ends[rows, :, 1]] - points[ends[rows, :, 0]], axis=2)
        side = (lengths * has[rows]).argmax(axis=1)
        turned = (side[:, None] + np.arange(3)) % 3
        a, b, c = triangles[rows[:, None], turned].T
        p, q, r = shares[rows[:, None], turned].transpose(1, 0, 2)
        new, half = count + middle[rows, side], 0.5 * (p + q)
        triangles = np.concatenate([np.stack([a, new, c], 1), np.stack([new, b, c], 1)])
        shares = np.concatenate([np.stack([p, half, r], 1), np.stack([half, q, r], 1)])
        origins = np.tile(origins[rows], 2)
    one, other, third = zip(*done, strict=True)
    return np.concatenate(one), np.concatenate(other), np.concatenate(third)
