# SPDX-License-Identifier: GPL-3.0-or-later
"""Swings and spins without air: how fast they die, and how that depends on substeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from bench.scenes import sheet

from ..motion import FIRST_ZERO, first_swing, swing_of
from ..report import Case, Result, Table, at_most
from ..sameness_sheet import default_solver

GRAVITY = 9.81  # m/s²
LENGTH = 1.0  # m
REACH = 0.1  # of the length: how far the free end swings
SWINGS = 4
PERIOD = 4.0 * np.pi / FIRST_ZERO * np.sqrt(LENGTH / GRAVITY)
RATES = (24, 60)  # frames per second
FIXED = (20, 100, 400)
SIDES, SEGMENTS = (16, 32), (10, 50, 200)
SPIN, SECONDS = 6.0, 5.0  # rad/s, s
PERIOD_BOUND, LOSS_BOUND, SPIN_BOUND = 0.5, 1.0, 1.0  # %
FINE = 400

Points = NDArray[np.float64]

SHOWS = (
    f"A sheet of cotton and a hemp rope of {LENGTH:g} m hang by one end and swing in their first "
    f"mode, by {100 * REACH:g}% of their length, without drag; a free sheet spins at {SPIN:g} "
    f"rad/s for {SECONDS:g} s without gravity. Single precision, as in the add-on. References: the "
    f"hanging chain's period, 4π / {FIRST_ZERO:.4g} √(L / g) = {PERIOD:.4g} s; its energy; its "
    "angular momentum. Particles move by Houbolt's method (`core.solvers.common.second_order`). "
    "Implicit Euler, which XPBD is as published, damps a swing of frequency ω by ½ ω² h and a spin "
    "by ω² h: it is the row without second order. Of the methods of second order that damp what is "
    "stiff as implicit Euler does, BDF2 looks back at two positions and velocities, and lets what "
    "has touched bounce; Houbolt's needs an acceleration beside position and velocity, from which "
    "contact can be left out. Bending that is solved before the sweeps stays implicit Euler's."
)


def run() -> Result:
    """Swings of sheets and ropes, and spins, in all settings."""
    table = Table(
        "Swings",
        ("what", "vertices across", "frames per second", "substeps", "period off (%)",
         "energy lost in a swing (%)"),
    )  # fmt: skip
    for name, sizes in (("sheet", SIDES), ("rope", SEGMENTS)):
        for size in sizes:
            for rate in RATES:
                for substeps in (None, *FIXED):
                    table.rows.append(_row(name, size, rate, substeps))
    euler = _row("sheet", SIDES[-1], RATES[0], None, second_order=False)
    table.rows.append((f"{euler[0]}, implicit Euler", *euler[1:]))
    rows = [row for row in table.rows[:-1] if row[3] != FINE]
    fine = [row for row in table.rows[:-1] if row[3] == FINE]
    spins = Table("Spins", ("cells", "second order", "angular momentum left (%)"))
    for faces in ("quads", "irregular"):
        for second_order in (True, False):
            spins.rows.append((faces, str(second_order), _spin_left(faces, second_order)))
    kept = [abs(row[2] - 100.0) for row in spins.rows if row[1] == "True"]
    checks = [
        at_most(
            "period off the hanging chain's, but in 400 substeps",
            max(abs(row[4]) for row in rows), PERIOD_BOUND, "%",
            "a tenth of a second in twelve swings",
        ),
        at_most(
            "energy lost or won in a swing, but in 400 substeps",
            max(abs(row[5]) for row in rows), LOSS_BOUND, "%",
            "air takes 57% of it at the add-on's drag",
        ),
        at_most(
            "energy lost or won in a swing in 400 substeps a frame, which single precision spoils",
            max(abs(row[5]) for row in fine), 3.0 * LOSS_BOUND, "%",
            "positions are rounded to 0.06 µm; gravity makes 0.02 to 0.1 µm in such a substep. By "
            "the processor 1.5 or 2.2%: vectors of 16 or 8 numbers are summed in another order",
        ),
        at_most(
            "angular momentum lost or won", max(kept), SPIN_BOUND, "%", "nothing acts from outside"
        ),
    ]  # fmt: skip
    return Result(tables=[table, spins], checks=checks)


def _row(name: str, size: int, rate: int, substeps: int | None, **options: Any) -> tuple[Any, ...]:
    """One swing, with Automatic Quality or in so many substeps."""
    if substeps is not None:
        options |= {"substeps": substeps, "iterations": 1, "largest_stretch": 0.0}
    model = _hanging(name, size)
    simulation = core.Simulation(model, default_solver(**options))
    end = np.flatnonzero(model.positions[:, 2] < model.positions[:, 2].min() + 1e-6)
    ways, counts = [model.positions[end, 0].mean()], []
    for _ in range(round(SWINGS * PERIOD * rate) + 1):
        simulation.advance(1.0 / rate)
        ways.append(float(simulation.positions[end, 0].mean()))
        counts.append(simulation.report().substeps)
    period, kept = swing_of(np.array(ways), 1.0 / rate)
    used = f"automatic, {np.mean(counts):.0f}" if substeps is None else substeps
    return name, size, rate, used, 100.0 * (period / PERIOD - 1.0), 100.0 * (1.0 - kept**2)


def _hanging(name: str, size: int) -> core.Model:
    """A sheet, or a rope of so many segments, in its first mode."""
    model = core.Model()
    if name == "rope":
        along = np.linspace(0.0, LENGTH, size + 1)
        edges = np.stack([np.arange(size), np.arange(1, size + 1)], axis=1)
        model.add_strands(_swung(along, 0.0 * along), edges, pins=[0], drag=0.0)
        return model
    points, faces = sheet(size, "quads")
    down = LENGTH * (1.0 - points[:, 0]) / 2.0
    top = np.flatnonzero(down < 1e-9)
    model.add_cloth(_swung(down, LENGTH * points[:, 1] / 2.0), faces, pins=top, drag=0.0)
    return model


def _swung(down: Points, across: Points) -> Points:
    """Where what hangs is as its first swing begins [m]."""
    way, height = first_swing(down / LENGTH, REACH)
    return LENGTH * np.stack([way, across / LENGTH, height], axis=1)


def _spin_left(faces: Any, second_order: bool) -> float:
    """The part of its angular momentum [%] that a free sheet of 1 m has after some seconds."""
    points, polygons = sheet(SIDES[-1], faces)
    model = core.Model()
    model.add_cloth(0.5 * points, polygons, drag=0.0)
    solver = default_solver(second_order=second_order)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.velocities[:] = np.cross((0.0, 0.0, SPIN), 0.5 * points)
    start = _spin(simulation)
    for _ in range(round(SECONDS * RATES[0])):
        simulation.advance(1.0 / RATES[0])
    return 100.0 * _spin(simulation) / start


def _spin(simulation: core.Simulation) -> float:
    """The angular momentum about z, through the mass centre."""
    masses = simulation.model.masses
    x, v = np.float64(simulation.positions), np.float64(simulation.velocities)
    x, v = x - np.average(x, axis=0, weights=masses), v - np.average(v, axis=0, weights=masses)
    return float((masses * np.cross(x, v)[:, 2]).sum())


CASE = Case("motion", "Motion is the same with any substeps", SHOWS, run, order=5)
