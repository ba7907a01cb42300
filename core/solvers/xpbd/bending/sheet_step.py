# SPDX-License-Identifier: GPL-3.0-or-later
"""The bending of sheets by one linear solve after the prediction.

The prediction x̃ = x + h v takes bending in, implicitly (see :mod:`.predictor`):

    (M + h (h + β) K) d = -h (h + β) K y + h² G b₀,   y = (h x̃ + β (x̃ - p)) / (h + β)

with the energy and the rest vectors b₀ of :mod:`.plates`; p is where the last solve left them. In
each substep: a force that is held for two lets a sheet that lies in folds crumple and tremble, as
its lengths are mended against it twice.

One multigrid cycle is not exact. It begins with a part of the last solution, since forces change
little. What it leaves undone falls by that part where sheets are at rest, and the curvature is as
the exact solution has it. A mode of which each solve takes over the part p is stable while what is
kept is less than 1 / (2 (1 - p)); one cycle has p > 0.25 on bad meshes, two more than a half.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from ....linear.cycle import Grids, cycle, reduce, share_of_level
from ....linear.products import Products, differences, weighted
from ....native.by_address import by_address
from ....native.compiled import native_part
from ....native.lanes import add_scaled, load, no_lanes, plus, store
from ....native.team import meet
from .rest_vectors import RestVectors, find_rest_vectors


@by_address
class SheetArrays(NamedTuple):
    """All sheets of a model of n particles for native code; without any, of none.

    Attributes:
        grids: of the linear system; its finest points are the particles.
        cycles: in a solve, shape (1,).
        kept: of the last solution, with which a solve begins, shape (1,).
        damping: β / (h + β) of each particle, shape (n,).
        predicted: p [m], shape (n, 4); the fourth number is of no use.
        moments: G, of the hinges that are not flat at rest.
        rest: b₀ of these.
    """

    grids: Grids
    cycles: NDArray[Any]
    kept: NDArray[Any]
    damping: NDArray[Any]
    predicted: NDArray[Any]
    moments: Products
    rest: RestVectors

    def begin_anew(self, positions: NDArray[Any]) -> None:
        """Go on from positions [m], shape (n, 3), as if nothing had moved before."""
        self.grids.solution[:] = 0.0
        self.predicted[:, :3] = positions[: len(self.predicted)]


@native_part
def bend_sheets(arrays, sheets, settings, team):  # type: ignore[no-untyped-def]
    """Let predicted particles feel their sheets, as one of several threads; all have met.

    Args:
        settings: ``StepSettings``.
    """
    grids, h = sheets.grids, settings.h
    if len(sheets.damping) == 0:
        return
    if len(sheets.rest.found) > 0:
        find_rest_vectors(arrays.rows, sheets.rest, team)
    _begin_solve(arrays, sheets, team)
    meet(team)
    _find_right_side(sheets, h, team)
    meet(team)
    for repeated in range(sheets.cycles[0]):
        if repeated > 0:
            reduce(grids, 0, grids.next_step, team)
            meet(team)
        cycle(grids, team)
    first, last = share_of_level(grids, 0, team)
    rate, minus = arrays.rows.dtype.type(1.0) / h, arrays.rows.dtype.type(-1.0)
    for i in range(first, last):
        start, before = load(arrays.previous, i), load(arrays.velocities, i)
        velocity = add_scaled(before, rate, load(grids.solution, i))
        # Rounded once, as x̃ is when the substep is finished: else rounding would be a velocity.
        other = add_scaled(load(arrays.rows, i), minus, add_scaled(start, h, before))
        store(arrays.velocities, i, velocity)
        predicted = plus(add_scaled(start, h, velocity), other)
        store(arrays.rows, i, predicted)
        store(sheets.predicted, i, predicted)
    meet(team)


@native_part
def _begin_solve(arrays, sheets, team):  # type: ignore[no-untyped-def]
    """Keep a part of the last solution, and leave y plus that in ``step``.

    y is found as (x̃ - p) + h / (h + β) p, which is nearly exact where β is large.
    """
    grids = sheets.grids
    first, last = share_of_level(grids, 0, team)
    real = arrays.rows.dtype.type
    none = no_lanes(grids.step)
    for i in range(first, last):
        before = load(sheets.predicted, i)
        way = add_scaled(load(arrays.rows, i), real(-1.0), before)
        y = add_scaled(way, real(1.0) - sheets.damping[i], before)
        kept = add_scaled(none, sheets.kept[0], load(grids.solution, i))
        store(grids.solution, i, kept)
        store(grids.step, i, plus(y, kept))
        # The fourth number is the inverse mass.
        grids.step[i, 3] = 0.0


@native_part
def _find_right_side(sheets, h, team):  # type: ignore[no-untyped-def]
    """What that part leaves of the right-hand side: A beside its diagonal is h (h + β) K."""
    grids = sheets.grids
    first, last = share_of_level(grids, 0, team)
    minus, none = sheets.damping.dtype.type(-1.0), no_lanes(grids.right)
    square = h * h
    for i in range(first, last):
        right = add_scaled(none, minus, differences(grids.entries, grids.step, i))
        right = add_scaled(right, -grids.sums[i], load(grids.solution, i))
        if len(sheets.rest.found) > 0:
            moment = weighted(sheets.moments, sheets.rest.found, i)
            right = add_scaled(right, square, moment)
        store(grids.right, i, right)
