# SPDX-License-Identifier: GPL-3.0-or-later
"""Houbolt's method: motion against closed forms, at rest, and through contact."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from naive.solids import reversed_faces, tube_along
from numpy.typing import NDArray

import core
from bench.default_settings import SOLVER
from core.solvers.common.second_order import SPAN

FRAME, GRAVITY = 1 / 24, 9.81
STIFFNESS, MASS = 40.0, 2.0  # N/m, kg


def springy(solver: Any, start: float = 0.1, **options: Any) -> core.Simulation:
    """A mass on a spring that is fixed at the origin, pulled out along x."""
    model = core.Model(np.float64)
    model.add_particles([(0.0, 0.0, 0.0)], np.inf)
    model.add_particles([(1.0, 0.0, 0.0)], MASS)
    given = {"compliance": 1.0 / STIFFNESS} | options
    model.add_constraints("distance", [(0, 1)], rest=[[1.0]], **given)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.positions[1, 0] += start
    return simulation


def thrown(solver: Any) -> core.Simulation:
    """The same, at rest length and at 1 m/s."""
    simulation = springy(solver, 0.0)
    simulation.velocities[1, 0] = 1.0
    return simulation


def moved(simulation: core.Simulation, frames: int, dt: float = FRAME) -> NDArray[np.float64]:
    """How far the mass is pulled out after each frame, the start first."""
    found = [float(simulation.positions[1, 0]) - 1.0]
    for _ in range(frames):
        simulation.advance(dt)
        found.append(float(simulation.positions[1, 0]) - 1.0)
    return np.array(found)


def test_it_is_houbolts_recurrence() -> None:
    x = moved(springy(core.XPBD(substeps=1, second_order=True)), 50)
    left = 2.0 * x[3:] - 5.0 * x[2:-1] + 4.0 * x[1:-2] - x[:-3]
    np.testing.assert_allclose(left, -(FRAME**2) * STIFFNESS / MASS * x[3:], atol=1e-12)


def test_the_error_falls_with_the_square_of_the_substep() -> None:
    frequency, errors = np.sqrt(STIFFNESS / MASS), []
    expected = np.sin(frequency * FRAME * np.arange(49)) / frequency
    for substeps in (10, 20, 40):
        x = moved(thrown(core.XPBD(substeps=substeps, second_order=True)), 48)
        errors.append(np.abs(x - expected).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.2)
    assert np.abs(moved(thrown(core.XPBD(substeps=40)), 48) - expected).max() > 10 * errors[2]


def test_damping_is_what_was_asked_for() -> None:
    """x'' = -ω² (x + β x')."""
    damping, square = 0.05, STIFFNESS / MASS
    x = moved(springy(core.XPBD(substeps=80, second_order=True), damping=damping), 24)
    rate = 0.5 * damping * square
    swing = np.sqrt(square - rate**2)
    times = FRAME * np.arange(25)
    expected = np.cos(swing * times) + rate / swing * np.sin(swing * times)
    np.testing.assert_allclose(x, 0.1 * np.exp(-rate * times) * expected, atol=0.001)


def test_what_is_stiff_comes_to_rest_at_once() -> None:
    simulation = springy(core.XPBD(substeps=1, second_order=True), compliance=1e-12)
    assert np.abs(moved(simulation, 6)[1:]).max() < 1e-6
    assert abs(simulation.velocities[1, 0]) < 0.02


def test_forces_are_newtons() -> None:
    """A weight that hangs on a spring, of which a frame's last multiplier is read."""
    simulation = springy(core.XPBD(substeps=10, second_order=True), 0.0, damping=0.3)
    simulation.gravity = (GRAVITY, 0.0, 0.0)
    moved(simulation, 200)
    assert simulation.forces("distance")[0] == pytest.approx(MASS * GRAVITY, rel=1e-3)
    assert simulation.positions[1, 0] == pytest.approx(1.0 + MASS * GRAVITY / STIFFNESS, rel=1e-3)
    assert simulation.state.span == pytest.approx(SPAN * FRAME / 10)


def test_free_fall_is_a_parabola_whatever_the_substeps() -> None:
    for substeps in (2, 20):
        model = core.Model(np.float64)
        model.add_particles([(0.0, 0.0, 0.0)], 1.0)
        simulation = core.Simulation(model, core.XPBD(substeps=substeps, second_order=True))
        for _ in range(24):
            simulation.advance(FRAME)
        assert simulation.positions[0, 2] == pytest.approx(-0.5 * GRAVITY, rel=1e-9)
        assert simulation.velocities[0, 2] == pytest.approx(-GRAVITY, rel=1e-9)


def rope(substeps: int, **options: Any) -> core.Simulation:
    """A pendulum of 24 stiff links that hangs obliquely, in single precision."""
    model = core.Model()
    along = np.linspace(0.0, 1.0, 25)
    points = np.stack([np.sin(0.2) * along, 0.0 * along, -np.cos(0.2) * along], axis=1)
    model.add_strands(points, np.stack([np.arange(24), np.arange(1, 25)], axis=1), pins=[0], drag=0)
    solver = core.XPBD(substeps=substeps, implicit_bending=True, **options)
    return core.Simulation(model, solver)


def energy(simulation: core.Simulation) -> float:
    """Of motion and height."""
    free = np.isfinite(simulation.model.masses)
    masses = simulation.model.masses[free]
    squares = (np.float64(simulation.velocities[free]) ** 2).sum(axis=1)
    return float((masses * (0.5 * squares + GRAVITY * simulation.positions[free, 2])).sum())


def left_after(simulation: core.Simulation, seconds: float) -> float:
    """The part of a rope's energy, over that of hanging straight, that is left."""
    masses = simulation.model.masses[1:]
    lowest = -GRAVITY * float((masses * np.linspace(0.0, 1.0, 25)[1:]).sum())
    start = energy(simulation) - lowest
    for _ in range(round(24 * seconds)):
        simulation.advance(FRAME)
    return (energy(simulation) - lowest) / start


@pytest.mark.parametrize(("substeps", "bound"), [(20, 0.03), (160, 0.03), (1000, 0.06)])
def test_a_swing_does_not_die_of_substeps(substeps: int, bound: float) -> None:
    """In the many ones single precision rounds most of what gravity does."""
    seconds = 5.0
    assert left_after(rope(substeps, second_order=True), seconds) == pytest.approx(1.0, abs=bound)
    if substeps == 20:
        assert left_after(rope(substeps), seconds) < 0.9


def spin(simulation: core.Simulation) -> float:
    """The angular momentum about z."""
    masses = simulation.model.masses
    x, v = np.float64(simulation.positions), np.float64(simulation.velocities)
    x, v = x - np.average(x, axis=0, weights=masses), v - np.average(v, axis=0, weights=masses)
    return float((masses * np.cross(x, v)[:, 2]).sum())


def spinning(**options: Any) -> core.Simulation:
    """A free sheet of 0.5 m that turns at 6 rad/s."""
    points, faces = naive.quad_grid(13, 13, 0.5, 0.5)
    model = core.Model()
    model.add_cloth(points, faces, drag=0.0)
    solver = core.XPBD(substeps=20, implicit_bending=True, **options)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.velocities[:] = np.cross((0.0, 0.0, 6.0), np.asarray(points) - (0.25, 0.25, 0.0))
    return simulation


@pytest.mark.parametrize("method", ["gauss-seidel", "jacobi"])
def test_a_free_sheet_keeps_its_spin(method: Any) -> None:
    simulation = spinning(second_order=True, method=method)
    start = spin(simulation)
    for _ in range(120):
        simulation.advance(FRAME)
    assert spin(simulation) == pytest.approx(start, rel=0.01)


def test_it_goes_on_where_the_number_of_substeps_changes() -> None:
    simulation = spinning(second_order=True)
    start = spin(simulation)
    for frame in range(120):
        simulation.solver.substeps = (20, 50, 35)[frame % 3]
        simulation.advance(FRAME)
    assert spin(simulation) == pytest.approx(start, rel=0.01)


def test_what_slides_is_braked_by_friction_as_coulomb_says() -> None:
    """Down an incline: g (sin - μ cos) t² / 2."""
    slope, friction, seconds = 0.6, 0.3, 1.0
    model = core.Model(np.float64)
    model.add_particles([(0.0, 0.0, 0.02)], 1.0, thickness=0.02, friction=friction)
    model.add_collider(*scenes.quad(20.0), friction=friction)
    gravity = (GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope))
    simulation = core.Simulation(model, core.XPBD(substeps=20, second_order=True), gravity)
    for _ in range(round(24 * seconds)):
        simulation.advance(FRAME)
    pull = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
    assert simulation.positions[0, 0] == pytest.approx(0.5 * pull * seconds**2, rel=0.01)


