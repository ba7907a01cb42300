# SPDX-License-Identifier: GPL-3.0-or-later
"""Carried surfaces touch in place of the cages that carry them; all through the solver."""

from __future__ import annotations

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

import core
from bench.jellies import Jelly
from core.bodies.skin import Skin

pytestmark = pytest.mark.long

FRAME = 1 / 24
GRAVITY = 9.81
THICKNESS, FLOOR = 0.004, 0.01  # m

FLAT = Jelly(
    size=(0.2, 0.2, 0.1), cells=(3, 3, 1), fine=(9, 9, 4), at=(0.0, 0.0, 0.0145), young_modulus=2e5
)

Points = NDArray[np.float64]


def solver(threads: int | None = None) -> core.XPBD:
    return core.XPBD(substeps=20, second_order=True, threads=threads)


def floor(model: core.Model, friction: float = 0.5) -> core.Collider:
    return model.add_collider(*scenes.quad(20.0), thickness=FLOOR, friction=friction)


def crossings(simulation: core.Simulation) -> int:
    faces = np.concatenate([body.triangles for body in simulation.model.bodies])
    return len(crossing_pairs(simulation.positions.astype(float), faces))


def place(simulation: core.Simulation, skin: Skin) -> Points:
    """The centre of mass."""
    masses = simulation.model.masses[skin.cage]
    return np.asarray(masses @ simulation.positions[skin.cage].astype(float) / masses.sum())


def test_a_jelly_comes_to_rest_on_its_skin() -> None:
    model = core.Model()
    skin = Jelly(at=(0.0, 0.0, 0.02), damping=0.01).add(model, thickness=THICKNESS)
    floor(model)
    simulation = core.Simulation(model, solver())
    seen = []
    for _ in range(60):
        simulation.advance(FRAME)
        seen.append(simulation.positions[skin.particles].astype(float))
    lowest = np.array([points[:, 2].min() for points in seen[-8:]])
    np.testing.assert_allclose(lowest, THICKNESS + FLOOR, atol=5e-5)
    assert simulation.positions[skin.cage][:, 2].min() < lowest[-1] - 0.002
    jolts = np.linalg.norm(np.diff(seen[-12:], 2, axis=0), axis=2)
    assert np.percentile(jolts, 99) < 3e-4
    assert np.abs(seen[-1] - seen[-12])[:, :2].max() < 1e-4


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_it_slides_with_the_right_friction(mu: float) -> None:
    angle, model = np.arctan(mu) + 0.2, core.Model()
    skin = FLAT.add(model, thickness=THICKNESS, friction=mu)
    floor(model, friction=mu)
    gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    simulation = core.Simulation(model, solver(), gravity=gravity.tolist())
    ways = []
    for _ in range(30):
        simulation.advance(FRAME)
        ways.append(place(simulation, skin)[0])
    acceleration = 2.0 * np.polyfit(FRAME * np.arange(18), ways[12:], 2)[0]
    found = (np.sin(angle) - acceleration / GRAVITY) / np.cos(angle)
    assert found == pytest.approx(mu, rel=0.02)


def test_it_sticks_below_the_angle_of_friction() -> None:
    angle, model = 0.9 * np.arctan(0.5), core.Model()
    skin = FLAT.add(model, thickness=THICKNESS)
    floor(model)
    gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    simulation = core.Simulation(model, solver(), gravity=gravity.tolist())
    for _ in range(36):
        simulation.advance(FRAME)
    before = place(simulation, skin)
    for _ in range(12):
        simulation.advance(FRAME)
    assert np.linalg.norm(place(simulation, skin) - before) < 1e-4


def test_a_fine_skin_on_a_coarse_cage_is_held_as_well() -> None:
    """Hundreds of vertices push the same eight corners: neither too little nor too much."""
    model = core.Model()
    jelly = Jelly(cells=(1, 1, 1), fine=(20, 20, 20), at=(0.0, 0.0, 0.0145), damping=0.01)
    skin = jelly.add(model, thickness=0.002)
    floor(model)
    simulation = core.Simulation(model, solver())
    for _ in range(36):
        simulation.advance(FRAME)
    low = np.sort(simulation.positions[skin.particles][:, 2])[: 21**2]
    np.testing.assert_allclose(low, 0.002 + FLOOR, atol=5e-5)


def test_a_skin_has_the_velocities_of_its_cage() -> None:
    """Whatever has pushed it: it lies on a floor, which pushes it and not the cage."""
    model = core.Model()
    skin = Jelly(at=(0.0, 0.0, 0.0145), velocity=(0.3, 0.0, 0.0)).add(model, thickness=THICKNESS)
    floor(model)
    simulation = core.Simulation(model, solver())
    for _ in range(4):
        simulation.advance(FRAME)
    for of in (simulation.velocities, simulation.state.accelerations[:, :3]):
        carried = np.einsum("nk,nkd->nd", skin.weights, of.astype(float)[skin.corners])
        np.testing.assert_allclose(of[skin.particles], carried, atol=1e-6 * np.abs(of).max())


