# SPDX-License-Identifier: GPL-3.0-or-later
"""How the contact surface is laid out: leaves, what belongs to them, and who is beside whom."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from core.contact.surface.build import Part, lay_out
from core.contact.surface.data import NONE, WIDTH, Shape

pytestmark = pytest.mark.jit_off


def two_sheets() -> Shape:
    """One of triangles, and as a collider one whose size does not fill its last leaf."""
    points, faces = naive.irregular_triangles(5, 4, 1.0, 1.0)
    others, other_faces = naive.irregular_triangles(3, 3, 1.0, 1.0)
    parts = [
        Part(np.asarray(faces), looks=True),
        Part(np.asarray(other_faces) + len(points), looks=False, sided=True),
    ]
    rest = np.zeros((len(points) + len(others), 4))
    rest[:, :3] = np.concatenate([points, others])
    nothing, meets = np.zeros(len(rest)), np.ones((2, 2), np.bool_)
    return lay_out(parts, rest, nothing, nothing, meets, np.float64)


def test_members_are_the_vertices_of_a_leaf() -> None:
    shape = two_sheets()
    for leaf in range(len(shape.parts)):
        corners = shape.faces.corners[WIDTH * leaf : WIDTH * (leaf + 1)]
        first, last = shape.member_starts[leaf : leaf + 2]
        expected = np.unique(corners[corners != NONE])
        np.testing.assert_array_equal(shape.members[first:last], expected)


def test_both_faces_are_beside_an_edge() -> None:
    shape = two_sheets()
    corners = shape.faces.corners
    for ends, beside in zip(shape.edges.corners, shape.beside, strict=True):
        if ends[0] == NONE:
            assert (beside == NONE).all()
            continue
        having = np.flatnonzero(np.isin(corners, ends).sum(axis=1) == 2)
        assert sorted(beside[beside != NONE]) == having.tolist()


def test_parts_have_bits_of_their_own() -> None:
    shape = two_sheets()
    first = shape.numbers[1] * WIDTH
    assert set(shape.bits[shape.faces.corners[:first][shape.faces.corners[:first] != NONE]]) == {1}
    behind = shape.faces.corners[first:]
    assert set(shape.bits[behind[behind != NONE]]) == {2}
    assert set(shape.sided[behind[behind != NONE]]) == {1}
