# SPDX-License-Identifier: GPL-3.0-or-later
"""Values by key, in their order; triangles across edges."""

from __future__ import annotations

import numpy as np
import pytest

from core.mesh.incidence import across_edges, grouped

pytestmark = pytest.mark.jit_off


def test_grouping_keeps_the_order_within_a_key() -> None:
    starts, values = grouped(np.array([2, 0, 2, 0]), np.array([5, 6, 7, 8]), 4)
    np.testing.assert_array_equal(starts, [0, 2, 2, 4, 4])
    np.testing.assert_array_equal(values, [6, 8, 5, 7])


def test_nothing_is_grouped_into_empty_rows() -> None:
    starts, values = grouped(np.empty(0, np.int64), np.empty(0, np.int64), 3)
    np.testing.assert_array_equal(starts, [0, 0, 0, 0])
    assert len(values) == 0


def test_neighbours_share_an_edge_whatever_else_does() -> None:
    """Three faces at an edge, and a strand's segment, which has a corner twice."""
    pieces = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4], [5, 6, 6], [2, 1, 7]])
    neighbours, _ = across_edges(pieces)
    for piece, around in enumerate(neighbours.tolist()):
        for other in set(around) - {-1, piece}:
            assert len(set(pieces[piece]) & set(pieces[other])) == 2
    assert 4 in neighbours[0] and 0 in neighbours[4]
    assert set(neighbours[3].tolist()) <= {-1, 3}
