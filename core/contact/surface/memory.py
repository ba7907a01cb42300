# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory for what changes of a contact surface: boxes, candidates, pairs, what crosses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...native.rows import aligned_rows
from ..carried import Carried
from .data import (
    CHUNK,
    COUNTS,
    EMPTY,
    LANES,
    LATE,
    LISTS,
    MOST_MET,
    REUSE,
    SPREAD,
    STREAMS,
    WIDTH,
    Moving,
    Shape,
)
from .distances import VALUES

Arrays = dict[str, NDArray[Any]]
"""Fields of ``Moving``, by name."""

STACK = 512

MOST_CROSSED = 1 << 15
"""Of what crosses, how much is pulled apart at a time by each thread; the rest has to wait."""


MOST_PAIRS, MOST_CANDIDATES = 10_000_000, 20_000_000
"""How many there is memory for at most: some three gigabytes. A pile of a million vertices has
half as many; more have things that are torn across others, or many times as thick as their cells.
"""


class TooManyContacts(ArithmeticError):
    """More places are near each other than there may be memory for."""


def check_capacity(pairs: int, candidates: int) -> None:
    """Raise TooManyContacts where so many pairs, or candidates in a stream, are too many."""
    for found, most in ((pairs, MOST_PAIRS), (candidates, MOST_CANDIDATES)):
        if found > most:
            raise TooManyContacts(f"{found:,}, at most {most:,}")


def memory_for(
    shape: Shape,
    threads: int,
    pairs: int,
    candidates: int,
    of_particles: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    carried: Carried,
    dtype: DTypeLike,
) -> Moving:
    """The arrays that change.

    Args:
        pairs: capacity for so many in all threads,
        candidates: and for so many in each stream of each thread, listed at once.
        of_particles: ``Moving.inside`` and ``Moving.wedged``.
        carried: see ``Moving``.
    """
    return Moving(
        **_of_vertices(shape.rest),
        **_of_tree(shape),
        **_of_candidates(shape, threads, candidates, dtype),
        **_of_pairs(pairs, pairs if len(carried.particles) else 0),
        **_of_tangles(shape, threads),
        carried=carried,
        inside=of_particles[0],
        wedged=of_particles[1],
        counts=np.zeros((threads, COUNTS), np.int64),
        reuse=np.zeros(REUSE),
        around=np.zeros(7, np.float32),
        stack=np.zeros((threads, STACK), np.int64),
    )


def _of_vertices(rest: NDArray[Any]) -> Arrays:
    """Where vertices go and may go, and what becomes of them in a substep."""
    count = len(rest)
    return {
        "start": np.zeros_like(rest),
        "ends": np.zeros_like(rest),
        "led": np.zeros_like(rest),
        "led_out": np.zeros_like(rest),
        "leeway": np.ones(count, np.float32),
        "lows": _empty_behind(count, EMPTY),
        "highs": _empty_behind(count, -EMPTY),
        "strayed": np.zeros(count, np.uint8),
        "pushed": np.zeros(count, np.uint8),
        "zones": np.zeros(count, np.int32),
        "drift": np.zeros((count, 11)),
        "squeezed": np.zeros(count, np.uint8),
        "outward": np.zeros((count, 3), np.float32),
        "no_room": np.zeros(count, np.uint8),
        "pinned": np.zeros(count, np.uint8),
    }


def _of_tree(shape: Shape) -> Arrays:
    """What leaves, and the boxes above them, do in a substep."""
    leaves, boxes = len(shape.parts), int(shape.levels[-1])
    return {
        "boxes": np.zeros((boxes, 6 * WIDTH), np.float32),
        "cones": np.zeros((leaves + boxes, 5), np.float32),
        "bent": np.zeros(leaves),
        "concerned": np.zeros(leaves, np.uint8),
        "stirred": np.zeros(leaves, np.uint8),
        "ways": np.zeros((leaves, 4), shape.rest.dtype),
    }


def _of_candidates(shape: Shape, threads: int, candidates: int, dtype: DTypeLike) -> Arrays:
    """What each thread lists, and measures."""
    lanes = int(shape.numbers[LANES])
    listed = -(-(candidates + shape.numbers[LATE]) // lanes) * lanes
    return {
        "offsets": np.zeros((threads, STREAMS, 4 * listed), np.uint32),
        "wanted": np.zeros((threads, STREAMS, listed), np.float32),
        "until": np.zeros((threads, STREAMS, listed), np.float32),
        "soonest": np.zeros((threads, STREAMS, listed), np.float32),
        "ranges": np.zeros((threads, STREAMS, listed, 3), np.int32),
        "approached": np.zeros((threads, STREAMS, listed), np.float32),
        "listed": np.zeros((threads, STREAMS, LISTS), np.int64),
        "picked": np.zeros((threads, CHUNK), np.int64),
        "again": np.zeros((threads, 4 * CHUNK), np.uint32),
        "belongs": np.zeros((threads, CHUNK), np.int64),
        "measured": np.zeros((threads, VALUES * CHUNK), dtype),
    }


def _of_pairs(pairs: int, spread: int) -> Arrays:
    """What is known of pairs, so many of which may have carried vertices."""
    return {
        "vertices": np.zeros((pairs, 4), np.int32),
        "weights": np.zeros((pairs, 4), np.float32),
        "normals": np.zeros((pairs, 4), np.float32),
        "goals": np.zeros((pairs, 5), np.float32),
        "splits": np.zeros(pairs, np.uint8),
        "spreads": np.zeros(pairs, np.uint8),
        "spread_to": np.zeros((spread, SPREAD), np.int32),
        "spread_weights": np.zeros((spread, SPREAD), np.float32),
        "order": np.zeros(pairs, np.int32),
        "active": np.zeros(pairs, np.int32),
        "impacts": np.zeros(pairs, np.int32),
        "times": np.zeros(pairs, np.float32),
    }


def _of_tangles(shape: Shape, threads: int) -> Arrays:
    """What goes through what, along which contours, and on which sides of them vertices are."""
    count, faces, edges = len(shape.rest), len(shape.faces.corners), len(shape.edges.corners)
    places = MOST_MET * faces
    return {
        "crossed": np.zeros((threads, min(MOST_CROSSED, edges * faces), 3), np.int32),
        "cut": np.zeros(edges, np.uint8),
        "met": np.zeros((faces, MOST_MET), np.uint64),
        "strips": np.zeros(places, np.int32),
        "contours": np.zeros(places, np.int32),
        "fixed": np.zeros(places, np.uint8),
        "largest": np.zeros(places, np.int32),
        "sizes": np.zeros((places, 2), np.int32),
        "depths": np.zeros((places, 2)),
        "smallest": np.zeros(places, np.int32),
        "alignment": np.zeros(places),
        "involved": np.zeros(places, np.uint64),
        "pieces": np.zeros(count, np.int32),
        "halves": np.zeros((count, MOST_MET), np.int32),
        "rings": np.zeros((count, MOST_MET), np.int32),
        "tangled": np.zeros(count, np.uint64),
        "piercing": np.zeros(count, np.uint64),
        "pierced": np.zeros(count, np.uint64),
        "lost": np.zeros(count, np.uint8),
        "beside": np.zeros(count, np.int32),
        "right": np.zeros(count, np.int8),
    }


def _empty_behind(count: int, end: float) -> NDArray[np.float32]:
    """Rows for one corner of each hull, and of one that has nothing."""
    rows = aligned_rows(count + 1, np.float32)
    rows[count] = end
    return rows
