# SPDX-License-Identifier: GPL-3.0-or-later
"""The short list of scenes that every solver has to pass: hang, drape, slide, rope, wire, pile."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import contact_scenes
import naive
import numpy as np
from bent_sheets import fabric
from naive.elastica import elastica_drop
from numpy.typing import NDArray

import core
from core.materials.strands import STRAND_MATERIALS

FRAME, GRAVITY = 1 / 24, 9.81
SIDE, SIZE = 13, 0.6  # vertices along a sheet; m
BALL, GAP = 0.15, 0.002  # m
FRICTION, SLOPE = 0.3, math.radians(30.0)
LINKS, SWING = 60, math.radians(20.0)
WIRE, FIRST = 0.3, 2  # m; vertices that are clamped

Make = Callable[[], Any]


def strain(simulation: core.Simulation) -> float:
    """How much longer than at rest all edges but a hundredth are at most [%]."""
    found = []
    for body in simulation.model.bodies:
        ends = np.asarray(simulation.positions, np.float64)[body.edges]
        found.append(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / body.rest_lengths - 1.0)
    return 100.0 * float(np.percentile(np.concatenate(found), 99))


def played(model: core.Model, solver: Any, seconds: float) -> tuple[core.Simulation, float]:
    """The end, and the worst strain on the way [%]."""
    simulation, worst = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY)), 0.0
    for _ in range(round(seconds / FRAME)):
        simulation.advance(FRAME)
        worst = max(worst, strain(simulation))
    return simulation, worst


def _square(height: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    points, faces = naive.quad_grid(SIDE - 1, SIDE - 1, SIZE, SIZE)
    return points + np.array([-0.5 * SIZE, -0.5 * SIZE, height]), np.asarray(faces)


def hang(solver: Any) -> tuple[float, float]:
    """Cotton hangs from two corners: how deep [m], and the worst strain [%]."""
    model = core.Model()
    model.add_cloth(*_square(), pins=[0, SIDE - 1], drag=2.0, **fabric("cotton"))
    simulation, worst = played(model, solver, 3.0)
    return -float(simulation.positions[:, 2].min()), worst


def drape(solver: Any) -> tuple[float, int]:
    """Cotton falls onto a ball: the worst strain [%], and faces that cross in the end."""
    model = core.Model()
    points, triangles = contact_scenes.ball()
    model.add_cloth(*_square(BALL + 0.02), drag=0.5, thickness=GAP, **fabric("cotton"))
    model.add_collider(BALL * points / np.abs(points).max(), triangles, thickness=GAP)
    simulation, worst = played(model, solver, 3.0)
    return worst, simulation.crossings


def slide(solver: Any) -> float:
    """Denim slides down a slope: its way between 0.5 and 1.5 s over that of a rigid body."""
    model = core.Model()
    x, _, z = down = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
    turn = np.array([down, (0.0, 1.0, 0.0), (-z, 0.0, x)])
    points, faces = _square(2.0 * GAP)
    material = fabric("denim", friction=FRICTION)
    model.add_cloth(points @ turn, faces, drag=0.0, thickness=GAP, **material)
    corners = np.array([(-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (9.0, 9.0, 0.0), (-9.0, 9.0, 0.0)])
    model.add_collider(
        corners @ turn, np.array([(0, 1, 2), (0, 2, 3)]), thickness=GAP, friction=FRICTION
    )
    simulation, _ = played(model, solver, 0.5)
    start = simulation.positions.mean(axis=0)
    for _ in range(24):
        simulation.advance(FRAME)
    way = float((simulation.positions.mean(axis=0) - start) @ down)
    pull = GRAVITY * (math.sin(SLOPE) - FRICTION * math.cos(SLOPE))
    return way / (0.5 * pull * (1.5**2 - 0.5**2))


def _strand(points: NDArray[np.float64], name: str, pins: list[int], drag: float) -> core.Model:
    described = {"name", "source"}
    material = {k: v for k, v in asdict(STRAND_MATERIALS[name]).items() if k not in described}
    model, numbers = core.Model(), np.arange(len(points))
    edges = np.stack([numbers[:-1], numbers[1:]], axis=1)
    model.add_strands(points, edges, pins=pins, drag=drag, **material)
    return model


def rope(solver: Any) -> tuple[float, float]:
    """A hemp rope of 1 m swings for 10 s: its period [s], and what is left of its energy."""
    along = np.linspace(0.0, 1.0, LINKS + 1)
    points = np.stack([np.sin(SWING) * along, 0.0 * along, -np.cos(SWING) * along], axis=1)
    model = _strand(points, "hemp rope", [0], 0.0)
    simulation, path = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY)), []
    start = _energy(simulation, along)
    for _ in range(240):
        simulation.advance(FRAME)
        path.append(float(simulation.positions[-1, 0]))
    x = np.array(path)
    falls = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    times = FRAME * (falls + x[falls] / (x[falls] - x[falls + 1]))
    period = float(np.diff(times).mean()) if len(times) > 1 else math.inf
    return period, _energy(simulation, along) / start


def _energy(simulation: core.Simulation, along: NDArray[np.float64]) -> float:
    """Of motion and of height [J], none where a strand hangs straight down at rest."""
    masses = np.where(np.isfinite(simulation.model.masses), simulation.model.masses, 0.0)
    squares = (np.asarray(simulation.velocities, np.float64) ** 2).sum(axis=1)
    heights = np.asarray(simulation.positions, np.float64)[:, 2] + along
    return float(masses @ (0.5 * squares + GRAVITY * heights))


def wire(solver: Any, links: int) -> float:
    """A clamped steel wire droops: so much more than the elastica, % of its length."""
    along = np.linspace(0.0, WIRE, links + 1)
    points = np.stack([along, 0.0 * along, 0.0 * along], axis=1)
    simulation, _ = played(_strand(points, "steel wire", list(range(FIRST)), 6.0), solver, 3.0)
    material = STRAND_MATERIALS["steel wire"]
    length = WIRE * (links + 1 - FIRST) / links
    exact = elastica_drop(1.0 / material.bend_compliance, material.density * GRAVITY, length)
    return 100.0 * (-float(simulation.positions[-1, 2]) - exact) / length


def pile(solver: Any) -> tuple[float, int]:
    """Three sheets fall onto each other and a ball: the worst strain [%], and faces that cross."""
    model = core.Model()
    for layer in range(3):
        points, faces = _square(BALL + 0.02 + 0.02 * layer)
        model.add_cloth(points, faces, drag=0.5, thickness=GAP, **fabric("cotton"))
    points, triangles = contact_scenes.ball()
    model.add_collider(BALL * points / np.abs(points).max(), triangles, thickness=GAP)
    simulation, worst = played(model, solver, 2.0)
    return worst, simulation.crossings
