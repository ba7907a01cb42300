# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair of the size in Digital Frontier's article on Chebyshev's method: seconds and iterations."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core

from .. import hair, plots
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number

TIME_STEP = 1e-3  # s
GRAVITY = (0.0, 0.0, -9.81)  # m/s²
STRETCH = 1e-3
"""By which its own weight stretches the longest strand."""

DENSITY = core.StrandMaterial().density
TENSILE = DENSITY * 9.81 * hair.LONGEST / (2.0 * STRETCH)  # N
MATERIAL = {"stretch_compliance": 1.0 / TENSILE}
FALL = 30  # steps before the one that is measured
SAMPLE = 100
LIMIT = 400
TOLERANCES = (1e-1, 1e-2, 1e-3)
CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
SWEEPS = (1, 10)
TIMED, PATIENCE = 5, 10.0  # steps, s
GAIN = 5.0
LEEWAY, SOLVED = 1.2, 1e-4

PLAIN, ACCELERATED = "Jacobi", "Jacobi with Chebyshev"

SHOWS = (
    f"{hair.STRANDS:,} strands with {hair.VERTICES:,} vertices in all, between {hair.FEWEST} on "
    f"{100 * hair.SHORTEST:g} cm and {hair.MOST} on {100 * hair.LONGEST:g} cm, in steps of "
    f"{1e3 * TIME_STEP:g} ms, as in Digital Frontier's article (2016); what it leaves open is "
    "drawn at random: the lengths between, roots on the upper half of a head, straight outwards. "
    f"Line density and bending of a lock of a hundred hairs; EA = {TENSILE:.3g} N, with which its "
    f"own weight stretches the longest strand by {100 * STRETCH:g}%. Projective dynamics by "
    f"Jacobi's iteration, as in the article, with and without Chebyshev, for the step after {FALL} "
    "steps of falling from rest; the error is the distance of all vertices from the step's "
    "solution, over that of the prediction x + Δt v + Δt² g. The solution comes from many "
    "iterations and is held against the direct solver. Beside it, seconds of XPBD."
)


@dataclass
class Step:
    """The step that is solved again and again, from the same state."""

    model: core.Model
    state: Any
    rows: NDArray[Any]
    velocities: NDArray[Any]

    @staticmethod
    def of(some: hair.Hair) -> Step:
        """Let hair fall for a while."""
        model = hair.model_of(some, np.float64, **MATERIAL)
        state, solver = model.state(), core.XPBD(substeps=1, iterations=10)
        prepared = solver.prepare(model)
        for _ in range(FALL):
            solver.step(model, state, TIME_STEP, prepared=prepared, gravity=GRAVITY)
        return Step(model, state, state.rows.copy(), state.velocities.copy())

    def solved(self, solver: Any) -> NDArray[np.float64]:
        """Positions (n, 3) at the end of the step."""
        self.state.rows[:], self.state.velocities[:] = self.rows, self.velocities
        prepared = solver.prepare(self.model)
        solver.step(self.model, self.state, TIME_STEP, prepared=prepared, gravity=GRAVITY)
        return np.array(self.state.positions)

    @cached_property
    def solution(self) -> NDArray[np.float64]:
        """Where many iterations end."""
        return self.solved(iteration(LIMIT, True))

    @cached_property
    def prediction_error(self) -> float:
        """Distance of the prediction from the solution, over all vertices [m]."""
        change = TIME_STEP * (self.velocities + TIME_STEP * np.array(GRAVITY))
        predicted = self.rows[: self.state.count, :3] + change
        free = np.isfinite(self.model.masses)
        return float(np.linalg.norm((predicted - self.solution)[free]))

    def error(self, solver: Any) -> float:
        """Of what a solver makes of the step."""
        return float(np.linalg.norm(self.solved(solver) - self.solution)) / self.prediction_error

    def iterations_to(self, tolerance: float, chebyshev: bool) -> int:
        """The fewest iterations with an error below the tolerance."""
        enough = 1
        while self.error(iteration(enough, chebyshev)) > tolerance:
            enough *= 2
        few = enough // 2
        while enough - few > 1:
            middle = (few + enough) // 2
            if self.error(iteration(middle, chebyshev)) > tolerance:
                few = middle
            else:
                enough = middle
        return enough


def iteration(count: int, chebyshev: bool) -> core.ProjectiveDynamics:
    """Projective dynamics by so many Jacobi iterations a step."""
    return core.ProjectiveDynamics(
        substeps=1, iterations=count, method="jacobi", chebyshev=chebyshev
    )


