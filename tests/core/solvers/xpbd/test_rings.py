# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings of constraints around pinned particles."""

from __future__ import annotations

import numpy as np
import pytest

from core.solvers.xpbd.rings import rings_around

pytestmark = pytest.mark.jit_off

MANY = 10**6


def naive_rings(pinned: np.ndarray, constraints: list[np.ndarray]) -> list[int]:
    """Ring after ring, looking at every constraint each time."""
    listed = [set(row.tolist()) for group in constraints for row in group]
    held = set(np.flatnonzero(pinned).tolist())
    rings = [0] * len(listed)
    reached, ring = set(held), 0
    while True:
        ring += 1
        touched = [
            i
            for i, corners in enumerate(listed)
            if rings[i] == 0 and corners & reached and corners - held
        ]
        if not touched:
            return rings
        for i in touched:
            rings[i] = ring
        reached = reached.union(*(listed[i] for i in touched))


@pytest.mark.parametrize("seed", range(4))
def test_rings_equal_the_naive_ones(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random.integers(0, 60, (50, 2))
    triangles = random.integers(0, 60, (15, 3))
    pinned = random.random(60) < 0.05
    expected = naive_rings(pinned, [pairs, triangles])
    assert rings_around(pinned, [pairs, triangles], 1, MANY).tolist() == expected
    assert max(expected, default=0) > 1


def test_it_stops_after_the_ring_that_is_too_many() -> None:
    chain = np.stack([np.arange(100), np.arange(1, 101)], axis=1)
    pinned = np.zeros(101, bool)
    pinned[[0, 50]] = True
    rings = rings_around(pinned, [chain], 1, 6)
    assert rings[:5].tolist() == [1, 2, 3, 0, 0]
    assert rings[47:53].tolist() == [3, 2, 1, 1, 2, 3]
    assert np.count_nonzero(rings) == 9
    assert rings_around(pinned, [chain], 5, 6).max() == 5


def test_nothing_pinned_or_everything_or_no_constraints() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    assert rings_around(np.zeros(3, bool), [pairs], 1, MANY).tolist() == [0, 0]
    assert rings_around(np.ones(3, bool), [pairs], 1, MANY).tolist() == [0, 0]
    assert len(rings_around(np.ones(3, bool), [], 1, MANY)) == 0
