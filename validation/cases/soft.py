# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies against solid finite elements: sag, swings, squeezing, coming back from extremes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from core.bodies.soft_body import SoftBody
from core.mesh.lattice import body_centred_box

from .. import plots
from ..report import Case, Plot, Result, Table, at_most, number
from ..sameness_sheet import default_solver

Array = NDArray[np.float64]

SIZE, YOUNG, DENSITY, GRAVITY = (1.0, 0.2, 0.2), 3e6, 1000.0, 0.981  # m, Pa, kg/m³, m/s²
FRAME, FRAMES, DRAG = 1 / 24, 40, 8.0
SAGS = {0.0: 38.692, 0.3: 38.395, 0.45: 37.66, 0.49: 37.36}
CELLS = {0.0: (3, 4, 6), 0.3: (3, 4, 6), 0.45: (3, 4, 6), 0.49: (4, 5, 6)}
SAG_BAR = 3.0  # %

SOFT, SWING_RATIO, SWING_CELLS = 1e4, 0.45, 4
SECONDS = 5.0
SWINGS = {"bending": 1.141, "torsion": 1.695, "stretching": 3.121}
SWING_BAR = 3.0  # %

SQUEEZED = (0.45, 0.49)
VOLUME_BAR, SHAPE_BAR = 1.0, 1.0  # %

SHOWS = (
    f"A beam of {SIZE[0]:g} × {SIZE[1]:g} × {SIZE[2]:g} m, clamped at one end, sags in small "
    f"strains (E = {YOUNG:g} Pa, {DENSITY:g} kg/m³, {GRAVITY:g} m/s², double precision) at default "
    "settings, in the body-centred lattice of tetrahedra. Reference: hexahedra of 27 nodes, graded "
    "towards clamp and surface, on three grids. Beam theory is no reference: the clamp stops the "
    "sideways strain, which makes 1.6 to 5%. Free bars swing against the same elements. What is "
    "squeezed by half between plates on which it slides has a closed form; what is deformed out "
    "of all proportion and let go must come back (Macklin and Müller 2021; Smith et al. 2018)."
)


@dataclass(frozen=True)
class Sag:
    """How a beam ends up.

    Attributes:
        error: against solid finite elements [%].
        substeps: of a frame.
    """

    tetrahedra: int
    error: float
    substeps: int


def solid(cells: tuple[int, int, int], size: tuple[float, float, float], dtype: type,
          **options: Any) -> tuple[core.Model, SoftBody, Array]:  # fmt: skip
    """A model of one box, and its vertices at rest."""
    x, tetrahedra = body_centred_box(cells, size)
    model = core.Model(dtype)
    body = model.add_soft_body(
        x, tetrahedra=tetrahedra, density=DENSITY, thickness=0.0, self_collision=False, **options
    )
    return model, body, x


