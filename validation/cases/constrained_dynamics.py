# SPDX-License-Identifier: GPL-3.0-or-later
"""GAMES103, lecture 6: constraints without compliance, solved for all at once."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import naive
import numpy as np

import core
from core.constraints import REGISTRY

from .. import plots
from ..chains import GRAVITY, Array, Chain
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number

CHAIN = Chain(compliance=0.0)
DEGREES = (0.0, 15.0)
TIME_STEP, FRAMES = 0.008, 100  # s
SOLVES = (1, 2, 3)
SWEEPS = (50, 100, 1000)
BOUND, VELOCITY_LEVEL = 1e-9, 1e-2  # m


@dataclass(frozen=True)
class Long:
    """A long chain and the steps that it takes: a taut one of fine links has a high pitch."""

    chain: Chain
    time_step: float
    steps: int


LONG = (
    Long(replace(CHAIN, particles=101, spacing=0.02), 1e-3, 600),
    Long(replace(CHAIN, particles=1001, spacing=0.01), 2.5e-4, 1200),
)
LONG_SWEEPS = (1, 3, 10, 30, 100)
ADVANTAGE = 10.0

SHOWS = (
    f"The chain of {CHAIN.particles} particles, {CHAIN.spacing:g} m apart, with α = 0: links that "
    f"don't stretch, {FRAMES} steps of {TIME_STEP:g} s, from the horizontal and from "
    f"{DEGREES[1]:g}° below it. The drift is the largest ||x₁ - x₀| - L| of any link in any step. "
    "*Velocity level* is the system that GAMES103 (lecture 6) prints, with J in the place of Jᵀ in "
    "its second row, solved once a step (tests/naive); the core solves at the level of "
    "positions and factors S = ∇C M⁻¹ ∇Cᵀ once a solve. A factor serves for two substitutions "
    "there (Shamanskii); *plain* has one each. Gauss–Seidel is XPBD's, from the support down."
)


def run() -> Result:
    """Measure drift on short chains, and drift against seconds on long ones."""
    result = Result()
    histories = {degrees: _histories(replace(CHAIN, degrees=degrees)) for degrees in DEGREES}
    result.tables.append(_drift_table(histories))
    result.checks += _drift_checks(histories)
    result.plots.append(_history_plot(histories[DEGREES[0]]))
    result.findings.append(_force_finding())
    measured = [_measured(long) for long in LONG]
    for long, rows in zip(LONG, measured, strict=True):
        result.tables.append(_time_table(long, rows))
        result.checks.append(_advantage(long, rows))
    result.plots.append(_time_plot(measured))
    return result


# --- the chain of figure 3a -----------------------------------------------------------------------


def drift_of(positions: Array, spacing: float) -> Array:
    """The largest error of a link [m] in each frame, from positions (frames, particles, 3)."""
    lengths = np.linalg.norm(np.diff(positions, axis=1), axis=2)
    return np.asarray(np.abs(lengths - spacing).max(axis=1))


def _histories(chain: Chain) -> dict[str, Array]:
    """Drift [m] over the frames by the name of the method."""
    found = {
        "velocity level": _dense(chain, None),
        **{f"plain, {_times(n)}": _dense(chain, n) for n in SOLVES},
    }
    solvers: dict[str, Any] = {
        **{_times(n): core.ConstrainedDynamics(substeps=1, iterations=n) for n in SOLVES},
        **{f"Gauss–Seidel, {n}": core.XPBD(substeps=1, iterations=n) for n in SWEEPS},
    }
    for name, solver in solvers.items():
        positions = chain.simulated(solver, TIME_STEP, FRAMES).positions
        found[name] = drift_of(positions, chain.spacing)
    return found


def _times(solves: int) -> str:
    return f"{solves} solve{'s' if solves > 1 else ''}"


def _dense(chain: Chain, solves: int | None) -> Array:
    """The reference: a solve at velocity level, or so many at the level of positions."""
    w = np.r_[0.0, np.full(chain.particles - 1, 1.0 / chain.mass)]
    rest = np.array([chain.spacing])
    links = [naive.from_registry(REGISTRY["distance"], pair, rest, 0.0) for pair in chain.links]
    x, v, positions = chain.start, np.zeros((chain.particles, 3)), []
    for _ in range(FRAMES):
        if solves is None:
            x, v = naive.velocity_level_step(x, v, w, links, TIME_STEP, gravity=GRAVITY)
        else:
            x, v, _ = naive.constrained_step(
                x, v, w, links, TIME_STEP, gravity=GRAVITY, iterations=solves, refined=False
            )
        positions.append(x)
    return drift_of(np.array(positions), chain.spacing)


def _drift_table(histories: dict[float, dict[str, Array]]) -> Table:
    return Table(
        f"Largest drift in {FRAMES} steps of {TIME_STEP:g} s",
        ("method", *(f"from {degrees:g}° (m)" for degrees in DEGREES)),
        [
            (name, *(histories[degrees][name].max() for degrees in DEGREES))
            for name in histories[DEGREES[0]]
        ],
    )


def _drift_checks(histories: dict[float, dict[str, Array]]) -> list[Check]:
    one, two = (max(found[_times(n)].max() for found in histories.values()) for n in SOLVES[:2])
    velocity = histories[DEGREES[0]]["velocity level"].max()
    return [
        at_most(
            "drift after two solves a step, both starts",
            two,
            BOUND,
            "m",
            f"{BOUND / CHAIN.spacing:.0e} of a link, to leave room: Newton's method squares what "
            f"is left, so that {number(one)} m after one solve make "
            f"{number(one**2 / CHAIN.spacing)} m",
        ),
        at_least(
            "drift of one velocity-level solve",
            velocity,
            VELOCITY_LEVEL,
            "m",
            f"seen: {100.0 * VELOCITY_LEVEL / CHAIN.spacing:g}% of a link of {CHAIN.spacing:g} m",
        ),
    ]


def _history_plot(histories: dict[str, Array]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=4.0)
    shown = ("velocity level", "Gauss–Seidel, 50", "Gauss–Seidel, 1000", _times(1), _times(2))
    times = TIME_STEP * np.arange(1, FRAMES + 1)
    for index, name in enumerate(shown):
        axes.semilogy(times, np.maximum(histories[name], 1e-17), **plots.style(index), label=name)
    plots.label(axes, "Drift of the chain from the horizontal", "time (s)", "largest |C| (m)")
    plots.legend_below(figure, axes, 5)
    caption = "The largest error of a link in each step. After two solves it is one of rounding."
    return Plot("drift", caption, figure)


def _force_finding() -> str:
    reference = CHAIN.reference(TIME_STEP, FRAMES)
    motion = CHAIN.simulated(core.ConstrainedDynamics(substeps=1, iterations=2), TIME_STEP, FRAMES)
    error = np.abs(motion.forces - reference.forces).max() / reference.forces.max()
    return (
        "The force on the support from the horizontal differs from that of implicit Euler, solved "
        f"by Newton's method with the full K, by at most {number(100.0 * error)}% of its peak: "
        "that is what g ≈ 0 and K ≈ M leave."
    )


# --- long chains ----------------------------------------------------------------------------------

Row = tuple[str, int, float, float]
"""Method, iterations, milliseconds a step, largest drift [m]."""


def _measured(long: Long) -> list[Row]:
    rows = [("solves", n, *_drift_and_time(long, _solver("solves", n))) for n in SOLVES]
    rows += [("sweeps", n, *_drift_and_time(long, _solver("sweeps", n))) for n in LONG_SWEEPS]
    return rows


def _solver(method: str, iterations: int) -> Any:
    if method == "solves":
        return core.ConstrainedDynamics(substeps=1, iterations=iterations, threads=1)
    return core.XPBD(substeps=1, iterations=iterations, threads=1)


def _drift_and_time(long: Long, solver: Any) -> tuple[float, float]:
    """Milliseconds a step, the median, and the largest drift [m]."""
    simulation = core.Simulation(long.chain.model(), solver, gravity=GRAVITY)
    seconds, drift = [], 0.0
    for _ in range(long.steps):
        started = time.perf_counter()
        simulation.advance(long.time_step)
        seconds.append(time.perf_counter() - started)
        drift = max(drift, float(drift_of(simulation.positions[None], long.chain.spacing)[0]))
    return 1e3 * float(np.median(seconds)), drift


def _links(long: Long) -> int:
    return long.chain.particles - 1


def _time_table(long: Long, rows: list[Row]) -> Table:
    return Table(
        f"{_links(long)} links of {long.chain.spacing:g} m from the horizontal, "
        f"{long.steps} steps of {1e3 * long.time_step:g} ms",
        ("method", "iterations a step", "ms a step", "largest drift (m)"),
        [(("all at once" if m == "solves" else "Gauss–Seidel"), n, t, d) for m, n, t, d in rows],
    )


def _advantage(long: Long, rows: list[Row]) -> Check:
    """How much more drift Gauss–Seidel leaves in no less time than two solves take."""
    _, _, limit, drift = next(row for row in rows if row[:2] == ("solves", 2))
    slower = [row for row in rows if row[0] == "sweeps" and row[2] >= limit]
    return at_least(
        f"drift of Gauss–Seidel by that of two solves in no more time, {_links(long)} links",
        slower[0][3] / drift,
        ADVANTAGE,
        "",
        "an order of magnitude pays for a solver of its own",
    )


def _time_plot(measured: list[list[Row]]) -> Plot:
    figure, (row,) = plots.canvas(1, len(LONG), height=3.9, sharey=True)
    names = {"solves": "all at once", "sweeps": "Gauss–Seidel"}
    for axes, long, rows in zip(row, LONG, measured, strict=True):
        for index, (method, name) in enumerate(names.items()):
            points = [(n, t, max(d, 1e-17)) for m, n, t, d in rows if m == method]
            counts, times, drifts = zip(*points, strict=True)
            axes.loglog(times, drifts, **plots.marked(index), label=name)
            for count, x, y in zip(counts, times, drifts, strict=True):
                axes.annotate(str(count), (x, y), xytext=(4, 4), textcoords="offset points")
        axes.set_xlim(0.02, 20.0)
        plots.label(axes, f"{_links(long)} links", "ms a step", "largest drift (m)")
    row[-1].set_ylabel("")
    plots.legend_below(figure, row[0], 2)
    return Plot("seconds", "Drift against time; the numbers are iterations a step.", figure)


CASE = Case("constrained_dynamics", "Constrained dynamics", SHOWS, run, order=70)
