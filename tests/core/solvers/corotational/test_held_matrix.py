# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse matrices with some unknowns held."""

from __future__ import annotations

import numpy as np
import pytest

from core.linear import NotPositiveDefinite
from core.mesh.tetrahedra import TetrahedralBody, box_of_tetrahedra
from core.solvers.corotational.held_matrix import HeldMatrix, element_products

pytestmark = pytest.mark.jit_off

BODY = TetrahedralBody.of(*box_of_tetrahedra((2, 1, 2), (1.0, 0.6, 0.8)))
COUNT = len(BODY.positions)


def test_it_solves_what_the_dense_matrix_says() -> None:
    random = np.random.default_rng(0)
    weights, diagonal = random.uniform(1.0, 2.0, len(BODY.volumes)), random.uniform(size=COUNT)
    held = random.random(COUNT) < 0.3
    load, values = random.normal(size=(2, COUNT, 4))
    A = np.diag(diagonal)
    for corners, g, w in zip(BODY.tetrahedra, BODY.gradients, weights, strict=True):
        A[np.ix_(corners, corners)] += w * g @ g.T
    every = np.arange(COUNT)
    parts = zip(element_products(BODY, weights), (every, every, diagonal), strict=True)
    rows, columns, entries = (np.concatenate(pair) for pair in parts)
    matrix = HeldMatrix((rows, columns, entries), held)
    np.testing.assert_array_equal(matrix.free, np.flatnonzero(~held))
    found = matrix.solve(matrix.right_side(load, values))
    coupled = A[np.ix_(~held, held)] @ values[held]
    expected = np.linalg.solve(A[np.ix_(~held, ~held)], load[~held] - coupled)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_linear_functions_are_harmonic() -> None:
    """Held to a linear function on the surface, the inside takes it as well."""
    body = TetrahedralBody.of(*box_of_tetrahedra((3, 3, 3), (1.0, 1.0, 1.0)))
    low, high = body.positions.min(axis=0), body.positions.max(axis=0)
    held = ((body.positions == low) | (body.positions == high)).any(axis=1)
    values = body.positions @ np.array([[1.0], [-2.0], [0.5]]) + 3.0
    matrix = HeldMatrix(element_products(body, body.volumes), held)
    found = matrix.solve(matrix.right_side(np.zeros_like(values), values))
    assert len(found) == 8
    np.testing.assert_allclose(found, values[~held], atol=1e-10)


def test_all_vertices_may_be_held() -> None:
    matrix = HeldMatrix(element_products(BODY, BODY.volumes), np.ones(COUNT, bool))
    right = matrix.right_side(np.zeros((COUNT, 2)), np.ones((COUNT, 2)))
    assert matrix.solve(right).shape == (0, 2)


def test_what_nothing_holds_is_refused() -> None:
    with pytest.raises(NotPositiveDefinite):
        HeldMatrix(element_products(BODY, BODY.volumes), np.zeros(COUNT, bool))
