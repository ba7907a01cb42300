# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours are conflict-free, complete, few and the same every time."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from core.layout.coloring import color, color_rows

pytestmark = pytest.mark.jit_off


def check(indices: np.ndarray, count: int) -> int:
    batches = color(indices, count)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(indices)))
    for batch in batches:
        assert naive.is_conflict_free(batch, indices)
        assert (np.diff(batch) > 0).all(), "the given order is kept within a colour"
    return len(batches)


@pytest.mark.parametrize("vertices", [1, 2, 3, 4, 6])
def test_random_constraints(vertices: int) -> None:
    random = np.random.default_rng(vertices)
    indices = np.array([random.choice(40, vertices, replace=False) for _ in range(120)])
    colors = check(indices, 40)
    degree = np.bincount(indices.ravel()).max()
    # Greedy: a constraint meets at most vertices · (degree - 1) others.
    assert degree <= colors <= vertices * (degree - 1) + 1


def test_nothing_to_color() -> None:
    assert color(np.empty((0, 2), np.int64), 5) == []


def test_independent_constraints_need_one_color() -> None:
    assert check(np.arange(100).reshape(-1, 2), 100) == 1


@pytest.mark.parametrize("spokes", [63, 64, 65, 127, 128, 129, 200, 400, 1000])
def test_a_hub_needs_as_many_colors_as_spokes(spokes: int) -> None:
    """Past the 64 and 128 colours that fit in one and two words."""
    indices = np.stack([np.zeros(spokes, int), np.arange(1, spokes + 1)], axis=1)
    assert check(indices, spokes + 1) == spokes


@pytest.mark.parametrize("longest", [3, 12])
def test_rows_of_any_length_take_the_first_color_that_is_free(longest: int) -> None:
    """So many that some wait for the third window of 64 colours."""
    random = np.random.default_rng(longest)
    rows = [random.choice(15, random.integers(1, longest + 1), replace=False) for _ in range(900)]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    taken: list[set[int]] = [set() for _ in range(15)]
    expected = []
    for row in rows:
        used = set[int]().union(*(taken[particle] for particle in row))
        expected.append(next(number for number in range(len(rows)) if number not in used))
        for particle in row:
            taken[particle].add(expected[-1])
    assert max(expected) >= 128
    assert color_rows(starts, np.concatenate(rows), 15).tolist() == expected


def test_a_chain_needs_two_colors() -> None:
    assert check(np.stack([np.arange(99), np.arange(1, 100)], axis=1), 100) == 2


def test_a_grid_needs_few_colors() -> None:
    _, quads = naive.quad_grid(12, 12, 1.0, 1.0)
    edges = np.array(sorted(naive.unique_edges(quads)))
    assert check(edges, 13 * 13) <= 2 * 4 - 1


def test_equal_input_gives_equal_colors() -> None:
    indices = np.random.default_rng(0).integers(0, 30, (80, 3))
    first, second = color(indices, 30), color(indices.astype(np.int32), 30)
    assert all((a == b).all() for a, b in zip(first, second, strict=True))
