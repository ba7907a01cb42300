# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces in leaves of the tree: what lies close together, and hangs together.

Halving by coordinates leaves stray faces, which share edges only with those of other leaves. Such a
leaf is no patch (:mod:`.patches`), and nothing above it is one. Strays so change places with faces
of the leaves next to them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...mesh.connected import connected
from ...mesh.incidence import across_edges
from ...native.compiled import native, native_part
from ...remembered import remembered
from ..halving import along_longest_sides
from .data import NONE, WIDTH

Points = NDArray[np.floating]
Indices = NDArray[np.int64]

ROUNDS = 8
"""How often all leaves are gone through at most."""


@remembered
def leaves_of(points: Points, pieces: Indices) -> Indices:
    """Pieces in leaves, as they lie close together, NONE where a leaf is not full, (WIDTH l, 3).

    What hangs together shares no leaf with what doesn't, unless it is smaller than a leaf: loose
    parts go their own ways.

    Args:
        points: of all vertices [m], shape (m, 3).
        pieces: rows of their corners, shape (p, 3).
    """
    centres = points[pieces].mean(axis=1)
    hanging = connected([pieces], np.ones(len(points), np.bool_))[pieces[:, 0]]
    _, group, sizes = np.unique(hanging, return_inverse=True, return_counts=True)
    largest_first = np.argsort(np.argsort(-sizes, kind="stable"))
    group = np.where(sizes[group] < WIDTH, len(sizes), largest_first[group])
    order = np.argsort(group, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(group[order], prepend=-1)), len(group))
    order = order[_halved(centres[order], bounds)]
    sizes = np.diff(bounds)
    shifts = np.cumsum(np.append(0, -sizes % WIDTH))
    numbers = np.full(len(pieces) + int(shifts[-1]), NONE)
    places = np.arange(len(pieces)) + np.repeat(shifts[:-1], sizes)
    numbers[places] = order
    neighbours, _ = across_edges(pieces)
    _gather_strays(numbers, neighbours, centres)
    return np.where(numbers[:, None] == NONE, NONE, pieces[numbers])


def _halved(points: Points, bounds: Indices) -> Indices:
    """Order of points by halving the longest extent until no more than WIDTH are left, shape (p,).

    Halves are whole leaves, and whole boxes of leaves, so that these don't reach from one to the
    other.

    Args:
        bounds: first point of each group that is ordered by itself, and the end.
    """
    order = np.arange(len(points))
    while (sizes := np.diff(bounds)).max(initial=0) > WIDTH:
        order = along_longest_sides(points, order, bounds)
        middle = bounds[:-1] + [_left_part(int(size)) for size in sizes]
        bounds = np.unique(np.concatenate([bounds, middle]))
    return order


