# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that goes on with another model: values that change over time."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

GRAVITY = (0.0, 0.0, -9.81)


CORNERS = np.concatenate([np.eye(3), -np.eye(3)])
SIDES = [
    (0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5),
]  # fmt: skip


def scene(**material: Any) -> core.Model:
    """Two sheets far from each other, one of which falls on an octahedron, pulled at a side."""
    points, quads = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model()
    stiffness = np.where(np.arange(9) < 4, np.inf, 300.0)
    first = points + np.array([0.0, 0.0, 0.3])
    model.add_cloth(first, quads, pins=range(9), pin_stiffness=stiffness, **material)
    model.add_cloth(points + np.array([9.0, 0.0, 0.0]), quads, **material)
    model.add_collider(0.25 * CORNERS + np.array([0.5, 0.5, 0.0]), SIDES)
    return model


def simulation_of(model: core.Model, **options: Any) -> core.Simulation:
    return core.Simulation(model, core.XPBD(substeps=10, **options), gravity=GRAVITY)


AUTOMATIC: dict[str, Any] = {
    "largest_stretch": 0.03, "near_pins": True, "implicit_bending": True
}  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"warm_start": 0.5}, AUTOMATIC], ids=str)
def test_going_on_with_the_same_changes_no_byte(options: Any) -> None:
    steady, renewed = simulation_of(scene(), **options), simulation_of(scene(), **options)
    for frame in range(24):
        for simulation in (steady, renewed):
            (ball,) = simulation.model.colliders
            ball.set_target(ball.vertices + np.array([0.0, 0.0, 0.01]))
            simulation.advance(1 / 24)
        if frame % 5 == 4:
            renewed.go_on_with(scene())
    np.testing.assert_array_equal(renewed.positions, steady.positions)
    np.testing.assert_array_equal(renewed.velocities, steady.velocities)


def test_automatic_quality_goes_on_with_its_effort() -> None:
    simulation = core.Simulation(scene(), core.XPBD(substeps=400, iterations=8, **AUTOMATIC))
    for _ in range(8):
        simulation.advance(1 / 24)
    before = simulation.report().substeps
    simulation.go_on_with(scene(stretch_compliance=6e-4))
    simulation.advance(1 / 24)
    assert 0.5 * before <= simulation.report().substeps <= 2.0 * before


def test_a_material_that_gets_softer_sags_without_a_jump() -> None:
    """A hanging strip; where it is softened nothing jumps, and it comes to the new sag."""

    def strip(stiffness: float) -> core.Model:
        points, quads = naive.quad_grid(10, 1, 1.0, 0.1)
        hanging = np.stack([points[:, 1], np.zeros(len(points)), -points[:, 0]], axis=1)
        pins = np.flatnonzero(points[:, 0] < 1e-9)
        model = core.Model()
        model.add_cloth(
            hanging,
            quads,
            pins=pins,
            density=0.2,
            stretch_compliance=1.0 / stiffness,
            shear_compliance=50.0 / stiffness,
            drag=5.0,
        )
        return model

    def sag(simulation: core.Simulation) -> float:
        return -float(simulation.positions[:, 2].min()) - 1.0

    simulation = core.Simulation(strip(400.0), core.XPBD(substeps=40), gravity=GRAVITY)
    for _ in range(48):
        simulation.advance(1 / 24)
    assert sag(simulation) == pytest.approx(0.2 * 9.81 / 800.0, rel=0.03)
    before = simulation.positions.copy()
    simulation.go_on_with(strip(100.0))
    np.testing.assert_array_equal(simulation.positions, before)
    simulation.advance(1 / 240)
    assert np.abs(simulation.positions - before).max() < 1e-3
    for _ in range(72):
        simulation.advance(1 / 24)
    assert sag(simulation) == pytest.approx(0.2 * 9.81 / 200.0, rel=0.03)


def model_of(pins: Any, colliders: int) -> core.Model:
    points, quads = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model()
    for place in (0.0, 9.0):
        model.add_cloth(points + np.array([place, 0.0, 0.3]), quads, pins=pins)
    for number in range(colliders):
        model.add_collider(0.25 * CORNERS + np.array([0.5, 0.5, -number]), SIDES)
    return model


@pytest.mark.parametrize("colliders", [0, 1, 2])
@pytest.mark.parametrize("pins", [[], [0], [3, 80]], ids=str)
def test_a_checkpoint_goes_on_with_other_pins_and_colliders(pins: Any, colliders: int) -> None:
    before = simulation_of(model_of([0, 8], 1))
    for _ in range(12):
        before.advance(1 / 24)
    after = simulation_of(model_of(pins, colliders))
    for collider in after.model.colliders:
        collider.set_target(collider.vertices + np.array([0.0, 0.0, -0.1]))
    after.restore(before.checkpoint(), changed=True)
    np.testing.assert_array_equal(after.positions, before.positions)
    free = np.isfinite(after.model.masses)
    np.testing.assert_array_equal(after.velocities[free], before.velocities[free])
    for collider in after.model.colliders:
        assert collider.target is None
        np.testing.assert_allclose(collider.vertices, collider.rest - [0.0, 0.0, 0.1])
    held = after.positions[~free].copy()
    for _ in range(6):
        after.advance(1 / 24)
    np.testing.assert_array_equal(after.positions[~free], held)
    assert np.abs(after.positions - before.positions)[free].max() < 2.0


def test_a_checkpoint_of_another_number_of_particles_is_refused() -> None:
    with pytest.raises(core.CheckpointError, match="of another simulation"):
        simulation_of(model_of([], 0)).restore(simulation_of(scene()).checkpoint(), changed=True)


def test_another_number_of_particles_is_refused() -> None:
    points, quads = naive.quad_grid(2, 2, 1.0, 1.0)
    other = core.Model()
    other.add_cloth(points, quads)
    alone = core.Model()
    alone.add_cloth(points, quads, pins=[0])
    simulation = simulation_of(alone)
    with pytest.raises(core.ModelError, match="same particles"):
        simulation.go_on_with(other)
    with pytest.raises(core.ModelError, match="same colliders"):
        simulation.go_on_with(scene())
