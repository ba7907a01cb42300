# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth on a slope: it sticks up to the friction angle, and slides beyond as Coulomb says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bench.default_settings import described

from .. import plots
from ..contact_settings import AUTOMATIC, fixed, solver
from ..contact_slope import GRAVITY, RATE, SECONDS, SIDE, THICKNESS, Ground, Slide, Slope
from ..report import Case, Plot, Result, Table, at_least, at_most, number

PAIRS = ((0.2, 0.2), (0.4, 0.4), (0.8, 0.8), (0.2, 0.8))
GROUNDS: tuple[Ground, ...] = ("collider", "cloth")
SETTINGS = (AUTOMATIC, fixed(20), fixed(160))
TOLERANCE = 0.02
"""Of the friction angle."""

TILTS = (1.0 - TOLERANCE, 1.0 + TOLERANCE, 1.2)
STEEP = 1.5
STUCK = 1e-4  # m

SHOWS = (
    f"A patch of cloth, {SIDE:g} m square, starts at rest on a slope: a collider of irregular "
    "triangles, or a cloth that is pinned everywhere; all are "
    f"{1e3 * THICKNESS:g} mm thick. Of two coefficients of friction the geometric mean μ counts, "
    f"on both alike. The slope is {', '.join(f'{tilt:g}' for tilt in TILTS)} times as steep as "
    f"the friction angle atan μ; after {SECONDS:g} s it is told how far the patch has come, and "
    "from the parabola that fits its path with which acceleration, which has to be "
    "g (sin α - μ cos α); that acceleration also tells the friction angle, whose error is bounded. "
    f"{RATE} frames a second, single precision; {described()}, and fixed counts."
)


def run() -> Result:
    """Tilt the slope."""
    found: dict[tuple[str, Slope], Slide] = {}
    for setting in SETTINGS:
        for slope in (Slope(g, p, t) for g in GROUNDS for p in PAIRS for t in TILTS):
            found[setting, slope] = slope.slide(solver(setting))
    result = Result()
    for ground in GROUNDS:
        mine = [slide for (_, slope), slide in found.items() if slope.ground == ground]
        flat, past, steeper = ([s for s in mine if s.slope.tilt == tilt] for tilt in TILTS)
        name = f"on a {ground}"
        result.checks += [
            at_most(f"{name}, {TILTS[0]:g} of the angle: it comes", max(abs(s.way) for s in flat),
                    STUCK, "m", f"it sticks: {1e3 * STUCK:g} mm in {SECONDS:g} s is not seen"),
            at_least(f"{name}, {TILTS[1]:g} of the angle: part of the way due",
                     min(s.way / (0.5 * s.slope.acceleration * SECONDS**2) for s in past), 0.5, "",
                     "it slides: what is due is g sin(2% of the angle)/cos, small enough that "
                     "settling takes a part of it"),
            at_most(f"{name}, {TILTS[2]:g} of the angle: error of the friction angle",
                    100.0 * max(abs(s.angle_error) for s in steeper), 100.0 * TOLERANCE, "%",
                    "what is asked of contact: an artist can't tell angles that differ by 2%"),
        ]  # fmt: skip
    result.findings.append(_fast())
    columns = ("slope", "μ of both", "setting", *(f"way at {t:g} (mm)" for t in TILTS),
               f"acceleration at {TILTS[2]:g} (m/s²)", "due (m/s²)",
               "error of the angle (%)")  # fmt: skip
    table = Table("Ways after one second, by the slope as a part of the friction angle", columns)
    for setting in SETTINGS:
        for ground in GROUNDS:
            for pair in PAIRS:
                table.rows.append(_row(found, setting, ground, pair))
    result.tables.append(table)
    result.plots.append(_plot(found))
    return result


def _row(
    found: dict[tuple[str, Slope], Slide], setting: str, ground: Ground, pair: tuple[float, float]
) -> tuple[Any, ...]:
    slides = [found[setting, Slope(ground, pair, tilt)] for tilt in TILTS]
    last = slides[-1]
    return (
        ground, f"{pair[0]:g}, {pair[1]:g}", setting, *(1e3 * s.way for s in slides),
        last.acceleration, last.slope.acceleration, 100.0 * last.angle_error,
    )  # fmt: skip


def _fast() -> str:
    """What happens to cloth that slides by more than its thickness in a substep."""
    told = []
    for substeps, pair in ((5, PAIRS[1]), (20, PAIRS[2]), (160, PAIRS[2])):
        slide = Slope("cloth", pair, STEEP).slide(solver(fixed(substeps)))
        speed = (slide.path[-1] - slide.path[-2]) * RATE
        due = slide.slope.acceleration * SECONDS
        told.append(
            f"{number(speed)} m/s instead of {number(due)} m/s with μ = {pair[0]:g} in "
            f"{substeps} substeps, where {number(due)} m/s are "
            f"{number(1e3 * due / RATE / substeps, 2)} mm in a substep"
        )
    return (
        "What slides over cloth by more than the sum of the thicknesses, here "
        f"{2e3 * THICKNESS:g} mm, in a substep is braked by its edges: {STEEP:g} times as steep as "
        f"the friction angle it has after {SECONDS:g} s " + "; ".join(told) + "."
    )


def _plot(found: dict[tuple[str, Slope], Slide]) -> Plot:
    figure, (row,) = plots.canvas(1, len(GROUNDS), height=3.2)
    tilts = np.linspace(0.9, max(TILTS), 40)
    for axes, ground in zip(row, GROUNDS):
        for index, pair in enumerate(PAIRS[:3]):
            due = [Slope(ground, pair, float(tilt)) for tilt in tilts]
            degrees = [math.degrees(slope.angle) for slope in due]
            axes.plot(degrees, [slope.acceleration for slope in due], **plots.REFERENCE)
            slides = [found[AUTOMATIC, Slope(ground, pair, tilt)] for tilt in TILTS]
            axes.plot(
                [math.degrees(slide.slope.angle) for slide in slides],
                [slide.acceleration for slide in slides],
                **(plots.marked(index) | {"linestyle": ""}),
                label=f"μ = {pair[0]:g}",
            )
        plots.label(axes, f"On a {ground}", "slope (degrees)", "acceleration (m/s²)")
    plots.legend_below(figure, row[0])
    caption = f"Acceleration, automatic quality; grey: Coulomb's law, g = {GRAVITY:g} m/s²."
    return Plot("slope", caption, figure)


CASE = Case("contact_friction", "Friction of cloth", SHOWS, run, order=8)
