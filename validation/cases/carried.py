# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that is carried far: what single precision leaves of its rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import core
from bench.contact_meshes import moved, plane, rectangle
from bench.default_settings import described
from bench.scenes import sphere

from .. import plots
from ..contact_settings import AUTOMATIC, solver
from ..fabrics import fabric_options
from ..report import Case, Plot, Result, Table, at_most, number

Array = NDArray[np.float64]

SIDE, SIZE, THICKNESS, RADIUS = 48, 0.9, 0.003, 0.3  # vertices, m
LOW = 0.15  # m
RATE, FRAMES = 24, 288
SPEED, FAR = 30.0, 1000.0  # m/s, m
STEP = 4.0
"""The origin goes along by multiples of that [m], as in the add-on."""
ASKED = 2.0  # mm/s
REASON = "what is slower goes less than 0.1 mm in a frame"

SHOWS = (
    f"A sheet of cotton of {SIZE:g} m, {SIDE}² vertices, lies on a ball on a floor, {described()}, "
    f"without air. All of it stands near the origin, or {FAR:g} m from it, or goes at {SPEED:g} "
    f"m/s from the start, {SPEED * FRAMES / RATE:g} m in all; the origin stays, or follows "
    f"(`Simulation.move_origin`) by multiples of {STEP:g} m, as it does in the add-on. Told is how "
    "fast vertices go relative to the ball, from frame to frame: the 99th percentile over all "
    f"vertices, as the median of a second. After {FRAMES / RATE:g} s {ASKED:g} mm/s are asked."
)


@dataclass(frozen=True)
class Journey:
    """Where a scene begins [m] and how fast it goes [m/s], along x; whether its origin does."""

    start: float = 0.0
    speed: float = 0.0
    goes_along: bool = False
    dtype: DTypeLike = np.float32


STAYS, CARRIED, AWAY = "near the origin", f"at {SPEED:g} m/s", f"{FAR:g} m away"
ALONG = ", followed"
JOURNEYS = {
    STAYS: Journey(),
    AWAY + ALONG: Journey(start=FAR, goes_along=True),
    CARRIED + ALONG: Journey(speed=SPEED, goes_along=True),
    AWAY: Journey(start=FAR),
    CARRIED: Journey(speed=SPEED),
    CARRIED + ", doubles": Journey(speed=SPEED, dtype=np.float64),
}


def run() -> Result:
    """Let cloth come to rest on a ball that stays, and on one that goes."""
    speeds = {name: _speeds(journey) for name, journey in JOURNEYS.items()}
    result = Result()
    result.checks = [
        at_most(
            f"{name}: speed after {FRAMES / RATE:g} s",
            _typical(speeds[name]),
            ASKED,
            "mm/s",
            REASON,
        )
        for name in (STAYS, AWAY + ALONG, CARRIED + ALONG)
    ]
    away, carried = number(_typical(speeds[AWAY])), number(_typical(speeds[CARRIED]))
    result.findings = [
        f"Where the origin stays, single precision shakes cloth by {away} mm/s {FAR:g} m from it, "
        f"and by {carried} mm/s where it has been carried for {SPEED * FRAMES / RATE:g} m."
    ]
    columns = ("scene", "third second (mm/s)", f"after {FRAMES / RATE:g} s (mm/s)")
    rows: list[Any] = [
        (name, _typical(found[: 3 * RATE]), _typical(found)) for name, found in speeds.items()
    ]
    result.tables = [Table("Speed relative to the ball, 99th percentile", columns, rows)]
    result.plots = [_plot(speeds)]
    return result


def _typical(speeds: Array) -> float:
    """Median of the last second [mm/s]."""
    return float(np.median(speeds[-RATE:]))


def _speeds(journey: Journey) -> Array:
    """The 99th percentile of speeds relative to the ball in each frame [mm/s]."""
    x = np.array([1.0, 0.0, 0.0])
    start, way = journey.start * x, journey.speed / RATE * x
    simulation, shapes = _scene(journey, start)
    origin, before, speeds = np.zeros(3), simulation.positions - start, np.empty(FRAMES)
    for frame in range(FRAMES):
        if journey.goes_along:
            beside = STEP * np.round((start + frame * way) / STEP)
            simulation.move_origin(beside - origin)
            origin = beside
        there = start + (frame + 1) * way
        for collider, shape in zip(simulation.model.colliders, shapes, strict=True):
            collider.set_target(shape + there - origin)
        simulation.advance(1.0 / RATE)
        now = simulation.positions + origin - there
        ways = np.linalg.norm(now - before, axis=1)
        speeds[frame] = 1e3 * RATE * float(np.percentile(ways, 99.0))
        before = now
    return speeds


def _scene(journey: Journey, start: Array) -> tuple[core.Simulation, list[Array]]:
    """The scene at its start, and its colliders as seen from there."""
    model = core.Model(journey.dtype)
    sheet = rectangle(SIDE, SIDE, SIZE, SIZE)
    model.add_cloth(
        moved(sheet.positions, z=0.32) + start,
        sheet.triangles,
        velocities=(journey.speed, 0.0, 0.0),
        **fabric_options("cotton") | {"thickness": THICKNESS},
    )
    vertices, triangles = sphere(4)
    ball, (floor, sides) = RADIUS * vertices, plane(4.0, -LOW)
    model.add_collider(ball + start, triangles, thickness=0.0)
    model.add_collider(floor + start, sides, thickness=0.0)
    return core.Simulation(model, solver(AUTOMATIC)), [ball, floor]


def _plot(speeds: dict[str, Array]) -> Plot:
    figure = plots.over_time(
        speeds, RATE, ASKED, "Speed relative to the ball", "99th percentile (mm/s)"
    )
    return Plot("speeds", f"How cloth comes to rest on its way; grey: {ASKED:g} mm/s.", figure)


CASE = Case("carried", "Cloth that is carried far", SHOWS, run, order=8)
