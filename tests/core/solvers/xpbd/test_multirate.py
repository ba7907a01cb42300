# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft constraints that are swept less often."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest

import core
from core.solvers.xpbd import multirate

FRAME = 1 / 24
SUBSTEPS = 64
SUBSTEP = FRAME / SUBSTEPS


def sheet(bend_compliance: float = 1e5, bend_damping: float = 0.0) -> core.Model:
    positions, faces = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(
        positions,
        faces,
        bend_compliance=bend_compliance,
        bend_damping=bend_damping,
        pins=[0, 8],
    )
    return model


def rates(model: core.Model) -> dict[str, tuple[float, float]]:
    found = multirate.rates_of(model.groups, model.positions, model.masses)
    kinds = [group.constraint.kind for group in model.groups]
    return dict(zip(kinds, zip(*found, strict=True), strict=True))


@pytest.mark.jit_off
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_rates_are_those_of_a_hinge(damping: float) -> None:
    """One hinge of two right-angled triangles, its gradient by finite differences."""
    positions = np.array([(0.0, 0, 0), (1, 0, 0), (0.3, 1, 0), (0.6, -1, 0)])
    masses = np.array([1.0, 2.0, 3.0, 4.0])
    model = core.Model(np.float64)
    model.add_particles(positions, masses)
    model.add_constraints("bending", [(0, 1, 2, 3)], compliance=0.5, damping=damping)
    gradient = naive.differentiate(lambda x: naive.bending(x, np.zeros(1)), positions)
    expected = (np.sum(gradient.reshape(4, 3) ** 2, axis=1) / masses).sum() / 0.5
    found = multirate.rates_of(model.groups, positions, masses)
    np.testing.assert_allclose(found.stiffness, [expected], rtol=0.02)
    np.testing.assert_allclose(found.damping, damping * found.stiffness, rtol=1e-12)


@pytest.mark.jit_off
def test_only_soft_bending_can_wait() -> None:
    assert np.isfinite(rates(sheet())["bending"]).all()
    assert np.isfinite(rates(sheet(bend_damping=0.01))["bending"]).all()
    assert np.isinf(rates(sheet())["distance"]).all()
    assert np.isinf(rates(sheet(bend_compliance=0.0, bend_damping=0.01))["bending"]).all()


@pytest.mark.jit_off
def test_sweeps_are_as_few_as_keep_both_errors_small() -> None:
    softness = np.array([0.0, 1e-9, 0.9, 0.11, 0.05, 0.02, 0.0, 0.02, np.inf])
    weakness = np.array([0.0, 1e-9, 0.0, 0.0, 0.0, 0.0, 0.25, 0.25, np.inf])
    given = multirate.Rates(softness / SUBSTEP**2, weakness / SUBSTEP)
    found = multirate.sweeps_of(given, SUBSTEPS, SUBSTEP)
    np.testing.assert_array_equal(found, [8, 8, 64, 64, 32, 13, 32, 32, 64])


def test_without_automatic_quality_every_substep_sweeps_everything() -> None:
    simulation = core.Simulation(sheet(), core.XPBD(substeps=8))
    simulation.advance(FRAME)
    assert np.isinf(simulation.prepared.rates.stiffness).all()
    assert (simulation.prepared.periods == 1.0).all()


def flap_at_rest(active: bool, substeps: int, damping: float) -> core.Simulation:
    """A mass of 0.3 kg on a hinge one metre away, pulled down until the hinge holds it."""
    model = core.Model(np.float64)
    positions = np.array([(0.0, 0, 0), (0, 1, 0), (-1, 0.5, 0), (1, 0.5, 0)])
    model.add_particles(positions, [np.inf, np.inf, np.inf, 0.3], drag=5.0)
    model.add_constraints("bending", [(0, 1, 2, 3)], compliance=0.04, damping=damping)
    model.add_constraints("distance", [(0, 3), (1, 3)], compliance=1e-6)
    simulation = core.Simulation(model, core.XPBD(substeps=substeps, multirate=active))
    for _ in range(200):
        simulation.advance(FRAME)
    return simulation


@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("substeps", [64, 21])
def test_bending_forces_are_the_same_as_if_each_substep_had_swept(
    substeps: int, damping: float
) -> None:
    """λ / h² is the moment of the weight, whatever the period, also where a step has a rest."""
    often, seldom = (flap_at_rest(active, substeps, damping) for active in (False, True))
    assert seldom.prepared.periods.max() > 1.0
    np.testing.assert_allclose(seldom.positions[3], often.positions[3], atol=1e-3)
    moment = 0.3 * 9.81 * seldom.positions[3, 0]
    np.testing.assert_allclose(seldom.forces("bending"), [moment], rtol=0.01)
    np.testing.assert_allclose(often.forces("bending"), [moment], rtol=0.01)


STIFFNESS = (4.0 * math.pi) ** 2  # 1/s²: two swings a second