def test_cloth_that_falls_on_a_floor_gains_no_energy_and_comes_to_rest() -> None:
    points, faces = naive.quad_grid(13, 13, 0.6, 0.6)
    model = core.Model()
    model.add_collider(*scenes.quad(5.0))
    tilted = np.asarray(points) @ [[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]]
    model.add_cloth(np.add(tilted, (0.0, 0.0, 0.3)), faces)
    solver = core.XPBD(substeps=20, implicit_bending=True, second_order=True)
    simulation = core.Simulation(model, solver)
    energies = []
    for _ in range(72):
        energies.append(energy(simulation))
        before = simulation.positions.copy()
        simulation.advance(FRAME)
    assert np.diff(energies).max() < 1e-3 * energies[0]
    assert np.abs(simulation.positions - before).max() < 1e-3 * FRAME


def around_a_post(substeps: int, iterations: int) -> core.Simulation:
    """A rope of three turns without friction, in the middle of being drawn tight at its ends."""
    model = core.Model()
    turn = np.linspace(0.0, 6.0 * np.pi, 120)
    height = np.linspace(-0.05, 0.05, len(turn))
    points = np.stack([0.0555 * np.cos(turn), 0.0555 * np.sin(turn), height], axis=1)
    edges = np.stack([np.arange(119), np.arange(1, 120)], axis=1)
    strands: dict[str, Any] = {
        "thickness": 0.003,
        "friction": 0.0,
        "drag": 0.5,
        "stretch_compliance": 1e-5,
    }
    model.add_strands(points, edges, pins=[0, 119], **strands)
    axis = np.array([(0.0, 0.0, -0.2), (0.0, 0.0, 0.2)])
    post, sides = reversed_faces(tube_along(axis, 0.05, 32))
    fans = [(side[0], *side[k : k + 2]) for side in sides for k in range(1, len(side) - 1)]
    model.add_collider(post, fans, thickness=0.002, friction=0.0)
    given = {"substeps": substeps, "iterations": iterations, "largest_stretch": 0.0}
    simulation = core.Simulation(model, core.XPBD(**SOLVER | given), gravity=(0.0, 0.0, 0.0))
    for pulled in np.minimum(np.arange(1.0, 33.0) / 24.0, 1.0):
        ends = points[[0, 119]] + 0.05 * pulled * np.array([[0.0, -1, 0], [0.0, 1, 0]])
        simulation.set_targets([0, 119], ends)
        simulation.advance(FRAME)
    return simulation


