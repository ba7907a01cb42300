# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth over the edge of a table: how much a push at one place spoils bending, and who notices."""

from __future__ import annotations

from overhangs import LENGTHS, droop

import core
from core.solvers.xpbd.bending.gauge import LARGEST

from ..report import Case, Result, Table, at_most
from ..sameness_sheet import default_solver

FABRICS = ("silk", "denim", "leather")
CELLS = (6.0, 4.5)  # mm
EXACT, FEW = 320, 20  # substeps
BOUND = 3.0  # %

SHOWS = (
    f"Silk, denim and leather lie on a table and hang {LENGTHS:g} bending lengths over its edge. "
    "Bending is solved before the sweeps (`core.solvers.xpbd.bending`), which the edge's push is "
    "a matter of: in few substeps the bend there gets too wide, and the cloth droops too much. "
    "Automatic Quality measures what the sweeps have changed of the angles, and how much that "
    f"might be (`bending.gauge`); it allows {100 * LARGEST:g}%. Reference: the same mesh in "
    f"{EXACT} substeps."
)


def run() -> Result:
    """Each fabric in few substeps, by default and in many."""
    table = Table(
        "Droop of the end, % of what hangs",
        ("fabric", "cells", "setting", "substeps", "measured (%)", "droop (%)", "too much (%)"),
    )
    worst = 0.0
    for name in FABRICS:
        for cell in CELLS:
            exact, reference = _droop(name, cell, _fixed(EXACT))
            for words, solver in (("few substeps", _fixed(FEW)), ("default", default_solver())):
                found, simulation = _droop(name, cell, solver)
                table.rows.append(_row(name, cell, words, simulation, found, found - exact))
                if words == "default":
                    worst = max(worst, abs(found - exact))
            table.rows.append(_row(name, cell, "many substeps", reference, exact, 0.0))
    check = at_most(
        "default settings: droop off that in many substeps", worst, BOUND, "%",
        "of what hangs over: as for strips that are clamped",
    )  # fmt: skip
    return Result(tables=[table], checks=[check])


def _fixed(substeps: int) -> core.XPBD:
    return default_solver(substeps=substeps, iterations=1, largest_stretch=0.0)


def _droop(name: str, cell: float, solver: core.XPBD) -> tuple[float, core.Simulation]:
    found, simulation = droop(name, 1e-3 * cell, solver)
    return 100.0 * found, simulation


def _row(
    name: str, cell: float, words: str, simulation: core.Simulation, found: float, off: float
) -> tuple[object, ...]:
    report = simulation.report()
    return (
        name, f"{cell:g} mm", words, report.substeps, 100.0 * report.bend_error, found, off
    )  # fmt: skip


CASE = Case("edge", "Cloth over an edge", SHOWS, run, order=5)
