# SPDX-License-Identifier: GPL-3.0-or-later
"""Figure 6 and table 1 of the XPBD paper: a cloth that hangs by two corners."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import core
from bench.scenes import paper_pairs
from bench.timing import interleaved, median

from .. import plots
from ..paper_pbd import paper_pbd
from ..reasons import seen
from ..report import Case, Plot, Result, Table, at_least, at_most, number
from ..spring_newton import Springs

Array = NDArray[np.float64]

SIDE, SPACING, MASS = 64, 0.1, 1.0  # m, kg
HEIGHT = (SIDE - 1) * SPACING  # m
PAIRS = paper_pairs(SIDE)
COMPLIANCES = (1e-4, 1e-5)  # m/N
STIFFNESS = 0.01
ITERATIONS = (20, 40, 60, 80, 160)
TIME_STEP, FRAMES = 1 / 60, 100  # s
GRAVITY = (0.0, 0.0, -9.81)  # m/s²
NEWTON_TOLERANCE = 1e-6  # m

TIMED = {20: (0.95, 0.97), 40: (1.75, 1.78), 80: (3.25, 3.34), 160: (5.61, 5.65)}
"""Milliseconds of PBD and XPBD on the paper's graphics card, table 1."""

STEADY, SEEN, UNLIKE = 1.0, 2.0, 50.0  # % of the height

PAPER_COST = 2.0  # %, section 6.4
SAMPLES = 60

SHOWS = (
    f"A sheet of {SIDE} × {SIDE} particles, {HEIGHT:g} m wide and high, {MASS:g} kg each, with "
    f"{len(PAIRS):,} distance constraints (neighbours, diagonals, next but one), hangs by its two "
    f"upper corners; {FRAMES} frames of {number(TIME_STEP)} s in one step each with "
    f"{', '.join(map(str, ITERATIONS))} iterations (section 6.4, figure 6; the paper gives no "
    "size, mass or Δt). How far the lowest point is below its place at the start shows whether "
    "stiffness depends on the iterations. Reference: implicit Euler by Newton's method. PBD takes "
    f"the part k = {STIFFNESS:g} of each error in every iteration, as in the paper's equation 1."
)


def run() -> Result:
    """Measure the sag over the iterations and the times of table 1."""
    shapes: dict[str, list[Array]] = {
        f"XPBD, α = {alpha:g} m/N": [
            _hang(core.XPBD(substeps=1, iterations=n), alpha) for n in ITERATIONS
        ]
        for alpha in COMPLIANCES
    }
    name_pbd = f"PBD, k = {STIFFNESS:g}"
    shapes[name_pbd] = [_hang(paper_pbd(STIFFNESS, iterations=n), 0.0) for n in ITERATIONS]
    sags = {name: [_sag(shape) for shape in found] for name, found in shapes.items()}
    newton = [_sag(_newton(alpha)) for alpha in COMPLIANCES]
    result = Result()
    result.tables = [_sag_table(sags, newton), _times()]
    _judge(result, *sags.values(), newton=newton)
    drawn = {name_pbd: shapes[name_pbd], **dict(list(shapes.items())[:1])}
    result.plots = [_picture(drawn), _sag_plot(sags, newton)]
    return result


# --- the cloth ------------------------------------------------------------------------------------


def _start() -> Array:
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    return SPACING * np.stack([column, np.zeros_like(row), -row], axis=1)


def _masses() -> Array:
    masses = np.full(SIDE * SIDE, MASS)
    masses[[0, SIDE - 1]] = np.inf
    return masses


def _simulation(solver: Any, alpha: float, dtype: DTypeLike = np.float64) -> core.Simulation:
    model = core.Model(dtype)
    model.add_particles(_start(), _masses())
    model.add_constraints("distance", PAIRS, compliance=alpha)
    return core.Simulation(model, solver, gravity=GRAVITY)


def _hang(solver: Any, alpha: float) -> Array:
    """Positions [m] after all frames."""
    simulation = _simulation(solver, alpha)
    for _ in range(FRAMES):
        simulation.advance(TIME_STEP)
    return np.array(simulation.positions)


def _newton(alpha: float) -> Array:
    x = _start()
    rest = np.linalg.norm(x[PAIRS[:, 1]] - x[PAIRS[:, 0]], axis=1)
    springs = Springs(PAIRS, rest, alpha, _masses(), np.array(GRAVITY))
    v = np.zeros_like(x)
    for _ in range(FRAMES):
        x, v = springs.step(x, v, TIME_STEP, NEWTON_TOLERANCE)
    return x


def _sag(shape: Array) -> float:
    return float(-HEIGHT - shape[:, 2].min())


# --- what was found -------------------------------------------------------------------------------


