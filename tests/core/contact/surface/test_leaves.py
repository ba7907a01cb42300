# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves hold what lies close together and hangs together."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

from core.contact.surface.data import NONE, WIDTH
from core.contact.surface.leaves import leaves_of


def test_loose_parts_share_no_leaf_unless_they_are_smaller_than_one() -> None:
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), [[0, 1, 2], [0, 2, 3]]
    sheets = [naive.irregular_triangles(*grid, 1.0, 1.0) for grid in ((4, 4), (6, 6), (3, 4))]
    points, faces = zip(*sheets[:2], square, square, sheets[2], strict=True)
    firsts = np.cumsum([0, *map(len, points)])
    pieces = [np.asarray(each) + first for each, first in zip(faces, firsts, strict=False)]
    leaves = leaves_of(np.concatenate(points), np.concatenate(pieces)).reshape(-1, 3 * WIDTH)
    owners = [set(np.searchsorted(firsts, leaf[leaf != NONE], "right") - 1) for leaf in leaves]
    assert [each for each in owners if len(each) > 1] == [{2, 3}]
    found = np.sort(leaves[leaves != NONE].reshape(-1, 3), axis=1)
    expected = np.sort(np.concatenate(pieces), axis=1)
    assert sorted(found.tolist()) == sorted(expected.tolist())


def parts_of(leaf: Any) -> int:
    """In how many parts that share edges the faces of a leaf are, counted slowly."""
    left = {tuple(sorted(face)) for face in leaf if face[0] != NONE}
    count = 0
    while left:
        around, count = [left.pop()], count + 1
        while around:
            face = around.pop()
            beside = {other for other in left if len(set(face) & set(other)) == 2}
            left -= beside
            around += beside
    return count


@pytest.mark.parametrize("kind", ["one way", "the other way", "irregular"])
def test_hardly_a_leaf_has_strays(kind: str) -> None:
    """Halving alone leaves them in two of five."""
    points, quads = naive.quad_grid(41, 41, 1.0, 1.0)
    quads = np.asarray(quads)
    if kind == "irregular":
        points, faces = naive.irregular_triangles(41, 41, 1.0, 1.0)
    else:
        halves = ([0, 1, 2], [0, 2, 3]) if kind == "one way" else ([0, 1, 3], [1, 2, 3])
        faces = np.concatenate([quads[:, half] for half in halves])
    leaves = leaves_of(np.asarray(points), np.asarray(faces)).reshape(-1, WIDTH, 3)
    assert np.mean([parts_of(leaf) > 1 for leaf in leaves]) < 0.02
    found = np.sort(leaves[leaves[..., 0] != NONE], axis=1)
    assert sorted(found.tolist()) == sorted(np.sort(faces, axis=1).tolist())
