# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of cloth: as thick as they say, at any resolution, unless they are nearer at rest."""

from __future__ import annotations

from typing import Any

from bench.default_settings import DRAG, described

from .. import plots
from ..contact_layers import Array, Fold, pleats_in_peace, stack
from ..contact_settings import AUTOMATIC, fixed, solver
from ..report import Case, Plot, Result, Table, at_most, number

THICKNESS, LAYERS = 0.002, 3
STACKED = (16, 32, 64)  # cells along a side
THICK = (24, 1.25)
"""Cells, and thickness as a multiple of the lowest sheet's edge."""

FOLDED = (32, 64, 128)  # cells along the strip
CONVERGING = fixed(160)
PLEATED = (0.002, 0.01)  # m
ALIKE = 5.0
"""[%]: what may differ between resolutions."""

STILL = 2e-4  # m

SHOWS = (
    f"First stacks: {LAYERS} sheets of cotton of 0.3 m, {1e3 * THICKNESS:g} mm thick, each smaller "
    "than the one beneath and turned by 5°, fall onto a floor of the same thickness; layer n has "
    "to lie n times the sum of two thicknesses high after two seconds. Then a strip of "
    f"{Fold(0).length:g} m that starts in a wide turn, whose upper half falls onto the lower. Last "
    "pleats whose layers are 1.5 mm apart at rest, less than their thicknesses add up to: there "
    "the rest shape wins, and without gravity nothing moves. "
    f"Air drag {DRAG:g} 1/s, 24 frames a second, {described()} where nothing else is said."
)


def run() -> Result:
    """Lay cloth on cloth."""
    result = Result()
    _stacks(result)
    _folds(result)
    ways = {
        (setting, thickness): pleats_in_peace(solver(setting), thickness)
        for setting in (AUTOMATIC, fixed(20), fixed(160))
        for thickness in PLEATED
    }
    result.checks.append(
        at_most("pleats nearer at rest than thick: they move by", 1e3 * max(ways.values()),
                1e3 * STILL, "mm", "nothing that is seen")
    )  # fmt: skip
    return result


def _stacks(result: Result) -> None:
    cells, multiple = THICK
    thick = multiple * 0.3 / cells
    heights = {f"{side}² cells": stack(side, LAYERS, THICKNESS, solver(AUTOMATIC)) / THICKNESS / 2
               for side in STACKED}  # fmt: skip
    heights[f"{cells}² cells, {1e3 * thick:.3g} mm thick"] = (
        stack(cells, LAYERS, thick, solver(AUTOMATIC)) / thick / 2
    )
    errors = [abs(float(found[k]) / (k + 1) - 1.0) for found in heights.values() for k in range(3)]
    tops = [float(found[-1]) for name, found in heights.items() if "thick" not in name]
    result.checks += [
        at_most("stacks: mean height of a layer is off by", 100.0 * max(errors), ALIKE, "%",
                "what is asked of a pile: a twentieth of a layer's thickness is not seen"),
        at_most(f"stacks, {STACKED[0]}² to {STACKED[-1]}² cells: height differs by",
                _spread(tops), ALIKE, "%", "what is asked of a pile at any resolution"),
    ]  # fmt: skip
    rows: list[Any] = [(name, *found) for name, found in heights.items()]
    columns = ("stack", *(f"layer {k + 1}" for k in range(LAYERS)))
    result.tables.append(Table("Mean heights of layers, in sums of two thicknesses", columns, rows))


def _folds(result: Result) -> None:
    points = {cells: Fold(cells).points(solver(AUTOMATIC)) for cells in FOLDED}
    found = {cells: Fold(cells).figures(points[cells]) for cells in FOLDED}
    heights, covered, turns = zip(*found.values())
    due = 4.0 * Fold(0).thickness
    result.checks += [
        at_most("fold: height of the upper layer is off by",
                100.0 * max(abs(height / due - 1.0) for height in heights), ALIKE, "%",
                "what is asked of a pile"),
        at_most(f"fold, {FOLDED[0]} to {FOLDED[-1]} cells: what is covered differs by",
                _spread(covered), ALIKE, "%", "what is asked of a fold at any resolution"),
    ]  # fmt: skip
    result.findings.append(
        "How high the turn of the fold stays is a matter of bending, not of contact: "
        f"{_told(dict(zip(FOLDED, turns)))}. Bending of fine meshes converges with substeps, which "
        f"automatic quality does not spend on it: with {CONVERGING} it is {_told(_turns())}."
    )
    rows: list[Any] = [(cells, *(1e3 * value for value in found[cells])) for cells in FOLDED]
    columns = ("cells", "upper layer (mm)", "covered (mm)", "turn (mm)")
    result.tables.append(Table("The folded strip", columns, rows))
    result.plots.append(_plot(points))


def _turns() -> dict[int, float]:
    """How high the turn of the fold stays with more substeps [m]."""
    fixed_solver = solver(CONVERGING)
    return {cells: Fold(cells).figures(Fold(cells).points(fixed_solver))[2] for cells in FOLDED[:2]}


def _told(turns: dict[int, float]) -> str:
    return ", ".join(f"{number(1e3 * turn)} mm with {cells} cells" for cells, turn in turns.items())


def _spread(values: Any) -> float:
    """Largest less smallest, of the mean [%]."""
    return 100.0 * (max(values) - min(values)) * len(values) / sum(values)


def _plot(points: dict[int, Array]) -> Plot:
    figure, rows = plots.canvas(len(points), 1, height=1.2, sharex=True)
    for index, (axes, (cells, found)) in enumerate(zip(rows[:, 0], points.items())):
        line = 1e3 * found[len(found) // 2]
        axes.plot(line[:, 0], line[:, 2], **plots.style(index), label=f"{cells} cells")
        axes.set_ylim(0.0, 20.0)
        axes.set_ylabel("z (mm)")
        axes.legend(loc="upper left")
    rows[-1, 0].set_xlabel("x (mm)")
    return Plot("folds", "The folded strip from the side, along its middle, at rest.", figure)


CASE = Case("contact_layers", "Layers of cloth", SHOWS, run, order=8)
