# SPDX-License-Identifier: GPL-3.0-or-later
"""The bends of strands as rods side by side: what native code solves along each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....layout.batches import evenly
from ....layout.coloring import color_rows, split_by_color
from ....layout.layout import Places
from ....layout.program import MOST_THREADS
from ....native.by_address import by_address
from .rows_of_bends import Rows, find_rows

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model

LANES = 8
"""Rods side by side."""

AROUND = 0.3
"""Turn [rad] at rest over which bends have a direction together."""

SHARPEST = 0.1
"""Least cos² θ₀/2 by which a bend that is sharp at rest is made stiffer."""

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@by_address
class Rods(NamedTuple):
    """Rods side by side: a row has the i-th particle of each of LANES rods.

    Where a rod has ended, its lane stays at the last particle, as if that were pinned.

    Attributes:
        particles: shape (rows, LANES).
        slots: of the λ of the bend at each particle; -1 without bend.
        near, far: 1 / length [1/m] of the edges before and after the bend.
        stiffness: of the bend [N·m]; zero without.
        damping: its time [s].
        rest: |C x| at rest.
        inverse_masses: [1/kg], zero for pinned particles and where a rod has ended.
        runs: first row of each run, the rows of LANES rods, and the one after its last, shape
            (runs, 2).
        colors: where in ``runs`` those begin that share no particle, and the end.
        curved, damped: whether any bend is.
        alike: how much of the direction of the bend before counts for that of a bend.
        factored: the substep h [s] that what follows is for, for each run.
        forces: h² times the stiffness, up to what a solve can hold.
        inverse_pivots, lower, lowest: 1/D and both diagonals of L of the matrix L D Lᵀ.
        scratch: of each thread, for four vectors at each particle of a run, shape (threads, 4,
            longest, 3, LANES).
    """

    particles: Indices
    slots: Indices
    near: Reals
    far: Reals
    stiffness: Reals
    damping: Reals
    rest: Reals
    inverse_masses: Reals
    runs: Indices
    colors: Indices
    curved: bool
    damped: bool
    alike: Reals
    factored: Reals
    forces: Reals
    inverse_pivots: Reals
    lower: Reals
    lowest: Reals
    scratch: NDArray[Any]


def rods_of(model: Model, chosen: Sequence[int], slots: Places) -> Rods:
    """The rods of some groups of the kind ``"angle"``.

    Args:
        chosen: numbers of the groups.
        slots: for each group the places of its multipliers, shape (count, 1).
    """
    groups = [model.groups[number] for number in chosen]
    corners = np.concatenate([np.empty((0, 3), np.int64), *(each.indices for each in groups)])
    numbers = np.concatenate([np.empty((0, 5)), *(_numbers_of(each, model) for each in groups)])
    places = np.concatenate([np.empty(0, np.int64), *(slots[each][:, 0] for each in chosen)])
    rows = find_rows(corners, numbers[:, 4], model.particle_count)
    colors = color_rows(rows.firsts, rows.particles, model.particle_count)
    by_color = [_runs_of(rows, members) for members in split_by_color(colors)]
    sides = [_side_by_side(rows, run, model.particle_count) for same in by_color for run in same]
    none = np.empty((0, LANES), np.int64)
    particles = np.concatenate([none, *(particles for particles, _ in sides)])
    bends = np.concatenate([none, *(bends for _, bends in sides)])
    ends = np.cumsum([0, *(len(particles) for particles, _ in sides)])
    runs = np.stack([ends[:-1], ends[1:]], axis=1)
    near, far, stiffness, damping, rest = _in_lanes(particles, bends, corners, numbers)
    return Rods(
        particles,
        np.where(bends < 0, -1, np.append(places, -1)[bends]),
        near,
        far,
        stiffness,
        damping,
        rest,
        _inverse_masses(model, particles),
        runs,
        np.cumsum([0, *(len(same) for same in by_color)]),
        bool(rest.any()),
        bool(damping.any()),
        _alike(model, particles, near, far, rest),
        np.zeros(len(runs)),
        np.zeros(particles.shape),
        np.zeros(particles.shape),
        np.zeros(particles.shape),
        np.zeros(particles.shape),
        np.empty((MOST_THREADS, 4, int(np.diff(runs).max(initial=0)), 3, LANES)),
    )


def _numbers_of(group: Group, model: Model) -> Reals:
    """Near, far, stiffness, damping and rest of each bend, as in :class:`Rods`.

    |C x| = 2 sin θ/2: a bend's stiffness is that of its angle around the shape at rest.
    """
    angles = group.rest[:, 0]
    assert group.constraint.coefficients is not None
    coefficients = group.constraint.coefficients(model.positions[group.indices], group.rest)
    slopes = np.maximum(np.cos(0.5 * angles) ** 2, SHARPEST)
    with np.errstate(divide="ignore"):
        stiffness = 1.0 / (group.compliance[:, 0] * slopes)
    return np.stack(
        [
            coefficients[:, 0, 0],
            coefficients[:, 0, 2],
            stiffness,
            group.damping[:, 0],
            2.0 * np.sin(0.5 * angles),
        ],
        axis=1,
    )


def _runs_of(rows: Rows, members: Indices) -> list[Indices]:
    """LANES rows at a time, of about the same length, such that threads get equal shares."""
    sorted_rows = members[np.argsort(-np.diff(rows.starts)[members], kind="stable")]
    return [sorted_rows[i : i + LANES] for i in evenly(range(0, len(members), LANES))]


def _side_by_side(rows: Rows, run: Indices, count: int) -> tuple[Indices, Indices]:
    """Particles of LANES rows, and their bends, -1 without; lanes without a row have ``count``."""
    first, last = rows.firsts[run], rows.firsts[run + 1] - 1
    place = np.arange(int((last - first).max()) + 1)[:, None]
    particles = np.full((len(place), LANES), count)
    bends = np.full((len(place), LANES), -1)
    particles[:, : len(run)] = rows.particles[np.minimum(first + place, last)]
    inner = (place > 0) & (first + place < last)
    bend = np.where(inner, rows.starts[run] + place - 1, 0)
    bends[:, : len(run)] = np.where(inner, rows.bends[bend], -1)
    return particles, bends


def _in_lanes(particles: Indices, bends: Indices, corners: Indices, numbers: Reals) -> Reals:
    """The numbers of the bends at each particle, zero without, shape (5, rows, LANES)."""
    found = np.append(numbers, np.zeros((1, 5)), axis=0)[bends]
    # A row may go through a bend from its last corner to its first.
    before = np.roll(particles, 1, axis=0)
    turned = (bends >= 0) & (np.append(corners, [[-1] * 3], axis=0)[bends, 0] != before)
    found[turned] = found[turned][:, [1, 0, 2, 3, 4]]
    return np.ascontiguousarray(np.moveaxis(found, -1, 0))


def _inverse_masses(model: Model, particles: Indices) -> Reals:
    """Those of the particles, zero where a lane stays at one that it has passed."""
    found = np.append(1.0 / model.masses, 0.0)[particles]
    stays = particles[1:] == particles[:-1]
    found[1:][stays] = 0.0
    return np.asarray(found)


def _alike(model: Model, particles: Indices, near: Reals, far: Reals, rest: Reals) -> Reals:
    """How much of the direction of the bend before counts for that of a bend, shape (rows, LANES).

    The less the more both turn, and nothing where they turn to other sides.
    """
    x = np.append(model.positions, np.zeros((1, 3)), axis=0)[particles]
    turns = np.zeros_like(x)
    turns[1:-1] = far[1:-1, :, None] * (x[2:] - x[1:-1]) - near[1:-1, :, None] * (x[1:-1] - x[:-2])
    before, rest_before = np.roll(turns, 1, axis=0), np.roll(rest, 1, axis=0)
    sizes = np.linalg.norm(turns, axis=2) * np.linalg.norm(before, axis=2)
    cosines = np.einsum("rlk,rlk->rl", turns, before) / np.where(sizes > 0.0, sizes, 1.0)
    near_enough = np.exp(-0.5 * (rest + rest_before) / AROUND)
    return np.asarray(np.maximum(cosines, 0.0) * near_enough)
