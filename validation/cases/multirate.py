# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bending in every few substeps (``core.solvers.xpbd.multirate``): what it changes and saves.

A flap that nothing but bending holds is where an error would show; a hung sheet is what it is for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import core
from core.solvers.xpbd.multirate import DAMPING_TOLERANCE, MOST, TOLERANCE

from .. import plots
from ..flaps import COTTON, RATE, Flap, bending_period, frequency_and_decay
from ..report import Case, Check, Plot, Result, Table, at_most, number
from ..sameness_folds import ALIKE, ALIKE_SEEN, folds_of
from ..sameness_sheet import (
    IN_WORDS,
    PINNINGS,
    SAG,
    SIZE,
    STRAIN,
    Hung,
    Mesh,
    Sheet,
    hang,
    spread,
)

SUBSTEPS = (20, 40, 80, 160)
FLAP = Flap()
AMPLITUDE, SWINGS = 1e-3, 5  # m
CONVERGED = 1280  # substeps, flap
LIGHT, DRAG, SECONDS = 0.0981, 4.0, 10.0  # m/s², 1/s, s

SHEETS: dict[str, tuple[int, Mesh]] = {
    "64² quads": (64, "quads"),
    "128² quads": (128, "quads"),
    "64², irregular triangles": (64, "irregular"),
}
YARDSTICK = 320  # substeps, sheets
SHORTEST = 4.0 * SIZE / (min(side for side, _ in SHEETS.values()) - 1)  # m: four cells

SOFTER = 100.0 * TOLERANCE  # %
PART = 0.1
"""Of what is seen or allowed: what multirate may take of it."""

SHOWS = (
    "XPBD's option `multirate` sweeps soft bending in every r-th substep only, r ≤ "
    f"{MOST}, as an impulse of r times the force (multiple time stepping: Tuckerman, Berne, "
    f"Martyna 1992); r is the largest with which that makes no constraint more than {SOFTER:g}% "
    f"softer, and its damping no more than {100.0 * DAMPING_TOLERANCE:g}% weaker. "
    f"First a flap of cotton, {FLAP.cells} × {FLAP.across} cells of {100 * FLAP.cell:g} cm, "
    "clamped at one end and held by bending alone: let go in a beam's first mode without gravity "
    f"it swings by {1e3 * AMPLITUDE:g} mm, and under a hundredth of its weight it sags. "
    f"References: the same mesh with {CONVERGED:,} substeps without multirate in double "
    "precision; and for the rate at which swings decay ½ω²(τ + Δt), with cotton's damping time τ = "
    f"{1e3 * COTTON.bend_damping:g} ms and the Δt of implicit Euler. "
    f"Then sheets. {IN_WORDS}. It hangs by {PINNINGS['patches']}; reference: {YARDSTICK} substeps "
    "without multirate in double precision."
)


@dataclass(frozen=True)
class Swung:
    """A flap with one setting: how it swings [1/s] and sags [m]."""

    substeps: int
    multirate: bool

    @property
    def solver(self) -> core.XPBD:
        """As set."""
        return core.XPBD(substeps=self.substeps, multirate=self.multirate, threads=1)

    @cached_property
    def period(self) -> float:
        """Every how many substeps bending is swept."""
        simulation = FLAP.simulation(self.solver)
        simulation.advance(1 / RATE)
        return bending_period(simulation)

    @cached_property
    def motion(self) -> tuple[float, float]:
        """Angular frequency and rate of decay [1/s]."""
        eighth = round(RATE * 2.0 * math.pi / FLAP.beam_frequency / 8.0)
        path = FLAP.swing(self.solver, AMPLITUDE, SWINGS)
        return frequency_and_decay(path, eighth, 1 / RATE)

    @cached_property
    def sag(self) -> float:
        """How far the tip sinks under a hundredth of the flap's weight [m]."""
        return FLAP.sag(self.solver, LIGHT, DRAG, SECONDS)

    def errors(self, converged: Swung) -> tuple[float, float, float]:
        """Of frequency, decay and sag [%]."""
        (frequency, decay), (exact, _) = self.motion, converged.motion
        expected = 0.5 * exact**2 * (COTTON.bend_damping + 1.0 / (RATE * self.substeps))
        return (
            100.0 * (frequency / exact - 1.0),
            100.0 * (decay / expected - 1.0),
            100.0 * (self.sag / converged.sag - 1.0),
        )


