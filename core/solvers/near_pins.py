# SPDX-License-Identifier: GPL-3.0-or-later
"""More iterations where the load comes together: around pinned vertices.

A pinned vertex holds a whole sheet by the few constraints at it. Within a ring or two the tension
changes by as much as it is large, so that constraints there undo each other's work far more than
anywhere else. Further sweeps over these few cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import native_part
from ..program import Group, Layout, Program
from ..vector.barrier import wait
from .projection import specification
from .sweep import sweep

if TYPE_CHECKING:
    from ..model import Model

LEAST_RINGS, MOST_RINGS = 2, 10
"""How far around pinned vertices, in steps from particle to particle."""

MOST_SWEEPS = 8
SHARE = 0.2
"""Of the work of a sweep over everything: what all sweeps near pins may take."""


class NearPins(NamedTuple):
    """The constraints near pins, for native code.

    Attributes:
        program: laid out once more by themselves.
        there, here: places of their λ among those of the whole model, and in the program's.
        sweeps: how many follow each sweep over everything; 0 where nothing is pinned.
    """

    program: Program
    there: NDArray[np.int64]
    here: NDArray[np.int64]
    sweeps: int


def near_pins(model: Model, whole: Layout) -> NearPins:
    """The constraints that stretch and have all their particles near a pinned one."""
    chosen = _constraints_near(model)
    parts = [
        (group, part, slots[part].ravel())
        for group, part, slots in zip(model.groups, chosen, whole.slots, strict=True)
        if len(part)
    ]
    layout = Layout(
        [group.part(part) for group, part, _ in parts], model.particle_count, model.dtype
    )
    few = sum(len(part) for part in chosen)
    every = sum(len(group.indices) for group in model.groups)
    return NearPins(
        layout.program(specification),
        np.concatenate([np.empty(0, np.int64), *(there for _, _, there in parts)]),
        np.concatenate([np.empty(0, np.int64), *(here.ravel() for here in layout.slots)]),
        min(MOST_SWEEPS, int(SHARE * every / few)) if few else 0,
    )


def nothing_near(whole: Layout) -> NearPins:
    """No further sweeps."""
    none = np.empty(0, np.int64)
    return NearPins(Layout([], 0, whole.dtype).program(specification), none, none, 0)


def _constraints_near(model: Model) -> list[NDArray[np.int64]]:
    """For each group those near pins, as far as can be swept often enough."""
    pinned = np.isinf(model.masses)
    every = sum(len(group.indices) for group in model.groups)
    near = pinned
    chosen = [_between(group, near, pinned) for group in model.groups]
    for ring in range(MOST_RINGS):
        near = _grown(near, model.groups)
        wider = [_between(group, near, pinned) for group in model.groups]
        if ring >= LEAST_RINGS and MOST_SWEEPS * sum(map(len, wider)) > SHARE * every:
            break
        chosen = wider
    return chosen


def _grown(near: NDArray[np.bool_], groups: Sequence[Group]) -> NDArray[np.bool_]:
    """These particles, and those with which they share a constraint that stretches."""
    grown = near.copy()
    for group in groups:
        if group.constraint.stretch is not None:
            grown[group.indices[near[group.indices].any(axis=1)]] = True
    return grown


def _between(group: Group, near: NDArray[np.bool_], pinned: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The group's constraints that stretch, have all their particles near, and any free."""
    if group.constraint.stretch is None:
        return np.empty(0, np.int64)
    inside = near[group.indices].all(axis=1) & ~pinned[group.indices].all(axis=1)
    return np.flatnonzero(inside)


@native_part
def sweep_near_pins(arrays, near, multipliers, rate, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Sweep the constraints near pins; the first thread does, there are few."""
    if near.sweeps > 0:
        if thread == 0:
            for i in range(len(near.there)):
                near.program.multipliers[near.here[i]] = multipliers[near.there[i]]
            for _ in range(near.sweeps):
                sweep(near.program, arrays.rows, arrays.previous, near.program.outputs, rate)
            for i in range(len(near.there)):
                multipliers[near.there[i]] = near.program.multipliers[near.here[i]]
        wait(barrier, threads)
