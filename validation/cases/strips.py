# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of cloth, clamped at one end: as stiff as typed, in cells of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from bent_sheets import GRAVITY, KINDS, Kind, at_rest, bending_length, fabric, strip
from naive.elastica import elastica_drop

import core

from .. import plots
from ..report import Case, Check, Plot, Result, Table, at_most
from ..sameness_sheet import default_solver

CELLS = (1.0, 3.0, 6.0, 10.0)  # mm
LENGTHS = (1.0, 2.0, 4.0)  # bending lengths
DRAWN = 2.0
FEWEST, MOST = 6, 100  # cells along a strip
AIM, BOUND = 3.0, 4.0  # % of the length
CARD_LENGTH, CARD_CELLS, CARD_BOUND = 0.2, (10, 40, 100), 2.0  # m, cells of 20 to 2 mm, %
CARDS = {"1 N·m": 1.0, "infinitely stiff": 0.0}
FABRICS = tuple(name for name, each in core.MATERIALS.items() if each.bend_compliance)

SHOWS = (
    "Strips of every fabric leave a clamp level and hang by their weight: squares, squares cut "
    f"into triangles and irregular triangles, cells of {CELLS[0]:g} to {CELLS[-1]:g} mm, "
    f"{LENGTHS[0]:g} to {LENGTHS[-1]:g} bending lengths (D / w)^(1/3) long if that is at least "
    f"{FEWEST} cells, at the add-on's default settings in single precision. Reference: the "
    "elastica, D θ'' = -w (L - s) cos θ, solved by shooting. Bending is one linear solve of each "
    "sheet, with the curvature of triangles (Oñate, Zárate 2000), before the sweeps "
    "(`core.solvers.xpbd.bending`); for comparison hinges are swept, as they were."
)

COARSE = (
    f"The aim is {AIM:g}% of the length. In cells of 10 mm silk, cotton and wool have one and a "
    "half cells to a bending length, and bend most in the first one: there it is missed. So it is "
    "in a strip of jersey of one bending length, irregular triangles of 1 mm, which is too stiff."
)


def run() -> Result:
    """Fabrics, and cards that are to stay straight."""
    table = Table(
        "Drop of the end off the elastica's, % of the length; of all lengths the farthest off",
        ("fabric", "mesh", *(f"{cell:g} mm" for cell in CELLS), f"{CELLS[1]:g} mm, swept"),
    )
    checks = []
    for name in FABRICS:
        rows = [_row(name, kind) for kind in KINDS]
        table.rows += rows
        worst = max(abs(each) for row in rows for each in row[2:-1] if each is not None)
        checks.append(
            at_most(
                f"{name}: drop off the elastica's", worst, BOUND, "%",
                f"of the length: the eye does not see {AIM:g}%, the coarsest cells need one more",
            )
        )  # fmt: skip
    return Result(findings=[COARSE], tables=[table], checks=[*checks, _cards()], plots=[_plot()])


def _row(name: str, kind: Kind) -> tuple[Any, ...]:
    found = [_farthest(name, kind, cell) for cell in CELLS]
    return name, kind, *found, _farthest(name, kind, CELLS[1], implicit_bending=False)


def _farthest(name: str, kind: Kind, cell: float, **options: Any) -> float | None:
    """Of strips of all lengths the drop farthest off [% of the length]; None without any."""
    off = []
    for ratio in LENGTHS:
        length = ratio * bending_length(name)
        cells = round(1e3 * length / cell)
        if FEWEST <= cells <= MOST:
            drop = -_hung(kind, cells, length, default_solver(**options), **fabric(name))[:, 2]
            off.append(100.0 * (float(drop.mean()) - _expected(name, length)) / length)
    return max(off, key=abs, default=None)


def _expected(name: str, length: float) -> float:
    material = core.MATERIALS[name]
    assert material.bend_compliance is not None
    return elastica_drop(1.0 / material.bend_compliance, material.density * GRAVITY, length)


def _hung(kind: Kind, cells: int, length: float, solver: core.XPBD, **options: Any) -> Any:
    """The end of a strip at rest [m], shape (k, 3)."""
    points, faces = strip(kind, cells, length)
    found = at_rest(points, faces, solver, **options).positions
    return np.asarray(found, np.float64)[points[:, 0] > length - 1e-9]


def _cards() -> Check:
    """How far the end of a card drops that is much stiffer than it is heavy."""
    drops = [
        np.abs(_hung(kind, cells, CARD_LENGTH, default_solver(), **_card(compliance))[:, 2]).max()
        for kind in KINDS
        for cells in CARD_CELLS
        for compliance in CARDS.values()
    ]
    return at_most(
        f"cards of {CARD_LENGTH:g} m, {' or '.join(CARDS)}, cells of 2 to 20 mm: drop of the end",
        100.0 * float(max(drops)) / CARD_LENGTH, CARD_BOUND, "%",
        "of the length; 1 N·m and denim's weight alone let it drop by 0.1%",
    )  # fmt: skip


def _card(compliance: float) -> dict[str, Any]:
    return fabric("denim", bend_compliance=compliance)


def _plot() -> Plot:
    """How denim hangs in cells of all sizes."""
    figure, ((left, right),) = plots.canvas(1, 2)
    length = DRAWN * bending_length("denim")
    for axes, title, options in (
        (left, "solved as a sheet", {}),
        (right, "swept", {"implicit_bending": False}),
    ):
        for index, cell in enumerate(CELLS):
            points, faces = strip("quads", round(1e3 * length / cell), length)
            solver = default_solver(**options)
            x = at_rest(points, faces, solver, **fabric("denim")).positions[points[:, 1] == 0.0]
            axes.plot(x[:, 0], x[:, 2], **plots.style(index), label=f"cells of {cell:g} mm")
        plots.shape(axes, title)
    plots.legend_below(figure, left)
    return Plot("denim", f"A strip of denim, {DRAWN:g} bending lengths, at rest.", figure)


CASE = Case("strips", "Cloth bends the same at any resolution", SHOWS, run, order=4)
