# SPDX-License-Identifier: GPL-3.0-or-later
"""Every solver of the menu on the same short list of scenes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import short_list

import core

from ..report import Case, Check, Result, Table, at_most
from ..sameness_sheet import default_solver

SOLVERS: dict[str, Callable[[], Any]] = {
    "Standard (XPBD)": default_solver,
    "Calm (projective dynamics)": partial(
        core.ProjectiveDynamics, substeps=40, iterations=4, chebyshev=True, threads=1
    ),
    "Classic (PBD)": partial(core.PBD, substeps=160, iterations=1, threads=1),
    "Unstretchable (constrained dynamics)": partial(
        core.ConstrainedDynamics,
        substeps=10,
        iterations=2,
        adaptive=True,
        implicit_bending=True,
        threads=1,
    ),
}
"""As the add-on has them."""

NO_STRANDS, SOFT_WIRES = "Calm (projective dynamics)", "Classic (PBD)"
STRAIN, SLIDE, PERIOD, WIRE = 3.0, 5.0, 2.0, 3.0  # %
COARSE, FINE = 10, 40  # links of a wire
ROOT = 2.404825557695773
"""The first of the Bessel function J₀."""

EXACT = 4.0 * math.pi / ROOT / math.sqrt(short_list.GRAVITY)
"""Period of a hanging chain of 1 m that swings a little [s] (Lamb 1920, Higher Mechanics)."""

SHOWS = (
    "Each solver at the counts that the add-on starts with. Cotton hangs from two corners, and "
    f"falls onto a ball; denim slides down 30° at a friction of {short_list.FRICTION:g}; a hemp "
    f"rope of {short_list.LINKS} links swings for 10 s without drag; a steel wire of "
    f"{short_list.WIRE:g} m droops, in {COARSE} and in {FINE} links; three sheets pile up on a "
    "ball. Calm takes no strands: a pull goes too slowly along them, and the panel says so. The "
    f"stiffness of Classic depends on its counts, as its tooltip says: wires of {FINE} links hang."
)


def run() -> Result:
    """All scenes with all solvers."""
    table = Table(
        "What was found",
        (
            "solver",
            "hang: strain (%)",
            "drape: strain (%)",
            "slide: way off (%)",
            "rope: period off (%)",
            "rope: energy left (%)",
            f"wire of {COARSE}: droop off (%)",
            f"wire of {FINE}: droop off (%)",
            "pile: strain (%)",
            "faces that cross",
        ),
    )
    checks: list[Check] = []
    for name, make in SOLVERS.items():
        row, own = _row(name, make)
        table.rows.append(row)
        checks += own
    return Result(tables=[table], checks=checks)


def _row(name: str, make: Callable[[], Any]) -> tuple[tuple[Any, ...], list[Check]]:
    """What one solver does, and what it must."""
    _, hung = short_list.hang(make())
    draped, crossing = short_list.drape(make())
    piled, more = short_list.pile(make())
    slid = 100.0 * (short_list.slide(make()) - 1.0)
    checks = [
        at_most(f"{name}: worst strain of cloth", max(hung, draped, piled), STRAIN, "%",
                "of all edges but a hundredth: what Standard allows to be left"),
        at_most(f"{name}: faces that cross", crossing + more, 0, "", "cloth stays apart"),
        at_most(f"{name}: way down the slope", abs(slid), SLIDE, "%", "of a rigid body's"),
    ]  # fmt: skip
    period = energy = coarse = fine = None
    if name != NO_STRANDS:
        period, energy = short_list.rope(make())
        period, energy = 100.0 * (period / EXACT - 1.0), 100.0 * energy
        coarse, fine = (short_list.wire(make(), links) for links in (COARSE, FINE))
        wires = [coarse] if name == SOFT_WIRES else [coarse, fine]
        checks += [
            at_most(f"{name}: period of a rope", abs(period), PERIOD, "%",
                    "of a chain's that swings a little; by 20° it is 0.4% longer"),
            at_most(f"{name}: energy of a rope after 10 s", energy, 100.0, "%",
                    "of that which it began with: it never grows"),
            at_most(f"{name}: droop of a wire", max(map(abs, wires)), WIRE, "%",
                    "of its length, off the elastica's"),
        ]  # fmt: skip
    found = (hung, draped, slid, period, energy, coarse, fine, piled)
    return (name, *found, crossing + more), checks


CASE = Case("solvers", "Every solver on a short list", SHOWS, run, order=9)