def test_what_is_carried_bounces_as_a_particle_does() -> None:
    model = core.Model()
    points = np.array([(0.0, 0.0, 0.3), (0.1, 0.0, 0.3), (0.1, 0.1, 0.3), (0.0, 0.1, 0.3)])
    cage = model.add_particles(points, (1.0, 2.0, 1.5, 0.7))
    model.add_constraints("distance", cage[[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)]])
    weights = np.full((4, 4), 0.02) + 0.92 * np.eye(4)
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    model.add_skin(cage, np.tile(np.arange(4), (4, 1)), weights, faces, restitution=0.5)
    loose = model.add_particles([(1.0, 0.0, 0.3)], 1.0, restitution=0.5)
    floor(model)
    simulation = core.Simulation(model, solver())
    heights = []
    for _ in range(16):
        simulation.advance(FRAME)
        heights.append(simulation.positions[[*cage, *loose]][:, 2])
    rebound = np.array(heights)[6:].max(axis=0)
    np.testing.assert_allclose(rebound[:4], rebound[4], rtol=0.03)
    assert rebound[4] == pytest.approx(0.015 + 0.25 * 0.285, rel=0.05)


def turned(angle: float) -> Points:
    return scenes.rotation((0.3, 0.5, 1.0), angle)


def two_that_collide(threads: int | None = None) -> core.Simulation:
    model = core.Model()
    Jelly(velocity=(5.0, 0.0, 0.0), turn=turned(0.5)).add(model, thickness=THICKNESS, name="one")
    other = Jelly(at=(0.3, 0.03, 0.05), velocity=(-5.0, 0.0, 0.0), cells=(2, 2, 2), fine=(9, 9, 9))
    other.add(model, thickness=THICKNESS, name="other")
    return core.Simulation(model, solver(threads), gravity=(0.0, 0.0, 0.0))


def test_two_that_collide_do_not_cross_and_keep_their_momentum() -> None:
    simulation = two_that_collide()
    masses = simulation.model.masses[:, None]
    scale = float((masses * np.abs(simulation.velocities)).sum())
    energies = [0.5 * float((masses * simulation.velocities**2).sum())]
    for _ in range(6):
        simulation.advance(FRAME)
        assert crossings(simulation) == 0
        momentum = (masses * simulation.velocities).sum(axis=0)
        assert np.linalg.norm(momentum) < 1e-4 * scale
        energies.append(0.5 * float((masses * simulation.velocities**2).sum()))
    assert max(energies[1:]) < energies[0]


def test_momentum_is_kept_where_what_touches_lies_outside_of_what_carries_it() -> None:
    """Between vertices of faces larger than cells some points have weights below zero."""
    points, faces = scenes.ball(12)
    model = core.Model(np.float64)
    for sign in (-1.0, 1.0):
        at, velocity = np.array([0.13, 0.02, 0.01]), np.array([-1.0, 0.3, 0.0])
        ball = 0.12 * points @ turned(sign).T + sign * at
        model.add_soft_body(ball, faces, cell_size=0.02, drag=0.0, velocities=sign * velocity)
    simulation = core.Simulation(model, solver(), gravity=(0.0, 0.0, 0.0))
    assert simulation.state.contact.surface.carried.weights.min() < -0.01
    masses = simulation.model.masses[:, None]
    before = masses * simulation.velocities
    for _ in range(6):
        simulation.advance(FRAME)
    after = masses * simulation.velocities
    scale = np.abs(before).sum()
    assert np.abs(after - before).sum() > 0.5 * scale  # they have met
    assert np.linalg.norm((after - before).sum(axis=0)) < 1e-8 * scale


def test_the_same_for_any_number_of_threads() -> None:
    found = [two_that_collide(threads) for threads in (1, 2, 3)]
    for simulation in found:
        for _ in range(3):
            simulation.advance(FRAME)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].positions, other.positions)


def test_cloth_falls_on_a_jelly_and_does_not_cross_it() -> None:
    model = core.Model()
    Jelly(at=(0.0, 0.0, 0.0145)).add(model, thickness=THICKNESS)
    points, faces = naive.quad_grid(20, 20, 0.4, 0.4)
    model.add_cloth(points - points.mean(axis=0) + (0.1, 0.1, 0.24), faces, thickness=0.003)
    floor(model)
    simulation = core.Simulation(model, solver())
    for _ in range(10):
        simulation.advance(FRAME)
        assert crossings(simulation) == 0
    sheet = model.cloths[0]
    assert simulation.positions[sheet.particles][:, 2].max() > 0.2


