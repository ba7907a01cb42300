# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of cloth, clamped at one end: as stiff as typed, in cells of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from bent_sheets import (
    GRAVITY,
    KINDS,
    Kind,
    at_rest,
    bending_length,
    bias_strip,
    fabric,
    strip,
)
from naive.elastica import elastica_drop

import core

from .. import plots
from ..report import Case, Check, Plot, Result, Table, at_most
from ..sameness_sheet import default_solver

CELLS = (1.0, 3.0, 6.0, 10.0)  # mm
LENGTHS = (1.0, 2.0, 4.0)  # bending lengths
DRAWN = 2.0
FEWEST, MOST = 6, 100  # cells along a strip
BOUND = 3.0  # % of the length
FINEST, FINEST_BOUND = 0.7, 8.0  # mm, % of the length
BIAS, BIAS_HALF, BIAS_BOUND = ("silk", "denim", "leather"), 2.0, 2.0  # mm, % of the length
CARD_LENGTH, CARD_CELLS, CARD_BOUND = 0.2, (10, 40, 100), 2.0  # m, cells of 20 to 2 mm, %
CARDS = {"1 N·m": 1.0, "infinitely stiff": 0.0}
FABRICS = tuple(name for name, each in core.MATERIALS.items() if each.bend_compliance)

SHOWS = (
    "Strips of every fabric leave a clamp level and hang by their weight: squares, squares cut "
    f"into triangles and irregular triangles, cells of {CELLS[0]:g} to {CELLS[-1]:g} mm, "
    f"{LENGTHS[0]:g} to {LENGTHS[-1]:g} bending lengths (D / w)^(1/3) long if that is at least "
    f"{FEWEST} cells, at the add-on's default settings in single precision. Reference: the "
    "elastica, D θ'' = -w (L - s) cos θ, solved by shooting. Bending is one linear solve of each "
    "sheet before the sweeps (`core.solvers.xpbd.bending`), with the curvature of triangles "
    "(Oñate, Zárate 2000) made right on any mesh; for comparison hinges are swept, as they were."
)

DIRECTIONS = (
    "Strips on the bias are of squares that lie at 45° to them. Rolled along their diagonals "
    "squares twist as much as they roll along their sides, so that such a strip drops right only "
    "where both cost what they should; without that it was a tenth of its length too stiff. "
    "Rolls and twists in any direction, on any mesh, are compared with ½ D κ:κ in "
    "`tests/core/solvers/xpbd/bending/test_plates.py`, within 2%."
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
                "of the length: what the eye does not see",
            )
        )  # fmt: skip
    checks += [_on_the_bias(), _finest(), _cards()]
    return Result(findings=[DIRECTIONS], tables=[table], checks=checks, plots=[_plot()])


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
            off.append(_off(name, length, *strip(kind, cells, length), **options))
    return max(off, key=abs, default=None)


def _off(name: str, length: float, points: Any, faces: Any, **options: Any) -> float:
    """How much farther than the elastica's the end of a strip has dropped [% of its length]."""
    material = core.MATERIALS[name]
    assert material.bend_compliance is not None
    weight = material.density * GRAVITY
    expected = elastica_drop(1.0 / material.bend_compliance, weight, length)
    end = _end(points, faces, length, default_solver(**options), **fabric(name))
    return 100.0 * (float(-end[:, 2].mean()) - expected) / length


def _end(points: Any, faces: Any, length: float, solver: core.XPBD, **options: Any) -> Any:
    """The end of a strip at rest [m], shape (k, 3)."""
    found = at_rest(points, faces, solver, **options).positions
    return np.asarray(found, np.float64)[points[:, 0] > length - 1e-9]


def _on_the_bias() -> Check:
    """Of strips cut at 45° to their squares."""
    off = []
    for name in BIAS:
        length = DRAWN * bending_length(name)
        cells = 2 * round(0.5e3 * length / BIAS_HALF)
        off += [_off(name, length, *bias_strip(cells, length, across)) for across in (4, 8)]
    return at_most(
        f"{', '.join(BIAS)} on the bias, {DRAWN:g} bending lengths, squares of "
        f"{np.sqrt(2.0) * BIAS_HALF:.1f} mm: drop off the elastica's",
        max(map(abs, off)), BIAS_BOUND, "%",
        "of the length: bending has no direction",
    )  # fmt: skip


def _finest() -> Check:
    """Of cells so small that bending outweighs inertia by far."""
    off = []
    for name in BIAS:
        length = bending_length(name)
        cells = round(1e3 * length / FINEST)
        off += [_off(name, length, *strip(kind, cells, length)) for kind in KINDS]
    return at_most(
        f"{', '.join(BIAS)}, one bending length, cells of {FINEST:g} mm: drop off the elastica's",
        max(map(abs, off)), FINEST_BOUND, "%",
        "of the length: cells far finer than any fold",
    )  # fmt: skip


def _cards() -> Check:
    """How far the end of a card drops that is much stiffer than it is heavy."""
    drops = [
        np.abs(_card_end(kind, cells, compliance)[:, 2]).max()
        for kind in KINDS
        for cells in CARD_CELLS
        for compliance in CARDS.values()
    ]
    return at_most(
        f"cards of {CARD_LENGTH:g} m, {' or '.join(CARDS)}, cells of 2 to 20 mm: drop of the end",
        100.0 * float(max(drops)) / CARD_LENGTH, CARD_BOUND, "%",
        "of the length; 1 N·m and denim's weight alone let it drop by 0.1%",
    )  # fmt: skip


def _card_end(kind: Kind, cells: int, compliance: float) -> Any:
    card = fabric("denim", bend_compliance=compliance)
    points, faces = strip(kind, cells, CARD_LENGTH)
    return _end(points, faces, CARD_LENGTH, default_solver(), **card)


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
