# SPDX-License-Identifier: GPL-3.0-or-later
"""Air and wind: how fast a plate falls, and how a flag flutters at any resolution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import core

from .. import plots
from ..report import Case, Plot, Result, Table, at_most, number

GRAVITY = 9.81  # m/s²
PLATE_DENSITY = 0.3  # kg/m²
CELLS, SUBSTEPS = (2, 8, 24), (5, 20, 80)
FALL = 3.0  # s
FRAME = 1 / 24  # s

FLAG_DENSITY, FLEXURAL = 0.15, 2e-3  # kg/m², N m
STRETCH, SHEAR = 5e-4, 5e-3  # m/N
WIND, ANGLE = 6.0, 10.0  # m/s, degrees
VERTICES = (32, 64, 128)
BEGIN, END = 3.0, 12.0  # s
RIPPLE = 0.02  # m

AIR = core.Air()
PRESSURE = 0.5 * AIR.density * AIR.normal * WIND**2  # Pa

SHOWS = (
    f"A level plate of {PLATE_DENSITY:g} kg/m² falls through air of ρ = {AIR.density:g} kg/m³ with "
    f"c = {AIR.normal:g}: its terminal speed is that at which ½ ρ c v² A = m g. And a flag of "
    f"1 m × 1 m, {FLAG_DENSITY:g} kg/m² and as stiff as canvas ({FLEXURAL:g} N m), held along one "
    f"side, in a wind of {WIND:g} m/s that comes at {ANGLE:g}°, by Automatic Quality, at "
    f"{', '.join(f'{n}²' for n in VERTICES)} vertices."
)


def run() -> Result:
    """Let plates fall and flags flutter."""
    exact = math.sqrt(2.0 * PLATE_DENSITY * GRAVITY / (AIR.density * AIR.normal))
    speeds = [[_terminal_speed(cells, n) for n in SUBSTEPS] for cells in CELLS]
    errors = np.abs(np.array(speeds) / exact - 1.0)
    paths = [_flutter(n) for n in VERTICES]
    figures = np.array([_figures(path) for path in paths])
    spread = np.ptp(figures, axis=0) / figures.mean(axis=0)
    falling = Table(
        f"Terminal speed (m/s) after {FALL:g} s; exact: {number(exact, 4)}",
        ("cells", *(f"{n} substeps" for n in SUBSTEPS)),
        [(f"{n} × {n}", *row) for n, row in zip(CELLS, speeds, strict=True)],
    )
    fluttering = Table(
        f"How the free side moves across the flag, from {BEGIN:g} to {END:g} s",
        ("vertices", "amplitude, rms (m)", "frequency (1/s)"),
        [(f"{n}²", *row) for n, row in zip(VERTICES, figures.tolist(), strict=True)],
    )
    checks = [
        at_most("error of the terminal speed", 100.0 * errors.max(), 1.0, "%", "the law is exact"),
        *(
            at_most(
                f"{what} of the flutter, from {VERTICES[0]}² to {VERTICES[-1]}²",
                100.0 * value,
                10.0,
                "% apart",
                "flutter is chaos; that is its statistics in so short a time",
            )
            for what, value in zip(("amplitude", "frequency"), spread, strict=True)
        ),
    ]
    return Result(tables=[falling, fluttering], checks=checks, plots=[_plot(paths)])


def _grid(count: int, upright: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A square metre of count × count vertices, column by column."""
    along, up = np.meshgrid(*[np.linspace(0.0, 1.0, count)] * 2, indexing="ij")
    flat = np.zeros_like(along)
    axes = (along, flat, up) if upright else (along, up, flat)
    numbers = np.arange(count * count).reshape(count, count)
    corners = (numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:])
    return np.stack(axes, axis=-1).reshape(-1, 3), np.stack(corners, axis=-1).reshape(-1, 4)


def _terminal_speed(cells: int, substeps: int) -> float:
    model = core.Model()
    positions, faces = _grid(cells + 1, upright=False)
    model.add_cloth(positions, faces, density=PLATE_DENSITY, self_collision=False)
    solver = core.XPBD(substeps=substeps)
    simulation = core.Simulation(model, solver, surroundings=core.Surroundings(air=AIR))
    for _ in range(round(FALL / FRAME)):
        simulation.advance(FRAME)
    return float(-simulation.velocities[:, 2].mean())


def _flutter(count: int) -> NDArray[np.float64]:
    """How far vertices of the free side are to the left over time [m], shape (frames, count)."""
    model = core.Model()
    positions, faces = _grid(count, upright=True)
    positions[:, 1] = RIPPLE * np.sin(2.0 * np.pi * positions[:, 0])
    model.add_cloth(
        positions,
        faces,
        density=FLAG_DENSITY,
        stretch_compliance=STRETCH,
        shear_compliance=SHEAR,
        bend_compliance=1.0 / FLEXURAL,
        pins=np.arange(count),
        self_collision=False,
    )
    angle = math.radians(ANGLE)
    wind = core.Field(kind="WIND", axis=(math.cos(angle), math.sin(angle), 0.0), strength=PRESSURE)
    simulation = core.Simulation(
        model,
        core.XPBD(substeps=400, iterations=10, largest_stretch=0.03, implicit_bending=True),
        surroundings=core.Surroundings(air=AIR, fields=[wind], pascals=1.0),
    )
    path = []
    for _ in range(round(END / FRAME)):
        simulation.advance(FRAME)
        path.append(simulation.positions[-count:, 1].astype(np.float64))
    return np.array(path)


def _figures(path: NDArray[np.float64]) -> tuple[float, float]:
    """Amplitude and frequency: how often vertices pass the middle of their ways."""
    late = path[round(BEGIN / FRAME) :]
    away = late - late.mean(axis=0)
    passes = np.count_nonzero(np.diff(np.sign(away), axis=0), axis=0)
    return float(away.std()), float(passes.mean() / (2.0 * len(away) * FRAME))


def _plot(paths: list[NDArray[np.float64]]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.8)
    shown = slice(round(BEGIN / FRAME), round((BEGIN + 3.0) / FRAME))
    times = FRAME * np.arange(len(paths[0]))[shown]
    for index, (count, path) in enumerate(zip(VERTICES, paths, strict=True)):
        middle = path[shown, count // 2]
        axes.plot(times, middle, **plots.style(index), label=f"{count}²")
    plots.label(axes, "Middle of the flag's free side", "time (s)", "across the flag (m)")
    plots.legend_below(figure, axes, 3)
    return Plot("flag", "Not the same path, as flutter is chaos, but the same motion.", figure)


CASE = Case("air", "Air and wind", SHOWS, run, order=64)
