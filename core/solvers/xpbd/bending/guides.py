# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells how a pinned edge has turned about itself: a further pinned vertex near it.

Two pinned vertices in a row hold a strand's direction, not its roll. Where a third one of the same
object does not lie in line with them, as the next root on a scalp, the edge turns with it; without
one the edge turns as little as it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....native.by_address import by_address

if TYPE_CHECKING:
    from ....model import Model

NEXT = 8
"""So many pinned vertices before and after an edge, in the order of the mesh, are looked at,"""

SAMPLES = 64
"""and as many from all over the object."""

IN_LINE = 0.1
"""Sine of the angle to the edge below which a vertex says nothing of how that turns."""

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@by_address
class Guides(NamedTuple):
    """The pinned edges that have one.

    Attributes:
        places: row, lane, the edge's particles and the guide, shape (guides, 5).
        ends: where those of each run begin, and the end, shape (runs + 1,).
        directions: the director along the way to the guide across the edge, and along the third
            direction, shape (guides, 2).
    """

    places: Indices
    ends: Indices
    directions: Reals


def guides_of(
    model: Model,
    particles: Indices,
    before: Indices,
    runs: Indices,
    held: NDArray[np.bool_],
    frames: Reals,
) -> Guides:
    """The guides of edges from one row to the next.

    Args:
        particles, before: ends of edges, shape (rows, lanes).
        runs: first row of each run, and the one after its last, shape (runs, 2).
        held: which edges are pinned, same shape.
        frames: director and tangent of each at rest, shape (rows, lanes, 6).
    """
    places = np.argwhere(held)
    ends = np.stack([before[held], particles[held]], axis=1)
    found = np.full(len(places), -1)
    for body in model.bodies:
        own = np.isin(ends[:, 0], body.particles)
        pinned = body.particles[np.isinf(model.masses[body.particles])]
        if own.any():
            found[own] = _nearest(model.positions, ends[own], pinned)
    chosen = found >= 0
    places, ends, found = places[chosen], ends[chosen], found[chosen]
    u, t = np.split(frames[places[:, 0], places[:, 1]], 2, axis=1)
    way = model.positions[found] - model.positions[ends[:, 1]]
    way -= np.einsum("ij,ij->i", way, t)[:, None] * t
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    directions = np.stack(
        [np.einsum("ij,ij->i", u, way), np.einsum("ij,ij->i", u, np.cross(t, way))], axis=1
    )
    starts = np.searchsorted(places[:, 0], np.append(runs[:, 0], len(particles)))
    return Guides(np.concatenate([places, ends, found[:, None]], axis=1), starts, directions)


def _nearest(x: Reals, edges: Indices, pinned: Indices) -> Indices:
    """The nearest of some pinned vertices that is not in line with each edge; -1 without."""
    order = np.searchsorted(pinned, edges[:, 1])
    near = order[:, None] + np.arange(-NEXT, NEXT + 1)
    samples = np.linspace(0, len(pinned) - 1, min(SAMPLES, len(pinned))).astype(np.int64)
    spread = np.broadcast_to(samples, (len(edges), len(samples)))
    candidates = pinned[np.concatenate([np.clip(near, 0, len(pinned) - 1), spread], axis=1)]
    tangent = x[edges[:, 1]] - x[edges[:, 0]]
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-30)
    way = x[candidates] - x[edges[:, 1], None]
    squares = np.einsum("eck,eck->ec", way, way)
    across = squares - np.einsum("eck,ek->ec", way, tangent) ** 2
    squares = np.where(across > IN_LINE**2 * squares, squares, np.inf)
    best = np.argmin(squares, axis=1)
    rows = np.arange(len(edges))
    return np.where(np.isfinite(squares[rows, best]), candidates[rows, best], -1)
