# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that are carried by coarse cages touch everything that cloth touches."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from bench.contact_meshes import plane
from bench.default_settings import FRAME, described
from bench.jellies import Jelly

from .. import skins
from ..report import Case, Result, Table, at_most, number
from ..skins import (
    FLOOR,
    ON_FLOOR,
    THICKNESS,
    Scene,
    crossing,
    frames,
    friction_found,
    pressed_down,
)

Array = NDArray[np.float64]

FRICTIONS = (0.2, 0.5, 1.0)
FRAMES, COLLISION = 72, 18
JOLT, CREEP = 0.3, 0.1  # mm
FINE = (12, 42)

SCENES: dict[str, tuple[Scene, int]] = {
    "on a floor": (skins.resting, FRAMES),
    "24² vertices a side on a single cell": (skins.fine_on_coarse, FRAMES),
    "one on another": (skins.stacked, FRAMES),
    "driven into each other at 5 m/s": (skins.driven, COLLISION),
    "under a sheet that falls": (skins.under_cloth, 36),
    "on a sheet that is held": (skins.on_cloth, 36),
    "pushed through a ring": (skins.through_ring, 40),
}

SHOWS = (
    "Boxes of co-rotational jelly of 0.2 m (E of 30 kPa if not said otherwise, damping 5 ms), "
    "cages of 27 to 64 cells that stick out by 2% of the size, and skins of 12² to 16² vertices a "
    f"side inside of them, {1e3 * THICKNESS:g} mm thick, friction ½; 24 frames a second, "
    f"{described()}. Crossings are counted by exact predicates in every frame, those with "
    "colliders among them."
)


def run() -> Result:
    """Let jellies rest, slide, hit and be squeezed."""
    rows: list[Any] = []
    result = Result()
    rest: dict[str, tuple[float, float, float]] = {}
    for name, (scene, count) in SCENES.items():
        gravity = (0.0, 0.0, 0.0) if scene is skins.driven else (0.0, 0.0, -skins.GRAVITY)
        most, squeezed, seen = 0, 0, []
        for simulation in frames(scene, count, gravity=gravity):
            most = max(most, crossing(simulation))
            model = simulation.model
            squeezed = max(squeezed, *(len(simulation.squeezed(skin)) for skin in model.skins))
            shown = np.concatenate([skin.particles for skin in model.skins])
            seen.append(simulation.positions[shown].astype(np.float64))
        if count == FRAMES:
            rest[name] = _at_rest(np.array(seen))
        rows.append((name, most, squeezed, *rest.get(name, (None, None))[:2]))
    lying = "on a floor"
    found = {mu: friction_found(mu) for mu in FRICTIONS}
    one, two = pressed_down(1), pressed_down(2)
    result.checks = [
        at_most("faces that cross, in all frames of all scenes", max(row[1] for row in rows), 0, "",
                "exact predicates"),
        at_most(f"{lying}: second difference of positions in the third second", rest[lying][0],
                JOLT, "mm", "what is asked of cloth at rest; gravity alone makes 17 mm"),
        at_most(f"{lying}: way in the third second", rest[lying][1], CREEP, "mm",
                "what is slower than 0.1 mm/s stands still"),
        at_most(f"{lying}: lowest vertex off the thickness", rest[lying][2], 0.05, "mm",
                "a hundredth of the thickness"),
        at_most("friction of jellies that slide down a plane, off Coulomb's",
                100.0 * max(abs(f / mu - 1.0) for mu, f in found.items()), 2.0, "%",
                "what is asked of cloth"),
        at_most("two of 0.2 m stacked are pressed down like one of 0.4 m: way off its",
                100.0 * abs(two / one - 1.0), 5.0, "%",
                "what they touch each other with doesn't give; each gets substeps of its own"),
        at_most("two that collide: momentum changes by", _momentum_lost(), 1e-3, "of Σ m |v|",
                "each push acts on both sides alike. Asked is 10⁻⁴, which double precision keeps "
                "by far; positions of 7 digits in hundreds of substeps of a stiff cage miss it"),
    ]  # fmt: skip
    result.tables = [
        Table("Scenes", ("jelly", "faces that cross", "squeezed vertices",
                         "second difference, 99th percentile (mm)", "way in a second (mm)"), rows),
        Table("Friction", ("coefficient", "found"), list(found.items())),
        Table("What a frame at rest on a floor costs, one thread",
              ("faces of the skin", "particles of the cage", "ms"), [_cost(n) for n in FINE]),
    ]  # fmt: skip
    result.findings = [
        "Many vertices push few corners. Where a cell has a face of 24² and all of them are pushed "
        f"alike, Gauss–Seidel leaves {_percent(_left_undone(4, False))} undone after four sweeps, "
        f"as it overshoots and takes it back; steps divided by the sum of their row "
        f"{_percent(_left_undone(4, True))}, and {_percent(_left_undone(8, True))} after eight. "
        "Both move a single vertex at once.",
        f"A tower of 0.4 m is pressed down by {number(1e3 * one)} mm, one of two parts by "
        f"{number(1e3 * two)} mm. How they sway is not compared: near the height at which a tower "
        "buckles by its own weight, how fast it sways tells how far its cage has converged, in 32 "
        "substeps for the one and 74 for the other, not what is between.",
    ]
    return result


