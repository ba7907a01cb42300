# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations nearest to matrices."""

from __future__ import annotations

import numpy as np
import pytest

from core.mesh.rotations import nearest_rotations

pytestmark = pytest.mark.jit_off

CLOSE = 1e-8


def turns(count: int) -> np.ndarray:
    found, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(count, 3, 3)))
    return found * np.linalg.det(found)[:, None, None]


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9])
@pytest.mark.parametrize("stretches", [(3.0, 2.0, 0.5), (2.0, 1.0, 0.0)])
def test_it_is_the_turn_of_what_was_stretched_and_turned(
    stretches: tuple[float, float, float], size: float
) -> None:
    expected, axes = turns(50), turns(51)[1:]
    stretched = axes @ (np.array(stretches)[:, None] * axes.transpose(0, 2, 1))
    found = nearest_rotations(size * expected @ stretched)
    assert np.allclose(found, expected, atol=CLOSE)


def test_what_is_left_open_does_not_turn() -> None:
    nothing = np.zeros((1, 3, 3))
    line = np.zeros((1, 3, 3))
    line[0, 0, 0] = 2.0
    for open_matrix in (nothing, line):
        assert np.allclose(nearest_rotations(open_matrix), np.eye(3), atol=CLOSE)


def test_no_matrix_has_a_nearer_one() -> None:
    matrices = np.random.default_rng(2).normal(size=(30, 3, 3))
    found = nearest_rotations(matrices)
    assert np.allclose(np.linalg.det(found), 1.0)
    nearest = np.linalg.norm(found - matrices, axis=(1, 2))
    for other in turns(200):
        assert (nearest <= np.linalg.norm(other - matrices, axis=(1, 2)) + CLOSE).all()