@dataclass(frozen=True)
class Pair:
    """A sheet without and with multirate, and how often bending was swept with it."""

    substeps: int
    without: Hung
    with_it: Hung
    period: float


def run() -> Result:
    """Compare flaps and sheets with and without."""
    result = Result()
    _flaps(result)
    _sheets(result)
    return result


# --- the flap -------------------------------------------------------------------------------------


def _flaps(result: Result) -> None:
    converged = Swung(CONVERGED, False)
    flaps = [Swung(n, multirate) for n in SUBSTEPS for multirate in (False, True)]
    errors = {flap: flap.errors(converged) for flap in flaps}
    rows: list[Any] = [
        (flap.substeps, _yes(flap.multirate), flap.period, *flap.motion, flap.sag, *found)
        for flap, found in errors.items()
    ]
    result.tables.append(
        Table(
            f"The flap with {CONVERGED:,} substeps: ω = {number(converged.motion[0], 4)} 1/s, sag "
            f"{number(100.0 * converged.sag, 4)} cm; the decay expected is ½ω²(τ + Δt) with that ω",
            (
                "substeps",
                "multirate",
                "bending swept every … substeps",
                "ω (1/s)",
                "decay (1/s)",
                "sag (m)",
                "error of ω (%)",
                "error of the decay (%)",
                "error of the sag (%)",
            ),
            rows,
        )
    )
    result.checks += _flap_checks([found for flap, found in errors.items() if flap.multirate])
    result.plots.append(_flap_plot(errors))


def _flap_checks(errors: list[tuple[float, float, float]]) -> list[Check]:
    frequency, decay, sag = np.abs(errors).max(axis=0)
    counts = f"{SUBSTEPS[0]} to {SUBSTEPS[-1]} substeps with multirate"
    softer = f"impulses make bending by {SOFTER:g}% softer at most"
    return [
        at_most(f"flap, {counts}: error of its frequency", frequency, 0.5 * SOFTER, "%",
                f"{softer}, and the frequency goes with the root of the stiffness"),
        at_most(f"flap, {counts}: error of its decay", decay, SOFTER, "%",
                f"{softer}, and the decay goes with the stiffness"),
        at_most(f"flap, {counts}: error of its sag", sag, SOFTER, "%",
                f"{softer}, and a small sag goes with that, a large one with less"),
    ]  # fmt: skip


def _flap_plot(errors: dict[Swung, tuple[float, float, float]]) -> Plot:
    names = ("frequency", "decay", "sag")
    figure, (row,) = plots.canvas(1, len(names), height=3.0)
    for place, (axes, name) in enumerate(zip(row, names)):
        axes.axhline(0.0, **plots.REFERENCE)
        for index, multirate in enumerate((False, True)):
            found = [e[place] for flap, e in errors.items() if flap.multirate is multirate]
            label = "with multirate" if multirate else "without"
            axes.semilogx(SUBSTEPS, found, **plots.marked(index), label=label)
        axes.set_xticks(SUBSTEPS, [str(n) for n in SUBSTEPS])
        axes.minorticks_off()
        plots.label(axes, f"Error of the {name}", "substeps", "error (%)" if place == 0 else "")
    plots.legend_below(figure, row[0])
    return Plot("flap", "The flap against its references, over the substeps of a frame.", figure)


# --- sheets ---------------------------------------------------------------------------------------


def _sheets(result: Result) -> None:
    found = {name: _pairs(*which) for name, which in SHEETS.items()}
    exact = {
        name: hang(Sheet.of(side, "patches", mesh), _xpbd(YARDSTICK, False), precision=np.float64)
        for name, (side, mesh) in SHEETS.items()
    }
    result.tables.append(_sheet_table(found, exact))
    result.checks += _sheet_checks(found, exact)
    ratios = {name: [_time_ratio(pair) for pair in pairs] for name, pairs in found.items()}
    result.findings.append(
        "What it brings: processor time of a frame with multirate over that without, at "
        f"{', '.join(map(str, SUBSTEPS))} substeps, is "
        + "; ".join(
            f"{' / '.join(number(ratio, 2) for ratio in of_sheet)} on {name}"
            for name, of_sheet in ratios.items()
        )
        + "."
    )


