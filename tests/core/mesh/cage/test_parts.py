# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose parts have cells of their own, and are tied to each other where they lie on each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from naive.solids import Mesh, bricks, joined, prism

from core.errors import ModelError
from core.mesh.cage import cage_of, cage_of_parts
from core.mesh.cage.parts import BELOW, parts_of
from core.mesh.connected import connected

HALVES = bricks((0.0, 0.0, 0.0), (1.0, 0.2, 0.2), (2, 1, 1))


def connected_parts(tetrahedra: Any, count: int) -> int:
    return len(np.unique(connected([tetrahedra], np.ones(count, np.bool_))))


def test_no_part_hangs_together_with_another() -> None:
    mesh = bricks((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (3, 2, 2))
    cage, _ = cage_of_parts(*mesh, cell_size=0.1)
    assert connected_parts(cage.tetrahedra, len(cage.positions)) == 12
    assert cage.volumes.sum() == pytest.approx(1.0, rel=0.02)
    off = np.einsum("nk,nkd->nd", cage.weights, cage.positions[cage.corners]) - cage.surface
    assert np.abs(off).max() < 1.01 * BELOW * cage.size
    np.testing.assert_array_equal(cage.surface, mesh[0])


@pytest.mark.parametrize("cell", [0.1, 0.08, 0.05, 0.03])
def test_bonds_stand_for_the_area_of_faces_on_each_other(cell: float) -> None:
    cage, bonds = cage_of_parts(*HALVES, cell_size=cell)
    assert bonds.areas.sum() == pytest.approx(0.04, rel=1e-6)
    ends = cage.positions[bonds.nodes]
    np.testing.assert_allclose(ends[:, 0], ends[:, 1], atol=1e-12)
    assert (np.abs(ends[:, 0, 0] - 0.5) < 1.01 * cell).all()


@pytest.mark.parametrize("turn", [0.2, 0.5, 1.0])
def test_so_they_do_across_slanting_faces(turn: float) -> None:
    low, high = prism(0.0, 0.0, 0.4, 0.4 + 0.2 * turn), prism(0.4, 0.4 + 0.2 * turn, 1.0, 1.0)
    cage, bonds = cage_of_parts(*joined(low, high), cell_size=0.03)
    assert bonds.areas.sum() == pytest.approx(0.04 * np.hypot(1.0, turn), rel=0.03)
    across = np.diff(cage.positions[bonds.inner], axis=1)[:, 0]
    assert (across @ np.array([1.0, 0.0, -turn]) > 0.0).all()


def test_the_inner_nodes_of_a_bond_belong_to_its_two_parts() -> None:
    cage, bonds = cage_of_parts(*HALVES, cell_size=0.05)
    root = connected([cage.tetrahedra], np.ones(len(cage.positions), np.bool_))
    np.testing.assert_array_equal(root[bonds.nodes], root[bonds.inner])
    assert (root[bonds.nodes[:, 0]] != root[bonds.nodes[:, 1]]).all()


@pytest.mark.parametrize(("gap", "holds"), [(0.002, True), (-0.001, True), (0.02, False)])
def test_what_is_a_little_apart_counts_and_what_is_further_does_not(
    gap: float, holds: bool
) -> None:
    low, high = prism(0.0, 0.0, 0.4, 0.4), prism(0.4 + gap, 0.4 + gap, 1.0, 1.0)
    _, bonds = cage_of_parts(*joined(low, high), cell_size=0.05)
    assert (len(bonds.nodes) > 0) == holds


def test_sides_that_face_the_same_way_are_not_held_together() -> None:
    # One inside of the other, with one face of both in a plane.
    points, faces = joined(prism(0.0, 0.0, 1.0, 1.0), prism(0.2, 0.2, 1.0, 1.0, 0.5))
    _, bonds = cage_of_parts(points, faces, 0.05)
    assert len(bonds.nodes) == 0


def test_parts_that_are_inside_out_are_solid_too() -> None:
    points, faces = HALVES
    flipped = [face[::-1] if number >= 6 else face for number, face in enumerate(faces)]
    cage, bonds = cage_of_parts(points, flipped, 0.05)
    expected_cage, expected = cage_of_parts(points, faces, 0.05)
    assert cage.volumes.sum() == pytest.approx(expected_cage.volumes.sum(), rel=1e-6)
    assert bonds.areas.sum() == pytest.approx(expected.areas.sum(), rel=1e-6)


def test_neighbours_are_of_the_same_faces_and_near() -> None:
    mesh = bricks((0.0, 0.0, 0.0), (1.0, 0.2, 0.2), (3, 1, 1))
    cage, bonds = cage_of_parts(*mesh, cell_size=0.05)
    places = cage.positions[bonds.nodes[:, 0]]
    row, column = np.nonzero(bonds.around >= 0)
    other = bonds.around[row, column]
    assert len(other) > 2 * len(places)
    assert np.linalg.norm(places[row] - places[other], axis=1).max() < 3.0 * cage.size
    side = (places[:, 0] > 0.5).astype(int)
    np.testing.assert_array_equal(side[row], side[other])


def test_one_part_alone_is_as_it_would_be() -> None:
    points, faces = prism(0.0, 0.0, 1.0, 1.0)
    cage, bonds = cage_of_parts(points, faces, 0.05)
    assert len(bonds.nodes) == 0
    whole = cage_of(points, faces, 0.05)
    assert cage.volumes.sum() == pytest.approx(whole.volumes.sum(), rel=0.01)


def test_face_points_are_of_the_faces_that_were_given() -> None:
    points, faces = HALVES
    cage, _ = cage_of_parts(points, faces, 0.05)
    spread = cage.face_points
    places = np.einsum("pk,pkd->pd", spread.shares, points[spread.vertices])
    carried = np.einsum("pk,pkd->pd", spread.weights, cage.positions[spread.nodes])
    assert np.abs(places - carried).max() < 2.0 * BELOW * cage.size


def test_vertices_without_faces_go_with_a_part() -> None:
    points, faces = HALVES
    cage, _ = cage_of_parts(np.concatenate([points, [[0.1, 0.1, 0.3]]]), faces, 0.05)
    assert len(cage.corners) == len(points) + 1


def test_parts_are_those_of_faces_and_borders_that_hang_together() -> None:
    points, faces = HALVES
    quads = np.array(faces)
    triangles = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])
    assert np.bincount(parts_of(points, triangles)).tolist() == [8, 8]
    soup = points[triangles].reshape(-1, 3)
    assert len(np.unique(parts_of(soup, np.arange(len(soup)).reshape(-1, 3)))) == 1


@pytest.mark.parametrize(
    ("mesh", "cell", "message"),
    [
        (HALVES, 2.0, "larger than the object"),
        (HALVES, 1e-4, "more than memory allows"),
        (HALVES, -1.0, "must be positive"),
        ((HALVES[0], []), 0.1, "has no faces"),
    ],
)
def test_what_can_not_be_done_is_said(mesh: Mesh, cell: float, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        cage_of_parts(*mesh, cell_size=cell, name="Block")
