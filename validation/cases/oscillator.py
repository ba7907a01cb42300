# SPDX-License-Identifier: GPL-3.0-or-later
"""Figure 2 of the XPBD paper: a mass on a spring."""

from __future__ import annotations

import numpy as np

import core

from .. import plots
from ..paper_pbd import paper_pbd
from ..reasons import rounding
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number
from ..springs import Spring

SPRING = Spring()
ITERATIONS = (1, 5, 10)
TIME_STEPS = (1 / 60, 0.008, 0.001)  # s
DURATION = 1.0  # s
PBD_STIFFNESS = 0.1

SUBSTEPS = (10, 100, 1000, 10_000)
SAMPLES = 20  # a period
ROUNDING = 1e-12  # m
NEAR = 1e-3  # m

SHOWS = (
    f"A mass of {SPRING.mass:g} kg on a spring of compliance α = {SPRING.compliance:g} m/N and "
    f"length {SPRING.rest:g} m is let go at x₀ = {SPRING.start:g} m (the paper's section 6.1 and "
    "figure 2). Two references: implicit Euler solved exactly, which XPBD promises to be, and the "
    f"exact motion {SPRING.rest:g} + {SPRING.amplitude:g} cos(ωt), ω = {number(SPRING.omega)} "
    "rad/s. At frame-sized steps implicit Euler itself is far from the exact motion, as it damps "
    "(which the paper says of its reference too)."
)


def run() -> Result:
    """Compare XPBD and PBD with both references."""
    result = Result()
    _equality(result)
    _convergence(result)
    result.plots.insert(0, _plot())
    return result


def _equality(result: Result) -> None:
    table = Table(
        f"Largest distance from implicit Euler over {DURATION:g} s, and implicit Euler's own "
        "from the exact motion in the first period",
        (
            "Δt (s)",
            *(f"XPBD, {_counted(n)} (m)" for n in ITERATIONS),
            "implicit Euler from exact (m)",
        ),
    )
    for dt in TIME_STEPS:
        reference = SPRING.implicit_euler(dt, round(DURATION / dt))
        distances = [np.abs(_xpbd(n, dt, len(reference)) - reference).max() for n in ITERATIONS]
        first = int(SPRING.period / dt)
        error = reference[:first] - SPRING.exact(dt * np.arange(1, first + 1))
        table.rows.append((dt, *distances, np.abs(error).max()))
    worst = max(max(row[1:-1]) for row in table.rows)
    result.checks.append(_pbd_check())
    what = "largest distance of XPBD from implicit Euler, all Δt and iterations"
    reason = rounding(round(DURATION / TIME_STEPS[-1]), SPRING.start)
    result.checks.append(at_most(what, worst, ROUNDING, "m", reason))
    result.tables.append(table)


def _pbd_check() -> Check:
    """PBD is what is compared with: its closed form."""
    steps = round(DURATION / TIME_STEPS[0])
    distances = [
        SPRING.simulated(paper_pbd(PBD_STIFFNESS, iterations=n), TIME_STEPS[0], steps)
        - SPRING.position_based(PBD_STIFFNESS, n, TIME_STEPS[0], steps)
        for n in ITERATIONS
    ]
    what = "largest distance of PBD from its closed form u' = (1 − k)ⁿ (u + Δt v), all iterations"
    return at_most(what, np.abs(distances).max(), ROUNDING, "m", rounding(steps, SPRING.start))


def _xpbd(iterations: int, dt: float, steps: int, substeps: int = 1) -> np.ndarray:
    return SPRING.simulated(core.XPBD(substeps=substeps, iterations=iterations), dt, steps)