def _xpbd(substeps: int, multirate: bool) -> core.XPBD:
    return core.XPBD(substeps=substeps, multirate=multirate, threads=1)


def _pairs(side: int, mesh: Mesh) -> list[Pair]:
    sheet, pairs = Sheet.of(side, "patches", mesh), []
    for substeps in SUBSTEPS:
        without, with_it = (hang(sheet, _xpbd(substeps, multirate)) for multirate in (False, True))
        model = core.Model()
        sheet.add_to(model)
        simulation = core.Simulation(model, _xpbd(substeps, True))
        simulation.advance(1 / RATE)
        pairs.append(Pair(substeps, without, with_it, bending_period(simulation)))
    return pairs


def _time_ratio(pair: Pair) -> float:
    return pair.with_it.milliseconds / pair.without.milliseconds


def _strain_error(state: Hung, exact: Hung) -> float:
    """Root mean square over all edges of the strain's difference [%]."""
    return 100.0 * float(np.sqrt(((state.strain - exact.strain) ** 2).mean()))


def _slope(state: Hung) -> float | None:
    """Root mean square of the slope of its folds [%], on a grid."""
    if state.sheet.faces.shape[1] != 4:
        return None
    side = round(len(state.points) ** 0.5)
    return 100.0 * folds_of(state.points.reshape(side, side, 3), SIZE, SHORTEST).steepness


def _sheet_table(found: dict[str, list[Pair]], exact: dict[str, Hung]) -> Table:
    table = Table(
        f"Hanging sheets, one thread; folds of {SIZE:g} m to {SHORTEST:.2g} m",
        (
            "sheet",
            "substeps",
            "multirate",
            "bending swept every … substeps",
            "lowest point (m)",
            "error of the strain (%)",
            "slope of the folds (%)",
            "ms a frame",
        ),
    )
    for name, pairs in found.items():
        yardstick = exact[name]
        table.rows.append(
            (name, YARDSTICK, "no, double precision", 1.0, round(yardstick.low, 4), None,
             _slope(yardstick), yardstick.milliseconds)
        )  # fmt: skip
        for pair in pairs:
            for state, multirate, period in (
                (pair.without, False, 1.0),
                (pair.with_it, True, pair.period),
            ):
                table.rows.append(
                    (name, pair.substeps, _yes(multirate), period, round(state.low, 4),
                     _strain_error(state, yardstick), _slope(state), state.milliseconds)
                )  # fmt: skip
    return table


def _sheet_checks(found: dict[str, list[Pair]], exact: dict[str, Hung]) -> list[Check]:
    checks = []
    for name, pairs in found.items():
        lows = max(spread([pair.with_it.low, pair.without.low]) for pair in pairs)
        strains = max(
            _strain_error(pair.with_it, exact[name]) - _strain_error(pair.without, exact[name])
            for pair in pairs
        )
        checks += [
            at_most(f"{name}: lowest point, with multirate and without, differs by", lows,
                    PART * SAG, "% of the height",
                    f"{100.0 * PART:g}% of the {SAG:g}% that the eye sees, so that other errors "
                    "have the rest"),
            at_most(f"{name}: multirate adds to the error of the strain", strains,
                    PART * STRAIN, "%",
                    f"{100.0 * PART:g}% of the {STRAIN:g}% that the default settings allow to be "
                    "left: bending holds no lengths"),
        ]  # fmt: skip
        slopes = [(_slope(pair.with_it), _slope(pair.without)) for pair in pairs]
        known = [(a, b) for a, b in slopes if a is not None and b is not None]
        if known:
            checks.append(
                at_most(f"{name}: slope of the folds, with multirate and without, differs by",
                        max(100.0 * abs(a / b - 1.0) for a, b in known), ALIKE, "%", ALIKE_SEEN)
            )  # fmt: skip
    return checks


def _yes(multirate: bool) -> str:
    return "yes" if multirate else "no"


CASE = Case("multirate", "Soft bending in every few substeps", SHOWS, run, order=6)
