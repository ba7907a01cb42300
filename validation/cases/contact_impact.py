# SPDX-License-Identifier: GPL-3.0-or-later
"""Two free sheets collide: energy never rises, momentum is kept, nothing crosses."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.default_settings import described

from .. import plots
from ..contact_impact import SAMPLES, SIDE, SIZE, Collision, Moment, bending_alone
from ..contact_settings import AUTOMATIC, fixed, solver
from ..report import Case, Plot, Result, Table, at_most, number

SPEEDS = (0.5, 2.0, 5.0, 10.0, 25.0)  # m/s
SETTINGS = (AUTOMATIC, fixed(20), fixed(160))
FRICTION = 0.5
KEPT, KEPT_SINGLE = 1e-4, 3e-4
ROUNDED = 1e-6
"""Of the energy: what rounding may add in a frame."""

LEVER = 0.5 * SIZE
GAP = 0.004  # m

SHOWS = (
    f"Two free sheets of {SIZE:g} × {SIZE:g} m ({SIDE}² vertices, 2 mm thick, friction "
    f"{FRICTION:g}), one turned by 20° and tilted by 5°, fly into each other at "
    f"{', '.join(f'{speed:g}' for speed in SPEEDS)} m/s, without gravity, drag or restitution, "
    f"{SAMPLES} frames, so many a second that each is a fiftieth of a metre at most. Settings: "
    f"{described()}, and fixed counts. Contact projects the predicted positions, in the metric of "
    "the masses, onto a convex set in which the substep starts: energy can't rise by it. Limp "
    "sheets, which resist nothing, show contact alone; stiff ones (2000 N/m along the yarns) show "
    "it with the material. Elastic energy and crossings come from the slow references in "
    "tests/naive. Momentum is measured in double precision, relative to Σ m |v| at the start, "
    f"angular momentum to that times half a side, {LEVER:g} m."
)


def run() -> Result:
    """Collide limp and stiff sheets."""
    limp = _all(limp=True)
    stiff = _all(limp=False)
    single = {
        key: _figures(Collision(key[0], FRICTION, np.float32, evenly=True), key[1])
        for key in ((speed, AUTOMATIC) for speed in SPEEDS)
    }
    result = Result()
    found: list[Any] = [*limp.values(), *stiff.values()]
    linear, angular = (max(each[key] for each in found) for key in ("linear", "angular"))
    crossing = max(each["crossing"] for each in [*found, *single.values()])
    result.checks = [
        at_most("limp sheets: energy rises from one frame to the next by",
                max(each["rise"] for each in limp.values()), ROUNDED, "of that at the start",
                "a projection in the metric of the masses takes energy or leaves it"),
        at_most("stiff sheets, 160 substeps: energy rises by",
                max(stiff[speed, fixed(160)]["rise"] for speed in SPEEDS), ROUNDED,
                "of that at the start", "the same, where the material has converged, too"),
        at_most("linear momentum changes by", linear, KEPT, "of Σ m |v|",
                "pushes, friction and what is held back act on both sides alike: what is asked of "
                "contact is 10⁻⁴, double precision leaves far less"),
        at_most("single precision, automatic quality: linear momentum changes by",
                max(each["linear"] for each in single.values()), KEPT_SINGLE, "of Σ m |v|",
                "asked is 10⁻⁴, which double precision keeps by far. A rounding by 15 nm in a "
                "substep of 0.2 ms is 0.08 mm/s; thousands of them on each of 512 vertices, each "
                "in a way of its own, leave 10⁻⁴ of 2 m/s and less of what is faster"),
        at_most("angular momentum changes by", angular, GAP / LEVER, "of Σ m |v| × half a side",
                f"friction acts across the {1e3 * GAP:g} mm between both layers: a lever of "
                f"{1e3 * GAP:g} mm in {1e3 * LEVER:g}"),
        at_most("faces that cross, in all frames of all runs", crossing, 0, "",
                "exact predicates"),
    ]  # fmt: skip
    alone = {setting: bending_alone(solver(setting)) for setting in SETTINGS}
    result.findings = [
        "Stiff sheets give back what they stored while they were bent. With few substeps, in "
        "which the stiffest links have not converged, the sum of kinetic and elastic energy goes "
        "up and down for that reason alone: in one frame by up to "
        + ", ".join(
            f"{number(100.0 * max(stiff[s, setting]['rise'] for s in SPEEDS), 2)}% with {setting}"
            for setting in SETTINGS
        )
        + " (the slow collision has the longest frames); of a single sheet that is let go with "
        "waves in it and touches nothing by "
        + ", ".join(f"{number(100.0 * rise, 2)}%" for rise in alone.values())
        + ".",
        "Momentum was lost at 10 m/s and above until zones that are held back stopped counting "
        "as momentum what only leads them apart, and until what is pushed beyond all that is "
        "listed as near got more listed instead of being stopped there.",
    ]
    result.tables = [_table("Limp sheets", limp), _table("Stiff sheets", stiff)]
    result.plots = [_plot()]
    return result


def _all(limp: bool) -> dict[tuple[float, str], dict[str, float]]:
    return {
        (speed, setting): _figures(Collision(speed, FRICTION, np.float64, limp=limp), setting)
        for speed in SPEEDS
        for setting in SETTINGS
    }


def _figures(collision: Collision, setting: str) -> dict[str, float]:
    moments = list(collision.moments(solver(setting)))
    first = moments[0]
    energies = np.array([each.energy for each in moments])
    scale = collision.scale
    return {
        "rise": max(0.0, float(np.diff(energies).max() / energies[0])),
        "left": float(energies[-1] / energies[0]),
        "linear": max(_change(each.linear, first.linear) for each in moments) / scale,
        "angular": max(_change(each.angular, first.angular) for each in moments) / scale / LEVER,
        "crossing": max(each.crossing for each in moments),
    }


def _change(now: Any, before: Any) -> float:
    return float(np.linalg.norm(now - before))


def _table(title: str, found: dict[tuple[float, str], dict[str, float]]) -> Table:
    columns = ("speed (m/s)", "setting", "energy rises by at most", "energy left",
               "linear momentum", "angular momentum", "crossing")  # fmt: skip
    rows: list[Any] = [(speed, setting, *each.values()) for (speed, setting), each in found.items()]
    return Table(f"{title}, double precision, all relative", columns, rows)


def _plot() -> Plot:
    figure, ((left, right),) = plots.canvas(1, 2, height=3.2)
    for axes, limp, title in ((left, True, "Limp"), (right, False, "Stiff")):
        for index, speed in enumerate(SPEEDS):
            collision = Collision(speed, FRICTION, np.float64, limp=limp)
            moments: list[Moment] = list(collision.moments(solver(AUTOMATIC)))
            energies = np.array([each.energy for each in moments])
            axes.plot(energies / energies[0], **plots.style(index), label=f"{speed:g} m/s")
        axes.set_ylim(0.0, 1.05)
        plots.label(axes, f"{title} sheets", "frame", "energy / energy at the start")
    plots.legend_below(figure, left, columns=len(SPEEDS))
    return Plot("energy", "Kinetic and elastic energy, automatic quality.", figure)


CASE = Case("contact_impact", "Cloths that collide", SHOWS, run, order=8)