def _convergence(result: Result) -> None:
    frame = SPRING.period / SAMPLES
    exact = SPRING.exact(frame * np.arange(1, SAMPLES + 1))
    solvers = {"XPBD": lambda n: core.XPBD(substeps=n, iterations=1)}
    solvers |= {
        f"PBD, {_counted(k)}": lambda n, k=k: paper_pbd(PBD_STIFFNESS, substeps=n, iterations=k)
        for k in ITERATIONS
    }
    errors = {
        name: [np.abs(SPRING.simulated(solver(n), frame, SAMPLES) - exact).max() for n in SUBSTEPS]
        for name, solver in solvers.items()
    }
    result.tables.append(
        Table(
            f"Largest distance from the exact motion in the first period (m); PBD has k = "
            f"{PBD_STIFFNESS:g}",
            ("Δt (s)", *errors),
            [(frame / n, *(errors[name][i] for name in errors)) for i, n in enumerate(SUBSTEPS)],
        )
    )
    result.checks += _convergence_checks(errors)
    result.plots.append(_convergence_plot(frame, errors))


def _convergence_checks(errors: dict[str, list[float]]) -> list[Check]:
    least = SPRING.period / SAMPLES / SUBSTEPS[-1]
    xpbd, ratio = errors["XPBD"], SUBSTEPS[-1] / SUBSTEPS[-2]
    pbd = min(value for name, values in errors.items() if name != "XPBD" for value in values)
    order = np.log(xpbd[-2] / xpbd[-1]) / np.log(ratio)
    return [
        at_most(
            f"XPBD's distance from the exact motion at Δt = {number(least)} s",
            xpbd[-1],
            NEAR,
            "m",
            f"{100.0 * NEAR / SPRING.amplitude:g}% of the amplitude is no longer seen; implicit "
            f"Euler's damping takes πωΔt = {number(100.0 * np.pi * SPRING.omega * least)}% of it",
        ),
        at_least(
            "order of XPBD's convergence as Δt → 0",
            order,
            0.95,
            "",
            "implicit Euler is of order 1, but for terms of higher order",
        ),
        at_least(
            "PBD's least distance from the exact motion, all Δt and iterations",
            pbd,
            0.5 * SPRING.amplitude,
            "m",
            "half the amplitude: a fixed k converges to another motion, not to this one",
        ),
    ]


def _convergence_plot(frame: float, errors: dict[str, list[float]]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.2)
    for index, (name, values) in enumerate(errors.items()):
        axes.loglog([frame / n for n in SUBSTEPS], values, **plots.marked(index), label=name)
    plots.label(axes, "Distance from the exact motion", "Δt (s)", "distance (m)")
    plots.legend_below(figure, axes)
    caption = (
        "The largest distance from the exact motion in the first period. XPBD's falls with Δt; "
        f"PBD with a fixed k = {PBD_STIFFNESS:g} becomes rigid instead."
    )
    return Plot("convergence", caption, figure)


def _counted(iterations: int) -> str:
    return f"{iterations} iterations" if iterations > 1 else "1 iteration"


def _plot() -> Plot:
    dt = TIME_STEPS[0]
    steps = round(DURATION / dt)
    times = dt * np.arange(steps + 1)
    fine = np.linspace(0.0, DURATION, 2000)
    figure, ((above, below),) = plots.canvas(1, 2, height=3.8, sharey=True)
    for axes in (above, below):
        axes.plot(fine, SPRING.exact(fine), color="0.75", linewidth=1, label="exact")
    reference = np.r_[SPRING.start, SPRING.implicit_euler(dt, steps)]
    above.plot(times, reference, **plots.REFERENCE, label="implicit Euler")
    for index, n in enumerate(ITERATIONS):
        label = _counted(n)
        path = np.r_[SPRING.start, _xpbd(n, dt, steps)]
        above.plot(times, path, **plots.style(index), label=label)
        solver = paper_pbd(PBD_STIFFNESS, iterations=n)
        path = np.r_[SPRING.start, SPRING.simulated(solver, dt, steps)]
        below.plot(times, path, **plots.style(index), label=label)
    plots.label(above, f"XPBD, α = {SPRING.compliance:g} m/N", "time (s)", "x (m)")
    plots.label(below, f"PBD, k = {PBD_STIFFNESS:g}", "time (s)", "")
    plots.legend_below(figure, above, 5)
    return Plot(
        "paths",
        f"Positions at Δt = {number(dt)} s. XPBD's lines lie on each other and on implicit Euler, "
        "whatever the iterations; each number of iterations makes another PBD.",
        figure,
    )


CASE = Case("oscillator", "Oscillator", SHOWS, run, order=10)