def _at_rest(seen: Array) -> tuple[float, float, float]:
    """Second difference, way and lowest vertex off the thickness, in the last second [mm]."""
    jolts = np.linalg.norm(np.diff(seen[-24:], 2, axis=0), axis=2)
    way = np.abs(seen[-1] - seen[-24]).max()
    low = abs(seen[-1, :, 2].min() - THICKNESS - FLOOR)
    return 1e3 * float(np.percentile(jolts, 99.0)), 1e3 * float(way), 1e3 * float(low)


def _momentum_lost() -> float:
    """By how much momentum changes at most in a collision, of Σ m |v| at its start."""
    momenta, scale = [np.zeros(3)], 1.0
    for simulation in frames(skins.driven, COLLISION, gravity=(0.0, 0.0, 0.0)):
        masses = simulation.model.masses[:, None]
        scale = skins.SPEED * float(masses.sum())
        if len(momenta) == 1:
            momenta[0] = (masses * simulation.model.state().velocities).sum(axis=0)
        momenta.append((masses * simulation.velocities.astype(np.float64)).sum(axis=0))
    return float(np.linalg.norm(np.array(momenta) - momenta[0], axis=1).max()) / scale


def _left_undone(sweeps: int, shared: bool) -> float:
    """The part of an even push that is left at the worst vertex of a face of 24² on a cell, on
    paper.

    Args:
        shared: whether steps are divided by the sum of their row; else by the diagonal.
    """
    side = np.linspace(0.0, 1.0, 25)
    x, y = (each.ravel() for each in np.meshgrid(side, side))
    weights = np.stack([(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y], axis=1)
    matrix = weights @ weights.T
    steps = matrix.sum(axis=1) if shared else matrix.diagonal()
    multipliers = np.zeros(len(x))
    for sweep in range(sweeps):
        for k in range(len(x)) if sweep % 2 == 0 else reversed(range(len(x))):
            missing = 1.0 - matrix[k] @ multipliers
            multipliers[k] = max(0.0, multipliers[k] + missing / steps[k])
    return float(1.0 - (matrix @ multipliers).min())


def _percent(part: float) -> str:
    return f"{number(100.0 * part, 2)}%"


def _cost(fine: int) -> tuple[int, int, float]:
    """Of a jelly on a floor, with so many vertices a side."""
    model = core.Model()
    jelly = Jelly(cells=(6, 6, 6), fine=(fine,) * 3, at=ON_FLOOR)
    skin = jelly.add(model, thickness=min(THICKNESS, 0.05 / fine))
    model.add_collider(*plane(4.0), thickness=FLOOR)
    simulation = core.Simulation(model, core.XPBD(substeps=20, second_order=True, threads=1))
    simulation.advance(FRAME)
    start = time.process_time()
    for _ in range(8):
        simulation.advance(FRAME)
    return len(skin.triangles), len(skin.cage), 1e3 * (time.process_time() - start) / 8


CASE = Case("contact_skin", "Skins that are carried", SHOWS, run, order=8)
