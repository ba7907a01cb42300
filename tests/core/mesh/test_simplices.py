# SPDX-License-Identifier: GPL-3.0-or-later
"""Area, volume and least height of simplices, against plain geometry."""

from __future__ import annotations

import numpy as np
import pytest

from core.mesh.simplices import content_and_width, inverses

pytestmark = pytest.mark.jit_off


def inverse_edges(corners: np.ndarray) -> np.ndarray:
    return np.linalg.inv((corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1))


def test_triangles() -> None:
    corners = np.random.default_rng(0).normal(size=(50, 3, 2))
    content, width = content_and_width(inverse_edges(corners))
    for (a, b, c), area, least in zip(corners, content, width, strict=True):
        expected = 0.5 * abs(np.cross(b - a, c - a))
        longest = max(np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c))
        assert area == pytest.approx(expected)
        assert least == pytest.approx(2.0 * expected / longest)


def test_tetrahedra() -> None:
    corners = np.random.default_rng(1).normal(size=(50, 4, 3))
    content, width = content_and_width(inverse_edges(corners))
    for each, volume, least in zip(corners, content, width, strict=True):
        expected = abs(np.linalg.det(each[1:] - each[0])) / 6.0
        faces = [np.delete(each, k, axis=0) for k in range(4)]
        areas = [0.5 * np.linalg.norm(np.cross(b - a, c - a)) for a, b, c in faces]
        assert volume == pytest.approx(expected)
        assert least == pytest.approx(3.0 * expected / max(areas))


def test_a_right_triangle_of_known_size() -> None:
    content, width = content_and_width(np.array([[[1 / 3, 0.0], [0.0, 0.25]]]))
    assert (content[0], width[0]) == (pytest.approx(6.0), pytest.approx(2.4))


@pytest.mark.parametrize("shape", [(50, 2, 2), (50, 3, 3), (0, 3, 3), (2, 2)])
def test_inverses(shape: tuple[int, ...]) -> None:
    matrices = np.random.default_rng(2).normal(size=shape)
    np.testing.assert_allclose(inverses(matrices), np.linalg.inv(matrices), rtol=1e-10)
    singular = np.ones((3, *shape[-2:]))
    with pytest.raises(np.linalg.LinAlgError):
        inverses(singular)
