# SPDX-License-Identifier: GPL-3.0-or-later
"""Room for what changes of a contact surface: boxes, candidates, pairs, what crosses."""

from __future__ import annotations

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
    REUSE,
    SPREAD,
    STREAMS,
    WIDTH,
    Moving,
    Shape,
)
from .distances import VALUES

STACK = 512

MOST_CROSSED = 1 << 15
"""Of what crosses, how much is pulled apart at a time by each thread; the rest has to wait."""


def room_for(
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
        pairs: there is room for so many in all threads,
        candidates: and for so many in each stream of each thread, listed at once.
        of_particles: ``Moving.inside`` and ``Moving.wedged``.
        carried: see ``Moving``.
    """
    spread = (pairs if len(carried.particles) else 0, SPREAD)
    count, lanes = len(shape.rest), int(shape.numbers[LANES])
    listed = -(-(candidates + shape.numbers[LATE]) // lanes) * lanes
    crossed = min(MOST_CROSSED, len(shape.edges.corners) * len(shape.faces.corners))
    return Moving(
        start=np.zeros_like(shape.rest),
        room=np.ones(count, np.float32),
        lows=_empty_behind(count, EMPTY),
        highs=_empty_behind(count, -EMPTY),
        boxes=np.zeros((int(shape.levels[-1]), 6 * WIDTH), np.float32),
        cones=np.zeros((len(shape.parts) + int(shape.levels[-1]), 5), np.float32),
        bent=np.zeros(len(shape.parts)),
        offsets=np.zeros((threads, STREAMS, 4 * listed), np.uint32),
        wanted=np.zeros((threads, STREAMS, listed), np.float32),
        until=np.zeros((threads, STREAMS, listed), np.float32),
        soonest=np.zeros((threads, STREAMS, listed), np.float32),
        ranges=np.zeros((threads, STREAMS, listed, 3), np.int32),
        approached=np.zeros((threads, STREAMS, listed), np.float32),
        listed=np.zeros((threads, STREAMS, LISTS), np.int64),
        concerned=np.zeros(len(shape.parts), np.uint8),
        strayed=np.zeros(count, np.uint8),
        vertices=np.zeros((pairs, 4), np.int32),
        weights=np.zeros((pairs, 4), np.float32),
        normals=np.zeros((pairs, 4), np.float32),
        goals=np.zeros((pairs, 5), np.float32),
        splits=np.zeros(pairs, np.uint8),
        carried=carried,
        spreads=np.zeros(pairs, np.uint8),
        spread_to=np.zeros(spread, np.int32),
        spread_weights=np.zeros(spread, np.float32),
        order=np.zeros(pairs, np.int32),
        active=np.zeros(pairs, np.int32),
        impacts=np.zeros(pairs, np.int32),
        times=np.zeros(pairs, np.float32),
        zones=np.zeros(count, np.int32),
        drift=np.zeros((count, 11)),
        squeezed=np.zeros(count, np.uint8),
        outward=np.zeros((count, 3), np.float32),
        no_room=np.zeros(count, np.uint8),
        held=np.zeros(count, np.uint8),
        inside=of_particles[0],
        wedged=of_particles[1],
        ends=np.zeros_like(shape.rest),
        led=np.zeros_like(shape.rest),
        led_out=np.zeros_like(shape.rest),
        counts=np.zeros((threads, COUNTS), np.int64),
        reuse=np.zeros(REUSE),
        around=np.zeros(7, np.float32),
        pushed=np.zeros(count, np.uint8),
        stirred=np.zeros(len(shape.parts), np.uint8),
        ways=np.zeros((len(shape.parts), 4), shape.rest.dtype),
        tangled=np.zeros(count, np.uint64),
        crossed=np.zeros((threads, crossed, 3), np.int32),
        cut=np.zeros(len(shape.edges.corners), np.uint8),
        strips=np.zeros(len(shape.faces.corners), np.int32),
        contours=np.zeros(len(shape.faces.corners), np.int32),
        sizes=np.zeros((len(shape.faces.corners), 2), np.int32),
        pieces=np.zeros(count, np.int32),
        depths=np.zeros((len(shape.faces.corners), 2)),
        smallest=np.zeros(len(shape.faces.corners), np.int32),
        alignment=np.zeros(len(shape.faces.corners)),
        involved=np.zeros(len(shape.faces.corners), np.uint64),
        piercing=np.zeros(count, np.uint64),
        pierced=np.zeros(count, np.uint64),
        lost=np.zeros(count, np.uint8),
        beside=np.zeros(count, np.int32),
        right=np.zeros(count, np.int8),
        picked=np.zeros((threads, CHUNK), np.int64),
        again=np.zeros((threads, 4 * CHUNK), np.uint32),
        belongs=np.zeros((threads, CHUNK), np.int64),
        measured=np.zeros((threads, VALUES * CHUNK), dtype),
        stack=np.zeros((threads, STACK), np.int64),
    )


def _empty_behind(count: int, end: float) -> NDArray[np.float32]:
    """Rows for one corner of each hull, and of one that has nothing."""
    rows = aligned_rows(count + 1, np.float32)
    rows[count] = end
    return rows
