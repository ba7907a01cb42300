# SPDX-License-Identifier: GPL-3.0-or-later
"""A soft bar as a cantilever, at three resolutions and several settings."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from core.bodies.corotational import add_corotational
from core.mesh.tetrahedra import TetrahedralBody, box_of_tetrahedra
from core.solvers.corotational.local_global import LocalGlobal

from .. import plots
from ..reasons import seen
from ..report import Case, Plot, Result, Table, at_least, at_most, number
from ..sameness_sheet import ITERATIONS, LARGEST_STRETCH, SUBSTEPS, default_solver

Array = NDArray[np.float64]

LENGTH, HEIGHT = 1.0, 0.4  # m
YOUNG, DENSITY = 4e5, 1000.0  # Pa, kg/m³
CELLS = (2, 4, 8)  # over the height
GRAVITY = 9.81  # m/s²
RATE, FRAMES, KEPT = 24, 48, 0.6  # 1/s; part of the velocity that is left after a frame
LIMITS = (5, 10, 20, 50)
FIXED = (10, 20, 50, 100, 200)
FEW = ((5, 64), (10, 32))
GLOBAL_STEPS = 600
PROJECTIVE: dict[str, Any] = {"substeps": 40, "iterations": 4, "chebyshev": True}  # the add-on's

NEAR = 2.0  # % of the length
NEAR_SEEN = seen(NEAR, LENGTH, "a bar")
DISEASE = 5.0
"""How many times more than what is seen the distance has to be to be called diseased."""

SHOWS = (
    f"A bar of {LENGTH:g} × {HEIGHT:g} × {HEIGHT:g} m with E = {YOUNG:g} Pa, ν = 0 and "
    f"{DENSITY:g} kg/m³ (a soft rubber), held at one end, of co-rotational linear tetrahedra, "
    f"{', '.join(map(str, CELLS))} cells of five over its height. Its tip sinks under its weight; "
    f"{FRAMES} frames, after each of which the velocity is taken down to {KEPT:g} of itself, let "
    "it come to rest. Reference: the minimum of the same mesh's energy by "
    f"{GLOBAL_STEPS} local and global steps (Sorkine and Alexa 2007; Chao et al. 2010)."
)


@dataclass(frozen=True)
class Bar:
    """The bar with so many cells over its height, from x = 0, where it is held."""

    cells: int

    @property
    def mesh(self) -> tuple[Array, NDArray[np.int64]]:
        """Vertices and tetrahedra."""
        along = round(self.cells * LENGTH / HEIGHT)
        return box_of_tetrahedra((along, self.cells, self.cells), (LENGTH, HEIGHT, HEIGHT))

    def sag(self, positions: Array) -> float:
        """How far the free end has sunk [m]."""
        rest, _ = self.mesh
        end = rest[:, 0] == LENGTH
        return float((rest[end, 2] - positions[end, 2]).mean())

    def solution(self) -> float:
        """The sag of least energy [m]."""
        body = TetrahedralBody.of(*self.mesh)
        forces = np.zeros_like(body.positions)
        forces[:, 2] = -GRAVITY * body.lumped_masses(DENSITY)
        # The energy μ V ‖F - R‖² that goes with 2 μ = E.
        solver = LocalGlobal(
            body,
            0.5 * YOUNG,
            handles=np.flatnonzero(body.positions[:, 0] == 0.0),
            forces=forces,
            dtype=np.float64,
        )
        solver.iterate(GLOBAL_STEPS)
        return self.sag(solver.positions)

    def simulated(self, solver: Any) -> tuple[float, float]:
        """The sag in the end [m], and processor time of a frame [ms]."""
        positions, tetrahedra = self.mesh
        model = core.Model()
        add_corotational(
            model,
            positions,
            tetrahedra,
            density=DENSITY,
            young_modulus=YOUNG,
            poisson_ratio=0.0,
            pins=np.flatnonzero(positions[:, 0] == 0.0),
        )
        simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
        start = time.process_time()
        for _ in range(FRAMES):
            simulation.advance(1 / RATE)
            simulation.velocities[:] *= KEPT
        taken = time.process_time() - start
        return self.sag(simulation.positions), 1e3 * taken / FRAMES


Found = dict[str, list[tuple[float, float]]]
"""Sag [m] and time of a frame [ms] by method, for each resolution."""


def run() -> Result:
    """Bend it with every setting and compare with the solution of the same mesh."""
    bars = [Bar(cells) for cells in CELLS]
    solutions = [bar.solution() for bar in bars]
    default = f"XPBD, default ({SUBSTEPS} × {ITERATIONS})"
    projective = f"projective dynamics, {PROJECTIVE['substeps']} × {PROJECTIVE['iterations']}"
    solvers: dict[str, Any] = {
        default: default_solver,
        **{
            f"XPBD, at most {n} × {ITERATIONS}": partial(default_solver, substeps=n) for n in LIMITS
        },
        **{
            f"XPBD, always {n} × {k}": partial(core.XPBD, substeps=n, iterations=k, threads=1)
            for n, k in [(n, 1) for n in FIXED] + list(FEW)
        },
        projective: partial(core.ProjectiveDynamics, **PROJECTIVE, threads=1),
    }
    found = {name: [bar.simulated(make()) for bar in bars] for name, make in solvers.items()}
    result = Result(tables=[_table(bars, solutions, found)], plots=[_plot(solutions, found)])
    _judge(result, solutions, found, default, projective)
    _tell(result, solutions, found)
    return result


def _errors(found: list[tuple[float, float]], solutions: list[float]) -> list[float]:
    """Distances from the solutions [% of the length]."""
    return [100.0 * abs(sag - exact) / LENGTH for (sag, _), exact in zip(found, solutions)]


def _judge(
    result: Result, solutions: list[float], found: Found, default: str, projective: str
) -> None:
    what, unit = "distance from the solution of the same mesh", "% of the length"
    limited = [_errors(found[f"XPBD, at most {n} × {ITERATIONS}"], solutions) for n in LIMITS]
    own, exact = np.ptp([sag for sag, _ in found[default]]), np.ptp(solutions)
    result.checks = [
        at_most(f"default settings, all resolutions: {what}",
                max(_errors(found[default], solutions)), NEAR, unit, NEAR_SEEN),
        at_most(f"projective dynamics, all resolutions: {what}",
                max(_errors(found[projective], solutions)), NEAR, unit, NEAR_SEEN),
        at_most(f"limits of {LIMITS[1]} to {LIMITS[-1]} substeps, all resolutions: {what}",
                float(np.max(limited[1:])), NEAR, unit, NEAR_SEEN),
        at_most(f"limit of {LIMITS[0]} substeps, {CELLS[0]} and {CELLS[1]} cells: {what}",
                max(limited[0][:2]), NEAR, unit, NEAR_SEEN),
        at_most("default settings: what the solver adds to the difference between resolutions",
                100.0 * abs(own - exact) / LENGTH, NEAR, unit, NEAR_SEEN),
        at_least(f"plain XPBD, {FIXED[0]} substeps, all resolutions: {what}",
                 max(_errors(found[f"XPBD, always {FIXED[0]} × 1"], solutions)), DISEASE * NEAR,
                 unit, f"{DISEASE:g} times what is seen: what the default settings have to cure"),
    ]  # fmt: skip


def _tell(result: Result, solutions: list[float], found: Found) -> None:
    five = found[f"XPBD, at most {LIMITS[0]} × {ITERATIONS}"][-1][0]
    few = found[f"XPBD, always {FEW[0][0]} × {FEW[0][1]}"][-1][0]
    result.findings = [
        f"Linear tetrahedra lock in bending: the solutions themselves sink by "
        f"{', '.join(number(sag) for sag in solutions)} m with "
        f"{', '.join(map(str, CELLS))} cells over the height, a difference of "
        f"{number(100.0 * np.ptp(solutions) / LENGTH)}% of the length that no solver can take "
        "away; finer elements, or ones of higher order, can.",
        f"With a limit of {LIMITS[0]} substeps the finest bar sinks by {number(five)} m, for "
        f"{ITERATIONS} iterations are too few. Many more do not quite mend it: "
        f"{FEW[0][1]} iterations in {FEW[0][0]} substeps end at {number(few)} m. "
        "In large steps the weight pushes each "
        "vertex far before constraints pull it back, and equation 15's g ≈ 0 takes the gradients "
        "of that way for those of its end.",
    ]


def _table(bars: list[Bar], solutions: list[float], found: Found) -> Table:
    sizes = [f"{bar.cells} cells, {len(bar.mesh[1]):,} tetrahedra" for bar in bars]
    columns = [""]
    for size in sizes:
        columns += [f"{size}: sag (m)", "error (% of the length)", "ms a frame"]
    row: list[Any] = ["solution"]
    for sag in solutions:
        row += [round(sag, 4), None, None]
    rows: list[Any] = [row]
    for name, states in found.items():
        row = [name]
        for (sag, taken), error in zip(states, _errors(states, solutions)):
            row += [round(sag, 4), error, taken]
        rows.append(row)
    return Table("Sag of the free end, one thread", columns, rows)


def _plot(solutions: list[float], found: Found) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.4)
    for index, (cells, exact) in enumerate(zip(CELLS, solutions)):
        look = plots.REFERENCE | {"color": plots.COLORS[index]}
        axes.axhline(exact, **look)
        sags = [found[f"XPBD, always {n} × 1"][index][0] for n in FIXED]
        axes.plot(FIXED, sags, **plots.marked(index), label=f"{cells} cells over the height")
        sags = [found[f"XPBD, at most {n} × {ITERATIONS}"][index][0] for n in LIMITS]
        axes.plot(
            LIMITS, sags, "*", markersize=9, color=plots.COLORS[index], markeredgecolor="black"
        )
    axes.set_xscale("log")
    axes.set_ylim(0.1, 0.4)
    plots.label(axes, "", "substeps", "sag of the free end (m)")
    plots.legend_below(figure, axes)
    caption = (
        "Sag of the free end over substeps of one iteration; wide lines are the solutions of the "
        f"same meshes, stars have so many substeps at most, {ITERATIONS} iterations at most, and "
        f"{100 * LARGEST_STRETCH:g}% of stretch allowed."
    )
    return Plot("sags", caption, figure)


CASE = Case("sameness_bar", "A soft bar at any resolution", SHOWS, run, order=4)
