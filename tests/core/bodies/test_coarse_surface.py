# SPDX-License-Identifier: GPL-3.0-or-later
"""A soft body whose faces are larger than the cells inside touches as one of small faces does."""

from __future__ import annotations

from itertools import product
from typing import Any

import naive
import numpy as np
import pytest
from contact_scenes import box
from numpy.typing import NDArray

import core
from core.mesh.cage import cage_of

FRAME = 1 / 24
DEFAULTS: dict[str, Any] = {
    "substeps": 400, "iterations": 8, "largest_stretch": 0.03, "near_pins": True,
    "implicit_bending": True, "second_order": True,
}  # fmt: skip


def cube(cells: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Of 1 m, so many faces a side, which share no vertices: the cage joins them."""
    points, faces = (np.asarray(each) for each in naive.quad_grid(cells, cells, 1.0, 1.0))
    flat = points - 0.5
    all_points: list[NDArray[np.float64]] = []
    all_faces: list[NDArray[np.int64]] = []
    for axis in range(3):
        for side, turned in ((-0.5, faces[:, ::-1]), (0.5, faces)):
            place = np.empty((len(points), 3))
            place[:, axis], place[:, axis - 2], place[:, axis - 1] = side, flat[:, 0], flat[:, 1]
            all_faces.append(turned + len(points) * len(all_points))
            all_points.append(place)
    return np.add(np.concatenate(all_points), (0.0, 0.0, 0.51)), np.concatenate(all_faces)


def resting(cells: int) -> tuple[core.Simulation, core.SoftBody]:
    """On a floor, its weight supported by the whole of its lower face."""
    model = core.Model()
    body = model.add_soft_body(*cube(cells), cell_size=0.125, young_modulus=3e4, density=1000.0)
    model.add_collider(*box((-2.0, -2.0, -1.0), (2.0, 2.0, 0.0)))
    simulation = core.Simulation(model, core.XPBD(**DEFAULTS))
    for _ in range(24):
        simulation.advance(FRAME)
    return simulation, body


def with_holding_edges(width: float) -> tuple[NDArray[np.float64], list[list[int]]]:
    """A cube of 0.2 m whose faces have borders of this width, so that most are long and narrow."""
    steps = np.array([0.0, width, 0.2 - width, 0.2])
    numbers: dict[tuple[float, ...], int] = {}
    faces = []
    for axis, side in product(range(3), (0.0, 0.2)):
        for i, j in product(range(3), range(3)):
            face = []
            for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                place = np.empty(3)
                place[axis], place[axis - 2], place[axis - 1] = side, steps[a], steps[b]
                face.append(numbers.setdefault(tuple(place.tolist()), len(numbers)))
            faces.append(face if side else face[::-1])
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    return np.array(list(numbers)) @ (turn * np.linalg.det(turn)) + (0.0, 0.0, 1.0), faces


@pytest.mark.parametrize("width", [0.004, 0.02])
def test_narrow_faces_are_carried_where_they_are(width: float) -> None:
    """Few of them cross a line of the grid by which tetrahedra are found."""
    points, faces = with_holding_edges(width)
    cage = cage_of(points, faces, 0.019)
    assert cage.touching is not None
    wanted = cage.touching.surface.values(points)
    nodes = cage.positions[cage.touching.corners]
    assert len(wanted) > 10 * len(points)
    found = np.einsum("nk,nkd->nd", cage.touching.weights, nodes)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert cage.touching.weights.min() >= -0.5


def test_a_body_of_narrow_faces_falls_without_touching_itself() -> None:
    model = core.Model()
    points, faces = with_holding_edges(0.004)
    body = model.add_soft_body(points, faces, young_modulus=3e4, density=1000.0, thickness=7e-4)
    simulation = core.Simulation(model, core.XPBD(**DEFAULTS))
    start = simulation.surface(body) - simulation.surface(body).mean(axis=0)
    for _ in range(4):
        simulation.advance(FRAME)
        assert simulation.crossings == 0
    shape = simulation.surface(body) - simulation.surface(body).mean(axis=0)
    np.testing.assert_allclose(shape, start, atol=1e-4)


@pytest.fixture(scope="module")
def fine() -> float:
    simulation, body = resting(16)
    return float(simulation.surface(body)[:, 2].max())


@pytest.mark.parametrize("cells", [1, 3])
def test_a_cube_of_large_faces_rests_as_one_of_small_faces(cells: int, fine: float) -> None:
    simulation, body = resting(cells)
    assert simulation.surface(body)[:, 2].max() == pytest.approx(fine, abs=0.02)
    assert simulation.positions[body.particles, 2].min() > -0.1


def test_what_is_told_of_its_surface_are_vertices_that_it_has() -> None:
    model = core.Model()
    points, faces = cube(1)
    body = model.add_soft_body(points, faces, cell_size=0.125, thickness=np.full(24, 0.004))
    model.add_collider(*box((-0.2, -0.2, -1.0), (0.2, 0.2, 0.3)))
    simulation = core.Simulation(model, core.XPBD(substeps=1))
    (found,) = simulation.crossings_of(body)
    assert found.pairs > 0
    assert 0 < len(found.vertices) <= 24 and found.vertices.max() < 24
    skin = model.touching(body)
    assert len(skin.particles) > 200
    below = np.abs(model.positions[skin.particles] - (0.0, 0.0, 0.51)).max(axis=1)
    np.testing.assert_allclose(below, 0.5, atol=1e-6)  # all of them lie on the cube
    np.testing.assert_allclose(model.thickness[skin.particles], 0.004)