def _judge(
    result: Result, soft: list[float], stiff: list[float], pbd: list[float], *, newton: list[float]
) -> None:
    """Moves of the lowest point over the iterations, as parts of the sheet's height."""
    moves = [100.0 * np.ptp(sags) / HEIGHT for sags in (soft, stiff, pbd)]
    what = "the lowest point moves over the iterations by"
    result.checks = [
        at_most(
            f"XPBD, α = {COMPLIANCES[0]:g}: {what}",
            moves[0],
            STEADY,
            "% of the height",
            "the paper, section 6.4: the iterations don't change it; half of "
            + seen(SEEN, HEIGHT, "a sheet"),
        ),
        at_least(
            f"PBD, k = {STIFFNESS:g}: {what}",
            moves[2],
            UNLIKE,
            "% of the height",
            "the paper, figure 6: the iterations make another cloth of it; half the height is "
            "beyond dispute",
        ),
        at_most(
            f"XPBD, α = {COMPLIANCES[0]:g}: largest distance of its sag from Newton's",
            100.0 * max(abs(sag - newton[0]) for sag in soft) / HEIGHT,
            SEEN,
            "% of the height",
            f"implicit Euler but for g ≈ 0; {seen(SEEN, HEIGHT, 'a sheet')}",
        ),
    ]
    result.findings = [
        f"With α = {COMPLIANCES[1]:g} m/N the lowest point moves by {number(moves[1])}% of the "
        f"height: {ITERATIONS[0]} iterations of Gauss–Seidel sag by {number(stiff[0])} m, "
        f"{ITERATIONS[-1]} by {number(stiff[-1])} m, and the solution by {number(newton[1])} m. "
        "Stiffness is independent of the iterations only where they converge. A stiff cloth on a "
        "fine mesh needs a solver that does (substeps, projective dynamics), not a smaller α."
    ]


def _sag_table(sags: dict[str, list[float]], newton: list[float]) -> Table:
    references = [*newton, None]
    return Table(
        "Sag of the lowest point (m)",
        ("", *(f"{n} iterations" for n in ITERATIONS), "Newton"),
        [(name, *values, known) for (name, values), known in zip(sags.items(), references)],
    )


def _times() -> Table:
    """What λ costs: single precision, one thread, all in turn."""
    kinds: dict[str, Callable[..., Any]] = {
        "PBD": partial(paper_pbd, STIFFNESS),
        "XPBD": partial(core.XPBD, substeps=1, threads=1),
    }
    samples = {
        (name, n): partial(
            _processor_seconds,
            partial(_simulation(kind(iterations=n), COMPLIANCES[0], np.float32).advance, TIME_STEP),
        )
        for n in TIMED
        for name, kind in kinds.items()
    }
    interleaved(samples, 3)
    taken = interleaved(samples, SAMPLES)
    return Table(
        "Processor time of a step, one thread, single precision, medians of "
        f"{SAMPLES} in turn; the paper's "
        f"graphics card beside it (table 1; section 6.4 speaks of less than {PAPER_COST:g}%)",
        (
            "iterations",
            "PBD (ms)",
            "XPBD (ms)",
            "XPBD costs more (%)",
            "paper: PBD (ms)",
            "paper: XPBD (ms)",
            "paper: costs more (%)",
        ),
        [
            (
                n,
                1e3 * median(taken["PBD", n]),
                1e3 * median(taken["XPBD", n]),
                _extra(taken["PBD", n], taken["XPBD", n]),
                *paper,
                _extra(*([time] for time in paper)),
            )
            for n, paper in TIMED.items()
        ],
    )


def _processor_seconds(action: Callable[[], object]) -> float:
    """What one call takes of a processor [s], whatever else runs on it."""
    start = time.process_time()
    action()
    return time.process_time() - start


def _extra(pbd: list[float], xpbd: list[float]) -> float:
    """What XPBD costs more [%]: the median over the rounds, so that a slow moment hits both."""
    return 100.0 * (median([b / a for a, b in zip(pbd, xpbd)]) - 1.0)


# --- pictures -------------------------------------------------------------------------------------


def _sag_plot(sags: dict[str, list[float]], newton: list[float]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.2)
    for index, (name, values) in enumerate(sags.items()):
        axes.semilogy(ITERATIONS, values, **plots.marked(index), label=name)
    for index, sag in enumerate(newton):
        look = plots.REFERENCE | {"color": plots.COLORS[index]}
        axes.axhline(sag, **look, label=f"Newton, α = {COMPLIANCES[index]:g} m/N")
    plots.label(axes, "How far the lowest point sags", "iterations", "sag (m)")
    plots.legend_below(figure, axes, 3)
    return Plot("sags", f"Sag of the lowest point after {FRAMES} frames over iterations.", figure)


def _picture(shapes: dict[str, list[Array]]) -> Plot:
    """Like figure 6: PBD above, XPBD below, more iterations to the right."""
    figure, grid = plots.canvas(
        2, len(ITERATIONS), height=3.3, sharex=True, sharey="row", height_ratios=(5, 2)
    )
    for row, (name, found) in zip(grid, shapes.items()):
        for axes, n, shape in zip(row, ITERATIONS, found):
            points = shape.reshape(SIDE, SIDE, 3)
            cells = axes.pcolormesh(
                points[:, :, 0], points[:, :, 2], _stretch(points), vmin=0.0, vmax=100.0
            )
            axes.set_title(f"{n} iterations", fontsize=9)
            axes.set_aspect("equal")
            axes.use_sticky_edges = False
        row[0].set_ylabel(f"{name}\nz (m)")
    for axes in grid[-1]:
        axes.set_xlabel("x (m)")
    bar = figure.colorbar(cells, ax=grid, shrink=0.6, aspect=40, extend="max")
    bar.set_label("largest stretch of a cell's edges (%)")
    caption = f"The cloth after {FRAMES} frames, all to the same scale: PBD above, XPBD below."
    return Plot("hanging", caption, figure)


def _stretch(points: Array) -> Array:
    """The largest stretch of the edges of each cell [%], from points (side, side, 3)."""
    down, along = (np.linalg.norm(np.diff(points, axis=k), axis=2) / SPACING for k in (0, 1))
    edges = [down[:, :-1], down[:, 1:], along[:-1], along[1:]]
    return 100.0 * (np.maximum.reduce(edges) - 1.0)


CASE = Case("cloth", "Cloth", SHOWS, run, order=50)
