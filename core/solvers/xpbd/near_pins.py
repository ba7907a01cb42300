# SPDX-License-Identifier: GPL-3.0-or-later
"""More iterations where the load comes together: around pinned vertices.

A pinned vertex holds a whole sheet by the few constraints at it. The nearer to it, the larger is
the tension and the faster it changes, so that constraints there undo each other's work far more
than anywhere else. Regions around pins, each half as wide as the one before and swept twice as
often, are refined sweeps as a graded mesh is a refined mesh, and cost little. They end within
chains; those that go through the middle are swept once more from end to end, so that what has
been gained is not paid by the first links outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...layout.chains import Chains, Indices, find_chains
from ...layout.group import Group
from ...layout.layout import Layout, Places
from ...layout.program import WORK_PER_THREAD, Program
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.team import meet
from ..common.projection import specification
from ..common.sweep import sweep_batch
from . import closed_chains
from .rings import rings_around

if TYPE_CHECKING:
    from ...model import Model

SHARE = 0.05
"""Of all constraints: those in the widest region."""

LEAST_RINGS = 2
"""Width of the narrowest region, in steps from particle to particle."""

MOST_SWEEPS = 8
MOST_WORK = 0.2
"""Of the work of a sweep over everything: what all sweeps of a region may take."""


@by_address
class NearPins(NamedTuple):
    """The constraints near pins, for native code.

    Attributes:
        program: laid out once more by themselves, region by region.
        batches: numbers of the program's batches, region by region.
        batch_ends: where those of each region end.
        there, here: places of their λ among those of the whole model, and in the program's.
        ends: where the places of each region end.
        sweeps: for each region, how many follow each sweep over everything.
        sizes: of each region, constraints of an average batch.

    The last region may be that of whole chains through the middle.
    """

    program: Program
    batches: Indices
    batch_ends: Indices
    there: Indices
    here: Indices
    ends: Indices
    sweeps: Indices
    sizes: NDArray[np.float64]


@dataclass(frozen=True)
class NearParts:
    """What is swept near pins, and where it comes from.

    Attributes:
        near: all of it.
        layout: of it; owners: of each of its groups the number of the model's; chosen: and which of
            that one's constraints it has.
    """

    near: NearPins
    layout: Layout
    owners: list[int]
    chosen: list[Indices]

    def renew(self, rests: Sequence[NDArray[np.float64]]) -> None:
        """Take over other rest states of the model's groups, shape (count, rest_size) each."""
        for number, (owner, chosen) in enumerate(zip(self.owners, self.chosen, strict=True)):
            self.layout.put_rest(number, rests[owner][chosen])


