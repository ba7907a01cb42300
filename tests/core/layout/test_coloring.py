# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours are conflict-free, complete, few and the same every time."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from core.layout.coloring import color

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


@pytest.mark.parametrize("spokes", [63, 64, 65, 128, 129, 200])
def test_a_hub_needs_as_many_colors_as_spokes(spokes: int) -> None:
    """Past the 64 and 128 colours that fit in one and two words."""
    indices = np.stack([np.zeros(spokes, int), np.arange(1, spokes + 1)], axis=1)
    assert check(indices, spokes + 1) == spokes


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
