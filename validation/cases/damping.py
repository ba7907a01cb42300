# SPDX-License-Identifier: GPL-3.0-or-later
"""Rayleigh damping, equation 26 of the XPBD paper: the oscillator from undamped to overdamped."""

from __future__ import annotations

import numpy as np

import core

from .. import plots
from ..reasons import rounding
from ..report import Case, Plot, Result, Table, at_least, at_most, number
from ..springs import Spring

RATIOS = (0.0, 0.05, 0.25, 1.0, 3.0)
TIME_STEPS = (1 / 60, 0.008, 0.001)  # s
ITERATIONS = (1, 5, 10)
DURATION = 1.0  # s
SUBSTEPS = (10, 100, 1000, 10_000)
SAMPLES = 20  # a period
ROUNDING = 1e-12  # m
NEAR = 1e-3  # m
PLOT_SAMPLES, PLOT_SUBSTEPS, PLOT_PERIODS = 80, 50, 3

UNDAMPED = Spring()
SPRINGS = {ratio: Spring(damping=2.0 * ratio / UNDAMPED.omega) for ratio in RATIOS}

SHOWS = (
    f"The oscillator (α = {UNDAMPED.compliance:g} m/N, {UNDAMPED.mass:g} kg, let go at "
    f"{UNDAMPED.start:g} m) with Rayleigh damping (the paper's section 5, equation 26) of ratio "
    f"ζ = {', '.join(f'{ratio:g}' for ratio in RATIOS)}: without, under-, critically and "
    "overdamped. References: implicit Euler with the damping force at the end of the step, solved "
    "exactly, and the exact damped motion."
)


def run() -> Result:
    """Compare XPBD with both references at every damping ratio."""
    frame = UNDAMPED.period / SAMPLES
    table = Table(
        "Largest distance from implicit Euler (all Δt and iterations), and from the exact motion "
        "in the first period at smaller and smaller Δt",
        (
            "ζ",
            "from implicit Euler (m)",
            *(f"from exact, Δt = {number(frame / n)} s (m)" for n in SUBSTEPS),
            "order",
        ),
        [(ratio, *_figures(spring)) for ratio, spring in SPRINGS.items()],
    )
    distance, last, order = (
        max(row[1] for row in table.rows),
        max(row[-2] for row in table.rows),
        min(row[-1] for row in table.rows),
    )
    checks = [
        at_most(
            "largest distance from implicit Euler",
            distance,
            ROUNDING,
            "m",
            rounding(round(DURATION / TIME_STEPS[-1]), UNDAMPED.start),
        ),
        at_most(
            f"largest distance from the exact motion at Δt = {number(frame / SUBSTEPS[-1])} s",
            last,
            NEAR,
            "m",
            f"{100.0 * NEAR / UNDAMPED.amplitude:g}% of the amplitude is no longer seen",
        ),
        at_least(
            "least order of convergence as Δt → 0",
            order,
            0.95,
            "",
            "implicit Euler is of order 1, but for terms of higher order",
        ),
    ]
    return Result(tables=[table], checks=checks, plots=[_plot()])


def _figures(spring: Spring) -> list[float]:
    distances = []
    for dt in TIME_STEPS:
        reference = spring.implicit_euler(dt, round(DURATION / dt))
        for n in ITERATIONS:
            path = spring.simulated(core.XPBD(substeps=1, iterations=n), dt, len(reference))
            distances.append(np.abs(path - reference).max())
    frame = spring.period / SAMPLES
    exact = spring.exact(frame * np.arange(1, SAMPLES + 1))
    errors = [
        np.abs(spring.simulated(core.XPBD(substeps=n, iterations=1), frame, SAMPLES) - exact).max()
        for n in SUBSTEPS
    ]
    order = np.log(errors[-2] / errors[-1]) / np.log(SUBSTEPS[-1] / SUBSTEPS[-2])
    return [max(distances), *errors, order]


def _plot() -> Plot:
    steps = PLOT_PERIODS * PLOT_SAMPLES
    frame = UNDAMPED.period / PLOT_SAMPLES
    times = frame * np.arange(steps + 1)
    fine = np.linspace(0.0, times[-1], 1000)
    figure, ((axes,),) = plots.canvas(height=3.8)
    for index, (ratio, spring) in enumerate(SPRINGS.items()):
        label = "exact" if index == 0 else None
        axes.plot(fine, spring.exact(fine), **plots.REFERENCE, label=label)
        solver = core.XPBD(substeps=PLOT_SUBSTEPS, iterations=1)
        path = np.r_[spring.start, spring.simulated(solver, frame, steps)]
        axes.plot(times, path, **plots.style(index), label=f"XPBD, ζ = {ratio:g}")
    plots.label(axes, "Damped oscillator", "time (s)", "x (m)")
    plots.legend_below(figure, axes, 3)
    return Plot(
        "paths",
        f"Positions at Δt = {number(frame / PLOT_SUBSTEPS)} s on the exact motion (grey).",
        figure,
    )


CASE = Case("damping", "Damping", SHOWS, run, order=20)
