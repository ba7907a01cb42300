# SPDX-License-Identifier: GPL-3.0-or-later
"""Figure 1 and section 6.5 of the XPBD paper: inflatable balloons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core

from .. import plots
from ..balloons import Balloon
from ..report import Case, Plot, Result, Table, at_least, at_most, number

Array = NDArray[np.float64]

BALLOON = Balloon()
COMPLIANCES = (0.0, 0.003, 0.03, 0.3)  # m³/Pa
ITERATIONS = (20, 40, 80, 160)
TIME_STEP, FRAMES = 1 / 60, 400  # s
DRAG = 4.0  # 1/s, so that it comes to rest
LIGHT, SUBSTEPS = 0.01, (1, 4, 8, 16)  # kg a vertex
CURVE = np.geomspace(3e-4, 1.0, 15).tolist()  # m³/Pa

AGREEMENT = 0.1  # %, of volume and pressure, and over iterations

SHOWS = (
    f"A sphere of {BALLOON.radius:g} m with {len(BALLOON.surface[0])} vertices of "
    f"{BALLOON.mass:g} kg, "
    f"{len(BALLOON.edges)} distance constraints of α = {BALLOON.stretch:g} m/N and as many bending "
    f"constraints of {BALLOON.bend:g} 1/(N·m), is inflated to k = {BALLOON.inflation:g} times its "
    "volume by one volume constraint over all triangles (section 6.5, figure 1), whose compliance "
    f"α_V is {', '.join(f'{value:g}' for value in COMPLIANCES)} m³/Pa. Its λ/Δt² is the pressure. "
    "Reference: the static equilibrium, by Newton's method on the energy. The simulation comes to "
    f"rest in {FRAMES} frames of {number(TIME_STEP)} s under air drag of {DRAG:g} 1/s."
)


@dataclass(frozen=True)
class Rest:
    """A balloon at rest: positions [m], pressure [Pa]."""

    balloon: Balloon
    positions: Array
    pressure: float

    @property
    def volume(self) -> float:
        """[m³]."""
        return self.balloon.volume(self.positions)

    @property
    def volume_error(self) -> float:
        """Volume over the one aimed at, less one [%]."""
        return 100.0 * (self.volume / self.balloon.volume_aimed_at - 1.0)

    @property
    def strain(self) -> float:
        """Mean stretch of the edges [%]."""
        return 100.0 * self.balloon.strain(self.positions)


def run() -> Result:
    """Compare volume, pressure and stretch with the equilibrium, over α_V and iterations."""
    balloons = [BALLOON.with_compliance(value) for value in COMPLIANCES]
    references = [_reference(balloon) for balloon in balloons]
    found = [[_simulated(balloon, n) for n in ITERATIONS] for balloon in balloons]
    result = Result()
    result.tables = [_table(references, found)]
    few = [states[0] for states in found]
    reason = _reason(references[0])
    result.checks = [
        at_most(
            f"distance from the equilibrium at {ITERATIONS[0]} iterations, largest of all α_V: "
            "volume",
            _distance(few, references, "volume"),
            AGREEMENT,
            "%",
            reason,
        ),
        at_most("the same: pressure", _distance(few, references, "pressure"), AGREEMENT, "%",
                reason),
        at_most(
            f"surface: mean stretch of the edges changes from {ITERATIONS[0]} to {ITERATIONS[-1]} "
            "iterations by, largest of all α_V",
            max(_change(states) for states in found),
            AGREEMENT,
            "%",
            "the paper, section 6.5: more iterations leave the surface's stiffness as it is; as "
            "close as to the equilibrium",
        ),
    ]  # fmt: skip
    _light(result)
    result.plots = [_picture(few), _curves(few)]
    return result


def _reason(rest: Rest) -> str:
    """How far the pressure moves a vertex within a step, which g ≈ 0 neglects."""
    radius = (3.0 * rest.volume / (4.0 * np.pi)) ** (1.0 / 3.0)
    force = rest.pressure * 4.0 * np.pi * radius**2 / len(rest.positions)
    way = 100.0 * TIME_STEP**2 * force / rest.balloon.mass / radius
    return (
        "g ≈ 0 (the paper, section 4) neglects that the pressure moves a vertex within a step by "
        f"Δt² f / m, at most {number(way, 2)}% of the radius"
    )


def _reference(balloon: Balloon) -> Rest:
    return Rest(balloon, *balloon.equilibrium())


def _simulated(balloon: Balloon, iterations: int, substeps: int = 1) -> Rest:
    positions, triangles = balloon.surface
    model = core.Model(np.float64)
    model.add_particles(positions, balloon.mass, drag=DRAG)
    model.add_constraints("distance", balloon.edges, compliance=balloon.stretch)
    model.add_constraints("bending", balloon.hinges, compliance=balloon.bend)
    inside: Any = model.add_constraints(
        "volume",
        triangles,
        rest=balloon.volume_aimed_at,
        compliance=balloon.volume_compliance,
    )
    solver = core.XPBD(substeps=substeps, iterations=iterations, threads=1)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    for _ in range(FRAMES):
        simulation.advance(TIME_STEP)
    (pressure,) = simulation.forces(inside)
    return Rest(balloon, np.array(simulation.positions), float(pressure))


def _light(result: Result) -> None:
    """What equation 15's assumption g ≈ 0 does where a step moves a vertex far."""
    balloon = replace(BALLOON, mass=LIGHT, volume_compliance=COMPLIANCES[0])
    reference = _reference(balloon)
    table = Table(
        f"Pressure in a balloon of {LIGHT:g} kg a vertex, α_V = {COMPLIANCES[0]:g}, "
        f"{ITERATIONS[0]} iterations a substep",
        ("substeps", "XPBD (Pa)", "equilibrium (Pa)", "error (%)"),
    )
    for substeps in SUBSTEPS:
        pressure = _simulated(balloon, ITERATIONS[0], substeps).pressure
        error = 100.0 * (pressure / reference.pressure - 1.0)
        table.rows.append((substeps, pressure, reference.pressure, error))
    result.tables.append(table)
    order = np.log(table.rows[-2][-1] / table.rows[-1][-1]) / np.log(SUBSTEPS[-1] / SUBSTEPS[-2])
    result.checks.append(
        at_least("light balloon: order in Δt by which the error of the pressure falls", order, 1.8,
                 "", "the paper, section 4: g ≈ 0 leaves O(Δt²), but for terms of higher order")
    )  # fmt: skip
    result.findings.append(
        "At rest the forces of a step still push each vertex back and forth within its "
        "iterations, by Δt² f / m. The assumption g ≈ 0 (equation 15) takes the gradients of "
        "those places for those of the end, and more iterations do not mend it. With "
        f"{LIGHT:g} kg a vertex instead of {BALLOON.mass:g} kg the pressure is "
        f"{number(table.rows[0][-1])}% off in one step a frame, and "
        f"{number(table.rows[-1][-1])}% in {SUBSTEPS[-1]} substeps."
    )


