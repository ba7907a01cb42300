# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of a vertex and a face, and of two edges, against all others on them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.contact.surface.distances import edge_edge, vertex_face

SAMPLES = np.linspace(0.0, 1.0, 41)

Points = NDArray[np.float64]


def cases() -> list[Points]:
    """Random fours of points, some flat, long, parallel, or with a corner doubled."""
    rng = np.random.default_rng(5)
    fours = list(rng.normal(size=(40, 4, 3)))
    fours += [four * (1.0, 1.0, 1e-6) for four in rng.normal(size=(10, 4, 3))]
    fours += [four * (100.0, 1.0, 1.0) for four in rng.normal(size=(10, 4, 3))]
    for four in rng.normal(size=(10, 4, 3)):
        four[3] = four[2] + four[1] - four[0]
        fours.append(four)
    for four in rng.normal(size=(10, 4, 3)):
        four[3] = four[2]
        fours.append(four)
    return fours


@pytest.mark.parametrize("number", range(len(cases())))
def test_no_point_of_a_face_is_nearer(number: int) -> None:
    p, a, b, c = cases()[number]
    (v, w), way, normal = vertex_face(p, a, b, c)
    closest = (1.0 - v - w) * a + v * b + w * c
    np.testing.assert_allclose(np.array(way), p - closest, atol=1e-9)
    assert min(v, w, 1.0 - v - w) >= -1e-12
    u, t = (grid.ravel() for grid in np.meshgrid(SAMPLES, SAMPLES))
    inside = u + t <= 1.0
    others = a + u[inside, None] * (b - a) + t[inside, None] * (c - a)
    size = np.linalg.norm(way)
    assert size <= np.linalg.norm(p - others, axis=1).min() + 1e-9
    assert np.dot(normal, way) == pytest.approx(np.linalg.norm(normal) * size, rel=1e-6)


@pytest.mark.parametrize("number", range(len(cases())))
def test_no_points_of_two_edges_are_nearer(number: int) -> None:
    a, b, c, d = cases()[number]
    (u, v), way, normal = edge_edge(a, b, c, d)
    assert 0.0 <= min(u, v) <= max(u, v) <= 1.0
    np.testing.assert_allclose(np.array(way), a + u * (b - a) - c - v * (d - c), atol=1e-9)
    first = a + SAMPLES[:, None] * (b - a)
    second = c + SAMPLES[:, None] * (d - c)
    size = np.linalg.norm(way)
    assert size <= np.linalg.norm(first[:, None] - second, axis=2).min() + 1e-9
    assert np.dot(normal, way) == pytest.approx(np.linalg.norm(normal) * size, rel=1e-6)
