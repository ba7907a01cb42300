# SPDX-License-Identifier: GPL-3.0-or-later
"""The bends of strands as rods side by side: what native code solves along each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....lasting import Lasting, fill
from ....layout.batches import evenly
from ....layout.coloring import color_rows, split_by_color
from ....layout.layout import Places
from ....native.by_address import by_address
from ....native.threads import MOST_THREADS
from .rows_of_bends import Rows

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model

LANES = 8
"""Rods side by side."""

STIFFEST = 1e10
"""The most that double precision can solve for; see ``Rods.limits``."""

TIGHTEST = 0.9
"""The same times the fourth power of the turn of bends in a curl, for which it is 6 h² B κ⁴ / µ. A
curl that swings faster than that in a substep the sweeps over its lengths would set ringing."""

ROUGHEST = 300.0
"""The same times the square of the turn of a kink, or of one to and fro."""

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
        limits: the most that h² / α times |c|² over the least mass may be.
        curved, damped: whether any bend is.
        turns: b₀, C x at rest as it is carried along, shape (rows, 3, LANES).
        bent: C x as the last substep's solve left it, likewise.
        carried: whether both have been carried along from the step before, shape (1,).
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
    limits: Reals
    curved: bool
    damped: bool
    turns: Reals
    bent: Reals
    carried: NDArray[np.bool_]
    factored: Reals
    forces: Reals
    inverse_pivots: Reals
    lower: Reals
    lowest: Reals
    scratch: NDArray[Any]

    @property
    def lasts(self) -> bool:
        """Whether anything is carried along from step to step."""
        return self.curved or self.damped

    def lasting(self) -> Lasting:
        """What is."""
        return {"turns": self.turns, "bent": self.bent}

    def go_on_from(self, lasting: Lasting) -> None:
        """Carry on what the same rods have carried along. Raises CheckpointError."""
        fill(self.turns, lasting, "turns")
        fill(self.bent, lasting, "bent")


class Bends(NamedTuple):
    """All bends that are taken.

    Attributes:
        corners: previous, middle and next particle, shape (bends, 3).
        numbers: near, far, stiffness, damping and rest as in :class:`Rods`, shape (bends, 5).
        slots: places of λ, shape (bends,).
        twists: stiffness [N·m] and damping [s] against twisting, shape (bends, 2); NaN without.
    """

    corners: Indices
    numbers: Reals
    slots: Indices
    twists: Reals


def bends_of(model: Model, groups: Sequence[Group], slots: Places) -> Bends:
    """The bends of some groups of the kind ``"angle"``.

    Args:
        slots: for each of them the places of its multipliers, shape (count, 1).
    """
    return Bends(
        np.concatenate([np.empty((0, 3), np.int64), *(each.indices for each in groups)]),
        np.concatenate([np.empty((0, 5)), *(_numbers_of(each, model) for each in groups)]),
        np.concatenate([np.empty(0, np.int64), *(each[:, 0] for each in slots)]),
        np.concatenate([np.empty((0, 2)), *map(_twists_of, groups)]),
    )


def _twists_of(group: Group) -> Reals:
    """As in :class:`Bends`."""
    found = np.full((len(group.indices), 2), np.nan)
    if group.twist is not None:
        resists = np.isfinite(group.twist.compliance)
        with np.errstate(divide="ignore"):
            stiffness = 1.0 / group.twist.compliance
        found[resists] = np.stack([stiffness, group.twist.damping], axis=1)[resists]
    return found


def rods_of(model: Model, bends: Bends, rows: Rows, chosen: Indices) -> Rods:
    """Some rows of bends, each by itself; those that share particles one after the other."""
    first, count = rows.firsts, model.particle_count
    particles = [rows.particles[first[row] : first[row + 1]] for row in chosen]
    starts = np.cumsum([0, *(len(each) for each in particles)])
    none = np.empty(0, np.int64)
    colors = split_by_color(color_rows(starts, np.concatenate([none, *particles]), count))
    by_color = [runs_of(rows, chosen[members]) for members in colors]
    ends = np.cumsum([0, *(len(runs) for runs in by_color)])
    return arranged(model, bends, rows, [run for runs in by_color for run in runs], ends)


def runs_of(rows: Rows, members: Indices, lanes: int = LANES) -> list[Indices]:
    """So many rows at a time, of about the same length, such that threads get equal shares."""
    sorted_rows = members[np.argsort(-np.diff(rows.starts)[members], kind="stable")]
    return [sorted_rows[i : i + lanes] for i in evenly(range(0, len(members), lanes))]


def arranged(
    model: Model, bends: Bends, rows: Rows, runs: Sequence[Indices], colors: Indices
) -> Rods:
    """Rows of bends side by side.

    Args:
        runs: which rows are side by side, at most LANES each.
        colors: as in :class:`Rods`.
    """
    sides = [side_by_side(rows, run, model.particle_count) for run in runs]
    none = np.empty((0, LANES), np.int64)
    particles = np.concatenate([none, *(particles for particles, _ in sides)])
    numbers = np.concatenate([none, *(numbers for _, numbers in sides)])
    ends = np.cumsum([0, *(len(particles) for particles, _ in sides)])
    lengths = np.diff(ends)
    near, far, stiffness, damping, rest = _in_lanes(particles, numbers, bends)
    return Rods(
        particles,
        np.where(numbers < 0, -1, np.append(bends.slots, -1)[numbers]),
        near,
        far,
        stiffness,
        damping,
        rest,
        _inverse_masses(model, particles),
        np.stack([ends[:-1], ends[1:]], axis=1),
        colors,
        _limits(model, particles, near, far),
        bool(rest.any()),
        bool(damping.any()),
        np.zeros((len(particles), 3, LANES)),
        np.zeros((len(particles), 3, LANES)),
        np.zeros(1, np.bool_),
        np.zeros(len(runs)),
        np.zeros(particles.shape),
        np.zeros(particles.shape),
        np.zeros(particles.shape),
        np.zeros(particles.shape),
        np.empty((MOST_THREADS, 4, int(lengths.max(initial=0)), 3, LANES)),
    )


def _numbers_of(group: Group, model: Model) -> Reals:
    """Near, far, stiffness, damping and rest of each bend, as in :class:`Rods`.

    |C x| = 2 sin θ/2: a bend's stiffness is that of its angle around the shape at rest.
    """
    angles = group.rest[:, 0]
    assert group.constraint.coefficients is not None
    coefficients = group.constraint.coefficients(model.rest_positions[group.indices], group.rest)
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


def side_by_side(
    rows: Rows, run: Indices, count: int, lanes: int = LANES, more: int = 0
) -> tuple[Indices, Indices]:
    """Particles of so many rows, and their bends, -1 without, shape (longest + more, lanes).

    Lanes without a row have ``count``.
    """
    first, last = rows.firsts[run], rows.firsts[run + 1] - 1
    place = np.arange(int((last - first).max()) + 1 + more)[:, None]
    particles = np.full((len(place), lanes), count)
    bends = np.full((len(place), lanes), -1)
    particles[:, : len(run)] = rows.particles[np.minimum(first + place, last)]
    inner = (place > 0) & (first + place < last)
    bend = np.where(inner, rows.starts[run] + place - 1, 0)
    bends[:, : len(run)] = np.where(inner, rows.bends[bend], -1)
    return particles, bends


def _in_lanes(particles: Indices, numbers: Indices, bends: Bends) -> Reals:
    """What is known of the bend at each particle, zero without, shape (5, rows, LANES)."""
    found = np.append(bends.numbers, np.zeros((1, 5)), axis=0)[numbers]
    # A row may go through a bend from its last corner to its first.
    before = np.roll(particles, 1, axis=0)
    firsts = np.append(bends.corners[:, 0], -1)[numbers]
    turned = (numbers >= 0) & (firsts != before)
    found[turned] = found[turned][:, [1, 0, 2, 3, 4]]
    return np.ascontiguousarray(np.moveaxis(found, -1, 0))


def _inverse_masses(model: Model, particles: Indices) -> Reals:
    """Those of the particles, zero where a lane stays at one that it has passed."""
    found = 1.0 / np.append(model.masses, np.inf)[particles]
    stays = particles[1:] == particles[:-1]
    found[1:][stays] = 0.0
    return np.asarray(found)


def _limits(model: Model, particles: Indices, near: Reals, far: Reals) -> Reals:
    """How stiff each bend may be for its shape at rest, shape (rows, LANES)."""
    x = np.append(model.rest_positions, np.zeros((1, 3)), axis=0)[particles]
    turns = np.zeros((len(x) + 2, *x.shape[1:]))
    edges = np.diff(x, axis=0)
    turns[2:-2] = far[1:-1, :, None] * edges[1:] - near[1:-1, :, None] * edges[:-1]
    before, here, after = turns[:-2], turns[1:-1], turns[2:]
    curl = np.maximum(_dot(here, before), _dot(here, after))
    kink = 0.25 * np.linalg.norm(before - 2.0 * here + after, axis=2)
    least = np.maximum(np.maximum(curl, 0.0) ** 2 / TIGHTEST, kink**2 / ROUGHEST)
    return np.asarray(1.0 / np.maximum(least, 1.0 / STIFFEST))


def _dot(a: Reals, b: Reals) -> Reals:
    return np.asarray(np.einsum("rlk,rlk->rl", a, b))
