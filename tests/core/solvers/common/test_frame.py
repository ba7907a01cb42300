# SPDX-License-Identifier: GPL-3.0-or-later
"""What the frame around the substeps does for every solver: resuming, refusing, reporting."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import naive
import numba
import numpy as np
import pytest

import core
from core.contact.surface import step, surface
from core.solvers.common.base import Solver

pytestmark = pytest.mark.long

FRAME = 1 / 24

SOLVERS: dict[str, Callable[[], Solver[Any]]] = {
    "XPBD": lambda: core.XPBD(substeps=5, warm_start=0.3, iterations=3),
    "second order": lambda: core.XPBD(substeps=5, second_order=True),
    "Jacobi": lambda: core.XPBD(substeps=5, iterations=9, method="jacobi", chebyshev=True),
    "PBD": lambda: core.PBD(substeps=5, iterations=2, velocity_damping=0.2),
    "projective, direct": lambda: core.ProjectiveDynamics(substeps=3, iterations=4),
    "projective, Jacobi": lambda: core.ProjectiveDynamics(substeps=3, method="jacobi"),
    "constrained": lambda: core.ConstrainedDynamics(substeps=3, adaptive=True),
}

each_solver = pytest.mark.parametrize("name", SOLVERS)


def falling(solver: Solver[Any]) -> core.Simulation:
    """A pinned sheet that falls on a bouncing, rubbing floor that moves up."""
    positions, faces = naive.quad_grid(6, 6, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, pins=[0], restitution=0.5, stretch_compliance=1e-3)
    floor = np.array([(-3.0, -3, -0.15), (3, -3, -0.15), (0, 4, -0.15)])
    collider = model.add_collider(floor, [(0, 1, 2)])
    simulation = core.Simulation(model, solver)
    collider.set_target(floor + np.array([0.1, 0.0, 0.13]))
    return simulation


def colliding(solver: Solver[Any]) -> core.Simulation:
    """Two sheets that fall onto each other; the upper one is wavy."""
    positions, faces = naive.quad_grid(5, 5, 0.4, 0.4)
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, pins=range(len(positions)), thickness=0.004)
    wavy = positions + np.array([0.013, 0.017, 0.02])
    wavy[:, 2] += 0.004 * np.sin(9.0 * wavy[:, 0])
    model.add_cloth(wavy, faces, velocities=(0.0, 0.0, -1.0), thickness=0.004)
    return core.Simulation(model, solver)


@each_solver
def test_a_step_that_waits_for_memory_ends_as_if_it_had_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where contact lacks memory a step stops, and goes on once there is enough."""
    straight = colliding(SOLVERS[name]())
    with monkeypatch.context() as patch:
        patch.setattr(surface, "PAIRS_AT_FIRST", 0.05)
        resumed = colliding(SOLVERS[name]())
    before = resumed.state.contact.surface.capacity
    for _ in range(3):
        straight.advance(FRAME)
        resumed.advance(FRAME)
        np.testing.assert_array_equal(resumed.positions, straight.positions)
        np.testing.assert_array_equal(resumed.velocities, straight.velocities)
        kept = resumed.checkpoint()
        for part, array in straight.checkpoint().items():
            np.testing.assert_array_equal(kept[part], array, err_msg=part)
    assert resumed.state.contact.surface.capacity > before
    upper = straight.model.cloths[1].particles
    assert straight.positions[upper, 2].min() > 0.004  # the lower sheet has held it