def decay_and_frequency(damping: float, substeps: int) -> tuple[float, float, float]:
    """Decay [1/s] and angular frequency [1/s] of a flap that swings by a tenth of a degree.

    The positions z after each step obey z'' = c z' - d z of a linear map of (z, v), where d is
    exp(-2 decay Δt) and c is 2 exp(-decay Δt) cos(frequency Δt).

    Returns:
        Also every how many substeps the hinge is swept.
    """
    model = core.Model(np.float64)
    positions = np.array([(0.0, 0, 0), (0, 1, 0), (-1, 0.5, 0), (1, 0.5, 0)])
    model.add_particles(positions, [np.inf, np.inf, np.inf, 1.0])
    model.add_constraints("bending", [(0, 1, 2, 3)], compliance=1 / STIFFNESS, damping=damping)
    solver = core.XPBD(substeps=substeps, multirate=True)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.positions[3, 2] = 0.001
    heights = []
    for _ in range(20):
        simulation.advance(FRAME)
        heights.append(simulation.positions[3, 2])
    z = np.array(heights)
    (c, d), *_ = np.linalg.lstsq(np.stack([z[1:-1], -z[:-2]], axis=1), z[2:], rcond=None)
    decay = -math.log(d) / (2.0 * FRAME)
    frequency = math.acos(c / (2.0 * math.sqrt(d))) / FRAME
    return decay, frequency, float(simulation.prepared.periods[0])


@pytest.mark.parametrize("damping", [0.0, 0.005, 0.03])
@pytest.mark.parametrize("substeps", [64, 61, 29])
@pytest.mark.parametrize("most", [1, 2, 4, 8])
def test_a_flap_swings_and_decays_as_it_should(
    damping: float, substeps: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the period, a = 1 / (m α) and k = time + h damp it by a k / 2.

    Implicit Euler adds h to the damping time. Where an impulse r h F acts, v' (1 + r h a k) is
    v - r h a x: in a step velocities shrink by that as many times as there are sweeps.
    """
    monkeypatch.setattr(multirate, "MOST", most)
    decay, frequency, period = decay_and_frequency(damping, substeps)
    assert 0.8 * most < period <= most
    h = FRAME / substeps
    exact = STIFFNESS * (damping + h) / 2.0
    share = 2.0 * period * h * exact
    assert decay == pytest.approx(math.log(1.0 + share) / (2.0 * period * h), rel=1e-4)
    assert decay == pytest.approx(exact, rel=0.55 * share + 1e-3)
    assert frequency == pytest.approx(math.sqrt(STIFFNESS - exact**2), rel=0.3 * share + 5e-4)


def test_parameters_follow_the_length_of_a_step() -> None:
    """Of one layout with several simulations each gets what it had if it had one of its own."""
    frames, solver = (FRAME, FRAME / 4), core.XPBD(substeps=20, multirate=True)
    shared, own = ([core.Simulation(sheet(1e2, 0.01), solver) for _ in frames] for _ in range(2))
    first, second = (next(iter(simulation.islands)) for simulation in shared)
    second.prepared = first.prepared
    found = set()
    for _ in range(3):
        for simulation, alone, frame in zip(shared, own, frames, strict=True):
            simulation.advance(frame)
            alone.advance(frame)
            np.testing.assert_array_equal(simulation.positions, alone.positions)
            found.add(simulation.prepared.periods.max())
    assert len(found) == 2


def test_parameters_are_as_they_were_where_nothing_waits_any_more() -> None:
    simulation = core.Simulation(sheet(1e2, 0.01), core.XPBD(substeps=20, multirate=True))
    prepared = simulation.prepared
    original = prepared.correction.parameters.copy()
    simulation.advance(1e-3)
    assert (prepared.program.parameters != original).any()
    np.testing.assert_array_equal(prepared.correction.parameters, original)
    simulation.advance(1.0)
    np.testing.assert_array_equal(prepared.program.parameters, original)


@pytest.mark.parametrize("damping", [0.0, 0.005])
def test_momentum_is_kept(damping: float) -> None:
    positions, faces = naive.quad_grid(6, 6, 1.0, 1.0)
    bent = positions.copy()
    bent[:, 2] = 0.05 * np.sin(7 * positions[:, 0])
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, bend_compliance=1e4, bend_damping=damping)
    solver = core.XPBD(substeps=64, multirate=True)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.positions[:] = bent
    masses = model.masses[:, None]
    for _ in range(5):
        simulation.advance(FRAME)
        assert simulation.prepared.periods.max() > 2.0
    momenta = masses * simulation.velocities
    assert np.linalg.norm(simulation.velocities, axis=1).max() > 1e-3
    np.testing.assert_allclose(momenta.sum(axis=0), 0.0, atol=1e-12)
    spins = np.cross(simulation.positions, momenta)
    np.testing.assert_allclose(spins.sum(axis=0), 0.0, atol=5e-3 * np.abs(spins).sum())


@pytest.mark.parametrize("damping", [0.0, 0.005])
def test_ripples_never_grow(damping: float) -> None:
    """At the longest period that is allowed, where neighbouring hinges add up."""
    positions, faces = naive.quad_grid(16, 16, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, bend_compliance=1e3, bend_damping=damping)
    stiffness, weakness = rates(model)["bending"]
    needed = max(
        math.sqrt(stiffness * multirate.MOST / multirate.TOLERANCE),
        weakness * multirate.MOST / multirate.DAMPING_TOLERANCE,
    )
    solver = core.XPBD(substeps=80, multirate=True)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(0)
    simulation.velocities[:, 2] = rng.normal(0.0, 1e-4, len(positions))
    before = np.linalg.norm(simulation.velocities)
    for _ in range(20):
        simulation.advance(80 / needed)
        assert simulation.prepared.periods.max() > 0.9 * multirate.MOST
        assert np.linalg.norm(simulation.velocities) < before
