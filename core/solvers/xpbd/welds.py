# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams that hold for ever, in sweeps: what is sewn together there is one particle.

Solved by itself, after the sweeps, a stitch would close what each of these opens: at the seams of
a tight garment edges were stretched three to five times as much as others, and substeps were spent
on that in vain. So closed stitches that never tear weld particles for the time of a sweep: one of
them has the mass of all, chains go on through it, and in the end all are where it is, which keeps
momentum. All other stitches are links of chains: see :mod:`.threads`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...layout.group import Group
from ...layout.joined_chains import joined
from ...mesh.connected import connected
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.team import meet

if TYPE_CHECKING:
    from ...model import Model

Indices = NDArray[np.int64]


@by_address
class Welds(NamedTuple):
    """Particles that are one in sweeps, for native code.

    Attributes:
        members: weld after weld, of each first the one that stands for all, shape (k,).
        starts: where each begins, and the end, shape (w + 1,).
        inverse_masses: of those first ones, while they have that of all, shape (w,).
    """

    members: Indices
    starts: Indices
    inverse_masses: NDArray[Any]


@dataclass(frozen=True)
class Seams:
    """What is welded of a model.

    Attributes:
        closed: which of all stitches hold for ever, shape (s,).
        ones: of each particle the one that stands for it, shape (n,).
        welds: for native code.
        threads: what stands for both ends of what else is sewn together, each pair once, (t, 2).
        stitches: the numbers of these among all stitches, shape (t,).
    """

    closed: NDArray[np.bool_]
    ones: Indices
    welds: Welds
    threads: Indices
    stitches: Indices

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return len(self.welds.starts) > 1

    def welded(self, group: Group) -> Group:
        """The same constraints on what stands for their particles."""
        return self._on_ones(group, self.threads[:0])

    def through(self, group: Group) -> Group:
        """The same, with chains that go on through threads, too, which come last."""
        whole = self._on_ones(group, self.threads)
        if whole.chains is None or len(self.threads) == 0:
            return whole
        ends = whole.chains.ends_from(len(group.indices))[:, 1:]
        known = np.concatenate([self.threads, np.sort(ends, axis=1)])
        numbers = np.unique(known, axis=0, return_inverse=True)[1].ravel()[len(self.threads) :]
        rest, compliance, damping = (
            np.concatenate([table, np.repeat(table[:1], len(ends), axis=0)])
            for table in (group.rest, group.compliance, group.damping)
        )
        damping[len(group.indices) :] = 0.0
        return replace(
            whole,
            indices=np.concatenate([whole.indices, ends]),
            rest=rest,
            compliance=compliance,
            damping=damping,
            sewn=self.stitches[numbers],
        )

    def _on_ones(self, group: Group, threads: Indices) -> Group:
        if not self.any and len(threads) == 0:
            return group
        chains = None if group.chains is None else joined(group.chains, self.ones, threads)
        return replace(group, indices=self.ones[group.indices], chains=chains)


def closed_of(groups: Sequence[Group]) -> NDArray[np.bool_]:
    """Which stitches hold two particles together for ever, of one group after the other, (s,)."""
    states = [group.stitching for group in groups if group.stitching is not None]
    closed = [
        (state.lengths == 0.0) & (state.holding > 0.0) & np.isinf(state.strengths)
        for state in states
    ]
    return np.concatenate([np.zeros(0, bool), *closed])


def seams_of(model: Model) -> Seams:
    """What can be welded of a model as it is sewn now, and what else holds."""
    closed = closed_of(model.groups)
    sewn = [group.indices for group in model.groups if group.stitching is not None]
    every = np.concatenate([np.empty((0, 2), np.int64), *sewn])
    bodies = body_numbers(model)
    of_one = bodies[every[:, 0]] == bodies[every[:, 1]]
    ones = _welded(model, every[of_one & closed])
    ends = np.sort(ones[every], axis=1)
    stitches = np.flatnonzero(of_one & (ends[:, 0] != ends[:, 1]))
    threads, first = np.unique(ends[stitches], axis=0, return_index=True)
    return Seams(closed, ones, _welds_of(ones, model.dtype), threads, stitches[first])


def body_numbers(model: Model) -> Indices:
    """Of each particle the number of its body, -1 for none, shape (n,)."""
    bodies = np.full(model.particle_count, -1)
    for number, body in enumerate(model.bodies):
        bodies[body.particles] = number
    return bodies


