# SPDX-License-Identifier: GPL-3.0-or-later
"""What the frame around the substeps does for every solver: resuming, refusing, reporting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import naive
import numba
import numpy as np
import pytest

import core
from core.contact import Contact, interface
from core.solvers.common.base import Solver

FRAME = 1 / 24

SOLVERS: dict[str, Callable[[], Solver[Any]]] = {
    "XPBD": lambda: core.XPBD(substeps=5, warm_start=0.3, iterations=3),
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


class Interrupting(Contact):
    """Contact that lacks memory in every substep, several times."""

    left = 0

    def begin_frame(self, time_step: float) -> None:
        super().begin_frame(time_step)
        self.arrays.room[:] = (1, 0)
        self.left = 7

    def grow(self) -> None:
        self.left -= 1
        if self.left == 0:
            super().grow()


def interrupt_every_substep(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """With the JIT off: let contact lack room once in each substep; returns where it did."""
    begin = interface.begin_substep
    found: list[int] = []

    def begin_substep(*arguments: Any) -> bool:
        enough = begin(*arguments)
        substep = arguments[3]
        if enough and (not found or found[-1] != substep):
            found.append(substep)
            return False
        return bool(enough)

    monkeypatch.setattr(interface, "begin_substep", begin_substep)
    return found


@pytest.mark.jit_off
@each_solver
def test_a_step_that_waits_for_memory_ends_as_if_it_had_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A substep is begun once, however often contact lacks room in it."""
    straight, resumed = (falling(SOLVERS[name]()) for _ in range(2))
    resumed.state.contact = Interrupting(resumed.state.contact.colliders)
    for _ in range(2):
        straight.advance(FRAME)
        with monkeypatch.context() as patch:
            found = interrupt_every_substep(patch) if numba.config.DISABLE_JIT else None
            resumed.advance(FRAME)
        assert found is None or found == list(range(resumed.prepared.counts[0]))
        np.testing.assert_array_equal(resumed.positions, straight.positions)
        np.testing.assert_array_equal(resumed.velocities, straight.velocities)
    assert resumed.state.contact.left <= 0
    assert straight.positions[:, 2].min() > -0.02  # the floor has met it; free fall is 0.034 m


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
