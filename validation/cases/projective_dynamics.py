# SPDX-License-Identifier: GPL-3.0-or-later
"""Projective dynamics (GAMES103, lecture 6) and Wang's Chebyshev acceleration."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from statistics import median
from typing import Any

import naive
import numpy as np

import core

from .. import plots
from ..fabrics import fabric_options
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number

Array = np.ndarray

SIDE, STIFFNESS, MASS, TIME_STEP = 20, 100.0, 0.01, 1 / 30  # –, N/m, kg, s
FRAMES_BEFORE = 10
GRAVITY = (0.0, 0.0, -9.81)  # m/s²
ERRORS = (1e-2, 1e-3, 1e-4)
BOUND, FEWER = 1e-8, 8.0
PLOTTED = np.unique(np.geomspace(1, 1200, 60).round().astype(int))

METHODS: dict[str, dict[str, Any]] = {
    "direct": {"method": "direct"},
    "direct, Chebyshev": {"method": "direct", "chebyshev": True},
    "Jacobi": {"method": "jacobi"},
    "Jacobi, Chebyshev": {"method": "jacobi", "chebyshev": True},
}

SHEET, FRAME, SWINGS = 64, 1 / 24, 48  # vertices a side, s, frames
SPANS = (20, 120)
"""Iterations of two steps whose times are subtracted."""

SHOWS = (
    f"{SIDE} × {SIDE} particles of {MASS:g} kg on a square metre, tied to their neighbours, across "
    f"the diagonals and to the next but one by springs of k = {STIFFNESS:g} N/m, hang at two "
    f"corners. After {FRAMES_BEFORE} steps of 1/{1 / TIME_STEP:.0f} s from rest one step is solved "
    "with more and more iterations. Reference: implicit Euler by Newton's method with the full "
    "∇²E (tests/naive). *direct* solves with the constant matrix A in each iteration (GAMES103, "
    "lecture 6), *Jacobi* uses its diagonal (Wang 2015). Nobody gives a spectral radius: the "
    "solver bounds it from A and M / h²."
)


@dataclass(frozen=True)
class Step:
    """The step that is solved: its model, start (x, v) and end by Newton's method."""

    model: core.Model
    x: Array
    v: Array
    end: Array

    def solved(self, **options: Any) -> Array:
        """Where it ends by projective dynamics."""
        simulation = core.Simulation(self.model, core.ProjectiveDynamics(**options), GRAVITY)
        simulation.positions[:], simulation.velocities[:] = self.x, self.v
        simulation.advance(TIME_STEP)
        return simulation.positions.copy()

    def error(self, **options: Any) -> float:
        """Distance from Newton's end over that of the prediction x + h v + h² g."""
        free = np.isfinite(self.model.masses)[:, None]
        start = self.x + free * (TIME_STEP * self.v + TIME_STEP**2 * np.array(GRAVITY))
        away = np.linalg.norm(self.solved(**options) - self.end)
        return float(away / np.linalg.norm(start - self.end))

    def iterations_to(self, errors: Sequence[float], **options: Any) -> list[int]:
        """The least numbers of iterations that leave these errors, the largest first."""
        counts: list[int] = []
        for iterations in count(1):
            reached = self.error(iterations=iterations, **options)
            while reached <= errors[len(counts)]:
                counts.append(iterations)
                if len(counts) == len(errors):
                    return counts
        raise AssertionError


def run() -> Result:
    """Compare with Newton's method, count iterations, and measure what they cost."""
    step = _step()
    curves = {
        name: [step.error(iterations=int(n), **options) for n in PLOTTED]
        for name, options in METHODS.items()
    }
    table, counts = _counts(step)
    return Result(
        findings=[_radius_finding(step)],
        tables=[table, _cost_table(), _sheet_table()],
        checks=[*_fixed_point_checks(step), *_count_checks(step, counts)],
        plots=[_plot(curves)],
    )


