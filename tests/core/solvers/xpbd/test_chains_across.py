# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains under tension that are pushed aside: strings."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core

pytestmark = pytest.mark.jit_off

TENSION = 100.0  # N
MASS = 0.01  # kg, of the whole string of 1 m
SPEED = np.sqrt(TENSION / MASS)  # m/s, of waves across it


def taut_string(links: int, *, substeps: int = 1) -> core.Simulation:
    """Along x, held at both ends, one part in twenty longer than at rest."""
    length = 1.0 / links
    positions = np.zeros((links + 1, 3))
    positions[:, 0] = length * np.arange(links + 1)
    masses = np.full(links + 1, MASS / links)
    masses[[0, -1]] = np.inf
    model = core.Model(np.float64)
    model.add_particles(positions, masses)
    pairs = np.stack([np.arange(links), np.arange(1, links + 1)], axis=1)
    model.add_constraints(
        "distance",
        pairs,
        rest=np.full(links, length / 1.05),
        compliance=length * (1.0 - 1.0 / 1.05) / TENSION,
        order="chains",
    )
    return core.Simulation(model, core.XPBD(substeps=substeps), gravity=(0.0, 0.0, 0.0))


def courant(links: int, dt: float) -> float:
    """Links that a wave passes in a step."""
    return float(SPEED * dt * links)


@pytest.mark.parametrize("crossed", [0.1, 1.0, 10.0])
def test_a_step_is_that_of_implicit_euler(crossed: float) -> None:
    """For small steps across a straight string, however far waves get meanwhile."""
    links = 12
    dt = crossed / (SPEED * links)
    across = np.random.default_rng(5).normal(size=(links + 1, 3)) * (0.0, 1.0, 1.0)
    across[[0, -1]] = 0.0
    size = 1e-7
    simulation = taut_string(links)
    model, x = simulation.model, np.array(simulation.positions)
    simulation.state.velocities[:, :3] = size / dt * across
    listed = naive.constraints_of(model.groups, simulation.prepared.slots)
    expected, _, _ = naive.implicit_euler_step(
        x, size / dt * across, 1.0 / model.masses, [c for _, c in listed], dt
    )
    simulation.advance(dt)
    assert np.abs(expected - x).max() > 0.05 * size
    np.testing.assert_allclose(simulation.positions, expected, atol=3e-3 * size)


@pytest.mark.parametrize("crossed", [0.5, 5.0, 50.0])
def test_noise_across_dies_out(crossed: float) -> None:
    """Links are pulled straight in a step, not past that, by however much tension."""
    links = 30
    dt = crossed / (SPEED * links)
    assert courant(links, dt) == pytest.approx(crossed)
    simulation = taut_string(links)
    noise = np.random.default_rng(2).normal(scale=1e-4, size=(links + 1, 2))
    noise[[0, -1]] = 0.0
    simulation.state.positions[:, 1:3] = noise
    largest = [np.abs(noise).max()]
    for _ in range(12):
        simulation.advance(dt)
        largest.append(np.abs(simulation.positions[:, 1:]).max())
    assert max(largest) < 1.1 * largest[0]
    assert largest[-1] < 0.7 * largest[0]


def test_the_fundamental_has_its_frequency_on_a_mesh_finer_than_the_step() -> None:
    """A quarter of the period 2 L / c after it is let go the string is straight."""
    links, steps = 200, 50
    dt = 2.0 / SPEED / 4 / steps
    assert courant(links, dt) == pytest.approx(2.0)
    simulation = taut_string(links)
    shape = 1e-4 * np.sin(np.pi * simulation.positions[:, 0])
    simulation.state.positions[:, 2] = shape
    middles = [shape.max()]
    while middles[-1] > 0.0:
        simulation.advance(dt)
        middles.append(simulation.positions[links // 2, 2])
    before, after = middles[-2:]
    crossing = len(middles) - 2 + before / (before - after)
    # Implicit Euler starts half a step late, and its damping delays it by another.
    assert crossing == pytest.approx(steps, rel=0.03)
    np.testing.assert_allclose(simulation.positions[:, 1], 0.0, atol=1e-15)
