# SPDX-License-Identifier: GPL-3.0-or-later
"""The same cloth at any resolution, at the default settings."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import core

from .. import plots
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number
from ..sameness_folds import ALIKE, ALIKE_SEEN, Folds, folds_of
from ..sameness_picture import LINES, shaded, window_of
from ..sameness_sheet import (
    FAR,
    IN_WORDS,
    ITERATIONS,
    LARGEST_STRETCH,
    PINNINGS,
    RATE,
    SAG,
    SAG_SEEN,
    SETTLED,
    SIZE,
    STRAIN,
    STRAIN_ALLOWED,
    SUBSTEPS,
    Hung,
    Pinning,
    Sheet,
    hang,
    hung_by_default,
    spread,
)

Array = NDArray[np.float64]

SIDES = (32, 64, 128, 256)
FOLDED: tuple[Pinning, ...] = ("patches", "points")
WAVELENGTHS = (0.1, 0.2, 0.5, 1.0, 2.0)  # m, marked in the plot
WIDTH = 1180  # pixels of a row of pictures
SHORTEST = 4.0 * SIZE / (SIDES[0] - 1)  # m, what the coarsest mesh can hold: four cells

PLAIN_SIDES, PLAIN_SUBSTEPS = (32, 64, 128), 10
CONVERGED_SIDES, CONVERGED_SUBSTEPS = (32, 64), 320

DISEASE = 10.0
"""How many times more than what is seen the lowest point has to differ to be called diseased."""

SHOWS = (
    f"{IN_WORDS}. It hangs by {', '.join(PINNINGS.values())}, as a grid of quads with "
    f"{', '.join(f'{n}²' for n in SIDES)} vertices, {RATE} frames a second, at the default "
    f"settings: at most {SUBSTEPS} substeps of at most {ITERATIONS} iterations, of which each "
    f"frame takes what keeps the overstretch below {100 * LARGEST_STRETCH:g}%. Strain is that of "
    f"edges; far from the pins means farther than {FAR:g} m. A single pinned vertex is a point "
    "load: its strain grows with refinement in the exact solution too."
)


def run() -> Result:
    """Hang the sheet everywhere, compare, and draw it."""
    found = {how: [hung_by_default(side, how) for side in SIDES] for how in PINNINGS}
    plain = [hang(Sheet.of(side), _plain(), chains=False) for side in PLAIN_SIDES]
    result = Result()
    for how, states in found.items():
        result.tables.append(_table(how, states))
        result.checks += _checks(how, states)
    _fold(result, found)
    _tell(result, plain, found["patches"])
    result.plots = [
        *(_scene(how, found[how]) for how in FOLDED),
        _spectra(found),
        _disease(plain, found["patches"][: len(plain)]),
    ]
    return result


def _plain() -> core.XPBD:
    """What everybody ships."""
    return core.XPBD(substeps=PLAIN_SUBSTEPS, threads=1)


# --- lowest point and strain ----------------------------------------------------------------------


def _table(how: Pinning, states: list[Hung]) -> Table:
    columns = (
        "vertices",
        "lowest point (m)",
        "far from pins (%)",
        "of all frames (%)",
        "99th percentile (%)",
        "largest (%)",
        "substeps",
        "ms a frame, one thread",
    )
    return Table(
        f"Hanging by {PINNINGS[how]}: lowest point, strain, substeps chosen; far from the pins the "
        f"largest of the last {SETTLED:g} s, and of all frames",
        columns,
        [
            (
                f"{side}²",
                round(state.low, 4),
                state.far_strain,
                max(state.peaks),
                state.percentile,
                100.0 * float(state.strain.max()),
                state.effort,
                state.milliseconds,
            )
            for side, state in zip(SIDES, states)
        ],
    )


def _checks(how: Pinning, states: list[Hung]) -> list[Check]:
    name = PINNINGS[how]
    checks = [
        at_most(
            f"{name}: lowest point, {SIDES[0]}² to {SIDES[-1]}², differs by",
            spread([state.low for state in states]),
            SAG,
            "% of the height",
            SAG_SEEN,
        )
    ]
    if how == "points":
        worst = max(state.percentile for state in states)
        reason = f"{STRAIN_ALLOWED}, but for the hundredth next to the point loads"
        checks.append(at_most(f"{name}: 99th percentile of strain", worst, STRAIN, "%", reason))
    else:
        worst = max(state.far_strain for state in states)
        checks.append(
            at_most(f"{name}: largest strain far from the pins", worst, STRAIN, "%", STRAIN_ALLOWED)
        )
    return checks


# --- folds ----------------------------------------------------------------------------------------


def _fold(result: Result, found: dict[Pinning, list[Hung]]) -> None:
    """Compare the folds of all resolutions, and with a converged solution."""
    table = Table(
        f"Folds across level yarns, wavelengths from {SIZE:g} m to {SHORTEST:.2g} m, which is "
        f"four cells of the {SIDES[0]}² mesh: root mean square of slope and depth",
        ("hanging by", "vertices", "slope (%)", "depth (mm)", "mean wavelength (m)"),
    )
    for how in FOLDED:
        folds = [_folds(state) for state in found[how]]
        for side, fold in zip(SIDES, folds):
            table.rows.append((PINNINGS[how], f"{side}²", *_figures(fold)))
        slopes = [fold.steepness for fold in folds]
        result.checks.append(
            at_most(
                f"{PINNINGS[how]}: slope of the folds, {SIDES[0]}² to {SIDES[-1]}², "
                "largest less smallest",
                100.0 * float(np.ptp(slopes) / np.mean(slopes)),
                ALIKE,
                "% of the mean",
                ALIKE_SEEN,
            )
        )
    for side in CONVERGED_SIDES:
        state = hang(Sheet.of(side), core.XPBD(substeps=CONVERGED_SUBSTEPS, threads=1))
        name = f"{side}², {CONVERGED_SUBSTEPS} substeps"
        table.rows.append((PINNINGS["patches"], name, *_figures(_folds(state))))
    result.tables.append(table)
    first, last = (_folds(found["patches"][place]) for place in (0, -1))
    result.findings.append(
        "What hangs between its pins has more cloth across than the gap is wide; the surplus has "
        "to go into folds, and it fixes how steep these are (the surplus of a yarn is half the "
        "mean square of its slope). How the surplus is shared among wavelengths costs cotton next "
        "to nothing, as it hardly resists bending: where a finer mesh can fold shorter it does, "
        f"and its long folds become flatter ({number(1e3 * first.height)} mm root mean square at "
        f"{SIDES[0]}², {number(1e3 * last.height)} mm at {SIDES[-1]}²). That is the mesh, not the "
        f"solver: {CONVERGED_SUBSTEPS} substeps on the same mesh fold it the same way."
    )


def _figures(folds: Folds) -> tuple[float, float, float]:
    mean = 2.0 * np.pi * folds.height / folds.steepness
    return 100.0 * folds.steepness, 1e3 * folds.height, float(mean)


def _folds(state: Hung) -> Folds:
    return folds_of(_grid(state), SIZE, SHORTEST)


def _grid(state: Hung) -> Array:
    side = round(len(state.points) ** 0.5)
    return state.points.reshape(side, side, 3)


def _spectra(found: dict[Pinning, list[Hung]]) -> Plot:
    figure, (row,) = plots.canvas(1, 2, height=3.2, sharey=True)
    for axes, how in zip(row, FOLDED):
        for index, (side, state) in enumerate(zip(SIDES, found[how])):
            folds = folds_of(_grid(state), SIZE, max(4.0 * SIZE / (side - 1), SHORTEST / 4.0))
            even = slice(0, None, 2)  # the sheet is symmetric: it has no others
            axes.semilogx(
                folds.lengths[even],
                100.0 * folds.slopes[even],
                **plots.marked(index) | {"markersize": 3.5},
                label=f"{side}²",
            )
        axes.axvspan(SHORTEST / 4.0, SHORTEST, color="0.9", zorder=0)
        axes.set_xticks(WAVELENGTHS, [f"{length:g}" for length in WAVELENGTHS])
        axes.minorticks_off()
        plots.label(axes, f"Hanging by {PINNINGS[how]}", "wavelength (m)", "")
    row[0].set_ylabel("slope (%)")
    row[0].set_ylim(bottom=0.0)
    plots.legend_below(figure, row[0])
    caption = (
        "How steep the folds are, wavelength by wavelength, down to four cells of each mesh. "
        f"Grey: shorter than four cells of the {SIDES[0]}² mesh."
    )
    return Plot("folds", caption, figure)


# --- pictures -------------------------------------------------------------------------------------


def _scene(how: Pinning, states: list[Hung]) -> Plot:
    caption = (
        f"The sheet by {PINNINGS[how]}, at rest, default settings; the squares drawn on it are "
        f"{SIZE / LINES:g} m wide."
    )
    return Plot(how, caption, _drawn({f"{n} × {n}": s for n, s in zip(SIDES, states)}))


def _disease(plain: list[Hung], ours: list[Hung]) -> Plot:
    """Plain XPBD beside this one."""
    caption = (
        f"Left: plain XPBD, coloured Gauss–Seidel in {PLAIN_SUBSTEPS} substeps of one iteration "
        f"each, {RATE} frames a second. Right: the default settings. The same cotton, the same "
        "scale."
    )
    named = {f"plain, {side}²": state for side, state in zip(PLAIN_SIDES, plain)}
    named |= {f"default, {side}²": state for side, state in zip(PLAIN_SIDES, ours)}
    return Plot("disease", caption, _drawn(named))


def _drawn(named: dict[str, Hung]) -> Figure:
    """Sheets in a row, to the same scale."""
    window = window_of([_grid(state) for state in named.values()])
    width, height = window[1] - window[0], window[3] - window[2]
    share = plots.WIDTH / len(named)
    figure, (row,) = plots.canvas(1, len(named), height=share * height / width + 0.3)
    for axes, (name, state) in zip(row, named.items()):
        axes.imshow(shaded(_grid(state), WIDTH / len(named) / width, window), interpolation="none")
        axes.set_axis_off()
        axes.set_title(name, fontsize=10)
    return figure


def _tell(result: Result, plain: list[Hung], ours: list[Hung]) -> None:
    lows = [state.low for state in plain]
    result.findings.append(
        f"Plain XPBD in {PLAIN_SUBSTEPS} substeps, the way it is commonly shipped, lets the same "
        f"sheet hang to {', '.join(number(low) for low in lows)} m at "
        f"{', '.join(f'{side}²' for side in PLAIN_SIDES)}, where the default settings have "
        f"{', '.join(f'{state.low:.3f}' for state in ours[: len(plain)])} m."
    )
    result.checks.append(
        at_least(
            f"plain XPBD, {PLAIN_SUBSTEPS} substeps: lowest point, {PLAIN_SIDES[0]}² to "
            f"{PLAIN_SIDES[-1]}², differs by",
            spread(lows),
            DISEASE * SAG,
            "% of the height",
            f"{DISEASE:g} times what is seen: what the default settings have to cure",
        )
    )


CASE = Case("sameness", "The same cloth at any resolution", SHOWS, run, order=1)