def _step() -> Step:
    positions, pairs = naive.spring_grid(SIDE, 1.0)
    masses = np.full(len(positions), MASS)
    masses[[0, SIDE - 1]] = np.inf
    model = core.Model(np.float64)
    model.add_particles(positions, masses)
    group = model.add_constraints("distance", pairs, compliance=1.0 / STIFFNESS)
    stiffness = np.full(len(pairs), STIFFNESS)
    x, v = positions, np.zeros_like(positions)
    for _ in range(FRAMES_BEFORE):
        end, _ = _newton(x, v, masses, pairs, group.rest[:, 0], stiffness)
        x, v = end, (end - x) / TIME_STEP
    return Step(model, x, v, _newton(x, v, masses, pairs, group.rest[:, 0], stiffness)[0])


_newton = partial(naive.spring_step, dt=TIME_STEP, gravity=GRAVITY)


# --- the fixed point and the way there ------------------------------------------------------------


def _fixed_point_checks(step: Step) -> list[Check]:
    checks = []
    for name, options in METHODS.items():
        iterations = 1000 if options.get("chebyshev") else 6000
        found = step.solved(iterations=iterations, **options)
        error = np.linalg.norm(found - step.end) / np.linalg.norm(step.end - step.x)
        checks.append(
            at_most(
                f"error of the fixed point over the movement of the step, {name}, after "
                f"{iterations} iterations",
                float(error),
                BOUND,
                "",
                "the same solution and not one nearby: half the digits of double precision",
            )
        )
    return checks


def _counts(step: Step) -> tuple[Table, dict[str, list[int]]]:
    counts = {name: step.iterations_to(ERRORS, **options) for name, options in METHODS.items()}
    rows: list[Any] = [(name, *found) for name, found in counts.items()]
    rows += [
        (f"{name}: plain over Chebyshev", *(a / b for a, b in zip(*pair)))
        for name, pair in (
            ("direct", (counts["direct"], counts["direct, Chebyshev"])),
            ("Jacobi", (counts["Jacobi"], counts["Jacobi, Chebyshev"])),
        )
    ]
    columns = ("method", *(f"to {error:g}" for error in ERRORS))
    return Table("Iterations that a step needs to an error", columns, rows), counts


def _count_checks(step: Step, counts: dict[str, list[int]]) -> list[Check]:
    radius = _radius(step)
    gain = np.log((1.0 + np.sqrt(1.0 - radius**2)) / radius) / -np.log(radius)
    reason = (
        f"half of the {number(gain)} times of linear theory for the spectral radius "
        f"{number(radius, 4)}: the start is slower, and projections are not linear"
    )
    return [
        at_least(
            f"Jacobi iterations to {error:g} by those with Chebyshev",
            plain / accelerated,
            FEWER,
            "",
            reason,
        )
        for error, plain, accelerated in zip(ERRORS, counts["Jacobi"], counts["Jacobi, Chebyshev"])
    ]


def _radius(step: Step) -> float:
    """The solver's bound on the spectral radius of Jacobi's iteration."""
    matrix = core.ProjectiveDynamics(method="jacobi").prepare(step.model).matrix
    return float(matrix.radius(TIME_STEP, matrix.matrix(TIME_STEP).diagonal()))


def _radius_finding(step: Step) -> str:
    """The bound on the spectral radius beside the radius itself, from ∇²E at the end."""
    A = core.ProjectiveDynamics(method="jacobi").prepare(step.model).matrix.matrix(TIME_STEP)
    group, free = step.model.groups[0], np.isfinite(step.model.masses)
    inertia = np.where(free, MASS, 0.0)[:, None] / TIME_STEP**2
    _, H = naive.spring_system(
        step.end, step.end, inertia, group.indices, group.rest[:, 0],
        1.0 / group.compliance[:, 0], exact=True,
    )  # fmt: skip
    place = np.repeat(free, 3)
    scale = 1.0 / np.sqrt(np.repeat(A.diagonal()[free], 3))
    eigenvalues = np.linalg.eigvalsh(H[np.ix_(place, place)] * scale[:, None] * scale)
    return (
        f"The solver takes {number(_radius(step), 4)} for the spectral radius of Jacobi's "
        "iteration; that of I - D⁻¹∇²E at the end of the step is "
        f"{number(1.0 - eigenvalues[0], 4)} (eigenvalues from {number(1.0 - eigenvalues[-1], 2)})."
    )


