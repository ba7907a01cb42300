# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated meshes and settings: simulated and gone on with, or refused in a sentence."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core

from . import judge

LONGEST = 60.0
"""Seconds that a scene may take."""

FRAMES = 4
STOP = 2
"""Frames of a scene, and that after which it is stopped, too, and gone on with."""

Points = NDArray[np.float64]


def campaign(count: int, seed: int, _scratch: Path) -> dict[str, int]:
    """So many scenes.

    Raises:
        Wrong: one takes too long, shows what is no number, or goes on otherwise after a stop.
    """
    found = Counter[str]()
    for number in range(count):
        name = f"scene {number} of seed {seed}"
        outcome, seconds = _timed(f"{seed} {number}", name)
        if seconds > LONGEST:  # the first time its kernels may have been compiled
            outcome, seconds = _timed(f"{seed} {number}", name)
        if seconds > LONGEST:
            raise judge.Wrong(f"{name} took more than {LONGEST:.0f} s")
        found["scenes"] += 1
        found[outcome] += 1
    return dict(found)


def _timed(seed: str, name: str) -> tuple[str, float]:
    """What became of a scene, and the seconds that it took."""
    began = time.monotonic()
    return _try(random.Random(seed), name), time.monotonic() - began


def _try(draw: random.Random, name: str) -> str:
    """Simulate a scene, and once more with a stop; what became of it."""
    state = draw.getstate()
    try:
        steady = _simulation(draw)
    except core.ModelError:
        return "refused in a sentence"
    draw.setstate(state)
    other = _simulation(draw)
    try:
        for frame in range(FRAMES):
            steady.advance(1 / 24)
            if not np.isfinite(steady.positions).all():
                raise judge.Wrong(f"{name}: what is no number is shown")
            if frame + 1 == STOP:
                other.restore(steady.checkpoint())
            if frame >= STOP:
                other.advance(1 / 24)
    except core.SimulationError:
        return "stopped in a sentence"
    if other.positions.tobytes() != steady.positions.tobytes():
        raise judge.Wrong(f"{name}: it goes on otherwise after a stop")
    return "simulated, and gone on with to the byte"


def _simulation(draw: random.Random) -> core.Simulation:
    model = core.Model()
    for _ in range(draw.randint(1, 3)):
        (_add_cloth if draw.random() < 0.7 else _add_strands)(draw, model)
    if draw.random() < 0.5:
        points, triangles = _box(draw)
        model.add_collider(points, triangles, thickness=draw.choice([0.0, 0.001, 0.02]))
    gravity = draw.choice([(0.0, 0.0, -9.81), (0.0, 0.0, 0.0), (30.0, 0.0, -100.0)])
    simulation = core.Simulation(model, _solver(draw), gravity=gravity)
    if draw.random() < 0.3:
        wind = core.Field(kind="WIND", strength=draw.choice([10.0, 1e4]), noise=draw.random())
        simulation.surround(core.Surroundings(fields=[wind], air=core.Air()), *model.bodies)
    return simulation


def _solver(draw: random.Random) -> Any:
    kind = draw.choice(["XPBD", "XPBD", "XPBD", "PBD", "PD", "constrained"])
    if kind == "PBD":
        return core.PBD(substeps=draw.randint(1, 20), velocity_damping=draw.random())
    if kind == "PD":
        return core.ProjectiveDynamics(substeps=draw.randint(1, 6), iterations=4, chebyshev=True)
    if kind == "constrained":
        return core.ConstrainedDynamics(substeps=2, adaptive=True, implicit_bending=True)
    return core.XPBD(
        substeps=draw.randint(1, 40),
        largest_stretch=draw.choice([0.0, 0.03]),
        near_pins=draw.random() < 0.5,
        implicit_bending=draw.random() < 0.7,
        second_order=draw.random() < 0.7,
        warm_start=draw.choice([0.0, 0.0, 0.5]),
    )


def _add_cloth(draw: random.Random, model: core.Model) -> None:
    columns, rows = draw.randint(2, 9), draw.randint(2, 9)
    points = _jittered(draw, _grid(columns, rows))
    first = np.array([rows * i + j for i in range(columns - 1) for j in range(rows - 1)])
    faces = np.stack([first, first + rows, first + rows + 1, first + 1], axis=1)
    softest = draw.choice([1e-6, 1e-4, 1e-3, 1e-1])
    model.add_cloth(
        points,
        faces[: draw.choice([len(faces), len(faces), max(1, len(faces) // 2)])],
        pins=draw.sample(range(len(points)), draw.choice([0, 1, 2, len(points)])),
        pin_stiffness=draw.choice([np.inf, 100.0]),
        thickness=draw.choice([0.0, 0.002, 0.05]),
        friction=draw.choice([0.0, 0.5, 5.0]),
        restitution=draw.choice([0.0, 0.0, 1.0]),
        density=draw.choice([0.01, 0.2, 5.0]),
        stretch_compliance=softest,
        shear_compliance=10.0 * softest,
        bend_compliance=draw.choice([0.1, 10.0, 1e5]),
        self_collision=draw.random() < 0.7,
        drag=draw.choice([0.0, 3.0]),
    )


def _add_strands(draw: random.Random, model: core.Model) -> None:
    count = draw.randint(2, 20)
    turn = draw.uniform(0.0, 1.0) * np.arange(count)
    points = np.stack([0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.05 * np.arange(count)], axis=1)
    links = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    model.add_strands(
        _jittered(draw, points),
        links,
        pins=draw.choice([[], [0], [0, 1]]),
        thickness=draw.choice([0.001, 0.01]),
        stretch_compliance=draw.choice([0.0, 1e-5, 1e-3]),
        bend_compliance=draw.choice([1e-3, 1.0, 1e4]),
    )


def _grid(columns: int, rows: int) -> Points:
    places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"), axis=-1)
    flat: Points = places.reshape(-1, 2) / 8.0
    return np.append(flat, np.zeros((len(flat), 1)), axis=1)


def _jittered(draw: random.Random, points: Points) -> Points:
    """Somewhere, of some size, uneven, and sometimes with vertices on each other."""
    random_numbers = np.random.default_rng(draw.getrandbits(32))
    found = points + draw.choice([0.0, 0.01, 0.1]) * random_numbers.normal(size=points.shape)
    if draw.random() < 0.1:
        found[random_numbers.integers(len(found))] = found[0]
    scale = draw.choice([1.0, 1.0, 0.01, 100.0])
    turned = found[:, [2, 0, 1]] if draw.random() < 0.3 else found
    return np.asarray(scale * turned + random_numbers.uniform(-0.3, 0.3, 3))


def _box(draw: random.Random) -> tuple[Points, list[tuple[int, int, int]]]:
    size = draw.choice([0.01, 0.3, 3.0])
    points = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
    triangles = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    place = np.array([draw.uniform(-0.5, 0.5) for _ in range(3)]) * math.sqrt(size)
    return size * points + place, triangles
