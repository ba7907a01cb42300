# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together as a patch, and what only lies there as if it did."""

from __future__ import annotations

import numpy as np
import pytest
from sheets import Mesh, sheet, together, with_a_slit

from core.contact.surface.build import Part, lay_out
from core.contact.surface.data import NONE, WIDTH, Shape
from core.contact.surface.patches import inward_turns

pytestmark = pytest.mark.jit_off


def shape_of(mesh: Mesh) -> Shape:
    points, faces = mesh
    rest = np.zeros((len(points), 4))
    rest[:, :3] = points
    nothing, meets = np.zeros(len(rest)), np.ones((1, 1), np.bool_)
    return lay_out([Part(faces, looks=True)], rest, nothing, nothing, meets, np.float64)


def joined(shape: Shape, node: int) -> set[int]:
    first, last = shape.joined_starts[node : node + 2]
    return set(shape.joined[first:last].tolist())


def vertices_of(shape: Shape, node: int) -> set[int]:
    """Of a leaf, or of a row of the tree behind the leaves."""
    leaves = len(shape.parts)
    first, last = node, node + 1
    if node >= leaves:
        level = int(np.searchsorted(shape.levels, node - leaves, "right")) - 1
        size = WIDTH ** (level + 1)
        first = size * (node - leaves - int(shape.levels[level]))
        last = min(first + size, leaves)
    return set(shape.members[shape.member_starts[first] : shape.member_starts[last]].tolist())


def edges_of(shape: Shape, leaf: int) -> set[tuple[int, int]]:
    """Of a leaf's faces."""
    faces = shape.faces.corners[WIDTH * leaf : WIDTH * (leaf + 1)].tolist()
    ends = [(face[k], face[k - 1]) for face in faces if face[0] != NONE for k in range(3)]
    return {(min(end), max(end)) for end in ends}


def test_of_a_sheet_neighbours_are_joined_at_every_level() -> None:
    shape = shape_of(sheet())
    leaves = len(shape.parts)
    for low, high in zip(
        [0, *(leaves + shape.levels[:-1])], leaves + np.r_[0, shape.levels[1:]], strict=True
    ):
        for node in range(int(low), int(high)):
            own = vertices_of(shape, node)
            sharing = {n for n in range(int(low), int(high)) if own & vertices_of(shape, n)}
            assert joined(shape, node) == sharing
    assert len(shape.levels) > 2


def test_what_shares_no_edge_is_joined_by_what_shares_one_with_both() -> None:
    shape = shape_of(sheet())
    edges = [edges_of(shape, leaf) for leaf in range(len(shape.parts))]
    some = 0
    for leaf in range(len(edges)):
        first, last = shape.joined_starts[leaf : leaf + 2]
        for other, between in zip(shape.joined[first:last], shape.joined_between[first:last]):
            if between == NONE:
                assert edges[leaf] & edges[other]
            else:
                assert not edges[leaf] & edges[other]
                assert edges[leaf] & edges[between]
                assert edges[other] & edges[between]
                some += 1
    assert some > 0


def test_layers_are_not_joined_however_near_they_are() -> None:
    lower, upper = sheet(), sheet(height=0.01)
    shape = shape_of(together(lower, upper))
    layer = [
        {vertex >= len(lower[0]) for vertex in vertices_of(shape, n)}
        for n in range(len(shape.joined_starts) - 1)
    ]
    for node in range(len(layer)):
        for other in joined(shape, node):
            assert len(layer[node] | layer[other]) == 1


def test_what_is_beside_a_slit_is_not_joined_across_it() -> None:
    points, faces = with_a_slit()
    shape = shape_of((points, faces))
    for node in range(len(shape.joined_starts) - 1):
        for other in joined(shape, node):
            both = points[list(vertices_of(shape, node) | vertices_of(shape, other))]
            sides = both[both[:, 1] > 8.0, 0]
            assert len(sides) == 0 or sides.max() <= 8.0 or sides.min() >= 8.0


def with_a_flap() -> tuple[Mesh, set[int]]:
    """A sheet, and one half as long along its middle line as a second layer; and that line."""
    (points, faces), (flap, flap_faces) = sheet(), sheet(8, height=0.01)
    (line,) = np.nonzero(points[:, 0] == 8.0)
    (sewn,) = np.nonzero(flap[:, 0] == 0.0)
    kept = np.arange(len(points), len(points) + len(flap))
    kept[sewn] = line
    mesh = together((points, faces[:0]), (flap + np.array([8.0, 0.0, 0.0]), flap_faces[:0]))
    return (mesh[0], np.concatenate([faces, kept[flap_faces]])), set(line.tolist())


def test_where_three_faces_share_an_edge_nothing_is_joined() -> None:
    mesh, line = with_a_flap()
    shape = shape_of(mesh)
    some = 0
    for node in range(len(shape.joined_starts) - 1):
        if vertices_of(shape, node) & line:
            assert joined(shape, node) == set()
        some += bool(joined(shape, node))
    assert some > 0


def test_a_ribbon_is_joined_in_short_pieces_only() -> None:
    points, faces = sheet(256, 1)
    shape = shape_of((points, faces))
    leaves = len(shape.parts)
    assert all(joined(shape, leaf) for leaf in range(leaves))
    for node in range(leaves, len(shape.joined_starts) - 1):
        assert joined(shape, node) == set()


def test_borders_turn_inwards_where_a_corner_is_cut_out() -> None:
    points, faces = sheet(4, 4)
    middle = points[faces].mean(axis=1)
    turns = inward_turns(points, faces[~((middle[:, 0] > 2.0) & (middle[:, 1] > 2.0))])
    corner = np.flatnonzero((points[:, 0] == 2.0) & (points[:, 1] == 2.0))
    np.testing.assert_allclose(turns[corner], np.pi / 2)
    np.testing.assert_allclose(np.delete(turns, corner), 0.0, atol=1e-6)
