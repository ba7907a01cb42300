# SPDX-License-Identifier: GPL-3.0-or-later
"""Clamped rods: how the elastica hangs, and how strands that should hang like it do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from core.materials.strands import STRAND_MATERIALS

GRAVITY = 9.81  # m/s²
FRAME = 1.0 / 24.0  # s
DRAG, SECONDS = 6.0, 4.0  # 1/s and s: what brings a strand to rest
STEPS = 400

ROOTS = (1.87510407, 4.69409113, 7.85475744)
"""Of cosh β cos β = -1: a clamped rod swings with ω² = β⁴ B / (µ L⁴)."""

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def elastica_drop(rigidity: float, weight: float, length: float, curvature: float = 0.0) -> float:
    """How far the tip of a clamped rod is below its clamp [m].

    B (θ' - κ₀)' = -w (L - s) cos θ with θ downward, from the tip, where there is no moment, by the
    method of Runge and Kutta; the slope of the tip is the one with which the clamp is level.

    Args:
        rigidity: B [N·m²].
        weight: w [N/m].
        curvature: κ₀ at rest [1/m], downward.
    """
    low, high = -0.1, math.pi
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        level = _from_the_tip(middle, rigidity, weight, length, curvature)[0] <= 0.0
        low, high = (middle, high) if level else (low, middle)
    return float(_from_the_tip(low, rigidity, weight, length, curvature)[2])


def _from_the_tip(
    angle: float, rigidity: float, weight: float, length: float, curvature: float
) -> Array:
    """θ, θ' and the drop at the clamp, for a slope of the tip."""
    step = length / STEPS

    def slope(state: Array, along: float) -> Array:
        held = weight * along * math.cos(state[0]) / rigidity
        return np.array([-state[1], held, math.sin(state[0])])

    state = np.array([angle, curvature, 0.0])
    for i in range(STEPS):
        here = i * step
        first = slope(state, here)
        second = slope(state + 0.5 * step * first, here + 0.5 * step)
        third = slope(state + 0.5 * step * second, here + 0.5 * step)
        fourth = slope(state + step * third, here + step)
        state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
    return state


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