def beam(cells: int, ratio: float) -> Sag:
    """Let a beam come to rest at default settings."""
    across = (5 * cells, cells, cells)
    x, _ = body_centred_box(across, SIZE)
    clamp = np.flatnonzero(x[:, 0] == 0.0)
    model, body, x = solid(
        across, SIZE, np.float64, young_modulus=YOUNG, poisson_ratio=ratio, drag=DRAG, pins=clamp
    )
    simulation = core.Simulation(model, default_solver(), gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(FRAMES):
        simulation.advance(FRAME)
    tip = np.flatnonzero(x[:, 0] == SIZE[0])
    masses = model.masses[tip]
    sag = float(masses @ (x[tip, 2] - simulation.positions[tip, 2]) / masses.sum())
    found = sag * YOUNG / (DENSITY * GRAVITY)
    error = 100.0 * (found / SAGS[ratio] - 1.0)
    return Sag(len(body.tetrahedra), error, simulation.report().substeps)


def _shape(kind: str, x: Array) -> Array:
    """Velocities [m/s] that set off one swing of a free bar."""
    along, y, z = x[:, 0] - 0.5 * SIZE[0], x[:, 1] - 0.5 * SIZE[1], x[:, 2] - 0.5 * SIZE[2]
    wave, flat = np.sin(np.pi * along / SIZE[0]), np.zeros(len(x))
    if kind == "stretching":
        return np.stack([wave, flat, flat], axis=1)
    if kind == "torsion":
        return np.stack([flat, -wave * z, wave * y], axis=1) / SIZE[1]
    # Of a free beam: κ L = 4.730.
    k = 4.730 / SIZE[0]
    share = np.cos(0.5 * 4.730) / np.cosh(0.5 * 4.730)
    lift = np.cos(k * along) + share * np.cosh(k * along)
    slope = k * (-np.sin(k * along) + share * np.sinh(k * along))
    return np.stack([-z * slope, flat, lift], axis=1)


def swing(kind: str) -> float:
    """The frequency of a free bar, ω L √(ρ/E), from where it passes its rest shape."""
    across = (5 * SWING_CELLS, SWING_CELLS, SWING_CELLS)
    x, _ = body_centred_box(across, SIZE)
    shape = _shape(kind, x)
    model, _, x = solid(across, SIZE, np.float32, young_modulus=SOFT, poisson_ratio=SWING_RATIO,
                        velocities=0.03 * shape)  # fmt: skip
    simulation = core.Simulation(model, default_solver(), gravity=(0.0, 0.0, 0.0))
    weights = model.masses[:, None] * shape
    ways = []
    for _ in range(round(SECONDS / FRAME)):
        simulation.advance(FRAME)
        ways.append(float((weights * (simulation.positions - x)).sum()))
    way = np.array(ways)
    before = np.flatnonzero(way[:-1] * way[1:] < 0.0)
    passes = before + way[before] / (way[before] - way[before + 1])
    rate = np.pi * (len(passes) - 1) / ((passes[-1] - passes[0]) * FRAME)
    return float(rate * SIZE[0] * np.sqrt(DENSITY / SOFT))


@cache
def width_of_least_energy(ratio: float) -> float:
    """The stretch a to the sides at which diag(a, a, ½) costs least."""
    lame = 2.0 * ratio / (1.0 - 2.0 * ratio)  # for μ = 1
    a = np.linspace(1.0, 1.5, 50_001)
    squares, J = 2.0 * a**2 + 0.25, 0.5 * a**2
    with_shape = min(lame, 1.5)
    volume = with_shape + 14.0 / 15.0
    energy = 8.0 / 15.0 * squares**2 / (squares + 1.0) + 0.5 * volume * (J - 1 - 1 / volume) ** 2
    return float(a[np.argmin(energy + 0.5 * (lame - with_shape) * (J - 1.0) ** 2)])


def squeezed(ratio: float) -> tuple[float, float]:
    """Volume that is left of a cube of half its height, and what the energy says."""
    wide, edge = width_of_least_energy(ratio), 0.2
    x, _ = body_centred_box((4, 4, 4), (edge,) * 3)
    held = np.flatnonzero(np.isin(x[:, 2], (0.0, edge)))
    model, body, x = solid((4, 4, 4), (edge,) * 3, np.float32, young_modulus=3e4,
                           poisson_ratio=ratio, drag=DRAG, pins=held)  # fmt: skip
    simulation = core.Simulation(model, default_solver(), gravity=(0.0, 0.0, 0.0))
    for frame in range(60):
        part = min(1.0, (frame + 1) / 24)
        simulation.set_targets(held, x[held] * (1.0 + part * (np.array([wide, wide, 0.5]) - 1.0)))
        simulation.advance(FRAME)
    corners = simulation.positions[body.tetrahedra].astype(np.float64)
    volume = np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6.0
    return float(volume) / edge**3, 0.5 * wide**2


BAR = (0.4, 0.1, 0.1)  # m


def _twisted(x: Array) -> Array:
    turn, y, z = 2.0 * np.pi * x[:, 0] / BAR[0], x[:, 1] - 0.5 * BAR[1], x[:, 2] - 0.5 * BAR[2]
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([x[:, 0], c * y - s * z, s * y + c * z], axis=1)


EXTREMES: dict[str, Callable[[Array], Array]] = {
    "twisted by 360°": _twisted,
    "flattened": lambda x: x * (1.0, 1.0, 0.0),
    "three times as long": lambda x: x * (3.0, 1.0, 1.0),
    "half a cell of noise": lambda x: x + np.random.default_rng(1).uniform(-0.025, 0.025, x.shape),
}
EXTREME_RATIOS = (0.0, 0.3, 0.45)


def left_of(extreme: str, ratio: float) -> float:
    """How far a vertex is from its shape at rest, after six seconds [% of the length]."""
    model, _, x = solid(
        (8, 2, 2), BAR, np.float32, young_modulus=5e4, poisson_ratio=ratio, drag=2.0
    )
    simulation = core.Simulation(model, default_solver(), gravity=(0.0, 0.0, 0.0))
    simulation.positions[:] = EXTREMES[extreme](x)
    for _ in range(144):
        simulation.advance(FRAME)
    a, b = x - x.mean(axis=0), simulation.positions - simulation.positions.mean(axis=0)
    U, _, V = np.linalg.svd(b.T @ a)
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V
    return 100.0 * float(np.linalg.norm(b - a @ R.T, axis=1).max()) / BAR[0]


def run() -> Result:
    """Sag, swing, squeeze and mistreat."""
    sags = {ratio: [beam(cells, ratio) for cells in CELLS[ratio]] for ratio in SAGS}
    swings = {kind: swing(kind) for kind in SWINGS}
    volumes = {ratio: squeezed(ratio) for ratio in SQUEEZED}
    left = {each: [left_of(each, ratio) for ratio in EXTREME_RATIOS] for each in EXTREMES}
    result = Result(
        tables=[_sags(sags), _swings(swings), _volumes(volumes), _left(left)], plots=[_plot(sags)]
    )
    for ratio, found in sags.items():
        cells = " and ".join(map(str, CELLS[ratio]))
        result.checks.append(
            at_most(f"ν = {ratio:g}, {cells} cells across: the sag is wrong by",
                    max(abs(each.error) for each in found), SAG_BAR, "%",
                    "substeps are chosen for it, cells are as few as allow it")
        )  # fmt: skip
    for kind, reference in SWINGS.items():
        result.checks.append(
            at_most(f"{kind} of a free bar: the frequency is wrong by",
                    100.0 * abs(swings[kind] / reference - 1.0), SWING_BAR, "%", "as the sag")
        )  # fmt: skip
    for ratio, (found_volume, exact) in volumes.items():
        result.checks.append(
            at_most(f"ν = {ratio:g}, squeezed by half: the volume is wrong by",
                    100.0 * abs(found_volume / exact - 1.0), VOLUME_BAR, "%",
                    "what nobody can see of a cushion")
        )  # fmt: skip
    for extreme, errors in left.items():
        result.checks.append(
            at_most(f"{extreme}, every ν: farthest from the shape at rest in the end",
                    max(errors), SHAPE_BAR, "% of the length", "it must come back")
        )  # fmt: skip
    most = max(abs(each.error) for found in sags.values() for each in found)
    result.findings = [
        f"The largest error of all sags is {number(most)}%, of elements and substeps together; one "
        "partly cancels the other, as few cells are too stiff and few substeps too soft."
    ]
    return result


def _sags(sags: dict[float, list[Sag]]) -> Table:
    table = Table(
        "Sag of the beam's tip against solid finite elements",
        ("ν", "cells across", "tetrahedra", "error (%)", "substeps a frame"),
    )
    for ratio, found in sags.items():
        for cells, each in zip(CELLS[ratio], found, strict=True):
            table.rows.append((ratio, cells, each.tetrahedra, each.error, each.substeps))
    return table


def _swings(swings: dict[str, float]) -> Table:
    rows: list[Any] = [(kind, found, SWINGS[kind], 100.0 * (found / SWINGS[kind] - 1.0))
            for kind, found in swings.items()]  # fmt: skip
    title = f"Swings of a free bar, ν = {SWING_RATIO:g}, {SWING_CELLS} cells across: ω L √(ρ/E)"
    return Table(title, ("swing", "found", "finite elements", "error (%)"), rows)


def _volumes(volumes: dict[float, tuple[float, float]]) -> Table:
    rows: list[Any] = [(ratio, found, exact) for ratio, (found, exact) in volumes.items()]
    return Table("Volume left of what is squeezed by half", ("ν", "found", "least energy"), rows)


def _left(left: dict[str, list[float]]) -> Table:
    columns = ("let go from", *(f"ν = {ratio:g}" for ratio in EXTREME_RATIOS))
    rows: list[Any] = [(extreme, *errors) for extreme, errors in left.items()]
    return Table("Farthest vertex from the rest shape after 6 s (% of the length)", columns, rows)


def _plot(sags: dict[float, list[Sag]]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.0)
    axes.axhline(0.0, **plots.REFERENCE)
    for index, (ratio, found) in enumerate(sags.items()):
        errors = [each.error for each in found]
        axes.plot(CELLS[ratio], errors, **plots.marked(index), label=f"ν = {ratio:g}")
    axes.set_ylim(-4.0, 4.0)
    plots.label(axes, "", "cells across", "error of the sag (%)")
    plots.legend_below(figure, axes)
    return Plot("sags", "Error of the sag over cells across the beam.", figure)


CASE = Case("soft", "Soft bodies", SHOWS, run, order=4)
