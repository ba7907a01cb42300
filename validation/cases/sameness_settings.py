# SPDX-License-Identifier: GPL-3.0-or-later
"""The same cloth whatever the substeps, the frame rate and the solver."""

from __future__ import annotations

from typing import Any

import core

from .. import plots
from ..report import Case, Plot, Result, Table, at_most
from ..sameness_sheet import (
    IN_WORDS,
    ITERATIONS,
    PINNINGS,
    RATE,
    SAG,
    SAG_SEEN,
    SIZE,
    Hung,
    Sheet,
    default_solver,
    hang,
    hung_by_default,
    spread,
)

SIDE = 64
LIMITS = (5, 10, 20, 50)
FIXED = ((5, 16), (10, 8), (50, 1))
RATES = (24, 30, 60)
PROJECTIVE: dict[str, Any] = {"substeps": 40, "iterations": 4, "chebyshev": True}  # the add-on's
MORE = 3 * PROJECTIVE["iterations"]

SHOWS = (
    f"{IN_WORDS}. A grid of {SIDE}² vertices hangs by {PINNINGS['patches']}: with limits of "
    f"{', '.join(map(str, LIMITS))} substeps and at most {ITERATIONS} iterations, chosen "
    "automatically; with counts that the user fixes; at "
    f"{', '.join(map(str, RATES))} frames a second; by XPBD and by projective dynamics in "
    f"{PROJECTIVE['substeps']} substeps of {PROJECTIVE['iterations']} accelerated iterations, "
    "the add-on's own."
)


def run() -> Result:
    """Hang the sheet with every setting."""
    limited = {
        f"XPBD, at most {n} × {ITERATIONS}": _hung(default_solver(substeps=n)) for n in LIMITS
    }
    fixed = {
        f"XPBD, always {n} × {k}": _hung(core.XPBD(substeps=n, iterations=k, threads=1))
        for n, k in FIXED
    }
    rates = {f"XPBD, default, {rate} frames a second": _hung(rate=rate) for rate in RATES}
    count, iterations = PROJECTIVE["substeps"], PROJECTIVE["iterations"]
    projective = {
        f"projective dynamics, {count} × {k}": _hung(_projective(k)) for k in (iterations, MORE)
    }
    table = Table(
        f"{SIDE}² vertices: lowest point, strain of edges in the end",
        (
            "solver",
            "lowest point (m)",
            "far from pins (%)",
            "99th percentile (%)",
            "substeps × iterations",
            "ms a frame, one thread",
        ),
        [
            (
                name,
                round(state.low, 4),
                state.far_strain,
                state.percentile,
                state.effort,
                state.milliseconds,
            )
            for name, state in (limited | fixed | rates | projective).items()
        ],
    )
    result = Result(tables=[table], plots=[_plot(limited | fixed | rates | projective)])
    for what, states in (
        (f"limits of {LIMITS[0]} to {LIMITS[-1]} substeps, iterations chosen", limited),
        ("fixed substeps × iterations", fixed),
        (f"limits of {LIMITS[0]} to {LIMITS[-1]} substeps and fixed counts", limited | fixed),
        (f"{RATES[0]} to {RATES[-1]} frames a second", rates),
        ("default XPBD and projective dynamics", dict(list(rates.items())[:1]) | projective),
    ):
        lows = [state.low for state in states.values()]
        result.checks.append(
            at_most(f"{what}: lowest point differs by", spread(lows), SAG, "% of the height",
                    SAG_SEEN)
        )  # fmt: skip
    return result


def _hung(solver: Any = None, rate: int = RATE) -> Hung:
    if solver is None and rate == RATE:
        return hung_by_default(SIDE)
    return hang(Sheet.of(SIDE), solver or default_solver(), rate=rate)


def _projective(iterations: int) -> core.ProjectiveDynamics:
    return core.ProjectiveDynamics(**PROJECTIVE | {"iterations": iterations}, threads=1)


def _plot(states: dict[str, Hung]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=0.24 * len(states) + 0.6)
    names = list(states)[::-1]
    axes.plot([states[name].low for name in names], names, "o", color=plots.COLORS[0])
    middle = hung_by_default(SIDE).low
    axes.axvspan(middle - 0.005 * SAG * SIZE, middle + 0.005 * SAG * SIZE, color="0.9", zorder=0)
    axes.set_xlim(middle - 0.012 * SAG * SIZE, middle + 0.012 * SAG * SIZE)
    plots.label(axes, "", "lowest point (m)", "")
    caption = f"Lowest point with every setting; the grey band is {SAG:g}% of the height wide."
    return Plot("lows", caption, figure)


CASE = Case(
    "sameness_settings", "The same cloth at any substeps, frame rate, solver", SHOWS, run, order=2
)
