# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the same cells without hanging together has cells of its own."""

from __future__ import annotations

import numpy as np
import pytest
from naive.solids import Mesh, box, joined, tube_along, turned, volume

from core.mesh.cage import Cage, cage_of
from core.mesh.connected import connected
from core.mesh.tetrahedra import shared_faces


def part_of(cage: Cage) -> np.ndarray:
    """For each vertex of the surface the part of the cage that it lies in."""
    found = connected([cage.tetrahedra], np.ones(len(cage.positions), np.bool_))
    return found[cage.corners[:, 0]]


@pytest.mark.parametrize("gap", [0.2, 0.01, 0.0])
@pytest.mark.parametrize("turn", [lambda mesh: mesh, turned])
def test_two_boxes_less_than_a_cell_apart(gap: float, turn) -> None:  # type: ignore[no-untyped-def]
    size = 1.0 / 8.0
    mesh = turn(joined(box((0, 0, 0), (1, 1, 1)), box((1.0 + gap * size, 0.1, 0), (2, 1, 1))))
    cage = cage_of(mesh[0], mesh[1], size)
    part = part_of(cage)
    assert len(set(part[:8])) == len(set(part[8:])) == 1
    assert part[0] != part[8]
    assert cage.volumes.sum() == pytest.approx(volume(mesh), rel=2e-3)


def u_shape(gap: float) -> Mesh:
    """A U whose legs, one apart from the other by so much, are a metre long and 0.2 thick."""
    turn = np.linspace(0.0, np.pi, 33)
    radius = 0.5 * gap + 0.1
    bend = np.stack([radius * np.cos(turn), 0.0 * turn, -radius * np.sin(turn)], axis=1)
    up = np.linspace(1.0, 0.02, 30)[:, None] * np.array([0.0, 0.0, 1.0])
    start, end = np.array([radius, 0.0, 0.0]), np.array([-radius, 0.0, 0.0])
    return tube_along(np.concatenate([start + up, bend, end + up[::-1]]), 0.1, 16)


@pytest.mark.parametrize("turn", [lambda mesh: mesh, turned])
def test_legs_of_a_u_hang_together_around_the_bend_only(turn) -> None:  # type: ignore[no-untyped-def]
    """From tetrahedron to tetrahedron the way from one leg's end to the other's is that around."""
    mesh = u_shape(0.02)
    cage = cage_of(*turn(mesh), cell_size=0.08)
    assert len(set(part_of(cage))) == 1
    ends = [int(np.argmax(np.where(side, mesh[0][:, 2], -9.0))) for side in
            (mesh[0][:, 0] > 0.0, mesh[0][:, 0] < 0.0)]  # fmt: skip
    assert steps_between(cage, *ends) > 1.5 * 1.0 / cage.size


def steps_between(cage: Cage, vertex: int, other: int) -> int:
    """Edges of the cage on the shortest way between two vertices of the surface."""
    nodes, goal = set(cage.corners[vertex].tolist()), set(cage.corners[other].tolist())
    steps = 0
    while not nodes & goal:
        reached = np.isin(cage.tetrahedra, list(nodes)).any(axis=1)
        nodes, steps = set(cage.tetrahedra[reached].ravel().tolist()), steps + 1
    return steps


def mouth(gap: float) -> Mesh:
    """A box with a slit in it from the front: lips with so much between them."""
    low, high = 0.5 - 0.5 * gap, 0.5 + 0.5 * gap
    outline = [(0, 0), (1, 0), (1, low), (0.4, low), (0.4, high), (1, high), (1, 1), (0, 1)]
    rings = np.array([[(x, y, z) for x, z in outline] for y in (0.0, 1.0)])
    faces: list[tuple[int, ...]] = [(i, 8 + i, 8 + (i + 1) % 8, (i + 1) % 8) for i in range(8)]
    for first, order in ((0, 1), (8, -1)):
        for face in ((0, 1, 2, 3), (0, 3, 4, 7), (7, 4, 5, 6)):
            faces.append(tuple(first + i for i in face)[::order])
    return rings.reshape(-1, 3), faces


@pytest.mark.parametrize("gap", [0.03, 1e-4])
@pytest.mark.parametrize("turn", [lambda mesh: mesh, turned])
def test_a_mouth_can_open(gap: float, turn) -> None:  # type: ignore[no-untyped-def]
    mesh = turn(mouth(gap))
    cage = cage_of(mesh[0], mesh[1], 1.0 / 7.3)
    assert cage.volumes.sum() == pytest.approx(volume(mesh), rel=5e-3)
    assert len(set(part_of(cage))) == 1
    upper, lower = 5, 2
    assert not set(cage.corners[upper]) & set(cage.corners[lower])
    assert steps_between(cage, upper, lower) >= 6


def test_nothing_tears_within_a_part() -> None:
    """A face between two tetrahedra that is inside of the body is the same for both."""
    mesh = turned(box((0, 0, 0), (1, 1, 1)))
    cage = cage_of(mesh[0], mesh[1], 1.0 / 6.0)
    places = {tuple(place) for place in cage.places.tolist()}
    assert len(places) == len(cage.places)
    _, pairs = shared_faces(cage.tetrahedra)
    inside = (cage.fill > 1.0 - 1e-9)[pairs].any(axis=1)
    assert inside.sum() > 100