def _distance(found: list[Rest], references: list[Rest], what: str) -> float:
    """The largest relative distance [%]."""
    pairs = [(getattr(a, what), getattr(b, what)) for a, b in zip(found, references)]
    return max(100.0 * abs(a / b - 1.0) for a, b in pairs)


def _change(states: list[Rest]) -> float:
    """By how much the stretch changes over the iterations [%]."""
    strains = [state.strain for state in states]
    return float(100.0 * np.ptp(strains) / strains[-1])


def _table(references: list[Rest], found: list[list[Rest]]) -> Table:
    table = Table(
        "At rest",
        ("α_V (m³/Pa)", "", "volume error (%)", "pressure (Pa)", "mean stretch of the edges (%)"),
    )
    for reference, states in zip(references, found):
        alpha = f"{reference.balloon.volume_compliance:g}"
        names = ["equilibrium", *(f"XPBD, {n} iterations" for n in ITERATIONS)]
        for name, state in zip(names, [reference, *states]):
            error = round(state.volume_error, 6) + 0.0  # no negative zero
            table.rows.append((alpha, name, error, state.pressure, state.strain))
    return table


# --- pictures -------------------------------------------------------------------------------------


def _picture(states: list[Rest]) -> Plot:
    """Like figure 1: the same balloon with softer and softer volume."""
    figure, (row,) = plots.canvas(1, len(states), height=2.5, subplot_kw={"projection": "3d"})
    size = 1.05 * max(np.abs(state.positions).max() for state in states)
    for axes, state in zip(row, states):
        plots.shaded(axes, state.positions, state.balloon.surface[1])
        axes.set(xlim=(-size, size), ylim=(-size, size), zlim=(-size, size))
        axes.set_box_aspect((1, 1, 1), zoom=1.6)
        axes.set_axis_off()
        axes.set_title(
            f"$α_V$ = {state.balloon.volume_compliance:g} m³/Pa\nvolume {state.volume:.2f} m³",
            fontsize=9,
        )
    caption = f"At rest, {ITERATIONS[0]} iterations; all to the same scale."
    return Plot("shapes", caption, figure)


def _curves(states: list[Rest]) -> Plot:
    references = [_reference(BALLOON.with_compliance(value)) for value in CURVE]
    figure, ((errors, pressures),) = plots.canvas(1, 2, height=3.4)
    for axes, what, unit in (
        (errors, "volume_error", "volume error (%)"),
        (pressures, "pressure", "pressure (Pa)"),
    ):
        known = [getattr(reference, what) for reference in references]
        axes.semilogx(CURVE, known, **plots.REFERENCE, label="equilibrium")
        shown = [state for state in states if state.balloon.volume_compliance > 0.0]
        axes.semilogx(
            [state.balloon.volume_compliance for state in shown],
            [getattr(state, what) for state in shown],
            **plots.marked(0) | {"linestyle": "none"},
            label=f"XPBD, {ITERATIONS[0]} iterations",
        )
        plots.label(axes, "", "volume compliance $α_V$ (m³/Pa)", unit)
    plots.legend_below(figure, errors)
    return Plot("equilibrium", "Volume error and pressure over the volume compliance.", figure)


CASE = Case("balloon", "Balloon", SHOWS, run, order=60)
