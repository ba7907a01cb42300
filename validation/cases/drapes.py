# SPDX-License-Identifier: GPL-3.0-or-later
"""Discs of cloth that hang over a plate: the same folds on any mesh, and none that crumple."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from bent_sheets import Kind
from round_drapes import PLATE, RADIUS, Drape, drape

from core.solvers.xpbd.bending.plates import SLIVER

from .. import plots
from ..report import Case, Check, Plot, Result, Table, at_least, at_most
from ..sameness_sheet import default_solver

FABRICS = ("silk", "denim", "leather")
MESHES: tuple[Kind, ...] = ("quads", "irregular")
Key = tuple[str, Kind, int]
"""Fabric, mesh and cells."""

CELLS = (24, 32, 48)  # along the diameter
MANY = 400  # substeps
BOUND, LIMP_BOUND, COARSE_BOUND, APART = 5.0, 10.0, 15.0, 10.0  # points of the coefficient
LIMP = "silk"
SPEED = 2.0  # mm/s
DRAWN: tuple[str, Kind] = ("denim", "irregular")

SHOWS = (
    f"Cusick's drape test: a disc of {2e2 * RADIUS:g} cm of cloth is held by a plate of "
    f"{2e2 * PLATE:g} cm in its middle. The drape coefficient is the shadow of what hangs over, in "
    "% of its area when flat; stiff cloth casts a large one. Squares and irregular triangles, "
    f"{', '.join(map(str, CELLS))} cells along the diameter, default settings, single precision; "
    "the rim of the grids is pulled to a circle, so that there are slivers. Reference: the finest "
    f"mesh of the same kind in {MANY} substeps, in double precision."
)

FOUND = (
    "Here cloth bends in two directions at once, and lengths have to be held against bending in "
    "every substep. A bending force that was held for two substeps, as it once was, let discs "
    "crumple from cell to cell and tremble by 100 mm/s: denim had 54 to 66%, in no folds. Hinges "
    f"of slivers are no more than {SLIVER:g} times as stiff, for their mass, as those around "
    "(`bending.plates`): a multigrid cycle takes over a thousandth of what only they resist, and "
    "leather flew apart on such meshes. What limp cloth lacks is in its lengths: it folds so often "
    "that cells hold their size against each other, which takes more substeps than its stretch "
    "asks for."
)


def run() -> Result:
    """Each fabric on each mesh, beside its converged run."""
    table = Table(
        "Drape coefficient, %",
        ("fabric", "mesh", "cells", "substeps", "coefficient", "converged", "folds", "speed mm/s"),
    )
    found = {
        (name, kind, cells): drape(name, kind, cells, default_solver())
        for name in FABRICS
        for kind in MESHES
        for cells in CELLS
    }
    exact = {(name, kind): _converged(name, kind) for name in FABRICS for kind in MESHES}
    for (name, kind, cells), each in found.items():
        substeps, converged = each.simulation.report().substeps, exact[name, kind].coefficient
        table.rows.append(
            (name, kind, cells, substeps, each.coefficient, converged, each.folds, 1e3 * each.speed)
        )
    off = {key: abs(each.coefficient - exact[key[:2]].coefficient) for key, each in found.items()}
    checks = [
        *(_off(name, off) for name in FABRICS),
        *(_kinds_apart(name, found) for name in FABRICS),
        at_most(
            "coarser meshes: coefficient off the converged run's",
            max(each for (_, _, cells), each in off.items() if cells < CELLS[-1]), COARSE_BOUND,
            "points", "a cell is up to a fifth of what hangs over",
        ),
        at_least(
            "silk, denim and leather differ by", _fabrics_apart(found), APART, "points",
            "their bending lengths are 1.6, 2.7 and 4.4 cm",
        ),
        at_most(
            "speed of the 99th percentile at rest", 1e3 * max(d.speed for d in found.values()),
            SPEED, "mm/s", "0.1 mm a frame",
        ),
    ]  # fmt: skip
    picture = _plot(found[(*DRAWN, CELLS[-1])], exact[DRAWN])
    return Result(findings=[FOUND], tables=[table], checks=checks, plots=[picture])


def _converged(name: str, kind: Kind) -> Drape:
    solver = default_solver(substeps=MANY, iterations=1, largest_stretch=0.0)
    return drape(name, kind, CELLS[-1], solver, np.float64)


def _off(name: str, off: dict[Key, float]) -> Check:
    what = f"{name}, {CELLS[-1]} cells: coefficient off the converged run's"
    return _within(name, what, max(off[name, kind, CELLS[-1]] for kind in MESHES))


def _kinds_apart(name: str, found: dict[Key, Drape]) -> Check:
    a, b = (found[name, kind, CELLS[-1]].coefficient for kind in MESHES)
    return _within(name, f"{name}: squares and irregular triangles differ by", abs(a - b))


def _within(name: str, what: str, points: float) -> Check:
    bound, reason = BOUND, "what one sees no difference in"
    if name == LIMP:
        bound, reason = LIMP_BOUND, "limp cloth, of which see above"
    return at_most(what, points, bound, "points", reason)


def _fabrics_apart(found: dict[Key, Drape]) -> float:
    """Fabrics next to each other, of one mesh."""
    return min(
        found[stiffer, kind, cells].coefficient - found[softer, kind, cells].coefficient
        for softer, stiffer in pairwise(FABRICS)
        for kind in MESHES
        for cells in CELLS
    )


def _plot(found: Drape, exact: Drape) -> Plot:
    """Both from above, by height."""
    figure, ((left, right),) = plots.canvas(1, 2, height=4.2)
    for axes, each, title in ((left, found, "default"), (right, exact, "converged")):
        x, y, z = 1e2 * each.points.T
        axes.tripcolor(x, y, each.triangles, z, shading="gouraud", cmap="viridis")
        axes.set_title(f"{title}: {each.coefficient:.0f}%, {each.folds} folds")
        axes.set_aspect("equal")
        axes.set_xlabel("cm")
    return Plot("above", f"A disc of {DRAWN[0]} from above, coloured by height.", figure)


CASE = Case("drapes", "Round cloth hangs in folds on any mesh", SHOWS, run, order=5)
