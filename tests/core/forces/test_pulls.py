# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulling by springs: closed forms, the same at any resolution, bounded, gone without a trace."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

GRAVITY = 9.81
MASS = 0.2  # kg, of a plate
PULL = 1000.0  # N/m for each kilogram of it
STILL = (0.0, 0.0, 0.0)


def plate(model: core.Model, cells: int, x: float = 0.0, **options: Any) -> Any:
    """Of 1 m², level, with its middle on the x axis."""
    positions, quads = naive.quad_grid(cells, cells, 1.0, 1.0)
    positions = positions - positions.mean(axis=0) + [x, 0.0, 0.0]
    return model.add_cloth(positions, quads, density=MASS, self_collision=False, **options)


def border(cells: int) -> Any:
    positions, _ = naive.quad_grid(cells, cells, 1.0, 1.0)
    return np.flatnonzero(abs(positions[:, :2] - 0.5).max(axis=1) > 0.499)


def standard(model: core.Model, **options: Any) -> core.Simulation:
    """As the add-on simulates."""
    solver = core.XPBD(largest_stretch=0.03, substeps=200, implicit_bending=True, second_order=True)
    return core.Simulation(model, solver, **options)


def grip(simulation: core.Simulation, radius: float = 0.2) -> tuple[Any, Any, Any]:
    """Particles around the origin, where they are, and stiffness by mass and distance."""
    away = np.linalg.norm(simulation.positions, axis=1)
    chosen = np.flatnonzero(away < radius)
    share = simulation.model.masses[chosen] * (1.0 - (away[chosen] / radius) ** 2) ** 2
    return chosen, np.array(simulation.positions[chosen]), PULL * MASS * share / share.sum()


def lead(simulation: core.Simulation, way: Any, frames: int) -> tuple[Any, Any, Any]:
    """Pull the middle there within 12 frames, and hold it."""
    chosen, start, stiffness = grip(simulation)
    for frame in range(frames):
        simulation.pull(chosen, start + min(1.0, (frame + 1) / 12) * np.array(way), stiffness)
        simulation.advance(1 / 24)
    return chosen, start + np.array(way), stiffness


def test_springs_give_their_impulse() -> None:
    """From rest, in one short substep: stiffness times distance times the time."""
    model, dt, way = core.Model(), 1e-3, np.array([0.1, -0.2, 0.3])
    plate(model, 8)
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=STILL)
    chosen, start, stiffness = grip(simulation)
    simulation.pull(chosen, start + way, stiffness)
    simulation.advance(dt)
    momentum = (model.masses[:, None] * simulation.velocities).sum(axis=0)
    assert momentum == pytest.approx(stiffness.sum() * way * dt, rel=1e-4)


def test_what_hangs_by_springs_sags_by_its_weight() -> None:
    for cells in (12, 36):
        model = core.Model()
        plate(model, cells, drag=5.0, bend_compliance=100.0)
        simulation = standard(model)
        chosen, target, stiffness = lead(simulation, (0.0, 0.0, 0.1), 96)
        force = (stiffness[:, None] * (target - simulation.positions[chosen])).sum(axis=0)
        assert force == pytest.approx([0.0, 0.0, MASS * GRAVITY], abs=0.03 * MASS * GRAVITY)


def test_it_gives_way_as_far_at_any_resolution() -> None:
    """A plate that is held at its border, pulled up and aside."""
    found = []
    for cells in (32, 128):
        model = core.Model()
        pins = border(cells)
        compliances = {"stretch_compliance": 5e-3, "shear_compliance": 1e-2}
        plate(model, cells, drag=10.0, pins=pins, **compliances)
        simulation = standard(model)
        chosen, _, _ = lead(simulation, (0.05, 0.0, 0.15), 48)
        middle = np.argmin(np.linalg.norm(start_of(cells), axis=1))
        assert middle in chosen
        found.append(np.array(simulation.positions[middle]))
    assert found[0] == pytest.approx(found[1], rel=0.01, abs=1e-4)
    assert 0.12 < found[0][2] < 0.15


