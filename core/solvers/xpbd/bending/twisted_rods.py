# SPDX-License-Identifier: GPL-3.0-or-later
"""The bends of strands that resist twisting, side by side: what native code solves along them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....layout.coloring import color_rows, split_by_color
from ....layout.layout import Layout
from ....native.by_address import by_address
from ....native.threads import MOST_THREADS
from ....vector.elements import address_of
from . import kirchhoff
from .guides import Guides, guides_of
from .rods import SHARPEST, Bends, runs_of, side_by_side
from .rows_of_bends import Rows

if TYPE_CHECKING:
    from ....model import Model
    from ....state import State

LANES = 4
"""Rods side by side: as many doubles as most processors compute with at once."""

MORE = 2
"""Rows behind the last particle of a rod; see :mod:`.kirchhoff`."""

STRAIGHT = 0.01
"""Angle [rad], all bends at rest together, below which a strand is straight."""

SLIMNESS = 1e-4
"""Inertia of an edge's spin, as a part of its mass times the square of its length."""

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@by_address
class TwistedRods(NamedTuple):
    """Rods side by side: row i has the i-th particle of each of LANES rods, the edge before it,
    and the bend before that.

    Where a rod has ended, its lane stays at the last particle, as if that were pinned.

    Attributes:
        along, back: addresses of the kernels.
        particles: shape (rows, LANES).
        inverse_masses: [1/kg], zero for pinned particles and where a rod has ended.
        edges, bends: places of λ of the edge and the bend, -1 without, shape (rows, LANES).
        constants: of each row ``STRETCH``, its damping, that of bends and of twist, likewise, and
            |C x| of the bend at rest, shape (rows, 7, LANES).
        runs: first row of each run, the rows of LANES rods, and the one after its last, shape
            (runs, 2).
        colors: where in ``runs`` those begin that share no particle, and the end.
        guides: what pinned edges turn with.
        factored: the substep h [s] that ``given`` is for, for each run.
        given, points, frames: as in :mod:`.kirchhoff`, shape (rows, any, LANES).
        kept: of each thread what one pass leaves for the next, flat.
        begun: frames as they are at rest.
    """

    along: int
    back: int
    particles: Indices
    inverse_masses: Reals
    edges: Indices
    bends: Indices
    constants: Reals
    runs: Indices
    colors: Indices
    guides: Guides
    factored: Reals
    given: Reals
    points: Reals
    frames: Reals
    kept: Reals
    begun: Reals

    def recall(self, state: State) -> None:
        """Go on with the frames of a state."""
        if len(state.frames):
            known = np.append(state.frames, np.zeros((1, kirchhoff.FRAME)), axis=0)
            found = np.moveaxis(known[self.particles], 2, 1)
            self.frames[:] = np.where(found.any(axis=1, keepdims=True), found, self.begun)

    def keep(self, state: State) -> None:
        """Leave the frames to a state."""
        if len(state.frames):
            own = self.edges >= 0
            state.frames[self.particles[own]] = np.moveaxis(self.frames, 1, 2)[own]


def twisted_rows(model: Model, bends: Bends, rows: Rows, chosen: Indices) -> NDArray[np.bool_]:
    """Which of some rows of bends resist twisting all along, shape (chosen,).

    Left out is what is straight at rest, and of which no more than one edge is pinned: twist that
    is always at rest leaves it by its free end.
    """
    if len(chosen) == 0:
        return np.zeros(0, np.bool_)
    first = rows.starts[:-1]
    resists = np.logical_and.reduceat(np.isfinite(bends.twists[rows.bends, 1]), first)
    turns = np.add.reduceat(bends.numbers[rows.bends, 4], first)
    held = np.isinf(model.masses[rows.particles])
    clamped = np.append(held[1:] & held[:-1], False).astype(np.int64)
    # What leads from a row's end to the next row's beginning is no edge.
    clamped[rows.firsts[1:] - 1] = 0
    edges = np.add.reduceat(clamped, rows.firsts[:-1])
    return np.asarray(resists & ((turns > STRAIGHT) | (edges > 1)))[chosen]


