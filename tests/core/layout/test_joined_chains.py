# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains that go on in each other through seams."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.typing import NDArray

from core.layout.chains import Chains, find_chains
from core.layout.joined_chains import joined

NO_THREADS = np.empty((0, 2), np.int64)

COLUMNS, ROWS = 4, 3
"""Cells of a panel."""


def panel(
    first: int = 0, *, irregular: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices of a sheet, and its edges numbered from ``first`` on."""
    make = naive.irregular_triangles if irregular else naive.quad_grid
    points, faces = make(COLUMNS, ROWS, 1.0, 1.0)
    corners = np.asarray(faces)
    edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
    return points, np.unique(np.sort(edges, axis=1), axis=0) + first


def side(column: int) -> NDArray[np.int64]:
    """The vertices of a column."""
    return np.arange(ROWS + 1) * (COLUMNS + 1) + column


def sewn(count: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each vertex the one that it has become where ``other`` is sewn to ``one``."""
    ones = np.arange(count)
    ones[other] = one
    return ones


def check(chains: Chains, pairs: NDArray[np.int64], ones: NDArray[np.int64]) -> None:
    """Each link is in one chain, between its own vertices; none comes back but to close."""
    np.testing.assert_array_equal(np.sort(chains.links), np.arange(len(pairs)))
    colors = [set[int]() for _ in range(int(chains.colors.max()) + 1)]
    for number, closed in enumerate(chains.closed):
        first, last = chains.starts[number : number + 2]
        along = chains.vertices[first + number : last + number + 1]
        assert len(set(along.tolist())) == len(along) - closed
        links = np.sort(np.stack([along[:-1], along[1:]], axis=1), axis=1)
        np.testing.assert_array_equal(links, np.sort(ones[pairs[chains.links[first:last]]], axis=1))
        used = colors[chains.colors[number]]
        assert used.isdisjoint(along.tolist())
        used.update(along.tolist())


def test_rows_of_a_sheet_whose_sides_are_sewn_together_close() -> None:
    points, pairs = panel()
    chains, ones = find_chains(points, pairs), sewn(len(points), side(0), side(COLUMNS))
    found = joined(chains, ones, NO_THREADS)
    check(found, pairs, ones)
    assert found.closed.sum() == ROWS + 1
    assert np.diff(found.starts)[found.closed].tolist() == (ROWS + 1) * [COLUMNS]


def test_rows_go_on_in_the_next_panel() -> None:
    """It is turned over, so that its rows run the other way."""
    points, pairs = panel()
    others = panel(len(points))[1]
    every = np.concatenate([points, points * [-1.0, 1.0, 1.0] + [5.0, 0.0, 0.0]])
    pairs = np.concatenate([pairs, others])
    ones = sewn(len(every), side(COLUMNS), side(COLUMNS) + len(points))
    found = joined(find_chains(every, pairs), ones, NO_THREADS)
    check(found, pairs, ones)
    lengths = np.sort(np.diff(found.starts))
    assert lengths[-ROWS - 1 :].tolist() == (ROWS + 1) * [2 * COLUMNS]
    assert not found.closed.any()


def test_rows_of_two_panels_close_around_both() -> None:
    points, pairs = panel()
    every = np.concatenate([points, points + np.array([5.0, 0.0, 0.0])])
    pairs = np.concatenate([pairs, panel(len(points))[1]])
    one = np.concatenate([side(0), side(COLUMNS)])
    other = np.concatenate([side(COLUMNS), side(0)]) + len(points)
    found = joined(find_chains(every, pairs), sewn(len(every), one, other), NO_THREADS)
    check(found, pairs, sewn(len(every), one, other))
    assert np.diff(found.starts)[found.closed].tolist() == (ROWS + 1) * [2 * COLUMNS]


def test_sewn_with_an_offset_they_wind() -> None:
    points, pairs = panel()
    chains = find_chains(points, pairs)
    ones = sewn(len(points), side(0)[1:], side(COLUMNS)[:-1])
    found = joined(chains, ones, NO_THREADS)
    check(found, pairs, ones)
    assert np.diff(found.starts).max() == (ROWS + 1) * COLUMNS


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_sewn_no_chain_comes_back(seed: int) -> None:
    random = np.random.default_rng(seed)
    points, pairs = panel(irregular=seed % 2 == 1)
    one, other = random.permutation(len(points))[:8].reshape(2, 4)
    ones = sewn(len(points), one, other)
    linked = {tuple(pair) for pair in np.sort(pairs, axis=1).tolist()}
    ones[[b for a, b in zip(one, other) if tuple(sorted((a, b))) in linked]] = [
        b for a, b in zip(one, other) if tuple(sorted((a, b))) in linked
    ]
    check(joined(find_chains(points, pairs), ones, NO_THREADS), pairs, ones)


def test_where_no_chain_ends_at_a_seam_all_stay_as_they_are() -> None:
    """Two panels are sewn together in their middles."""
    points, pairs = panel()
    others = panel(len(points))[1]
    every, pairs = np.concatenate([points, points + 5.0]), np.concatenate([pairs, others])
    chains, ones = find_chains(every, pairs), np.arange(len(every))
    found = joined(chains, ones, np.array([[side(1)[1], len(points) + side(2)[1]]]))
    check(found, pairs, ones)
    assert np.sort(np.diff(found.starts)).tolist() == np.sort(np.diff(chains.starts)).tolist()