def start_of(cells: int) -> Any:
    positions, _ = naive.quad_grid(cells, cells, 1.0, 1.0)
    return positions - positions.mean(axis=0)


@pytest.mark.parametrize(
    "solver",
    [
        core.XPBD(substeps=4),
        core.XPBD(substeps=4, second_order=True),
        core.PBD(substeps=4),
        core.ProjectiveDynamics(substeps=2),
        core.ConstrainedDynamics(substeps=4),
    ],
    ids=lambda solver: f"{type(solver).__name__} {solver.second_order}",
)
def test_however_stiff_a_spring_is_it_stays_calm(solver: Any) -> None:
    """One particle, a million newtons per metre: it is led there, and comes to rest there."""
    model = core.Model()
    plate(model, 6, drag=2.0, stretch_compliance=1e-3)
    simulation = core.Simulation(model, solver, gravity=STILL)
    place = np.array(simulation.positions[[24]]) + np.array([0.0, 0.0, 0.2])
    for _ in range(72):
        simulation.pull([24], place, 1e6)
        simulation.advance(1 / 24)
        assert abs(simulation.positions).max() < 1.0
    assert simulation.positions[24] == pytest.approx(place[0], abs=0.02)


def test_what_is_let_go_moves_as_if_nobody_had_pulled() -> None:
    """And another object, far away, as if there were nothing else."""
    found = []
    for is_pulled in (False, True):
        model = core.Model()
        plate(model, 6)
        far = plate(model, 6, 5.0)
        simulation = standard(model)
        if is_pulled:
            chosen, start, stiffness = grip(simulation)
            simulation.pull(chosen, start + np.array([0.0, 0.0, 0.1]), stiffness)
            simulation.advance(1 / 24)
            checkpoint = simulation.checkpoint()
            simulation.pull([], np.zeros((0, 3)), 0.0)
            simulation.advance(1 / 24)
            again = standard(model)
            again.restore(checkpoint)
            again.advance(1 / 24)
            np.testing.assert_array_equal(again.positions, simulation.positions)
        else:
            simulation.advance(1 / 24)
            simulation.advance(1 / 24)
        found.append(np.array(simulation.positions[far.particles]))
    np.testing.assert_array_equal(found[0], found[1])


def test_one_of_several_objects_is_pulled() -> None:
    """The second one, of an island of its own: as if it were alone."""
    found = []
    for beside in (True, False):
        model = core.Model()
        if beside:
            plate(model, 6, 5.0)
        near = plate(model, 6)
        simulation = standard(model, gravity=STILL)
        for _ in range(3):
            start = np.array(simulation.positions[near.particles[:8]])
            simulation.pull(near.particles[:8], start + np.array([0.0, 0.0, 0.1]), 1.0)
            simulation.advance(1 / 24)
        found.append(np.array(simulation.positions[near.particles]))
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0][:8, 2].min() > 0.01


def test_a_pin_that_is_pulled_stays() -> None:
    model = core.Model()
    plate(model, 6, pins=[24])
    simulation = standard(model)
    before = np.array(simulation.positions[24])
    simulation.pull([24, 25], np.ones((2, 3)), 10.0)
    simulation.advance(1 / 24)
    np.testing.assert_array_equal(simulation.positions[24], before)
    assert np.isfinite(simulation.velocities).all()


@pytest.mark.parametrize(
    ("particles", "targets", "stiffness", "why"),
    [
        ([0, 0], np.zeros((2, 3)), 1.0, "each with one place"),
        ([49], np.zeros((1, 3)), 1.0, "that exist"),
        ([-1], np.zeros((1, 3)), 1.0, "that exist"),
        ([0], np.zeros((2, 3)), 1.0, "each with one place"),
        ([0], np.full((1, 3), np.nan), 1.0, "not a finite number"),
        ([0], np.zeros((1, 3)), -1.0, "not negative"),
        ([0], np.zeros((1, 3)), np.inf, "finite"),
    ],
)
def test_bad_input(particles: Any, targets: Any, stiffness: float, why: str) -> None:
    model = core.Model()
    plate(model, 6)
    with pytest.raises(core.ModelError, match=why):
        core.Simulation(model).pull(particles, targets, stiffness)