def twisted_rods_of(
    model: Model, layout: Layout, bends: Bends, rows: Rows, chosen: Indices
) -> TwistedRods:
    """Some rows of bends, each by itself; those that share particles one after the other."""
    first, count = rows.firsts, model.particle_count
    members = [rows.particles[first[row] : first[row + 1]] for row in chosen]
    starts = np.cumsum([0, *(len(each) for each in members)])
    flat = np.concatenate([np.empty(0, np.int64), *members])
    colors = split_by_color(color_rows(starts, flat, count))
    runs = [runs_of(rows, chosen[own], LANES) for own in colors]
    sides = [
        side_by_side(rows, run, count, LANES, MORE) for same_color in runs for run in same_color
    ]
    none = np.empty((0, LANES), np.int64)
    particles = np.concatenate([none, *(particles for particles, _ in sides)])
    numbers = np.concatenate([none, *(numbers for _, numbers in sides)])
    ends = np.cumsum([0, *(len(particles) for particles, _ in sides)])
    places = np.stack([ends[:-1], ends[1:]], axis=1)
    return _arranged(
        model, layout, bends, particles, numbers, places, np.cumsum([0, *map(len, runs)])
    )


def _arranged(
    model: Model,
    layout: Layout,
    bends: Bends,
    particles: Indices,
    numbers: Indices,
    runs: Indices,
    colors: Indices,
) -> TwistedRods:
    """Those in lanes.

    Args:
        numbers: of the bend at each particle, -1 without, shape (rows, LANES).
    """
    before = _shifted(particles, runs)
    numbers = _shifted(numbers, runs)
    numbers[runs[:, 0]] = -1
    ended = particles == before
    masses = np.append(model.masses, np.inf)
    free = np.divide(1.0, masses, out=np.zeros_like(masses), where=masses > 0.0)
    inverse_masses = np.where(ended, 0.0, free[particles])
    inverse_masses[runs[:, 0]] = free[particles[runs[:, 0]]]
    edges, stretch = _edges_of(layout, particles, before, model.particle_count)
    points = np.append(model.positions, np.zeros((1, 3)), axis=0)
    frames, rest = kirchhoff_frames(points[particles], runs)
    given = np.zeros((len(particles), kirchhoff.GIVEN, LANES))
    inverse_mass = np.maximum(free[particles], free[before])
    lengths = np.linalg.norm(points[particles] - points[before], axis=2)
    held = ended | ((free[particles] == 0.0) & (free[before] == 0.0))
    with np.errstate(divide="ignore"):
        given[:, kirchhoff.MASS] = np.where(
            inverse_masses > 0.0, 1.0 / inverse_masses, kirchhoff.HELD
        )
    given[:, kirchhoff.SPIN] = np.where(
        held, kirchhoff.HELD, SLIMNESS * lengths**2 / np.where(held, 1.0, inverse_mass)
    )
    given[:, kirchhoff.LENGTH] = lengths
    given[:, kirchhoff.REST :] = np.moveaxis(rest, 2, 1)
    constants = np.concatenate([stretch, np.moveaxis(_constants_of(bends)[numbers], 2, 1)], axis=1)
    longest = int(np.diff(runs, axis=1).max(initial=0))
    begun = np.ascontiguousarray(np.moveaxis(frames, 2, 1))
    return TwistedRods(
        address_of(kirchhoff.ALONG, LANES, True),
        address_of(kirchhoff.BACK, LANES, True),
        particles,
        inverse_masses,
        edges,
        np.where(numbers < 0, -1, np.append(bends.slots, -1)[numbers]),
        np.ascontiguousarray(constants),
        runs,
        colors,
        guides_of(model, particles, before, runs, held & ~ended, frames),
        np.zeros(len(runs)),
        given,
        np.zeros((len(particles), kirchhoff.POINTS, LANES)),
        begun.copy(),
        np.zeros((MOST_THREADS, longest * kirchhoff.KEPT * LANES)),
        begun,
    )