def _welded(model: Model, pairs: Indices) -> Indices:
    """Of each particle the one that stands for it, where pairs are welded as far as possible."""
    kinematic = np.isinf(model.masses)
    ones = _ones_of(pairs, kinematic)
    if len(pairs) == 0:
        return ones
    # What is welded to others of its own constraint would be constrained to be nowhere.
    swept = [group for group in model.groups if group.stitching is None]
    folded = [_folded(group.indices, ones) for group in swept]
    held_twice = np.flatnonzero(np.bincount(ones[kinematic], minlength=len(ones)) > 1)
    bad = np.unique(np.concatenate([held_twice, *folded]))
    return _ones_of(pairs[~np.isin(ones[pairs[:, 0]], bad)], kinematic) if len(bad) else ones


def _ones_of(pairs: Indices, kinematic: NDArray[np.bool_]) -> Indices:
    """Of each particle the one that stands for all that it is sewn to: what is held, if any is."""
    smallest = connected([pairs], np.ones(len(kinematic), bool))
    ones = np.arange(len(kinematic))
    held = np.flatnonzero(kinematic)
    ones[smallest[held]] = held
    return ones[smallest]


def _folded(indices: Indices, ones: Indices) -> Indices:
    """What stands for several particles of the same constraint."""
    ordered = np.sort(ones[indices], axis=1)
    return np.asarray(ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]])


def _welds_of(ones: Indices, dtype: np.dtype[Any]) -> Welds:
    own = np.arange(len(ones))
    several = np.bincount(ones, minlength=len(ones))[ones] > 1
    members = own[several]
    order = np.lexsort((members, members != ones[members], ones[members]))
    members = members[order]
    starts = np.flatnonzero(np.r_[members == ones[members], True])
    return Welds(members, starts, np.zeros(len(starts) - 1, dtype))


@native_part
def weld(arrays, welds, team):  # type: ignore[no-untyped-def]
    """Let the first particle of each weld be where the mass centre of all is, and have all mass.

    So it is where the substep began. What contact has opened before closes without velocity:
    friction would take it for sliding and hold a seam open, however often it is closed.
    """
    if len(welds.members) == 0:
        return
    meet(team)
    if team.thread == 0:
        rows = arrays.rows
        real = rows.dtype.type
        for number in range(len(welds.starts) - 1):
            first = welds.members[welds.starts[number]]
            welds.inverse_masses[number] = rows[first, 3]
            if rows[first, 3] == 0.0:
                continue
            mass = _to_centre(arrays.previous, rows, welds, number)
            _to_centre(rows, rows, welds, number)
            rows[first, 3] = real(1.0 / mass)
    meet(team)


@native_part
def _to_centre(x, rows, welds, number):  # type: ignore[no-untyped-def]
    """Put the first particle of a weld to the mass centre of all; returns the mass."""
    first = welds.members[welds.starts[number]]
    mass, way_x, way_y, way_z = 0.0, 0.0, 0.0, 0.0
    for place in range(welds.starts[number], welds.starts[number + 1]):
        particle = welds.members[place]
        own = 1.0 / float(rows[particle, 3])
        mass += own
        way_x += own * (float(x[particle, 0]) - float(x[first, 0]))
        way_y += own * (float(x[particle, 1]) - float(x[first, 1]))
        way_z += own * (float(x[particle, 2]) - float(x[first, 2]))
    real = x.dtype.type
    x[first, 0] += real(way_x / mass)
    x[first, 1] += real(way_y / mass)
    x[first, 2] += real(way_z / mass)
    return mass


@native_part
def part_again(arrays, welds, team):  # type: ignore[no-untyped-def]
    """Let all particles of a weld be where the first one is, with masses of their own."""
    if len(welds.members) == 0:
        return
    if team.thread == 0:
        rows, previous = arrays.rows, arrays.previous
        for number in range(len(welds.starts) - 1):
            first = welds.members[welds.starts[number]]
            rows[first, 3] = welds.inverse_masses[number]
            for place in range(welds.starts[number] + 1, welds.starts[number + 1]):
                particle = welds.members[place]
                for k in range(3):
                    rows[particle, k] = rows[first, k]
                    previous[particle, k] = previous[first, k]
    meet(team)