def test_a_ball_dents_it() -> None:
    model = core.Model()
    skin = Jelly(at=(-0.1, -0.1, 0.0145), fine=(10, 10, 10)).add(model, thickness=THICKNESS)
    floor(model)
    vertices, triangles = scenes.ball(12)
    vertices = 0.05 * vertices + (0.0, 0.0, 0.275)
    ball = model.add_collider(vertices, triangles, thickness=0.0)
    simulation = core.Simulation(model, solver())
    for frame in range(12):
        ball.set_target(vertices - (0.0, 0.0, 0.004 * (frame + 1)))
        simulation.advance(FRAME)
        found = crossing_pairs(
            simulation.positions.astype(float), skin.triangles, (ball.vertices, triangles)
        )
        assert len(found) == 0
    assert simulation.positions[skin.particles][:, 2].max() > ball.vertices[:, 2].min() + 0.015


def test_a_pinned_cage_carries_its_skin_and_pushes_with_it() -> None:
    model = core.Model()
    skin = Jelly(pinned=True).add(model, thickness=THICKNESS)
    points, faces = naive.quad_grid(9, 9, 0.3, 0.3)
    cloth = model.add_cloth(points - points.mean(axis=0) + (0.1, 0.1, 0.25), faces, thickness=0.003)
    simulation = core.Simulation(model, solver(), gravity=(0.0, 0.0, 0.0))
    before = simulation.positions[skin.particles].copy()
    for frame in range(8):
        up = (0.0, 0.0, 0.0125 * (frame + 1))
        simulation.set_targets(skin.cage, model.positions[skin.cage] + up)
        simulation.advance(FRAME)
        assert crossings(simulation) == 0
    np.testing.assert_allclose(
        simulation.positions[skin.particles], before + np.array((0.0, 0.0, 0.1)), atol=1e-6
    )
    assert simulation.positions[cloth.particles][:, 2].max() > 0.3


def test_what_is_far_away_changes_nothing() -> None:
    """It is an island with its cage."""
    found = []
    for lonely in (True, False):
        model = core.Model()
        skin = Jelly(at=(0.0, 0.0, 0.02)).add(model, thickness=THICKNESS)
        if not lonely:
            points, faces = naive.quad_grid(5, 5, 0.2, 0.2)
            model.add_cloth(points + np.array((3.0, 0.0, 1.0)), faces)
        floor(model)
        simulation = core.Simulation(model, solver())
        for _ in range(3):
            simulation.advance(FRAME)
        found.append(simulation.positions[skin.particles])
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.jit_off
def test_a_body_that_carries_a_skin_touches_with_that_alone() -> None:
    """Here a net carries a smaller face, and goes through the other collider."""
    model = core.Model()
    square = np.array([(0.0, 0.0, 0.03), (0.1, 0.0, 0.03), (0.1, 0.1, 0.03), (0.0, 0.1, 0.03)])
    net = model.add_strands(square, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    weights = np.full((4, 4), 0.05) + 0.8 * np.eye(4)
    corners = np.tile(np.arange(4), (4, 1))
    skin = model.add_skin(net.particles, corners, weights, [(0, 1, 2, 3)], thickness=0.005)
    vertices, triangles = scenes.quad(5.0)
    model.add_collider(vertices, triangles, thickness=FLOOR)
    ignored = model.add_collider(vertices + np.array((0.0, 0.0, 0.01)), triangles, thickness=FLOOR)
    model.ignore_contact(net, ignored)
    simulation = core.Simulation(model, core.XPBD(substeps=8, second_order=True))
    for _ in range(4):
        simulation.advance(FRAME)
    np.testing.assert_allclose(simulation.positions[skin.particles][:, 2], 0.015, atol=1e-4)
    assert model.touching(net) is skin
    assert len(simulation.squeezed(net)) == 0
    assert simulation.crossings_of(net)[0].pairs == 0


@pytest.mark.jit_off
@pytest.mark.parametrize("at", [(0.03, 0.04, 0.19), (0.031, 0.039, 0.188)])
def test_those_that_start_through_each_other_come_apart_gently(
    at: tuple[float, float, float],
) -> None:
    model = core.Model()
    Jelly(cells=(1, 1, 1), fine=(2, 2, 2)).add(model, thickness=THICKNESS)
    Jelly(cells=(1, 1, 1), fine=(2, 2, 2), at=at).add(model, thickness=THICKNESS)
    simulation = core.Simulation(
        model, core.XPBD(substeps=3, second_order=True), gravity=(0.0, 0.0, 0.0)
    )
    assert simulation.crossings > 0
    for _ in range(4):
        simulation.advance(FRAME)
        # Pulled out at once they go at 6 to 30 m/s.
        assert np.abs(simulation.velocities).max() < 1.5
    assert simulation.crossings == 0
