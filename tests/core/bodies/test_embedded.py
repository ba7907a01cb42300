# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies inside of surfaces, through the solver."""

from __future__ import annotations

import numpy as np
import pytest
from naive.solids import Mesh, box

import core
from core.bodies.embedded import EmbeddedBody, at_nodes
from core.mesh.cage import SmoothCarrier, cage_of, carried

pytestmark = pytest.mark.long

SIZE = np.array([0.1, 0.1, 0.2])
BLOCK = box((0.0, 0.0, 0.0), SIZE)


def gridded(count: int) -> Mesh:
    """The block of so many quads along each edge of each face."""
    numbers: dict[tuple[int, ...], int] = {}
    faces = []
    for axis, side, i, j in np.ndindex(3, 2, count, count):
        corners = []
        for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
            place = np.zeros(3, int)
            place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = side * count, i + a, j + b
            corners.append(numbers.setdefault(tuple(place.tolist()), len(numbers)))
        faces.append(tuple(corners) if side else tuple(corners[::-1]))
    return np.array(list(numbers)) / count * SIZE, faces


def hung(mesh: Mesh, cells: int, substeps: int = 20, frames: int = 24) -> tuple[float, float]:
    """How far the block's lower face sinks, hung by its upper one, and how far that one slips."""
    positions, faces = mesh
    model = core.Model()
    top = np.flatnonzero(positions[:, 2] > SIZE[2] - 1e-9)
    body = model.add_soft_body(
        positions, faces, cell_size=SIZE[2] / cells, pins=top, density=1000.0, young_modulus=1e4,
        poisson_ratio=0.3, drag=12.0, self_collision=False, thickness=1e-4,
    )  # fmt: skip
    solver = core.XPBD(substeps=substeps, iterations=1, second_order=True)
    simulation = core.Simulation(model, solver)
    for _ in range(frames):
        simulation.advance(1.0 / 24.0)
    shown = simulation.surface(body)
    np.testing.assert_allclose(shown[top], positions[top], atol=1e-6)
    slip = np.abs(body.carrier.carried(simulation.positions[body.particles]) - positions)[top]
    points = body.cage.face_points
    below = (points.weights[:, :, None] * body.cage.positions[points.nodes]).sum(axis=1)
    now = simulation.positions[body.particles][points.nodes]
    sunk = below - (points.weights[:, :, None] * now).sum(axis=1)
    return float(sunk[below[:, 2] < 1e-6, 2].mean()), float(slip.max())


def test_it_sags_the_same_with_any_surface_and_any_cell() -> None:
    coarse, fine = gridded(12), gridded(58)
    sags = {cells: hung(coarse, cells, max(20, cells))[0] for cells in (12, 16, 24)}
    sags[0] = hung(fine, 16)[0]
    middle = np.median(list(sags.values()))
    assert all(abs(sag / middle - 1.0) < 0.03 for sag in sags.values()), sags
    # Of a bar that is hung, not held sideways: ρ g L² / 2 E; the clamp takes some of that.
    assert 0.9 < middle / (1000.0 * 9.81 * SIZE[2] ** 2 / 2e4) < 1.15


def test_pins_take_along_the_body_exactly() -> None:
    positions, faces = gridded(4)
    model = core.Model()
    body = model.add_soft_body(
        positions, faces, cell_size=0.04, pins=np.arange(len(positions)), self_collision=False,
        thickness=1e-4,
    )  # fmt: skip
    simulation = core.Simulation(model, core.XPBD(substeps=10), gravity=(0.0, 0.0, 0.0))
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for step in range(1, 13):
        angle = step * np.pi / 24.0
        c, s = np.cos(angle), np.sin(angle)
        now = positions @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T
        simulation.set_targets(body.pins, now)
        simulation.advance(1.0 / 24.0)
    for _ in range(12):
        simulation.advance(1.0 / 24.0)
    target = positions @ turn.T
    np.testing.assert_allclose(simulation.surface(body), target, atol=1e-6)
    nodes = simulation.positions[body.particles]
    np.testing.assert_allclose(nodes, body.cage.positions @ turn.T, atol=2e-3)


def test_it_lands_on_its_skin() -> None:
    """The cage sticks out; what touches is the surface."""
    positions, faces = gridded(4)
    model = core.Model()
    body = model.add_soft_body(
        positions + np.array((0.0, 0.0, 0.01)), faces, cell_size=0.045, young_modulus=1e5,
        thickness=0.001, self_collision=False,
    )  # fmt: skip
    floor = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    model.add_collider(floor, [(0, 1, 2), (0, 2, 3)], thickness=0.001)
    simulation = core.Simulation(model, core.XPBD(substeps=20, second_order=True))
    assert isinstance(body, EmbeddedBody)
    assert simulation.positions[body.particles, 2].min() < 0.01
    for _ in range(24):
        simulation.advance(1.0 / 24.0)
    lowest = simulation.surface(body)[:, 2].min()
    assert lowest == pytest.approx(0.002, abs=1e-3)


def test_it_is_shown_no_further_than_its_thickness_from_where_it_touches() -> None:
    positions, faces = gridded(12)
    model = core.Model()
    body = model.add_soft_body(positions, faces, cell_size=0.042, thickness=0.002)
    simulation = core.Simulation(model, core.XPBD())
    shaken = np.random.default_rng(0).normal(0.0, 0.02, (len(body.particles), 3))
    simulation.positions[body.particles] += shaken
    assert isinstance(body, EmbeddedBody)
    touching = carried(body.cage, simulation.positions[body.particles])
    beside = np.linalg.norm(simulation.surface(body) - touching, axis=1)
    assert beside.max() == pytest.approx(0.002, rel=1e-6)
    free = np.linalg.norm(
        SmoothCarrier(body.cage).carried(simulation.positions[body.particles]) - touching, axis=1
    )
    assert free.max() > 0.01
    np.testing.assert_allclose(beside, np.minimum(free, 0.002), atol=1e-9)


def test_no_node_is_too_light_and_the_mass_is_right() -> None:
    positions, faces = gridded(12)
    model = core.Model()
    body = model.add_soft_body(positions, faces, cell_size=0.042, density=1000.0)
    assert isinstance(body, EmbeddedBody)
    assert body.cage.fill.min() < 0.05
    assert model.masses[body.particles].sum() == pytest.approx(1000.0 * body.cage.volumes.sum())
    assert body.volumes.sum() == pytest.approx(body.cage.volumes.sum())
    assert body.volumes.min() > 0.09 * body.volumes.max()


def test_what_is_painted_on_vertices_reaches_all_nodes() -> None:
    positions, faces = gridded(6)
    cage = cage_of(positions, faces, 0.04)
    painted = at_nodes(cage, positions[:, 2], len(positions))
    assert painted.shape == (len(cage.positions),)
    np.testing.assert_allclose(painted, cage.positions[:, 2], atol=0.045)
    assert at_nodes(cage, 3.0, len(positions)) == 3.0


def test_refused_in_words() -> None:
    with pytest.raises(core.ModelError, match="nothing inside the surface of 'leaf': use Cloth"):
        core.Model().add_soft_body([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], name="leaf")
