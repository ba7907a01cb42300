# SPDX-License-Identifier: GPL-3.0-or-later
"""Clamped rods: how the elastica hangs, and how strands that should hang like it do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from naive.elastica import elastica_drop
from numpy.typing import NDArray

import core
from core.materials.strands import STRAND_MATERIALS

GRAVITY = 9.81  # m/s²
FRAME = 1.0 / 24.0  # s
DRAG, SECONDS = 6.0, 4.0  # 1/s and s: what brings a strand to rest

ROOTS = (1.87510407, 4.69409113, 7.85475744)
"""Of cosh β cos β = -1: a clamped rod swings with ω² = β⁴ B / (µ L⁴)."""

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def expected_drop(preset: str, length: float, curvature: float = 0.0) -> float:
    """That of a strand of a preset [m]."""
    material = STRAND_MATERIALS[preset]
    weight = material.density * GRAVITY
    return elastica_drop(1.0 / material.bend_compliance, weight, length, curvature)


def clamped(length: float, segments: int, curvature: float = 0.0) -> tuple[Array, Integers]:
    """Vertices of a rod that leaves its clamp along x and curves downward, and its edges.

    The first edge is what a clamp holds.
    """
    along = length / segments * np.arange(-1, segments + 1)
    x, z = along, 0.0 * along
    if curvature > 0.0:
        turned = curvature * np.maximum(along, 0.0)
        x = np.where(along > 0.0, np.sin(turned) / curvature, along)
        z = (np.cos(turned) - 1.0) / curvature
    numbers = np.arange(len(along))
    return np.stack([x, 0.0 * x, z], axis=1), np.stack([numbers[:-1], numbers[1:]], axis=1)


def strand(
    preset: str, mesh: tuple[Array, Integers], solver: Any, **options: Any
) -> core.Simulation:
    """A strand of a preset, held by its first edge.

    Args:
        options: of ``Model.add_strands``; ``gravity`` [m/s²], downward.
    """
    material = STRAND_MATERIALS[preset]
    gravity = options.pop("gravity", GRAVITY)
    model = core.Model()
    model.add_strands(
        *mesh,
        pins=[0, 1],
        density=material.density,
        stretch_compliance=material.stretch_compliance,
        bend_compliance=material.bend_compliance,
        **options,
    )
    return core.Simulation(model, solver, gravity=(0.0, 0.0, -gravity))


def hung(preset: str, mesh: tuple[Array, Integers], solver: Any) -> core.Simulation:
    """The same, come to rest."""
    simulation = strand(preset, mesh, solver, drag=DRAG)
    for _ in range(int(SECONDS / FRAME)):
        simulation.advance(FRAME)
    return simulation


def mode_frequency(preset: str, length: float, mode: int) -> float:
    """Frequency [1/s] of Euler and Bernoulli's theory."""
    material = STRAND_MATERIALS[preset]
    squared = 1.0 / (material.bend_compliance * material.density * length**4)
    return ROOTS[mode] ** 2 / (2.0 * math.pi) * math.sqrt(squared)


def swinging_frequency(preset: str, length: float, segments: int, mode: int, solver: Any) -> float:
    """Frequency [1/s] with which a strand without weight swings that starts in a mode's shape."""
    positions, edges = clamped(length, segments)
    root = ROOTS[mode]
    phase = root * np.maximum(positions[:, 0], 0.0) / length
    ratio = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
    shape = np.cosh(phase) - np.cos(phase) - ratio * (np.sinh(phase) - np.sin(phase))
    expected = mode_frequency(preset, length, mode)
    velocities = np.zeros_like(positions)
    velocities[:, 2] = 0.005 * length * expected * shape
    simulation = strand(
        preset, (positions, edges), solver, velocities=velocities, drag=0.0, gravity=0.0
    )
    swings = []
    for _ in range(int(4.0 / (expected * FRAME))):
        simulation.advance(FRAME)
        swings.append(float(simulation.positions[:, 2] @ shape))
    heights = np.array(swings)
    before = np.flatnonzero(heights[:-1] * heights[1:] < 0.0)
    crossings = before + heights[before] / (heights[before] - heights[before + 1])
    return float(0.5 * (len(crossings) - 1) / ((crossings[-1] - crossings[0]) * FRAME))
