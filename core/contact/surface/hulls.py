# SPDX-License-Identifier: GPL-3.0-or-later
"""Hulls: where each vertex may go while a list is used, less what everything does together."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.rows import aligned_rows, numbers_of
from ..carried import NONE, carry
from .data import EMPTY, OUTERMOST

STALE = -1.0

AGE, HORIZON, DRIFT, SHIFT, OUTLOOK = 0, 1, 2, 5, 8
"""Places in ``Hulls.outlook``: substeps since candidates were found, STALE where there are none; so
many that they were meant for; the mean way of everything in this substep [m], and in those before
since candidates were found; and how many numbers there are."""

WIDENED, WIDEST = 2.0, 16.0
"""Times its margin: by how much the leeway of a vertex grows that has strayed, and how much it may
be at most."""

BEYOND = 1 << 32
"""More vertices than there are."""

SLACK = 0.9
"""Of its thickness that a vertex may be pushed out of its hull."""

ROUNDS, STOPPED = 16, 0.999
"""How often corners are stopped at most, as others go on without them; and at what part of what
they may be pushed, for rounding."""

AHEAD, FARTHEST = 1.5, 1000.0
"""Times as much leeway as it takes get vertices that are pushed farther, up to so many margins."""

AT_ONCE = 64
"""Vertices of which it is asked first whether any has strayed."""


@by_address
class Hulls(NamedTuple):
    """Where m vertices may go.

    Attributes:
        lows, highs: lower and upper corners of each vertex's hull [m]; an empty one behind them;
            shape (m + 1, 4), float32.
        leeway: of each vertex, in times its margin, how far it may stray, shape (m,), float32.
        strayed: 1 for vertices that have left their hulls in this substep, shape (m,), uint8.
        outlook: for how long they look ahead, and what everything does together, see AGE and
            following, shape (OUTLOOK,), float64.
        around: lower and upper corners of a box, and how far from its sides bodies have to stay so
            that they reach nothing outside [m], shape (7,), float32.
    """

    lows: NDArray[Any]
    highs: NDArray[Any]
    leeway: NDArray[Any]
    strayed: NDArray[Any]
    outlook: NDArray[Any]
    around: NDArray[Any]


def new_hulls(count: int) -> Hulls:
    """Memory for the hulls of so many vertices."""
    return Hulls(
        lows=_empty_behind(count, EMPTY),
        highs=_empty_behind(count, -EMPTY),
        leeway=np.ones(count, np.float32),
        strayed=np.zeros(count, np.uint8),
        outlook=np.zeros(OUTLOOK),
        around=np.zeros(7, np.float32),
    )


def _empty_behind(count: int, end: float) -> NDArray[np.float32]:
    """Rows for one corner of each hull, and of one that has nothing."""
    rows = aligned_rows(count + 1, np.float32)
    rows[count] = end
    return rows


@native_part
def fit_hull(shape, hulls, start, rows, vertex):  # type: ignore[no-untyped-def]
    """Where a vertex will be on its way, as it goes on now, within a margin.

    Less what everything has drifted since candidates were found.
    """
    lows, highs, outlook = hulls.lows, hulls.highs, hulls.outlook
    horizon = outlook[HORIZON]
    margin = hulls.leeway[vertex] * shape.margin[vertex]
    for k in range(3):
        way = rows[vertex, k] - start[vertex, k] - outlook[DRIFT + k]
        place = start[vertex, k] - outlook[SHIFT + k]
        low = place + min(0.0, way, horizon * way) - margin
        high = place + max(0.0, way, horizon * way) + margin
        lows[vertex, k] = min(max(-OUTERMOST, low), OUTERMOST)
        highs[vertex, k] = max(min(OUTERMOST, high), -OUTERMOST)
    lows[vertex, 3], highs[vertex, 3] = -OUTERMOST, OUTERMOST


@native_part
def find_strayed(shape, hulls, start, rows, count, first, last):  # type: ignore[no-untyped-def]
    """Mark those of the vertices [first, last) that end the substep outside their hulls, or have
    been pushed out of them, and give them new ones; returns 0 if there are none, BEYOND if one may
    go where things were out of reach.

    They get more leeway, so that a few wild ones are not looked for anew in every substep; pushes
    need it, too.

    Args:
        start, rows: vertices at the substep's start and end, shape (m or more, 4).
        count: of particles among them.
    """
    outlook, leeway, strayed, found = hulls.outlook, hulls.leeway, hulls.strayed, 0
    real = rows.dtype.type
    before = real(outlook[SHIFT]), real(outlook[SHIFT + 1]), real(outlook[SHIFT + 2])
    after = real(_gone(outlook, 0)), real(_gone(outlook, 1)), real(_gone(outlook, 2))
    for begin in range(first, last, AT_ONCE):
        end = min(begin + AT_ONCE, last)
        for vertex in range(begin, end):
            strayed[vertex] = 0
        if not _any_strayed(hulls, start, rows, before, after, begin, end):
            continue
        for vertex in range(begin, end):
            strayed[vertex] = _any_strayed(hulls, start, rows, before, after, vertex, vertex + 1)
            if strayed[vertex]:
                leeway[vertex] = max(leeway[vertex], min(WIDENED * leeway[vertex], WIDEST))
                fit_hull(shape, hulls, start, rows, vertex)
                beyond = vertex < count and _is_beyond(hulls, vertex)
                found = max(found, BEYOND if beyond else 1)
    return found


@native_part
def _any_strayed(hulls, start, rows, before, after, first, last):  # type: ignore[no-untyped-def]
    """Whether any of the vertices [first, last) starts or ends outside its hull, which has drifted
    with everything.

    The same for every number of every row, so that LLVM makes vectors of it.
    """
    starts, ends = numbers_of(start, first, last), numbers_of(rows, first, last)
    low, high = numbers_of(hulls.lows, first, last), numbers_of(hulls.highs, first, last)
    outside = 0
    for i in range(len(starts)):
        k = i & 3
        one = starts[i] - (before[0] if k == 0 else before[1] if k == 1 else before[2])
        other = ends[i] - (after[0] if k == 0 else after[1] if k == 1 else after[2])
        outside |= (one < low[i]) | (one > high[i]) | (other < low[i]) | (other > high[i])
    return outside != 0


@native_part
def _is_beyond(hulls, vertex):  # type: ignore[no-untyped-def]
    """Whether a particle may go where what was out of reach of bodies has been left out."""
    box, beyond = hulls.around, False
    for k in range(3):
        beyond |= hulls.lows[vertex, k] - box[6] < box[k]
        beyond |= hulls.highs[vertex, k] + box[6] > box[3 + k]
    return beyond


@native_part
def give_leeway(shape, hulls, rows, first, last):  # type: ignore[no-untyped-def]
    """Give more leeway to those of the vertices [first, last) that were pushed out of their hulls
    by more than boxes reach beyond, where they might meet what is no candidate; returns whether one
    has got more.
    """
    leeway, given = hulls.leeway, False
    for vertex in range(first, last):
        out = _way_out(hulls, rows, vertex)
        if out > SLACK * shape.thickness[vertex] and leeway[vertex] < FARTHEST:
            more = AHEAD * out / shape.margin[vertex]
            leeway[vertex] = min(leeway[vertex] + more, FARTHEST)
            given = True
    return given


@native_part
def stay_near(shape, hulls, carried, rows, first, last):  # type: ignore[no-untyped-def]
    """Let none of the vertices [first, last) leave its hull by more than boxes reach beyond.

    Farther away it might meet what is no candidate. Of carried ones the corners are left to
    :func:`stop_corners`.
    """
    outlook, lows, highs = hulls.outlook, hulls.lows, hulls.highs
    for vertex in range(first, last):
        if carried.numbers[vertex] != NONE:
            continue
        out, far = 0.0, SLACK * shape.thickness[vertex]
        for k in range(3):
            place = rows[vertex, k] - _gone(outlook, k)
            out += (min(max(place, lows[vertex, k]), highs[vertex, k]) - place) ** 2
        if out <= far * far:
            continue
        scale = far / sqrt(out)
        for k in range(3):
            place = rows[vertex, k] - _gone(outlook, k)
            nearest = min(max(place, lows[vertex, k]), highs[vertex, k])
            rows[vertex, k] = nearest + scale * (place - nearest) + _gone(outlook, k)


@native_part
def stop_corners(shape, hulls, carried, ends, rows):  # type: ignore[no-untyped-def]
    """The same for carried vertices, whose corners stop.

    A vertex that is carried goes no farther than the one of its corners that goes farthest.

    Args:
        ends: where vertices were before they were pushed, shape (m, 4).
    """
    found = True
    for _ in range(ROUNDS):
        if not found:
            return
        found = False
        for number in range(len(carried.particles)):
            vertex = carried.particles[number]
            if _way_out(hulls, rows, vertex) <= SLACK * shape.thickness[vertex]:
                continue
            found = True
            for k in range(4):
                if carried.weights[number, k] != 0.0:
                    _stop(ends, rows, carried.corners[number, k], shape.thickness[vertex])
        for number in range(len(carried.particles)):
            carry(carried, rows, number)


@native_part
def _way_out(hulls, rows, vertex):  # type: ignore[no-untyped-def]
    """How far a vertex is out of its hull [m]."""
    lows, highs, outlook, out = hulls.lows, hulls.highs, hulls.outlook, 0.0
    for k in range(3):
        place = rows[vertex, k] - _gone(outlook, k)
        out += max(0.0, lows[vertex, k] - place, place - highs[vertex, k]) ** 2
    return sqrt(out)


@native_part
def _stop(ends, rows, corner, thickness):  # type: ignore[no-untyped-def]
    """Let a corner be pushed no farther than what it carries may be."""
    square, far = 0.0, STOPPED * SLACK * thickness
    for k in range(3):
        square += (rows[corner, k] - ends[corner, k]) ** 2
    if square > far * far:
        scale = far / sqrt(square)
        for k in range(3):
            rows[corner, k] = ends[corner, k] + scale * (rows[corner, k] - ends[corner, k])


@native_part
def _gone(outlook, k):  # type: ignore[no-untyped-def]
    """How far everything has drifted at the substep's end since candidates were found [m]."""
    return outlook[SHIFT + k] + outlook[DRIFT + k]
