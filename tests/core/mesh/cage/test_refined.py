# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of smaller faces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_scenes import box
from numpy.typing import NDArray

from core.mesh.cage.refined import refined

Cut = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], Any]

LONGEST = 0.3


@pytest.fixture
def cut() -> Cut:
    """A box of 12 triangles, 0.5 × 1 × 2 m, and what becomes of it."""
    points, triangles = box((0.0, 0.0, 0.0), (0.5, 1.0, 2.0))
    points, triangles = np.asarray(points, np.float64), np.asarray(triangles, np.int64)
    return points, triangles, *refined(points, triangles, LONGEST)


def test_no_edge_is_longer_and_the_surface_is_the_same(cut: Cut) -> None:
    points, triangles, fine, parts = cut
    ends = np.stack([parts.triangles, np.roll(parts.triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    lengths = np.linalg.norm(fine[ends[:, 0]] - fine[ends[:, 1]], axis=1)
    assert 0.2 * LONGEST < lengths.min() and lengths.max() <= LONGEST
    edges, beside = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    assert np.all(beside == 2)
    assert len(fine) - len(edges) + len(parts.triangles) == 2
    corners = fine[parts.triangles]
    normals = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    whole = points[triangles]
    expected = 0.5 * np.cross(whole[:, 1] - whole[:, 0], whole[:, 2] - whole[:, 0])
    for number, normal in enumerate(expected):
        own = normals[parts.origins == number]
        np.testing.assert_allclose(own.sum(axis=0), normal, atol=1e-12)
        assert np.all(own @ normal > 0.0)


def test_new_vertices_have_the_mean_of_what_their_edges_have(cut: Cut) -> None:
    points, triangles, fine, parts = cut
    np.testing.assert_allclose(parts.values(points), fine, atol=1e-15)
    assert parts.values(0.5) == 0.5
    placed = np.einsum("skc,scd->skd", parts.shares, points[triangles[parts.origins]])
    np.testing.assert_allclose(placed, fine[parts.triangles], atol=1e-12)
    shown = parts.shown(len(points))
    assert shown.max() < len(points) and np.array_equal(shown[: len(points)], np.arange(8))


def test_what_is_small_enough_stays_as_it_is(cut: Cut) -> None:
    points, triangles, _, _ = cut
    same, parts = refined(points, triangles, 3.0)
    assert same is points and parts.triangles is triangles and parts.halved == []
