# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands that swing, turn and fly, bent as a whole: frequencies, momentum, what costs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from bench.default_settings import SOLVER
from core.materials.strands import STRAND_MATERIALS
from validation.rods import clamped, mode_frequency, strand, swinging_frequency

WIRE = STRAND_MATERIALS["steel wire"]
HAIR = STRAND_MATERIALS["hair"]
STILL = (0.0, 0.0, 0.0)


def chain_of(count: int, first: int = 0) -> np.ndarray:
    numbers = np.arange(first, first + count)
    return np.stack([numbers[:-1], numbers[1:]], axis=1)


def rigidity(material: Any) -> dict[str, Any]:
    return {
        "density": material.density,
        "stretch_compliance": material.stretch_compliance,
        "bend_compliance": material.bend_compliance,
    }


@pytest.mark.parametrize("segments", [20, 160])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_a_clamped_wire_swings_as_euler_and_bernoulli_say(mode: int, segments: int) -> None:
    expected = mode_frequency("steel wire", 2.0, mode)
    solver = core.XPBD(**SOLVER)
    found = swinging_frequency("steel wire", 2.0, segments, mode, solver)
    assert found == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("across", [(0.0, 0.6, 0.8), (0.0, -0.8, 0.6)])
def test_damping_is_that_of_the_material(across: tuple[float, float, float]) -> None:
    """A mode decays by β ω² / 2, and by ω² h / 2 as the steps are implicit."""
    damping, frequency = 0.05, mode_frequency("steel wire", 1.0, 0)
    substep, squared = 1 / (24 * 80), (2 * np.pi * frequency) ** 2
    positions, edges = clamped(1.0, 20)
    shape = np.maximum(positions[:, 0], 0.0) ** 2
    simulation = strand(
        "steel wire",
        (positions, edges),
        core.XPBD(substeps=80, implicit_bending=True),
        velocities=0.05 * np.outer(shape, across),
        bend_damping=damping,
        drag=0.0,
        gravity=0.0,
    )
    swings = []
    for _ in range(int(24 * 4 / frequency)):
        simulation.advance(1 / 24)
        heights = simulation.positions @ np.array(across)
        swings.append(abs(float(heights @ shape)))
    found = np.array(swings)
    peaks = np.flatnonzero((found[1:-1] > found[:-2]) & (found[1:-1] > found[2:])) + 1
    slope = np.polyfit(peaks / 24, np.log(found[peaks]), 1)[0]
    assert -slope == pytest.approx(0.5 * squared * (damping + substep), rel=0.05)


def arc(turn: float, radius: float, count: int = 41, pitch: float = 0.0) -> np.ndarray:
    angle = np.linspace(0.0, turn, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), pitch * angle], axis=1)


def free(positions: np.ndarray, velocities: np.ndarray, solver: Any, **material: Any) -> Any:
    model = core.Model(np.float64)
    options = {**rigidity(HAIR), "drag": 0.0, **material}
    model.add_strands(positions, chain_of(len(positions)), velocities=velocities, **options)
    simulation = core.Simulation(model, solver, gravity=STILL)
    for _ in range(12):
        simulation.advance(1 / 24)
    return simulation


@pytest.mark.parametrize("damping", [0.0, 1e-3])
@pytest.mark.parametrize("pitch", [0.0, 0.01])
def test_a_free_strand_keeps_its_momentum(pitch: float, damping: float) -> None:
    positions = arc(4.0, 0.02, pitch=pitch)[np.cumsum([0, *[1, 3, 2] * 6])]
    velocities = np.random.default_rng(2).normal(scale=0.1, size=positions.shape)
    simulation = free(positions, velocities, core.XPBD(**SOLVER), bend_damping=damping)
    masses = simulation.model.masses[:, None]
    before, after = (masses * velocities).sum(axis=0), (masses * simulation.velocities).sum(axis=0)
    np.testing.assert_allclose(after, before, atol=1e-12 * masses.sum())
    assert np.abs(simulation.velocities - velocities).max() > 0.05


def angular_momentum(
    positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray
) -> np.ndarray:
    centre = masses @ positions / masses.sum()
    return np.asarray(masses @ np.cross(positions - centre, velocities))


@pytest.mark.parametrize("bend_compliance", [HAIR.bend_compliance, 1e3, 0.0])
@pytest.mark.parametrize("pitch", [0.0, 0.005])
def test_turning_as_a_whole_costs_next_to_nothing(pitch: float, bend_compliance: float) -> None:
    """Implicit steps lose ω² h of any turning a second: 0.6 % in half a second."""
    positions = arc(4.0, 0.02, pitch=pitch)
    velocities = np.cross((3.0, -2.0, 6.0), positions - positions.mean(axis=0))
    solver = core.XPBD(substeps=160, implicit_bending=True)
    simulation = free(positions, velocities, solver, bend_compliance=bend_compliance)
    masses = simulation.model.masses
    before = angular_momentum(positions, velocities, masses)
    after = angular_momentum(simulation.positions, simulation.velocities, masses)
    assert np.linalg.norm(after - before) < 0.02 * np.linalg.norm(before)


@pytest.mark.parametrize("radius", [0.002, 0.02, 0.1])
@pytest.mark.parametrize("turns", [0.9, 3.0])
def test_coils_of_wire_are_calm(turns: float, radius: float) -> None:
    """Curls that swing many times within a substep, shaken a little: energy does not grow."""
    count = int(24 * turns) + 1
    positions = arc(2 * np.pi * turns, radius, count, pitch=radius / 6 if turns > 1 else 0.0)
    velocities = np.random.default_rng(0).normal(scale=0.05, size=positions.shape)
    simulation = free(positions, velocities, core.XPBD(**SOLVER), **rigidity(WIRE))
    masses = simulation.model.masses[:, None]
    energy = (masses * simulation.velocities**2).sum()
    assert energy < (masses * velocities**2).sum()


def test_the_same_bytes_on_any_number_of_threads() -> None:
    found = []
    for threads in (1, 2, 3):
        model = core.Model()
        for i in range(40):
            positions = arc(0.2 * i + 0.1, 0.1, 5 + i % 13) + np.array([0.0, 0.0, 0.01 * i])
            model.add_strands(positions, chain_of(len(positions)), pins=[0, 1], **rigidity(HAIR))
        solver = core.XPBD(substeps=20, implicit_bending=True, threads=threads)
        simulation = core.Simulation(model, solver)
        for _ in range(3):
            simulation.advance(1 / 24)
        found.append(simulation.positions.tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.jit_off
def test_curls_go_on_from_where_a_step_left_them() -> None:
    """A state that was set back is bent as from the start, whatever was stepped before."""
    positions = arc(3.0, 0.02)
    velocities = np.cross((0.0, 5.0, 5.0), positions)
    ends = []
    for rehearsed in (False, True):
        model = core.Model(np.float64)
        model.add_strands(
            positions, chain_of(len(positions)), velocities=velocities, **rigidity(HAIR)
        )
        solver = core.XPBD(substeps=20, implicit_bending=True)
        prepared = solver.prepare(model)
        if rehearsed:
            solver.step(model, model.state(), 1 / 10, prepared=prepared)
        state = model.state()
        solver.step(model, state, 1 / 24, prepared=prepared)
        ends.append(state.positions.copy())
    np.testing.assert_array_equal(ends[0], ends[1])