@pytest.mark.parametrize(("substeps", "iterations"), [(100, 1), (200, 4)])
def test_a_rope_that_is_tight_around_a_post_is_calm(substeps: int, iterations: int) -> None:
    """It is as long as from an end along the tangent, round the post, and away again.

    The post has 32 sides; the rope lies a distance of both thicknesses off them.
    """
    simulation = around_a_post(substeps, iterations)
    far, off = np.hypot(0.0555, 0.05), 0.005
    tangent = np.sqrt(far**2 - 0.055**2)
    turned = 6.0 * np.pi + 2.0 * (np.arctan2(0.05, 0.0555) - np.arccos(0.055 / far))
    sides = 32.0 / np.pi * 0.05 * np.sin(np.pi / 32.0)
    shortest = np.hypot(2.0 * tangent + turned * (sides + off), 0.1)
    rest = np.hypot(6.0 * np.pi * 0.0555, 0.1)
    lengths = np.linalg.norm(np.diff(simulation.positions, axis=0), axis=1)
    assert lengths.sum() / rest - 1.0 == pytest.approx(shortest / rest - 1.0, abs=0.004)


def test_the_number_of_threads_does_not_show() -> None:
    ends = []
    for threads in (1, 3):
        simulation = spinning(second_order=True, threads=threads)
        for _ in range(5):
            simulation.advance(FRAME)
        ends.append(simulation.positions.copy())
    assert (ends[0] == ends[1]).all()


def test_an_object_moves_as_if_it_were_alone() -> None:
    """Islands carry accelerations along."""
    ends = []
    for others in (0, 1):
        model = core.Model()
        along = np.linspace(0.0, 1.0, 9)
        edges = np.stack([np.arange(8), np.arange(1, 9)], axis=1)
        for place in range(1 + others):
            points = np.stack([along, 0.0 * along + 5.0 * place, 0.0 * along], axis=1)
            model.add_strands(points, edges, pins=[0])
        simulation = core.Simulation(model, core.XPBD(substeps=5, second_order=True))
        for _ in range(10):
            simulation.advance(FRAME)
        ends.append(simulation.positions[:9].copy())
    assert (ends[0] == ends[1]).all()