def _plot(curves: dict[str, list[float]]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.8)
    for index, (name, errors) in enumerate(curves.items()):
        axes.loglog(PLOTTED, np.maximum(errors, 1e-16), **plots.style(index), label=name)
    axes.set_ylim(1e-10, 2.0)
    plots.label(axes, "One step of spring cloth", "iterations", "error")
    plots.legend_below(figure, axes)
    caption = "Error of a step over its iterations: how far from Newton's end, over the start's."
    return Plot("errors", caption, figure)


# --- what it costs --------------------------------------------------------------------------------


def _sheet(solver: Any) -> tuple[core.Simulation, core.Cloth]:
    """A square metre of cotton in single precision, held at two corners."""
    positions, faces = naive.quad_grid(SHEET - 1, SHEET - 1, 1.0, 1.0)
    model = core.Model()
    cloth = model.add_cloth(positions, faces, pins=[0, SHEET - 1], **fabric_options("cotton"))
    return core.Simulation(model, solver, GRAVITY), cloth


def _cost_table() -> Table:
    solvers: dict[str, Any] = {
        "XPBD, Gauss–Seidel": partial(core.XPBD, substeps=1, threads=1),
        "XPBD, Jacobi": partial(core.XPBD, substeps=1, method="jacobi", threads=1),
        **{
            f"projective dynamics, {name}": partial(core.ProjectiveDynamics, threads=1, **options)
            for name, options in METHODS.items()
        },
    }
    rows = [(name, 1e3 * _seconds_an_iteration(make)) for name, make in solvers.items()]
    plain = rows[0][1]
    return Table(
        f"What an iteration costs: {SHEET} × {SHEET} vertices of cotton, single precision, one "
        "thread (processor time)",
        ("method", "ms an iteration", "over XPBD's"),
        [(name, cost, cost / plain) for name, cost in rows],
    )


def _seconds_an_iteration(make: Any) -> float:
    taken = []
    for iterations in SPANS:
        simulation, _ = _sheet(make(iterations=iterations))
        simulation.advance(FRAME)
        samples = []
        for _ in range(7):
            start = time.process_time()
            simulation.advance(FRAME)
            samples.append(time.process_time() - start)
        taken.append(min(samples))
    return (taken[1] - taken[0]) / (SPANS[1] - SPANS[0])


def _sheet_table() -> Table:
    solvers: dict[str, Any] = {
        "XPBD, 10 × 1": core.XPBD(substeps=10),
        "XPBD, 40 × 1": core.XPBD(substeps=40),
        "XPBD, 160 × 1": core.XPBD(substeps=160),
    }
    for substeps, iterations in ((1, 10), (4, 5), (4, 10), (8, 10)):
        solvers[f"projective dynamics, {substeps} × {iterations}"] = core.ProjectiveDynamics(
            substeps=substeps, iterations=iterations, chebyshev=True
        )
    return Table(
        f"The same sheet over {SWINGS} frames at 24 frames a second, substeps × iterations, direct "
        "with Chebyshev",
        (
            "method",
            "ms a frame",
            "mean stretch of edges, largest of all frames (%)",
            "stretch of the worst edge (%)",
            "lowest point (m)",
        ),
        [(name, *_swing(solver)) for name, solver in solvers.items()],
    )


def _swing(solver: Any) -> tuple[float, float, float, float]:
    _sheet(solver)[0].advance(FRAME)
    simulation, cloth = _sheet(solver)
    seconds, means, worst, lowest = [], [], [], []
    for _ in range(SWINGS):
        start = time.process_time()
        simulation.advance(FRAME)
        seconds.append(time.process_time() - start)
        ends = simulation.positions[cloth.edges].astype(float)
        lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        stretch = np.maximum(lengths / cloth.rest_lengths - 1.0, 0.0)
        means.append(stretch.mean())
        worst.append(stretch.max())
        lowest.append(simulation.positions[:, 2].min())
    return 1e3 * median(seconds), 100.0 * max(means), 100.0 * max(worst), float(min(lowest))


CASE = Case("projective_dynamics", "Projective dynamics", SHOWS, run, order=75)
