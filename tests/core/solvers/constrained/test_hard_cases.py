# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained dynamics where it is hard, and that circumstances don't matter."""

from __future__ import annotations

import dataclasses

import contact_scenes
import numpy as np
import pytest
from constrained_scenes import chain, error_of, net, ropes

import core


def test_a_net_of_more_constraints_than_freedoms_at_rest_stays() -> None:
    """Flat, it has one self-stress a cell and more: S is singular, and h is zero."""
    simulation = core.Simulation(net(6), core.ConstrainedDynamics(), gravity=(0, 0, 0))
    simulation.advance(0.01)
    np.testing.assert_allclose(simulation.positions, simulation.model.positions, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("compliance", [0.0, 1e-7])
def test_a_net_of_more_constraints_than_freedoms_falls_and_holds(
    dtype: type, compliance: float
) -> None:
    model = net(6, compliance, dtype)
    simulation = core.Simulation(model, core.ConstrainedDynamics(substeps=10))
    for _ in range(48):
        simulation.advance(1 / 24)
    assert simulation.positions[:, 2].min() > -1.5
    assert error_of(simulation, model.groups[0]) < 0.01


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("stretch", [0.8, 1.0, 1.3])
@pytest.mark.parametrize("substeps", [1, 4, 10])
def test_a_rope_between_two_pins_stays_calm(stretch: float, substeps: int, adaptive: bool) -> None:
    """Slack, taut (an infinite tension at α = 0) and too short: without end in the last two."""
    model = core.Model(np.float64)
    masses = [np.inf] + [0.01] * 38 + [np.inf]
    model.add_particles([(0.05 * stretch * i, 0, 0) for i in range(40)], masses)
    model.add_constraints("distance", [(i, i + 1) for i in range(39)], rest=0.05)
    solver = core.ConstrainedDynamics(substeps=substeps, adaptive=adaptive)
    simulation = core.Simulation(model, solver)
    for _ in range(48):
        simulation.advance(1 / 24)
    assert simulation.positions[:, 2].min() > -1.5
    assert np.abs(simulation.velocities).max() < 50.0


def test_taut_links_get_more_substeps_where_asked_for() -> None:
    model = chain(40)
    solver = core.ConstrainedDynamics(substeps=1, adaptive=True)
    simulation = core.Simulation(model, solver)
    errors = []
    for _ in range(72):
        simulation.advance(1 / 24)
        errors.append(error_of(simulation, model.groups[0]))
    assert 1 / 24 / 16 <= simulation.state.span < 1 / 24 / 4
    assert max(errors[2:]) < 1e-6


@pytest.mark.jit_off
def test_particles_in_one_place_do_no_harm() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, 0), (1, 0, 0)], 1.0)
    model.add_constraints("distance", [(0, 1), (1, 2)], rest=[0.5, 1.0])
    simulation = core.Simulation(model, core.ConstrainedDynamics())
    for _ in range(3):
        simulation.advance(0.01)
    assert np.isfinite(simulation.positions).all()


def test_single_precision_holds_a_chain_to_its_rounding() -> None:
    model = core.Model(np.float32)
    model.add_particles([(0.05 * i, 0, 0) for i in range(60)], [np.inf] + [0.01] * 59)
    model.add_constraints("distance", [(i, i + 1) for i in range(59)])
    simulation = core.Simulation(model, core.ConstrainedDynamics(substeps=40))
    for _ in range(24):
        simulation.advance(1 / 24)
    assert simulation.positions.dtype == np.float32
    assert error_of(simulation, model.groups[0]) < 2e-6


@pytest.mark.parametrize("iterations", [1, 2])
def test_a_chain_comes_to_rest_on_the_floor(iterations: int) -> None:
    model = core.Model(np.float64)
    model.add_particles([(0.1 * i, 0, 0.1) for i in range(8)], 0.1)
    model.add_constraints("distance", [(i, i + 1) for i in range(7)])
    model.add_collider(*contact_scenes.quad(5.0), thickness=0.0)
    solver = core.ConstrainedDynamics(substeps=5, iterations=iterations)
    simulation = core.Simulation(model, solver)
    for _ in range(48):
        simulation.advance(1 / 24)
    np.testing.assert_allclose(simulation.positions[:, 2], 0.005, atol=1e-4)
    assert error_of(simulation, model.groups[0]) < 1e-4
    assert np.abs(simulation.velocities).max() < 1e-2


@pytest.mark.jit_off
def test_limits_hold_after_all_else() -> None:
    """A limit that is always reached stands for any: projected last, and no part of S."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1)], [np.inf, 1.0])
    soft = model.add_constraints("distance", [(0, 1)], compliance=1.0)
    limit = model.add_constraints("distance", [(0, 1)], rest=1.01)
    limit.constraint = dataclasses.replace(limit.constraint, inequality=True)
    simulation = core.Simulation(model, core.ConstrainedDynamics())
    assert len(simulation.prepared.system.residuals) == 1
    for _ in range(40):
        simulation.advance(0.02)
    np.testing.assert_allclose(simulation.positions[1], (0, 0, -1.01), atol=1e-12)
    np.testing.assert_allclose(simulation.forces(soft), [0.01], rtol=0.05)


# --- the same whatever the circumstances ----------------------------------------------------------


def test_threads_change_nothing() -> None:
    ends = []
    for threads in (1, 2, 3):
        simulation = core.Simulation(ropes(7), core.ConstrainedDynamics(threads=threads))
        for _ in range(5):
            simulation.advance(1 / 60)
        ends.append(simulation.positions.tobytes())
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.jit_off
def test_the_numbering_of_a_rope_is_no_matter() -> None:
    """Its chain runs through some edges from the larger number to the smaller one."""
    points = np.stack([0.1 * np.arange(7), np.zeros(7), np.zeros(7)], axis=1)
    ends = []
    for names in (np.arange(7), np.array([3, 0, 5, 2, 6, 1, 4])):
        model = core.Model(np.float64)
        shuffled = np.empty_like(points)
        shuffled[names] = points
        edges = np.stack([names[:-1], names[1:]], axis=1)
        model.add_strands(shuffled, edges, pins=[names[0]], stretch_compliance=0.0)
        simulation = core.Simulation(model, core.ConstrainedDynamics())
        for _ in range(5):
            simulation.advance(1 / 60)
        ends.append(simulation.positions[names])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(np.diff(ends[1], axis=0), axis=1), 0.1, atol=1e-3)


def test_a_rope_does_not_care_for_others() -> None:
    ends = []
    for count in (1, 6):
        simulation = core.Simulation(ropes(count), core.ConstrainedDynamics(substeps=4))
        for _ in range(5):
            simulation.advance(1 / 60)
        ends.append(simulation.positions[:5].tobytes())
    assert ends[0] == ends[1]
