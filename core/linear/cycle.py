# SPDX-License-Identifier: GPL-3.0-or-later
"""One symmetric multigrid cycle for A d = f, for the threads of a step.

V(2,2), smoothed by Chebyshev's polynomials of D⁻¹ A of degree two: products only, each row by one
thread and always in the same order. All levels stand in the same arrays, the finest first; x, y and
z of a point are solved at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.lanes import add_scaled, cleared, load, no_lanes, plus, store
from ..native.rows import Rows
from ..native.team import meet, own_share
from .products import Products, differences, weighted

NOTHING = 1e-15
"""Steps [m] are rounded to a ten-millionth of it."""


@by_address
class Grids(NamedTuple):
    """All levels for native code; N points in all.

    Attributes:
        firsts: the first point of each level, and the one after the last, shape (levels + 1,).
        depth: how many levels are used, shape (1,).
        steps: Chebyshev's numbers of each level: of the first step, and of the second one before
            and now, or zero where the first is all there is, shape (levels, 3).
        entries: A beside its diagonal.
        sums: of each row of A, shape (N,).
        inverse: of its diagonal, or of that of M where one step is all; 0 where a point is not
            free, shape (N,).
        up: to each point from those of the next level.
        down: to each point from those of the level before.
        last: A⁻¹ of the last level; none where it is not solved as a whole.
        right: what is left of f, shape (N, 4).
        solution: d, shape (N, 4).
        step, next_step: of the smoother, shape (N, 4).
    """

    firsts: NDArray[np.int64]
    depth: NDArray[np.int64]
    steps: NDArray[Any]
    entries: Products
    sums: NDArray[Any]
    inverse: NDArray[Any]
    up: Products
    down: Products
    last: NDArray[Any]
    right: Rows
    solution: Rows
    step: Rows
    next_step: Rows


@native_part
def left_by(grids, rows, i):  # type: ignore[no-untyped-def]
    """What a solution that grows by some rows leaves of the right-hand side at point i."""
    minus = grids.sums.dtype.type(-1.0)
    left = add_scaled(load(grids.right, i), minus, differences(grids.entries, rows, i))
    return add_scaled(left, -grids.sums[i], load(rows, i))


@native_part
def cycle(grids, team):  # type: ignore[no-untyped-def]
    """Add to the solution of the finest level what is needed for its right-hand side, about.

    That is what the solution so far has left. The last step to the solution stays in ``next_step``,
    and is not taken from the right-hand side. All threads have met, and have so again.
    """
    last = grids.depth[0] - 1
    for level in range(last):
        _relax(grids, level, team)
        reduce(grids, level, grids.next_step, team)
        meet(team)
        _restrict(grids, level, team)
    if last == len(grids.firsts) - 2 and len(grids.last) > 0:
        _solve_last(grids, last, team)
    else:
        _relax(grids, last, team)
    for above in range(last):
        level = last - 1 - above
        _prolong(grids, level, team)
        meet(team)
        reduce(grids, level, grids.step, team)
        meet(team)
        _relax(grids, level, team)


@native_part
def share_of_level(grids, level, team):  # type: ignore[no-untyped-def]
    """First and last of a thread's points of a level."""
    start = grids.firsts[level]
    first, last = own_share(grids.firsts[level + 1] - start, team)
    return start + first, start + last


@native_part
def _relax(grids, level, team):  # type: ignore[no-untyped-def]
    """Two steps of Chebyshev's iteration.

    The second stays in ``next_step``; ``right`` is what was left before it. Where the first one is
    all, no other level is used, and nobody asks for them.
    """
    first, last = share_of_level(grids, level, team)
    whole, before, now = grids.steps[level, 0], grids.steps[level, 1], grids.steps[level, 2]
    none, nothing = no_lanes(grids.right), grids.sums.dtype.type(NOTHING)
    for i in range(first, last):
        step = add_scaled(none, whole * grids.inverse[i], load(grids.right, i))
        step = cleared(step, nothing)
        store(grids.step, i, step)
        store(grids.solution, i, plus(load(grids.solution, i), step))
    meet(team)
    if now == 0.0:
        return
    for i in range(first, last):
        left = left_by(grids, grids.step, i)
        step = add_scaled(none, before, load(grids.step, i))
        step = cleared(add_scaled(step, now * grids.inverse[i], left), nothing)
        store(grids.right, i, left)
        store(grids.next_step, i, step)
        store(grids.solution, i, plus(load(grids.solution, i), step))
    meet(team)


@native_part
def reduce(grids, level, rows, team):  # type: ignore[no-untyped-def]
    """Take from the right-hand side what the solution has grown by."""
    first, last = share_of_level(grids, level, team)
    for i in range(first, last):
        store(grids.right, i, left_by(grids, rows, i))


@native_part
def _restrict(grids, level, team):  # type: ignore[no-untyped-def]
    first, last = share_of_level(grids, level + 1, team)
    for i in range(first, last):
        store(grids.right, i, weighted(grids.down, grids.right, i))
        store(grids.solution, i, no_lanes(grids.solution))


@native_part
def _prolong(grids, level, team):  # type: ignore[no-untyped-def]
    first, last = share_of_level(grids, level, team)
    for i in range(first, last):
        step = weighted(grids.up, grids.solution, i)
        store(grids.step, i, step)
        store(grids.solution, i, plus(load(grids.solution, i), step))


@native_part
def _solve_last(grids, level, team):  # type: ignore[no-untyped-def]
    start = grids.firsts[level]
    meet(team)
    first, last = share_of_level(grids, level, team)
    for i in range(first, last):
        total = no_lanes(grids.right)
        for j in range(len(grids.last)):
            total = add_scaled(total, grids.last[i - start, j], load(grids.right, start + j))
        store(grids.next_step, i, total)
        store(grids.solution, i, plus(load(grids.solution, i), total))
    meet(team)
