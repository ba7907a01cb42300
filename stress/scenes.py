# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated meshes and settings: simulated and gone on with, or refused in a sentence."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import core

from . import judge, models

LONGEST = 60.0
"""Seconds that a scene may take."""

FRAMES = 4
STOP = 2
"""Frames of a scene, and that after which it is stopped, too, and gone on with."""


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
    model = models.made(draw)
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
