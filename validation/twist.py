# SPDX-License-Identifier: GPL-3.0-or-later
"""Coils, hooks and twisted wires: what theory says, and strands that should do the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from naive.elastica import elastica_drop
from numpy.typing import NDArray

import core
from core.materials.strands import STRAND_MATERIALS

from .rods import FRAME, GRAVITY, clamped

SECONDS = 4.0
HELD = 3
"""Vertices of a coil that its clamp holds."""

Array = NDArray[np.float64]


def coil(radius: float, pitch: float, turns: float, segments: int) -> Array:
    """Vertices of a helix that hangs down: so many segments a turn."""
    angle = np.linspace(0.0, 2.0 * math.pi * turns, round(turns * segments) + 1)
    down = -pitch * angle / (2.0 * math.pi)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), down], axis=1)


def hook(radius: float, segments: int) -> Array:
    """Vertices of half a circle, level, and of the edge before it that is held."""
    angle = math.pi / segments * np.arange(segments + 1)
    points = radius * np.stack([1.0 - np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    before = [0.0, -radius * math.pi / segments, 0.0]
    return np.concatenate([[before], points])


def rigidities(preset: str) -> tuple[float, float, float]:
    """EI and GJ [N·m²], and the weight of a metre [N/m]."""
    material = STRAND_MATERIALS[preset]
    weight = material.density * GRAVITY
    return 1.0 / material.bend_compliance, 1.0 / material.twist_compliance, weight


def coil_extension(preset: str, radius: float, turns: float) -> float:
    """How much longer a close coil gets by its weight [m]: W / 2 k with k = GJ / (2 π R³ n)."""
    _, torsional, weight = rigidities(preset)
    stiffness = torsional / (2.0 * math.pi * radius**3 * turns)
    return 0.5 * weight * 2.0 * math.pi * radius * turns / stiffness


def hook_drop(preset: str, radius: float) -> float:
    """Of the tip of half a circle that sinks a little by its weight [m].

    Castigliano: moments w R² (1 - cos φ) bend it and w R² (φ - sin φ) twist it at the angle φ from
    the tip.
    """
    flexural, torsional, weight = rigidities(preset)
    return weight * radius**4 * (2.0 / flexural + 0.5 * math.pi**2 / torsional)


def twisting(preset: str, positions: Array, held: int, solver: Any, **options: Any) -> Any:
    """A strand of a preset that resists twisting, held by its first vertices."""
    material = STRAND_MATERIALS[preset]
    numbers, gravity = np.arange(len(positions)), options.pop("gravity", GRAVITY)
    model = core.Model(options.pop("dtype", np.float32))
    settings = {
        "density": material.density,
        "stretch_compliance": material.stretch_compliance,
        "bend_compliance": material.bend_compliance,
        "twist_compliance": material.twist_compliance,
        "drag": 6.0,
        "self_collision": False,
    }
    model.add_strands(
        positions,
        np.stack([numbers[:-1], numbers[1:]], axis=1),
        pins=numbers[:held],
        **settings | options,
    )
    return core.Simulation(model, solver, gravity=(0.0, 0.0, -gravity))


def sunk(simulation: Any) -> float:
    """By how much the last vertex has sunk when all has come to rest [m]."""
    before = float(simulation.positions[-1, 2])
    for _ in range(int(SECONDS / FRAME)):
        simulation.advance(FRAME)
    return before - float(simulation.positions[-1, 2])


def level_drop(preset: str, length: float, segments: int, solver: Any) -> tuple[float, float]:
    """Drop of a straight strand that leaves its clamp level, and the elastica's [m]."""
    flexural, _, weight = rigidities(preset)
    positions, _ = clamped(length, segments)
    return sunk(twisting(preset, positions, 2, solver)), elastica_drop(flexural, weight, length)
