# SPDX-License-Identifier: GPL-3.0-or-later
"""More iterations where the load comes together: around pinned vertices.

A pinned vertex holds a whole sheet by the few constraints at it. The nearer to it, the larger is
the tension and the faster it changes, so that constraints there undo each other's work far more
than anywhere else. Regions around pins, each half as wide as the one before and swept twice as
often, are refined sweeps as a graded mesh is a refined mesh, and cost little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..chains import find_chains
from ..compiled import native_part
from ..program import Group, Layout, Program
from ..vector.barrier import wait
from . import chain_projection
from .projection import specification
from .rings import rings_around
from .sweep import sweep_batch

if TYPE_CHECKING:
    from ..model import Model

SHARE = 0.05
"""Of all constraints: those in the widest region."""

LEAST_RINGS = 2
"""Width of the narrowest region, in steps from particle to particle."""

MOST_SWEEPS = 8
MOST_WORK = 0.2
"""Of the work of a sweep over everything: what all sweeps of a region may take."""


class NearPins(NamedTuple):
    """The constraints near pins, for native code.

    Attributes:
        program: laid out once more by themselves, region by region.
        regions: of each batch, the number of its region.
        there, here: places of their λ among those of the whole model, and in the program's.
        ends: where the places of each region end.
        sweeps: for each region, how many follow each sweep over everything.
    """

    program: Program
    regions: NDArray[np.int64]
    there: NDArray[np.int64]
    here: NDArray[np.int64]
    ends: NDArray[np.int64]
    sweeps: NDArray[np.int64]


def near_pins(model: Model, whole: Layout) -> NearPins:
    """The constraints that stretch and are near a pinned particle, in regions around it."""
    stretching = [g for g, group in enumerate(model.groups) if group.constraint.stretch is not None]
    tables = [model.groups[g].indices for g in stretching]
    every = sum(len(group.indices) for group in model.groups)
    rings = rings_around(np.isinf(model.masses), tables, LEAST_RINGS, int(SHARE * every))
    within = np.cumsum(np.bincount(rings[rings > 0], minlength=LEAST_RINGS + 1))
    starts = np.cumsum([0, *(len(table) for table in tables)])
    groups, owners, there = [], [], []
    sweeps: list[int] = []
    for width in _widths(within, every):
        often = int(MOST_WORK * every / max(within[min(width, len(within) - 1)], 1))
        if within[-1] == 0 or often == 0:
            continue
        for g, first, last in zip(stretching, starts[:-1], starts[1:], strict=True):
            ring = rings[first:last]
            chosen = np.flatnonzero((ring > 0) & (ring <= width))
            if len(chosen):
                groups.append(_part(model, model.groups[g], chosen))
                owners.append(len(sweeps))
                there.append(whole.slots[g][chosen].ravel())
        sweeps.append(min(2 ** len(sweeps), MOST_SWEEPS, often))
    return _laid_out(model, groups, owners, there, sweeps)


def nothing_near(model: Model) -> NearPins:
    """No further sweeps."""
    return _laid_out(model, [], [], [], [])


def _widths(within: NDArray[np.int64], every: int) -> list[int]:
    """Rings of each region, the widest first.

    Args:
        within: number of constraints in so many rings.
        every: number of constraints of the model.
    """
    fitting = np.flatnonzero(within <= SHARE * every)
    widths = [max(int(fitting[-1]), LEAST_RINGS)]
    while widths[-1] // 2 >= LEAST_RINGS:
        widths.append(widths[-1] // 2)
    return widths


def _part(model: Model, group: Group, chosen: NDArray[np.int64]) -> Group:
    part = group.part(chosen)
    if group.chains is not None:
        part.chains = find_chains(model.positions, part.indices)
    return part


def _laid_out(
    model: Model,
    groups: Sequence[Group],
    owners: Sequence[int],
    there: Sequence[NDArray[np.int64]],
    sweeps: Sequence[int],
) -> NearPins:
    layout = Layout(groups, model.particle_count, model.dtype)
    none = np.empty(0, np.int64)
    sizes = np.bincount(owners, [len(part) for part in there], len(sweeps)) if sweeps else none
    return NearPins(
        layout.program(specification, chains=chain_projection.specification),
        np.asarray(owners, np.int64)[layout.owners],
        np.concatenate([none, *there]),
        np.concatenate([none, *(slots.ravel() for slots in layout.slots)]),
        np.cumsum(sizes).astype(np.int64),
        np.asarray(sweeps, np.int64),
    )


@native_part
def sweep_near_pins(arrays, near, multipliers, rate, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Sweep the constraints near pins; the first thread does, there are few."""
    if len(near.sweeps) > 0:
        if thread == 0:
            first = 0
            for region in range(len(near.sweeps)):
                last = near.ends[region]
                for i in range(first, last):
                    near.program.multipliers[near.here[i]] = multipliers[near.there[i]]
                for _ in range(near.sweeps[region]):
                    _sweep_region(arrays, near, region, rate)
                for i in range(first, last):
                    multipliers[near.there[i]] = near.program.multipliers[near.here[i]]
                first = last
        wait(barrier, threads)


@native_part
def _sweep_region(arrays, near, region, rate):  # type: ignore[no-untyped-def]
    """One sweep over the constraints of a region."""
    program = near.program
    for batch in range(len(program.batches)):
        if near.regions[batch] == region:
            sweep_batch(
                program, batch, arrays.rows, arrays.previous, program.outputs, rate, False, 0, 1
            )
