# SPDX-License-Identifier: GPL-3.0-or-later
"""Bouncing off colliders, with every solver that shares the contact code."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import numpy as np
import pytest
from contact_parts import note_incoming

import core
from core.solvers.common.integration import StepSettings

RADIUS, GRAVITY = 0.02, 9.81

SOLVERS: dict[str, Any] = {
    "gauss-seidel": core.XPBD(substeps=20),
    "jacobi": core.XPBD(substeps=20, method="jacobi"),
    "second order": core.XPBD(substeps=20, second_order=True),
    "pbd": core.PBD(substeps=20, iterations=2),
}
each_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


def dropped(
    restitution: float,
    *,
    height: float = 1.0,
    solver: Any = SOLVERS["gauss-seidel"],
    dtype: type = np.float64,
    friction: float = 0.0,
    speed: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> core.Simulation:
    """A ball let go at a height above the place where it rests on a floor."""
    model = core.Model(dtype)
    floor = scenes.quad(5.0)
    model.add_particles(
        [(0, 0, RADIUS + height)], 0.3, speed, thickness=0.0, friction=friction,
        restitution=restitution,
    )  # fmt: skip
    model.add_collider(*floor, thickness=RADIUS, friction=friction)
    return core.Simulation(model, solver)


def heights(simulation: core.Simulation, seconds: float) -> np.ndarray:
    path = []
    for _ in range(round(seconds * 240)):
        simulation.advance(1 / 240)
        path.append(float(simulation.positions[0, 2]) - RADIUS)
    return np.array(path)


def peaks(path: np.ndarray) -> np.ndarray:
    inner = path[1:-1]
    return inner[(inner >= path[:-2]) & (inner > path[2:])]


@each_solver
@pytest.mark.parametrize("e", [0.3, 0.5, 0.8])
def test_a_ball_comes_up_to_e_squared_of_its_height(solver: Any, e: float) -> None:
    tops = peaks(heights(dropped(e, solver=solver), 2.0))
    assert tops[0] == pytest.approx(e**2, rel=0.02)
    assert tops[1] == pytest.approx(e**4, rel=0.06)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_full_restitution_keeps_the_energy(dtype: type) -> None:
    """Half a minute and some 30 bounces; each loses less than a step's fall."""
    tops = peaks(heights(dropped(1.0, dtype=dtype), 20.0))
    assert len(tops) > 20
    assert tops.max() < 1.001
    assert tops[-1] > 0.98


@each_solver
def test_what_lies_lies_still(solver: Any) -> None:
    simulation = dropped(0.9, height=0.0, solver=solver, dtype=np.float32)
    for _ in range(48):
        simulation.advance(1 / 24)
        assert simulation.positions[0, 2] == pytest.approx(RADIUS, abs=1e-6)
        assert simulation.velocities[0, 2] == pytest.approx(0.0, abs=1e-6)


def test_bouncing_comes_to_rest() -> None:
    path = heights(dropped(0.5), 3.0)
    assert np.abs(path[-120:]).max() < 1e-6


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_a_racket_hits_a_ball(e: float) -> None:
    """Without gravity: the velocity relative to the racket, -3 m/s, becomes e times 3 m/s."""
    model = core.Model(np.float64)
    mesh = scenes.quad(1.0)
    model.add_particles([(0.1, 0, 0.5)], 1.0, (0, 0, -1.0), thickness=0.0, restitution=e)
    racket = model.add_collider(*mesh, thickness=RADIUS, friction=0.0)
    simulation = core.Simulation(model, core.XPBD(substeps=10), gravity=(0, 0, 0))
    for frame in range(8):
        racket.set_target(mesh[0] + (0, 0, 2.0 / 24 * (frame + 1)))
        simulation.advance(1 / 24)
    assert simulation.velocities[0, 2] == pytest.approx(2.0 + e * 3.0, rel=1e-6)


def test_a_bounce_rubs_with_its_whole_push() -> None:
    """Coulomb: the tangential velocity falls by μ times the change of the normal one."""
    e, mu = 0.5, 0.2
    simulation = dropped(e, friction=mu, speed=(3.0, 0.0, -4.0), height=0.1)
    normal = np.sqrt(4.0**2 + 2 * GRAVITY * 0.1)
    for _ in range(12):
        simulation.advance(1 / 240)
    assert simulation.velocities[0, 2] > 0.0
    lost = 3.0 - simulation.velocities[0, 0]
    assert lost == pytest.approx(mu * (1.0 + e) * normal, rel=0.02)


def test_without_restitution_nothing_is_remembered_and_nothing_changes() -> None:
    """Particles that don't bounce go the same way to the last bit beside one that does."""
    ends = []
    for e in (0.0, 0.9):
        model = core.Model()
        model.add_particles([(0.0, 0, 0.3), (0.5, 0.2, 0.4)], 1.0, (0.3, 0, 0))
        model.add_particles([(2.0, 0, 0.3)], 1.0, restitution=e)
        model.add_collider(*scenes.quad(5.0))
        simulation = core.Simulation(model)
        assert len(simulation.state.contact.arrays.colliders.incoming) == (3 if e else 0)
        for _ in range(24):
            simulation.advance(1 / 24)
        ends.append(simulation.positions.copy())
    assert (ends[0][:2] == ends[1][:2]).all()
    assert ends[0][2, 2] != ends[1][2, 2]


@pytest.mark.jit_off
def test_incoming_is_the_way_before_gravity() -> None:
    simulation = dropped(0.5, speed=(1.0, 2.0, 3.0))
    state = simulation.state
    state.begin_step(0.01)
    state.accelerate((0.0, 0.0, -GRAVITY), state.span)
    arrays, contacts = state.arrays, state.contact.arrays.colliders
    arrays.velocities[0] += arrays.gained[0]
    settings = StepSettings(0.01, 1, 1, 0.01, False)
    note_incoming(contacts, arrays.velocities, arrays.gained, settings, 0, 1)
    expected = (0.01, 0.02, 0.03, 2.0 * GRAVITY * 0.01**2)
    np.testing.assert_allclose(contacts.incoming[0], expected, rtol=1e-12)


@pytest.mark.jit_off
@pytest.mark.parametrize("restitution", [-0.1, 1.1, np.nan])
def test_restitution_lies_between_0_and_1(restitution: float) -> None:
    with pytest.raises(core.ModelError, match="restitution"):
        dropped(restitution)


def test_cloth_and_strands_bounce_too() -> None:
    square = [(0, 0, 0.5), (0.1, 0, 0.5), (0.1, 0.1, 0.5), (0, 0.1, 0.5)]
    model = core.Model(np.float64)
    model.add_cloth(square, [(0, 1, 2, 3)], restitution=0.7)
    model.add_strands(np.add(square[:2], (1, 0, 0)), [(0, 1)], restitution=0.7)
    model.add_collider(*scenes.quad(5.0))
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    tops = []
    for _ in range(60):
        simulation.advance(1 / 96)
        tops.append(simulation.positions[:, 2] - 0.025)
    after = np.array(tops)[40:].max(axis=0)
    np.testing.assert_allclose(after, 0.7**2 * 0.475, rtol=0.03)