@pytest.mark.jit_off
@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="native code can't be patched")
def test_what_is_pushed_once_more_for_lack_of_memory_reacts_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A push is also a reaction to accelerations, which it lets end; see ``solve._react``."""
    note_pushed, look_again = step._note_pushed, step._look_again

    def lacking(*turns: bool) -> Callable[..., bool]:
        lacks = cycle(turns)
        return lambda *each: not next(lacks) and look_again(*each)

    monkeypatch.setattr(step, "_note_pushed", lambda *each: note_pushed(*each) or True)
    ends = []
    for look in (look_again, lacking(True, False)):
        monkeypatch.setattr(step, "_look_again", look)
        simulation = colliding(SOLVERS["second order"]())
        simulation.advance(FRAME)
        ends.append(simulation.checkpoint())
    assert ends[0]["state/accelerations"].any()
    for part, array in ends[0].items():
        np.testing.assert_array_equal(ends[1][part], array, err_msg=part)


class MoreAndMore:
    """Stands in for ``free_cores``: whoever asks is told of one core more."""

    def __init__(self) -> None:
        self.cores = 0

    def of(self, _threads: int) -> int:
        self.cores += 1
        return self.cores


@each_solver
def test_it_goes_on_with_as_many_threads_as_it_began_with(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has memory of its own, which is made anew where there are more of them than before."""
    straight = colliding(SOLVERS[name]())
    straight.advance(FRAME)
    monkeypatch.setattr(surface, "PAIRS_AT_FIRST", 0.05)
    monkeypatch.setattr("core.solvers.common.base.free_cores", MoreAndMore())
    resumed = colliding(SOLVERS[name]())
    before = resumed.state.contact.surface.capacity
    resumed.advance(FRAME)
    assert resumed.state.contact.surface.capacity > before
    np.testing.assert_array_equal(resumed.positions, straight.positions)
    np.testing.assert_array_equal(resumed.velocities, straight.velocities)


@pytest.mark.jit_off
def test_tension_in_a_first_substep_that_waits_for_memory_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As just after a checkpoint, when there is no more memory than at first."""
    straight = colliding(core.ConstrainedDynamics(substeps=1))
    for _ in range(2):
        straight.advance(FRAME)
    with monkeypatch.context() as patch:
        patch.setattr(surface, "PAIRS_AT_FIRST", 0.05)
        resumed = colliding(core.ConstrainedDynamics(substeps=1))
    before = resumed.state.contact.surface.capacity
    resumed.restore(straight.checkpoint())
    for simulation in (straight, resumed):
        simulation.advance(FRAME)
    assert resumed.state.contact.surface.capacity > before
    swings = [each.prepared.memory.swings for each in (straight, resumed)]
    assert swings[0].max() > 0.0
    np.testing.assert_array_equal(*swings)


@each_solver
@pytest.mark.parametrize("change", ["particles", "constraints", "collider"])
def test_a_model_that_has_changed_is_refused(name: str, change: str) -> None:
    simulation = falling(SOLVERS[name]())
    simulation.advance(FRAME)
    model = simulation.model
    if change == "particles":
        model.add_particles([(0.0, 0, 0)], 1.0)
    elif change == "constraints":
        model.add_constraints("distance", [(3, 9)], compliance=1e-3)
    else:
        model.add_collider([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    before = simulation.positions.copy()
    with pytest.raises(core.ModelError, match="make the simulation when the model is complete"):
        simulation.advance(FRAME)
    np.testing.assert_array_equal(simulation.positions, before)


@each_solver
def test_every_solver_reports(name: str) -> None:
    simulation = falling(SOLVERS[name]())
    report = simulation.report()
    assert (report.substeps, report.iterations, report.residual) == (0, 0, 0.0)
    simulation.advance(FRAME)
    report = simulation.report()
    solver = simulation.solver
    assert report.substeps % solver.substeps == 0
    assert report.iterations == solver.iterations
    assert report.residual == simulation.residual() > 0.0


def test_two_springs_report_what_one_sweep_leaves_of_their_error() -> None:
    """Each is solved by a sweep as if it were alone; C + α̃ λ is then what the other undid.

    With α̃ = w = 1 the first, 0.1 m too long, gives way by half of that; the second, then 0.15 m too
    short, by half of that, 0.075 m, by which the first, 1 m long at rest, is too long again.
    """
    model = core.Model(np.float64)
    model.add_particles([(0.0, 0, 0), (0.0, 0, -1.1)], [np.inf, 1.0])
    for rest in (1.0, 1.2):
        model.add_constraints("distance", [(0, 1)], rest=rest, compliance=0.01, order="given")
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0.0, 0.0, 0.0))
    simulation.advance(0.1)
    assert simulation.positions[1, 2] == pytest.approx(-1.125)
    assert simulation.report().overstretch == pytest.approx(0.075)