def _constants_of(bends: Bends) -> Reals:
    """Stiffness and damping of bends and twists, and |C x| at rest, shape (bends + 1, 5); at the
    end zeros for none.
    """
    _, _, stiffness, damping, turns = bends.numbers.T
    # That of |C x| has the slope of it in it.
    plain = stiffness * np.maximum(1.0 - 0.25 * turns**2, SHARPEST)
    found = np.stack([plain, damping, *bends.twists.T, turns], axis=1)
    return np.append(found, np.zeros((1, 5)), axis=0)


def _shifted(values: Indices, runs: Indices) -> Indices:
    """What was one row before; in the first row of a run what is there."""
    found = np.roll(values, 1, axis=0)
    found[runs[:, 0]] = values[runs[:, 0]]
    return found


def _edges_of(
    layout: Layout, particles: Indices, before: Indices, count: int
) -> tuple[Indices, Reals]:
    """The place of λ of the edge between two particles, -1 without, and 1 / α and damping, shape
    (rows, 2, LANES).
    """
    groups = [n for n, each in enumerate(layout.groups) if each.constraint.kind == "distance"]
    pairs = [layout.groups[n].indices for n in groups]
    none = np.empty(0, np.int64)
    keys = np.concatenate([none, *(p.min(axis=1) * count + p.max(axis=1) for p in pairs)])
    slots = np.concatenate([none, *(layout.slots[n][:, 0] for n in groups)])
    compliance = np.concatenate([np.empty(0), *(layout.groups[n].compliance[:, 0] for n in groups)])
    damping = np.concatenate([np.empty(0), *(layout.groups[n].damping[:, 0] for n in groups)])
    order = np.argsort(keys, kind="stable")
    wanted = np.minimum(particles, before) * count + np.maximum(particles, before)
    places = order[np.minimum(np.searchsorted(keys[order], wanted), max(len(order) - 1, 0))]
    known = (particles != before) & (keys[places] == wanted)
    with np.errstate(divide="ignore"):
        stiffness = 1.0 / compliance[places]
    return (
        np.where(known, slots[places], -1),
        np.stack([np.where(known, stiffness, 0.0), np.where(known, damping[places], 0.0)], axis=1),
    )


def kirchhoff_frames(x: Reals, runs: Indices) -> tuple[Reals, Reals]:
    """Frames of the edges before points without twist from one to the next, u and t, and r̄.

    Args:
        x: shape (rows, LANES, 3).

    Returns:
        Shapes (rows, LANES, 6) and (rows, LANES, 3).
    """
    t, frames, rest = np.zeros_like(x), np.zeros((*x.shape[:2], 6)), np.zeros_like(x)
    t[1:] = _directions(np.diff(x, axis=0))
    for first, end in runs:
        t[first] = t[first + 1]
        u = _across(t[first])
        for row in range(first, end):
            now, before = t[row], t[max(row - 1, first)]
            still = ~now.any(axis=1)
            now[still] = before[still]
            u, turn = _carried(u, before, now)
            frames[row] = np.concatenate([u, now], axis=1)
            rest[row] = np.stack([_dot(turn, u), _dot(turn, np.cross(now, u)), 0.0 * u[:, 0]], 1)
    return frames, rest


def _carried(u: Reals, before: Reals, now: Reals) -> tuple[Reals, Reals]:
    """A director turned without twist from a direction to the next, and by which rotation."""
    sum_of_both, axis = before + now, np.cross(before, now)
    square = 0.25 * _dot(now - before, now - before)
    ratio = kirchhoff.series(square) / np.sqrt(np.maximum(1.0 - square, kirchhoff.FOLDED))
    share = _dot(u, now) / np.maximum(2.0 - 2.0 * square, kirchhoff.FOLDED)
    moved = u - share[:, None] * sum_of_both
    across = moved - _dot(moved, now)[:, None] * now
    return _directions(across), ratio[:, None] * axis


def _across(t: Reals) -> Reals:
    """Any direction across each, shape (n, 3)."""
    return _directions(np.cross(t, np.eye(3)[np.argmin(np.abs(t), axis=1)]))


def _directions(a: Reals) -> Reals:
    length = np.linalg.norm(a, axis=-1, keepdims=True)
    return np.asarray(a / np.where(length > 0.0, length, 1.0))


def _dot(a: Reals, b: Reals) -> Reals:
    return np.asarray(np.einsum("ij,ij->i", a, b))
