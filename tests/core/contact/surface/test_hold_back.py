# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said to stay apart does, against looking at many times on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import naive
import numpy as np
import pytest
from naive.near import edges_to_edges
from numpy.typing import NDArray

import core
from core.contact.surface import continuous, hold_back
from core.contact.surface.pairs import IMPACT, LEAST, TURNED
from core.native.compiled import native

TIMES = np.linspace(0.0, 1.0, 101)
CLOSE = 0.02
"""How near [m] counts as touching."""


@native
def keeps_plane(arrays: Any, ends: NDArray[np.float64]) -> bool:
    return bool(hold_back.keeps_plane(arrays.pairs, arrays.motion.start, ends, 0))


@native
def time_of_touch(arrays: Any, ends: NDArray[np.float64]) -> float:
    return float(continuous.time_of_touch(arrays.pairs, arrays.motion.start, ends, 0))


@pytest.fixture(name="some")
def some_arrays() -> Any:
    """The surface's arrays of two sheets, of which pairs are made."""
    model = core.Model(np.float64)
    for height in (0.0, 1.0):
        points, faces = naive.quad_grid(1, 1, 1.0, 1.0)
        model.add_cloth(points + np.array([0.0, 0.0, height]), faces, thickness=0.01)
    simulation = core.Simulation(model)
    simulation.advance(1 / 24)
    return simulation.state.contact.surface.arrays


def edges_on_their_way(some: Any, count: int) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """Two edges, their ends and the way between them there, as a pair that slides keeps it."""
    random, pairs = np.random.default_rng(7), some.pairs
    for _ in range(count):
        start, end = np.append(random.normal(size=(2, 4, 3)), np.ones((2, 4, 1)), axis=2)
        some.motion.start[:4] = start
        pairs.vertices[0], pairs.splits[0] = np.arange(4), 2
        way = end[:2, :3].mean(axis=0) - end[2:, :3].mean(axis=0)
        pairs.normals[0] = [*(way / np.linalg.norm(way)), 10.0]
        pairs.goals[0, LEAST], pairs.goals[0, TURNED] = CLOSE, IMPACT
        yield some, end


def distances(arrays: Any, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    start = arrays.motion.start[:4, :3]
    a, b, c, d = (start + TIMES[:, None, None] * (ends[:, :3] - start)).transpose(1, 0, 2)
    return edges_to_edges(a, b, c, d)


def test_a_plane_lies_between_both_all_the_way(some: Any) -> None:
    """Whichever normal a pair has: at the end alone it would be a proof of nothing."""
    kept = 0
    for arrays, ends in edges_on_their_way(some, 400):
        if keeps_plane(arrays, ends):
            kept += 1
            assert distances(arrays, ends).min() >= 0.99 * continuous.THIN * CLOSE
    assert kept > 10


def test_what_touches_is_found_whatever_distance_a_pair_has_been_given(some: Any) -> None:
    touched = 0
    for arrays, ends in edges_on_their_way(some, 400):
        apart = distances(arrays, ends)
        if apart[0] > CLOSE and apart.min() < 0.5 * CLOSE:
            touched += 1
            assert time_of_touch(arrays, ends) < continuous.APART
    assert touched > 10


@pytest.mark.parametrize("split", [1, 2])
def test_what_slides_far_past_each_other_is_not_said_to_touch(some: Any, split: int) -> None:
    """Nearer than it goes: advancing by how far both are from each other would take no end."""
    start = np.zeros((4, 4))
    start[:, :3] = (
        [(0.3, 0.3, 0.0), (0, 0, 0), (1, 0, 0), (0, 1, 0)]
        if split == 1
        else [(-1, 0.1, 0), (1, -0.1, 0), (0, -1, 0), (0, 1, 0)]
    )
    start[:split, 2] += 1.05 * CLOSE
    end = start.copy()
    end[:split, :2] += 10.0, 3.0
    some.motion.start[:4] = start
    pairs = some.pairs
    pairs.vertices[0], pairs.splits[0], pairs.goals[0, LEAST] = np.arange(4), split, CLOSE
    assert time_of_touch(some, end) == continuous.APART
    end[:split, 2] -= 0.1
    assert time_of_touch(some, end) < continuous.APART
