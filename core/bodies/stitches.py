# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that are sewn together: seams of panels, and stitches that can tear."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import duration, spread
from ..contact.surface.candidates import REST_PART
from ..errors import ModelError
from ..layout.group import Group, Stitching, make_group
from ..mesh.connected import connected

Indices = NDArray[np.int64]
Numbers = NDArray[np.float64]

QUICKEST = 1e-3
"""Seconds in which what is apart is drawn together at least."""

CLOSED = 1e-6
"""Length [m] of a thread that is none."""

BESIDE = 0.02
"""Of its way to a seam: what a vertex next to one keeps a part of. What keeps nothing at all goes
through each other by rounding."""


def make_stitches(
    pairs: ArrayLike,
    positions: Numbers,
    rest_positions: Numbers,
    edges: Sequence[Indices],
    *,
    strength: ArrayLike,
    sewing_force: ArrayLike,
    sewing_time: float,
) -> Group:
    """Stitches between particles; see ``Model.add_stitches``.

    Args:
        positions, rest_positions: of all particles as they start and at rest [m], shape (n, 3).
        edges: of each body, shape (e, 2).
    """
    group = make_group(
        "stitch", pairs, positions, rest=0.0, compliance=0.0, damping=0.0, order="colors"
    )
    count = len(group.indices)
    tearing = _positive("The strength of stitches", strength, count)
    pulling = _positive("The sewing force", sewing_force, count)
    every = np.concatenate([np.empty((0, 2), np.int64), *edges])
    spans, neighbours = seams_of(group.indices, rest_positions, every)
    starts, ends = positions[group.indices[:, 0]], positions[group.indices[:, 1]]
    lengths = np.linalg.norm(ends - starts, axis=1)
    speeds = lengths / max(duration("The sewing time", sewing_time), QUICKEST)
    group.stitching = Stitching(
        strengths=tearing,
        spans=spans,
        sizes=spans,
        neighbours=neighbours,
        inner=np.full((count, 2), -1),
        speeds=speeds,
        lengths=np.where(lengths > CLOSED, lengths, 0.0),
        holding=pulling,
        pulls=np.zeros(count),
    )
    return group


def _positive(what: str, values: ArrayLike, count: int) -> Numbers:
    numbers = spread(what, values, (count,))
    if not np.all(numbers > 0.0):
        raise ModelError(f"{what} must be positive, not {numbers.min()}.")
    return numbers


def seams_of(pairs: Indices, rest_positions: Numbers, edges: Indices) -> tuple[Numbers, Indices]:
    """The length of seam [m] that each stitch holds, shape (m,), and its neighbours, shape (m, 2).

    Args:
        pairs: of particles, shape (m, 2).
        rest_positions: of all [m], shape (n, 3).
        edges: of all bodies, shape (e, 2).
    """
    count = len(rest_positions)
    lengths = np.linalg.norm(rest_positions[edges[:, 1]] - rest_positions[edges[:, 0]], axis=1)
    known = set(_keys(edges, count).tolist())
    around: dict[int, list[int]] = {}
    for number, pair in enumerate(pairs.tolist()):
        for end in pair:
            around.setdefault(end, []).append(number)
    spans, beside = np.zeros(len(pairs)), [set[int]() for _ in pairs]
    sewn = np.zeros(count, np.bool_)
    sewn[pairs] = True
    along = sewn[edges].all(axis=1)
    for (a, b), length in zip(edges[along].tolist(), lengths[along].tolist(), strict=True):
        for one in around.get(a, ()):
            for other in around.get(b, ()):
                far = _other_end(pairs[one], a), _other_end(pairs[other], b)
                if one != other and min(far) * count + max(far) in known:
                    # Each side of the seam is met once, and gives a quarter of both its ends.
                    spans[[one, other]] += 0.25 * length
                    beside[one].add(other)
                    beside[other].add(one)
    neighbours = np.array([[*sorted(each), -1, -1][:2] for each in beside], np.int64)
    alone = _means_around(pairs, edges, lengths, count)
    return np.where(spans > 0.0, spans, alone), neighbours.reshape(-1, 2)


def _other_end(pair: Indices, end: int) -> int:
    return int(pair[1] if pair[0] == end else pair[0])


def _means_around(pairs: Indices, edges: Indices, lengths: Numbers, count: int) -> Numbers:
    """Half of the mean edge at both ends of each, or of all edges where there are none."""
    sums = np.bincount(edges.ravel(), np.repeat(lengths, 2), minlength=count)
    degrees = np.bincount(edges.ravel(), minlength=count)
    ends = degrees[pairs].sum(axis=1)
    usual = lengths.mean() if len(lengths) else 0.0
    means = sums[pairs].sum(axis=1) / np.maximum(ends, 1)
    return np.asarray(0.5 * np.where(ends > 0, means, usual))


def _keys(pairs: Indices, count: int) -> Indices:
    return np.asarray(pairs.min(axis=1) * count + pairs.max(axis=1))


def sewn_together(groups: Sequence[Group], count: int) -> Indices:
    """Of each of ``count`` particles the least of those that it is sewn to, shape (n,)."""
    pairs = [
        group.indices[group.stitching.holding > 0.0]
        for group in groups
        if group.stitching is not None
    ]
    if not pairs:
        return np.arange(count)
    return np.asarray(connected(pairs, np.ones(count, np.bool_)))


def tapered(
    thickness: Numbers, rest_positions: Numbers, edges: Sequence[Indices], sewn: Indices
) -> Numbers:
    """The thickness that bodies keep from themselves: less near seams, shape (n,).

    Across a seam things are near each other that are far from each other in the rest shape. They
    keep less than their way along the cloth, as what is near at rest.

    Args:
        thickness: as given [m], shape (n,).
        rest_positions: of all particles [m], shape (n, 3).
        edges: of each body, shape (e, 2).
        sewn: of each particle the least of those that it is sewn to.
    """
    at_seam = np.bincount(sewn, minlength=len(sewn))[sewn] > 1
    if not at_seam.any():
        return thickness
    pairs = np.concatenate([np.empty((0, 2), np.int64), *edges])
    lengths = np.linalg.norm(rest_positions[pairs[:, 1]] - rest_positions[pairs[:, 0]], axis=1)
    ways = np.where(at_seam, 0.0, np.inf)
    enough = thickness.max() / REST_PART + lengths.max(initial=0.0)
    while True:
        reached = _least_around(ways, pairs, lengths)
        if np.array_equal(reached, ways) or np.min(reached[reached != ways]) > enough:
            break
        ways = reached
    around = _least_around(ways, pairs, np.zeros(len(pairs)))
    nearest = np.maximum(around, BESIDE * np.where(at_seam, 0.0, ways))
    return np.minimum(thickness, REST_PART * nearest)


def _least_around(ways: Numbers, pairs: Indices, lengths: Numbers) -> Numbers:
    """The least of the ways to each particle and over its neighbours."""
    found = ways.copy()
    np.minimum.at(found, pairs[:, 0], ways[pairs[:, 1]] + lengths)
    np.minimum.at(found, pairs[:, 1], ways[pairs[:, 0]] + lengths)
    return found
