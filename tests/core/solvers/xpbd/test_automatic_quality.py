# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD that is told how much stretch is allowed."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from bench import contact_run, contact_scenes
from bench.default_settings import SOLVER
from core.solvers.xpbd.effort import AIM, LEAST, Effort

PATCHES = [vertex + side for vertex in (0, 1, 25, 26) for side in (0, 23)]
"""A cell at each of two corners."""


def simulation_of(pins: Any, dtype: Any = np.float32, **options: Any) -> core.Simulation:
    """A sheet of 24 × 24 cells of 4 cm; stiff bending is swept in every substep."""
    positions, faces = naive.quad_grid(24, 24, 1.0, 1.0)
    model = core.Model(dtype)
    model.add_cloth(positions, faces, pins=pins, drag=4.0, bend_compliance=10.0)
    return core.Simulation(model, core.XPBD(**options))


def efforts(simulation: core.Simulation, frames: int = 24) -> list[Effort]:
    found = []
    for _ in range(frames):
        simulation.advance(1 / 24)
        found.append(simulation.prepared.effort)
    return found


@pytest.mark.jit_off
@pytest.mark.parametrize("allowed", [-0.01, float("nan"), float("inf")])
def test_bad_values_are_refused(allowed: float) -> None:
    with pytest.raises(ValueError, match="largest stretch"):
        core.XPBD(largest_stretch=allowed)


@pytest.mark.parametrize(("substeps", "iterations"), [(1, 1), (7, 3), (30, 1), (400, 8)])
def test_limits_are_kept(substeps: int, iterations: int) -> None:
    simulation = simulation_of(
        range(25), substeps=substeps, iterations=iterations, largest_stretch=1e-9
    )
    for effort in efforts(simulation, 13):
        assert 1 <= effort.substeps <= substeps
        assert 1 <= effort.iterations <= iterations
    assert (effort.substeps, effort.iterations) == (substeps, iterations)


@pytest.mark.parametrize("allowed", [0.001, 0.004])
def test_the_stretch_allowed_is_kept_and_not_much_bettered(allowed: float) -> None:
    simulation = simulation_of(PATCHES, substeps=2000, largest_stretch=allowed)
    settled = efforts(simulation, 36)[-12:]
    assert max(effort.overstretch for effort in settled) <= allowed
    assert min(effort.overstretch for effort in settled) >= 0.25 * AIM * allowed
    assert all(effort.iterations == 1 for effort in settled)


def test_iterations_take_over_where_substeps_end() -> None:
    simulation = simulation_of(PATCHES, substeps=10, iterations=1000, largest_stretch=0.004)
    settled = efforts(simulation, 36)[-12:]
    assert {effort.substeps for effort in settled} == {10}
    assert min(effort.iterations for effort in settled) > 1
    assert max(effort.overstretch for effort in settled) <= 0.004


def test_without_it_all_are_always_spent() -> None:
    simulation = simulation_of([0, 24], substeps=13, iterations=2)
    assert efforts(simulation, 3) == 3 * [Effort(13, 2, 0.0)]


def test_without_pins_it_is_plain_xpbd_with_the_counts_chosen() -> None:
    """Nothing pulls, so that each step takes the least."""
    plain = simulation_of([], substeps=LEAST)
    chosen = simulation_of([], substeps=LEAST, iterations=8, largest_stretch=0.03)
    efforts(plain, 6)
    assert {(e.substeps, e.iterations) for e in efforts(chosen, 6)} == {(LEAST, 1)}
    assert chosen.positions.tobytes() == plain.positions.tobytes()


def test_the_same_input_gives_the_same_bytes() -> None:
    ends = []
    for _ in range(2):
        simulation = simulation_of([0, 24], substeps=300, iterations=4, largest_stretch=0.005)
        spent = [(effort.substeps, effort.iterations) for effort in efforts(simulation, 10)]
        ends.append((simulation.positions.tobytes(), spent))
    assert ends[0] == ends[1]
    assert len(set(spent)) > 3


def test_a_finer_mesh_gets_more_substeps_and_is_as_stiff() -> None:
    lows, counts = [], []
    for cells in (12, 24, 48):
        positions, faces = naive.quad_grid(cells, cells, 1.0, 1.0)
        model = core.Model()
        ends = np.abs(positions[:, 0] - 0.5) > 0.41
        pins = np.flatnonzero(ends & (positions[:, 1] < 0.09))
        model.add_cloth(positions, faces, pins=pins, drag=6.0)
        solver = core.XPBD(substeps=2000, iterations=8, largest_stretch=0.002, near_pins=True)
        simulation = core.Simulation(model, solver)
        counts.append(efforts(simulation, 48)[-1].substeps)
        lows.append(simulation.positions[:, 2].min())
    assert counts[-1] > 1.4 * counts[0]
    assert np.ptp(lows) < 0.004


def test_jacobi_is_measured_as_well() -> None:
    simulation = simulation_of(
        range(25), substeps=200, iterations=4, largest_stretch=0.03, method="jacobi"
    )
    assert efforts(simulation, 6)[-1].overstretch > 0.0


def test_a_few_triangles_in_sharp_folds_do_not_rule_a_heap() -> None:
    """Contact takes back what sweeps mend there: it took 138 substeps, and lay no better."""
    scene = contact_scenes.make("fold_on_floor", n=24, irregular=True, frames=24)
    simulation = contact_run.build(scene, core.XPBD(**SOLVER, threads=1))
    spent = []
    for frame in contact_run.watch(scene, contact_run.steps(scene, simulation)):
        spent.append(simulation.prepared.effort.substeps)
        assert frame.strain_99 < 0.03
    assert max(spent) < 100  # 85 as it falls, for what comes to lie on it