def near_pins(model: Model, groups: Sequence[Group], slots: Places) -> NearParts:
    """The constraints that stretch and are near a pinned particle, in regions around it.

    Args:
        groups: the model's, as they are swept.
        slots: of each the places of its λ.
    """
    stretching = [g for g, group in enumerate(groups) if group.constraint.stretch is not None]
    tables = [groups[g].indices for g in stretching]
    every = sum(len(group.indices) for group in groups)
    found = rings_around(np.isinf(model.masses), tables, LEAST_RINGS, int(SHARE * every))
    ends = np.cumsum([len(table) for table in tables])
    rings = dict(zip(stretching, np.split(found, ends[:-1]) if tables else [], strict=True))
    widths = _widths(found, every)
    regions = [{g: _within(ring, width) for g, ring in rings.items()} for width in widths]
    middle = max(widths[0] // 4, LEAST_RINGS)
    whole_chains = {
        g: _whole_chains(chains, _within(ring, middle))
        for g, ring in rings.items()
        if (chains := groups[g].chains) is not None
    }
    often = [min(2**region, MOST_SWEEPS) for region in range(len(regions))]
    return _laid_out(model, groups, slots, [*regions, whole_chains], [*often, 1])


def nothing_near(model: Model) -> NearParts:
    """No further sweeps."""
    return _laid_out(model, [], [], [], [])


def _widths(rings: Indices, every: int) -> list[int]:
    """Rings of each region, the widest first.

    Args:
        rings: of the constraints that stretch.
        every: number of constraints of the model.
    """
    within = np.cumsum(np.bincount(rings[rings > 0], minlength=1))
    widths = [max(int(np.flatnonzero(within <= SHARE * every)[-1]), LEAST_RINGS)]
    while widths[-1] // 2 >= LEAST_RINGS:
        widths.append(widths[-1] // 2)
    return widths


def _within(rings: Indices, width: int) -> Indices:
    return np.flatnonzero((rings > 0) & (rings <= width))


def _whole_chains(chains: Chains, links: Indices) -> Indices:
    """All links of the chains to which some belong."""
    lengths = np.diff(chains.starts)
    owners = np.empty(len(chains.links), np.int64)
    owners[chains.links] = np.repeat(np.arange(len(lengths)), lengths)
    touched = np.zeros(len(lengths), bool)
    touched[owners[links]] = True
    return np.flatnonzero(touched[owners])


def _subset(model: Model, group: Group, chosen: Indices) -> Group:
    """Some constraints of a group, in chains of their own where the group has some."""
    subset = group.subset(chosen)
    if group.chains is not None:
        subset.chains = find_chains(model.rest_positions, subset.indices)
    return subset


def _laid_out(
    model: Model,
    groups: Sequence[Group],
    slots: Places,
    regions: Sequence[Mapping[int, Indices]],
    often: Sequence[int],
) -> NearParts:
    """Lay out the constraints of each region, as far as they can be swept.

    Args:
        regions: number of each group, and which of its constraints.
        often: sweeps of each region, if they don't take too much work.
    """
    every = sum(len(group.indices) for group in groups)
    parts, owners, there, numbers, members = [], [], [], [], []
    sweeps: list[int] = []
    for region, wanted in zip(regions, often, strict=True):
        # A region too large for its work is swept less often, or not at all.
        few = sum(len(chosen) for chosen in region.values())
        affordable = int(MOST_WORK * every / few) if few else 0
        if affordable == 0:
            continue
        for g, chosen in region.items():
            if len(chosen):
                parts.append(_subset(model, groups[g], chosen))
                # Regions are numbered as they are kept: the next one has as many before it.
                owners.append(len(sweeps))
                there.append(slots[g][chosen].ravel())
                numbers.append(g)
                members.append(chosen)
        sweeps.append(min(wanted, affordable))
    # A layout of their own, as batches of the whole model can't be swept in part; λ is copied.
    layout = Layout(parts, model.particle_count, model.dtype)
    none = np.empty(0, np.int64)
    program = layout.program(specification, chains=closed_chains.specification)
    region_of_group = np.asarray(owners, np.int64)
    region_of_batch = region_of_group[layout.owners]
    constraints = program.batches.blocks * program.batches.lanes
    near = NearPins(
        program,
        np.argsort(region_of_batch, kind="stable"),
        np.cumsum(np.bincount(region_of_batch)).astype(np.int64),
        np.concatenate([none, *there]),
        np.concatenate([none, *(slots.ravel() for slots in layout.slots)]),
        np.cumsum(np.bincount(region_of_group, [len(places) for places in there])).astype(np.int64),
        np.asarray(sweeps, np.int64),
        np.bincount(region_of_batch, constraints) / np.bincount(region_of_batch),
    )
    return NearParts(near, layout, numbers, members)


@native_part
def sweep_near_pins(arrays, near, multipliers, rate, team):  # type: ignore[no-untyped-def]
    """Sweep the constraints near pins, as one of several threads."""
    first = 0
    for region in range(len(near.sweeps)):
        last = near.ends[region]
        # Small regions are swept by the first thread alone: meeting would cost more than it brings.
        together = team.threads > 1 and near.sizes[region] >= WORK_PER_THREAD * team.threads
        if team.thread == 0:
            for i in range(first, last):
                near.program.multipliers[near.here[i]] = multipliers[near.there[i]]
        if together:
            meet(team)
        if together or team.thread == 0:
            for _ in range(near.sweeps[region]):
                _sweep_region(arrays, near, region, rate, together, team)
        if team.thread == 0:
            for i in range(first, last):
                multipliers[near.there[i]] = near.program.multipliers[near.here[i]]
        first = last
    meet(team)


@native_part
def _sweep_region(arrays, near, region, rate, together, team):  # type: ignore[no-untyped-def]
    """One sweep over the constraints of a region, by all threads or by one."""
    program, first = near.program, near.batch_ends[region - 1] if region > 0 else 0
    thread, threads = (team.thread, team.threads) if together else (0, 1)
    for place in range(first, near.batch_ends[region]):
        sweep_batch(
            program, near.batches[place], arrays.rows, arrays.previous, program.outputs, rate,
            False, thread, threads,
        )  # fmt: skip
        if together:
            meet(team)