def run() -> Result:
    """Count iterations on a sample, hold them against the whole hair, and time steps of it."""
    every = hair.long_straight()
    sample = Step.of(every.sample(SAMPLE))
    counts = {
        name: [sample.iterations_to(tolerance, name == ACCELERATED) for tolerance in TOLERANCES]
        for name in (PLAIN, ACCELERATED)
    }
    whole = Step.of(every)
    errors = {
        name: whole.error(iteration(counts[name][-1], name == ACCELERATED)) for name in counts
    }
    direct = sample.error(core.ProjectiveDynamics(substeps=1, iterations=4 * LIMIT))
    gain = counts[PLAIN][-1] / counts[ACCELERATED][-1]
    return Result(
        findings=[_finding(counts, errors, gain)],
        tables=[_iteration_table(counts), _seconds_table(every, counts)],
        checks=[
            *_size_checks(every),
            at_least(
                f"times fewer iterations to {TOLERANCES[-1]:g} with Chebyshev",
                gain,
                GAIN,
                "",
                "the article speaks of considerably fewer and gives no number; "
                f"{GAIN:g} times are beyond dispute",
            ),
            at_most(
                f"error on the whole hair at the sample's iterations to {TOLERANCES[-1]:g}",
                max(errors.values()),
                LEEWAY * TOLERANCES[-1],
                "",
                f"the tolerance, and {100.0 * (LEEWAY - 1.0):.2g}% for strands that the sample "
                "leaves out",
            ),
            at_most(
                "distance of the solution from the direct solver's",
                direct,
                SOLVED,
                "",
                f"1/{TOLERANCES[-1] / SOLVED:.0f} of the least error that is measured against it",
            ),
        ],
        plots=[_plot(sample)],
    )


def _size_checks(every: hair.Hair) -> list[Check]:
    """The article's numbers, met exactly; lengths to rounding."""
    article = "the article's own numbers"
    rounded = f"{article}; a nanometre, to which metres are rounded many times over"
    millimetres = 1e3 * np.abs(
        [every.lengths.min() - hair.SHORTEST, every.lengths.max() - hair.LONGEST]
    )
    missing = abs(len(every.positions) - hair.VERTICES) + abs(len(every.sizes) - hair.STRANDS)
    ends = abs(every.sizes.min() - hair.FEWEST) + abs(every.sizes.max() - hair.MOST)
    return [
        at_most("vertices and strands more or fewer", missing, 0.0, "", article),
        at_most("vertices more or fewer on the smallest and largest strand", ends, 0, "", article),
        at_most("length off, of the shortest and longest", max(millimetres), 1e-6, "mm", rounded),
    ]


def _iteration_table(counts: dict[str, list[int]]) -> Table:
    return Table(
        "Iterations until the error of a step is below",
        ("method", *(f"{tolerance:g}" for tolerance in TOLERANCES)),
        [(name, *row) for name, row in counts.items()],
    )


def _seconds_table(every: hair.Hair, counts: dict[str, list[int]]) -> Table:
    """What it takes to make the model, to prepare a solver, and a step, in single precision."""
    start = time.perf_counter()
    model = hair.model_of(every, np.float32, **MATERIAL)
    built = time.perf_counter() - start
    constraints = sum(len(group.indices) for group in model.groups)
    table = Table(
        f"Seconds on the whole hair, {constraints:,} constraints, single precision (the model "
        f"itself is made in {number(built)} s)",
        ("solver", "iterations a step", "seconds to prepare", "seconds a step"),
    )
    solvers: list[tuple[str, Any]] = [
        ("XPBD, Gauss–Seidel", core.XPBD(substeps=1, iterations=count)) for count in SWEEPS
    ]
    solvers += [
        (f"projective dynamics, {name}", iteration(counts[name][-1], name == ACCELERATED))
        for name in counts
    ]
    for name, solver in solvers:
        table.rows.append((name, solver.iterations, *_seconds(model, solver)))
    return table


def _seconds(model: core.Model, solver: Any) -> tuple[float, float]:
    """To prepare a solver, and the median of some steps after the first, which may compile.

    Slow ones are timed once only.
    """
    state = model.state()
    start = time.perf_counter()
    prepared = solver.prepare(model)
    ready = time.perf_counter() - start
    steps: list[float] = []
    while len(steps) < 2 or (len(steps) <= TIMED and sum(steps) < PATIENCE):
        start = time.perf_counter()
        solver.step(model, state, TIME_STEP, prepared=prepared, gravity=GRAVITY)
        steps.append(time.perf_counter() - start)
    return ready, statistics.median(steps[1:])


def _finding(counts: dict[str, list[int]], errors: dict[str, float], gain: float) -> str:
    plain, accelerated = counts[PLAIN][-1], counts[ACCELERATED][-1]
    return (
        f"To {TOLERANCES[-1]:g}, Jacobi takes {plain} iterations, with Chebyshev {accelerated}: "
        f"{number(gain)} times fewer. Iterations are counted on every {SAMPLE}th strand, ordered "
        "by size, for strands don't touch each other; after as many, the errors of the whole hair "
        f"are {number(errors[PLAIN])} and {number(errors[ACCELERATED])}."
    )


def _plot(sample: Step) -> Plot:
    figure, ((axes,),) = plots.canvas(1, 1)
    for index, name in enumerate((PLAIN, ACCELERATED)):
        errors = [sample.error(iteration(count, name == ACCELERATED)) for count in CURVE]
        axes.loglog(CURVE, errors, **plots.marked(index), label=name)
    plots.label(axes, "One step of the hair", "iterations", "error")
    plots.legend_below(figure, axes)
    caption = "Error of a step over that of its prediction, after so many iterations."
    return Plot("iterations", caption, figure)


CASE = Case("strands", "Strands", SHOWS, run, order=90)
