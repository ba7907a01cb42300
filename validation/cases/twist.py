# SPDX-License-Identifier: GPL-3.0-or-later
"""Coils, hooks and straight wires that resist twisting, against springs, Castigliano, elastica."""

from __future__ import annotations

import numpy as np

from .. import plots, twist
from ..report import Case, Check, Plot, Result, Table, at_most
from ..sameness_sheet import default_solver

COILS = (("steel wire", 0.05, 0.004, 8.0), ("hair", 0.004, 0.004, 6.0))  # radius, pitch [m], turns
COIL_SEGMENTS, COIL_BOUND = (16, 24, 40), 3.0  # a turn; %
HOOKS = (("steel wire", 0.1), ("hair", 0.006))  # radius [m]
HOOK_SEGMENTS, HOOK_BOUND = (10, 20, 40, 200), 3.0  # %
STRAIGHT = (("steel wire", 0.3), ("steel wire", 1.0), ("hair", 0.1), ("rubber cord", 0.1))
STRAIGHT_SEGMENTS, STRAIGHT_BOUND = (10, 40, 200), 1.5  # % of the length

SHOWS = (
    "Strands of the add-on's presets that resist twisting, at the add-on's default settings in "
    "single precision. Close coils hang by their weight, held by their first "
    f"{twist.HELD} vertices; reference: W / 2 k with the spring's k = GJ / (2 π R³ n) of the n "
    "turns that are free. Half circles, level and held at one end, sink by their weight; "
    "reference: Castigliano, w R⁴ (2 / EI + π² / (2 GJ)). Straight strands leave a clamp level; "
    "reference: the elastica, which needs no torsion. For comparison coils without torsion, as "
    "strands are with a twist of 0. Lengths, bends and twists are one linear solve along each "
    "strand in each substep (`core.solvers.xpbd.bending.kirchhoff`)."
)


def run() -> Result:
    """All three."""
    coils, hanging = _coils()
    hooks, sinking = _hooks()
    straight, level = _straight()
    return Result(
        findings=[
            f"Coils hang within {hanging.value:.2g}%, hooks sink within {sinking.value:.2g}% of "
            f"what theory says, straight strands within {level.value:.2g}% of their length."
        ],
        tables=[coils, hooks, straight],
        checks=[hanging, sinking, level],
        plots=[_plot()],
    )


def _coils() -> tuple[Table, Check]:
    """How much longer they get."""
    table = Table(
        "Coils: longer by, part of what the spring's stiffness says",
        ("coil", *(f"{n} segments a turn" for n in COIL_SEGMENTS), "without torsion"),
    )
    worst = 0.0
    for preset, radius, pitch, turns in COILS:
        found = []
        for segments in COIL_SEGMENTS:
            positions = twist.coil(radius, pitch, turns, segments)
            simulation = twist.twisting(preset, positions, twist.HELD, default_solver())
            free = turns - (twist.HELD - 1) / segments
            expected = twist.coil_extension(preset, radius, free)
            found.append(twist.sunk(simulation) / expected)
        unwound = twist.twisting(
            preset, positions, twist.HELD, default_solver(), twist_compliance=None
        )
        name = f"{preset}, radius {1e3 * radius:g} mm, {turns:g} turns"
        table.rows.append((name, *found, twist.sunk(unwound) / expected))
        worst = max(worst, *(abs(each - 1.0) for each in found))
    return table, at_most(
        "coils off by", 100.0 * worst, COIL_BOUND, "%",
        "polygons of 16 corners in a circle are shorter by 0.6%, to the third power",
    )  # fmt: skip


def _hooks() -> tuple[Table, Check]:
    """How far tips sink."""
    table = Table(
        "Hooks: the tip sinks by, part of what Castigliano says",
        ("hook", *(f"{n} segments" for n in HOOK_SEGMENTS)),
    )
    worst = 0.0
    for preset, radius in HOOKS:
        expected = twist.hook_drop(preset, radius)
        found = [
            twist.sunk(twist.twisting(preset, twist.hook(radius, n), 2, default_solver()))
            / expected
            for n in HOOK_SEGMENTS
        ]
        table.rows.append((f"{preset}, radius {1e3 * radius:g} mm", *found))
        worst = max(worst, *(abs(each - 1.0) for each in found))
    return table, at_most(
        "hooks off by", 100.0 * worst, HOOK_BOUND, "%",
        "a half circle of ten segments is a polygon, and theory is for small deflections",
    )  # fmt: skip


def _straight() -> tuple[Table, Check]:
    """How far straight ones drop."""
    table = Table(
        "Straight strands: drop of the tip, % of the length",
        ("strand", "elastica", *(f"{n} segments" for n in STRAIGHT_SEGMENTS)),
    )
    worst = 0.0
    for preset, length in STRAIGHT:
        found = [twist.level_drop(preset, length, n, default_solver()) for n in STRAIGHT_SEGMENTS]
        drops = [100.0 * drop / length for drop, _ in found]
        expected = 100.0 * found[0][1] / length
        table.rows.append((f"{preset}, {length:g} m", expected, *drops))
        worst = max(worst, *(abs(each - expected) for each in drops))
    return table, at_most(
        "straight strands off by", worst, STRAIGHT_BOUND, "%",
        "of the length: as strands without torsion",
    )  # fmt: skip


def _plot() -> Plot:
    """A coil with and without torsion."""
    figure, ((axes,),) = plots.canvas(1, 1)
    preset, radius, pitch, turns = COILS[0]
    positions = twist.coil(radius, pitch, turns, COIL_SEGMENTS[-1])
    for index, (name, options) in enumerate(
        (("with torsion", {}), ("without", {"twist_compliance": None}))
    ):
        simulation = twist.twisting(preset, positions, twist.HELD, default_solver(), **options)
        twist.sunk(simulation)
        x = np.asarray(simulation.positions)
        axes.plot(x[:, 0] + 4.0 * index * radius, x[:, 2], **plots.style(index), label=name)
    plots.shape(axes, "")
    plots.legend_below(figure, axes)
    return Plot("coil", f"A coil of {preset}, at rest.", figure)


CASE = Case("twist", "Coils and hooks of wire", SHOWS, run, order=5)
