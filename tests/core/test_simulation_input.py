# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation refuses, and how it says what went wrong."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core

pytestmark = pytest.mark.jit_off


def test_what_is_not_a_number_is_reported_with_the_name_of_the_cloth() -> None:
    model = core.Model(np.float64)
    positions, faces = naive.quad_grid(2, 2, 1.0, 1.0)
    model.add_cloth(positions, faces, name="table cloth")
    model.add_cloth(positions, faces, name="flag")
    simulation = core.Simulation(model)
    simulation.positions[12, 1] = np.nan
    with pytest.raises(core.SimulationError, match="'flag'"):
        simulation.advance(0.01)


def test_particles_without_a_cloth_are_named_by_number() -> None:
    model = core.Model(np.float64)
    model.add_particles(np.eye(3), 1.0)
    simulation = core.Simulation(model)
    simulation.velocities[2] = np.inf
    with pytest.raises(core.SimulationError, match="particle 2"):
        simulation.advance(0.01)


def test_targets_are_for_kinematic_particles_only() -> None:
    model = core.Model()
    model.add_particles(np.eye(3), [np.inf, 1.0, np.inf])
    simulation = core.Simulation(model)
    for particle in (1, 3, -1):
        with pytest.raises(core.ModelError, match="pinned"):
            simulation.set_targets([particle], [(0, 0, 0)])
    with pytest.raises(core.ModelError, match="Targets: vertex 0"):
        simulation.set_targets([0], [(0, np.nan, 0)])
    with pytest.raises(core.ModelError, match="shape"):
        simulation.set_targets([0], [0.0, 0.0, 0.0])
    simulation.set_targets([], np.empty((0, 3)))


@pytest.mark.parametrize("dt", [0.0, -0.01, np.nan, np.inf])
def test_time_must_go_forward(dt: float) -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1, 0, 0)], 1.0)
    model.add_constraints("distance", [(0, 1)])
    simulation = core.Simulation(model)
    with pytest.raises(ValueError, match="positive"):
        simulation.advance(dt)
    assert np.isfinite(simulation.velocities).all()


def test_forces_before_the_first_step_are_zero_and_of_absent_kinds_empty() -> None:
    model = core.Model()
    model.add_particles(np.eye(3), 1.0)
    model.add_constraints("distance", [(0, 1), (1, 2)])
    simulation = core.Simulation(model)
    np.testing.assert_array_equal(simulation.forces("distance"), [0.0, 0.0])
    simulation.advance(0.01)
    assert simulation.forces("bending").shape == (0,)


def test_forces_of_a_kind_that_does_not_exist_are_an_error() -> None:
    model = core.Model()
    model.add_particles(np.eye(3), 1.0)
    simulation = core.Simulation(model)
    with pytest.raises(core.ModelError, match="'distanse'"):
        simulation.forces("distanse")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["cloth", "strands"])
@pytest.mark.parametrize("size", [1e20, 1e30, 1e38])
def test_what_is_larger_than_its_numbers_can_say_ends_in_a_sentence(kind: str, size: float) -> None:
    """Boxes of what touches itself have no end then."""
    model = core.Model()
    if kind == "cloth":
        positions, faces = naive.quad_grid(7, 7, size, size)
        model.add_cloth(positions, faces, pins=[0], name="galaxy")
    else:
        points = [(size * number, 0, 0) for number in range(20)]
        model.add_strands(points, [(i, i + 1) for i in range(19)], name="galaxy")
    simulation, said = core.Simulation(model, core.XPBD(substeps=4)), ""
    try:
        simulation.advance(1 / 24)
    except core.SimulationError as error:
        said = str(error)
    assert "'galaxy' became unstable" in said or np.isfinite(simulation.positions).all()
