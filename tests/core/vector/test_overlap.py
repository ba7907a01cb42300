# SPDX-License-Identifier: GPL-3.0-or-later
"""Which boxes overlap, and which are near in all directions, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.native.compiled import native
from core.vector.overlap import WIDTH, matching, near, overlap

pytestmark = pytest.mark.jit_off

EXTENDED = 0.4


@native
def hits(boxes, row, box, extended):  # type: ignore[no-untyped-def]
    x0, y0, z0, x1, y1, z1 = box
    overlapping = overlap(boxes, row, x0, y0, z0, x1, y1, z1)
    return overlapping, near(boxes, row, x0, y0, z0, x1, y1, z1, extended)


def bits(flags: NDArray[np.bool_]) -> int:
    return int((flags << np.arange(WIDTH)).sum())


def test_boxes_that_overlap_or_are_near_are_found() -> None:
    rng = np.random.default_rng(11)
    low = rng.uniform(-1.0, 1.0, (40, 3, WIDTH))
    high = low + rng.uniform(0.0, 0.3, low.shape)
    half = EXTENDED / 2
    boxes = np.concatenate([low - half, high + half], axis=1).reshape(40, -1).astype(np.float32)
    corner = np.array([-0.1, -0.2, 0.0]), np.array([0.1, 0.0, 0.1])
    box: Any = tuple(np.float32(x) for x in [*(corner[0] - half), *(corner[1] + half)])
    some = 0
    for row in range(40):
        gaps = np.maximum(low[row] - corner[1][:, None], corner[0][:, None] - high[row])
        gaps = np.maximum(gaps, 0.0)
        expected = bits((gaps <= EXTENDED).all(axis=0)), bits(np.hypot.reduce(gaps) < EXTENDED)
        assert hits(boxes, row, box, np.float32(EXTENDED)) == expected
        some += expected[0] != expected[1]
    assert some > 5


@native
def matches(numbers, first, number):  # type: ignore[no-untyped-def]
    return matching(numbers, first, number)


def test_numbers_that_are_the_same_are_found() -> None:
    numbers = np.random.default_rng(3).integers(-1, 4, 64).astype(np.int32)
    for first in (0, 8, 13, 56):
        for number in range(-1, 5):
            expected = bits(numbers[first : first + WIDTH] == number)
            assert matches(numbers, first, np.int32(number)) == expected