def _left_part(size: int) -> int:
    """About half of so many pieces, in whole boxes of the tree."""
    if size <= WIDTH:
        return 0
    unit = WIDTH
    while unit * WIDTH < size:
        unit *= WIDTH
    return -(-(size // 2) // unit) * unit


def _gather_strays(numbers: Indices, neighbours: Indices, centres: Points) -> None:
    """Let strays change places.

    Args:
        numbers: of the pieces of each leaf, NONE where it is not full, shape (WIDTH l,).
        neighbours: of each piece, shape (p, 3).
        centres: [m], shape (p, 3).
    """
    places = np.full(len(neighbours), NONE)
    places[numbers[numbers != NONE]] = np.flatnonzero(numbers != NONE)
    around = np.zeros((2, WIDTH), np.int64)
    for _ in range(ROUNDS):
        if not _gather_round(numbers, places, neighbours, centres, around):
            return


@native
def _gather_round(numbers, places, neighbours, centres, around):  # type: ignore[no-untyped-def]
    """Go through all leaves once; returns whether any stray has changed places.

    Args:
        numbers, neighbours, centres: as above.
        places: of each piece, shape (p,).
        around: memory, shape (2, WIDTH).
    """
    changed = False
    for leaf in range(len(numbers) // WIDTH):
        main = _largest(numbers, places, neighbours, leaf, around[0])
        for lane in range(WIDTH):
            place = WIDTH * leaf + lane
            if numbers[place] != NONE and not (main >> lane) & 1:
                changed |= _change_places(numbers, places, neighbours, centres, place, main, around)
                main = _largest(numbers, places, neighbours, leaf, around[0])
    return changed


@native_part
def _change_places(numbers, places, neighbours, centres, place, main, around):  # type: ignore[no-untyped-def]
    """Let a stray change places with a face of a leaf next to it, so that fewer are stray, or that
    one comes nearer to its leaf; returns whether there is one.
    """
    leaf, own, nearest = place // WIDTH, numbers[place], NONE
    least = _way_to(numbers, centres, leaf, main, own)
    for side in range(3):
        beside = neighbours[own, side]
        other = places[beside] // WIDTH if beside != NONE else leaf
        if other == leaf:
            continue
        before = _count_parts(numbers, places, neighbours, leaf, other, around)
        for there in range(WIDTH * other, WIDTH * other + WIDTH):
            if numbers[there] == NONE:
                continue
            way = _way_to(numbers, centres, leaf, main, numbers[there])
            _swap(numbers, places, place, there)
            after = _count_parts(numbers, places, neighbours, leaf, other, around)
            if after < before:
                return True
            _swap(numbers, places, place, there)
            if after == before and way < least:
                least, nearest = way, there
    if nearest != NONE:
        _swap(numbers, places, place, nearest)
    return nearest != NONE


@native_part
def _way_to(numbers, centres, leaf, lanes, number):  # type: ignore[no-untyped-def]
    """The square of the way from a piece to the nearest of these lanes of a leaf [m²]."""
    least = np.inf
    for lane in range(WIDTH):
        if (lanes >> lane) & 1:
            square = 0.0
            for k in range(3):
                way = centres[numbers[WIDTH * leaf + lane], k] - centres[number, k]
                square += way * way
            least = min(least, square)
    return least


@native_part
def _swap(numbers, places, one, other):  # type: ignore[no-untyped-def]
    numbers[one], numbers[other] = numbers[other], numbers[one]
    places[numbers[one]], places[numbers[other]] = one, other


@native_part
def _look_around(numbers, places, neighbours, leaf, around):  # type: ignore[no-untyped-def]
    """Note for each lane of a leaf the bits of those that share edges with it, and its own; 0 where
    there is nothing.
    """
    for lane in range(WIDTH):
        number, around[lane] = numbers[WIDTH * leaf + lane], 0
        if number == NONE:
            continue
        around[lane] = 1 << lane
        for side in range(3):
            beside = neighbours[number, side]
            if beside != NONE and places[beside] // WIDTH == leaf:
                around[lane] |= 1 << (places[beside] % WIDTH)


@native_part
def _part_of(around, lane):  # type: ignore[no-untyped-def]
    """The bits of all that hang together with a lane."""
    before, found = 0, around[lane]
    while found != before:
        before = found
        for other in range(WIDTH):
            if (found >> other) & 1:
                found |= around[other]
    return found


@native_part
def _largest(numbers, places, neighbours, leaf, around):  # type: ignore[no-untyped-def]
    """The bits of most that hang together in a leaf."""
    _look_around(numbers, places, neighbours, leaf, around)
    best, most = 0, 0
    for lane in range(WIDTH):
        found, count = _part_of(around, lane), 0
        for other in range(WIDTH):
            count += (found >> other) & 1
        if count > most:
            best, most = found, count
    return best


@native_part
def _count_parts(numbers, places, neighbours, leaf, other, around):  # type: ignore[no-untyped-def]
    """How many parts two leaves have."""
    count = 0
    for which in range(2):
        _look_around(numbers, places, neighbours, leaf if which == 0 else other, around[which])
        for lane in range(WIDTH):
            found = _part_of(around[which], lane)
            # Each part is counted at its first lane.
            count += found != 0 and found & ((1 << lane) - 1) == 0
    return count
