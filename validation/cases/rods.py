# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires, hair and rope, clamped at one end: as stiff as typed, however many segments they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import core

from .. import plots, rods
from ..report import Case, Check, Plot, Result, Table, at_most
from ..sameness_sheet import default_solver

SEGMENTS = (5, 10, 20, 40, 80, 200)
COARSE, COARSE_BOUND, BOUND = 5, 5.0, 1.5  # segments, % of the length
WIRE, WIRE_LENGTH = "steel wire", 2.0  # m
FREQUENCY_SEGMENTS, FREQUENCY_BOUND = (20, 40, 80, 160, 200), 3.0  # %
CALM = 0.5  # mm/s
SWEPT = 40


@dataclass(frozen=True)
class Strand:
    """A preset at a length [m] and a curvature at rest [1/m]."""

    preset: str
    length: float
    curvature: float = 0.0

    @property
    def name(self) -> str:
        """For tables."""
        curled = f", curled by {self.curvature:g}/m" if self.curvature else ""
        return f"{self.preset}, {self.length:g} m{curled}"

    @property
    def expected(self) -> float:
        """Drop of the tip [m]."""
        return rods.expected_drop(self.preset, self.length, self.curvature)

    def hung(self, segments: int, solver: Any) -> core.Simulation:
        """At rest."""
        mesh = rods.clamped(self.length, segments, self.curvature)
        return rods.hung(self.preset, mesh, solver)


STRANDS = (
    Strand("steel wire", 0.3),
    Strand("steel wire", 1.0),
    Strand("hair", 0.1),
    Strand("single hair", 0.1),
    Strand("hemp rope", 0.5),
    Strand("hemp rope", 1.0),
    Strand("rubber cord", 0.1),
    Strand("steel wire", 1.0, 1.0),
    Strand("hair", 0.1, 20.0),
    Strand("hair", 0.03, 60.0),
    Strand("hemp rope", 0.5, 4.0),
)

SHOWS = (
    "Strands of the add-on's presets leave a clamp level and hang by their weight, straight or "
    f"curled downward at rest, with {SEGMENTS[0]} to {SEGMENTS[-1]} segments, at the add-on's "
    "default settings in single precision. Reference: the elastica, "
    "B (θ' - κ₀)' = -w (L - s) cos θ, solved by shooting. Bending is one linear solve along each "
    "strand in each substep, before the sweeps "
    "(`core.solvers.xpbd.bending`); for comparison it is swept, as it was. And a clamped "
    f"{WIRE} of {WIRE_LENGTH:g} m without weight swings in its first three modes; reference: Euler "
    "and Bernoulli's frequencies."
)


def run() -> Result:
    """Both."""
    drops, checks = _drops()
    frequencies, swinging = _frequencies()
    worst = max(check.value for check in checks[:-2])
    return Result(
        findings=[
            f"From {SEGMENTS[1]} to {SEGMENTS[-1]} segments drops differ from the elastica's by at "
            f"most {worst:.2g}% of the length."
        ],
        tables=[drops, frequencies],
        checks=[*checks, swinging],
        plots=[_plot()],
    )


def _drops() -> tuple[Table, list[Check]]:
    """The drop of each strand at each resolution, and what is expected of them."""
    table = Table(
        "Drop of the tip, % of the length",
        ("strand", "elastica", *(f"{n} segments" for n in SEGMENTS), f"{SWEPT}, swept"),
    )
    coarse, fine, checks, speeds = 0.0, 0.0, [], []
    for strand in STRANDS:
        expected = 100.0 * strand.expected / strand.length
        found = []
        for segments in SEGMENTS:
            simulation = strand.hung(segments, default_solver())
            found.append(-100.0 * float(simulation.positions[-1, 2]) / strand.length)
            before = simulation.positions.astype(np.float64)
            simulation.advance(rods.FRAME)
            ways = np.abs(simulation.positions - before).max()
            speeds.append(1e3 * float(ways) / rods.FRAME)
        errors = dict(zip(SEGMENTS, np.abs(np.array(found) - expected), strict=True))
        coarse = max(coarse, float(errors.pop(COARSE)))
        fine = max(errors.values())
        swept = strand.hung(SWEPT, default_solver(implicit_bending=False))
        table.rows.append(
            (strand.name, expected, *found, -100.0 * float(swept.positions[-1, 2]) / strand.length)
        )
        checks.append(
            at_most(
                f"{strand.name}: drop off the elastica's, {SEGMENTS[1]} segments and more",
                fine, BOUND, "%", "of the length: what the eye does not see",
            )
        )  # fmt: skip
    checks += [
        at_most(
            f"the worst of all with {COARSE} segments", coarse, COARSE_BOUND, "%",
            "of the length: a polygon of so few corners is no curve",
        ),
        at_most(
            "the fastest vertex at rest", max(speeds), CALM, "mm/s",
            f"{CALM * rods.FRAME:.2g} mm from frame to frame can't be seen",
        ),
    ]  # fmt: skip
    return table, checks


def _frequencies() -> tuple[Table, Check]:
    """The first three of the wire at each resolution, and how far off the worst is."""
    modes = range(len(rods.ROOTS))
    exact = [rods.mode_frequency(WIRE, WIRE_LENGTH, mode) for mode in modes]
    table = Table(
        f"Frequencies of a clamped {WIRE} of {WIRE_LENGTH:g} m, 1/s",
        ("segments", *(f"mode {mode + 1}" for mode in modes)),
        [("Euler, Bernoulli", *exact)],
    )
    worst = 0.0
    for segments in FREQUENCY_SEGMENTS:
        found = [
            rods.swinging_frequency(WIRE, WIRE_LENGTH, segments, mode, default_solver())
            for mode in modes
        ]
        table.rows.append((segments, *found))
        worst = max(worst, *(abs(a / b - 1.0) for a, b in zip(found, exact, strict=True)))
    return table, at_most(
        "frequencies off by", 100.0 * worst, FREQUENCY_BOUND, "%",
        "a clamped rod of 20 masses has a third mode this far off, whatever the solver",
    )  # fmt: skip


def _plot() -> Plot:
    """How a hair hangs at each resolution."""
    figure, ((left, right),) = plots.canvas(1, 2)
    strand = STRANDS[2]
    for axes, title, options in (
        (left, "solved along the strand", {}),
        (right, "swept", {"implicit_bending": False}),
    ):
        for index, segments in enumerate(SEGMENTS):
            x = strand.hung(segments, default_solver(**options)).positions
            axes.plot(x[:, 0], x[:, 2], **plots.style(index), label=f"{segments} segments")
        plots.shape(axes, title)
    plots.legend_below(figure, left)
    return Plot("hair", f"A {strand.name}, at rest.", figure)


CASE = Case("rods", "Strands bend the same at any resolution", SHOWS, run, order=4)
