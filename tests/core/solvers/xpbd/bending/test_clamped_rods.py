# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands clamped at one end hang as the elastica does, at any number of segments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import core
from core.materials.strands import STRAND_MATERIALS

GRAVITY = 9.81  # m/s²
DEFAULT: dict[str, Any] = {
    "substeps": 400,
    "iterations": 8,
    "largest_stretch": 0.03,
    "near_pins": True,
    "multirate": True,
    "implicit_bending": True,
}
SECONDS, DRAG = 4.0, 6.0  # to come to rest


def elastica_drop(rigidity: float, weight: float, length: float, curvature: float = 0.0) -> float:
    """How far the tip of a clamped rod is below its clamp [m].

    Shooting from the tip, where the moment is zero: the slope there is found by which the rod
    leaves the clamp level. B (θ' - κ₀)' = -w (L - s) cos θ, θ downward, drop = ∫ sin θ ds.

    Args:
        rigidity: B [N·m²].
        weight: w [N/m].
        curvature: κ₀ at rest [1/m], downward.
    """
    steps = 400
    step = length / steps

    def slope(state: np.ndarray, along: float) -> np.ndarray:
        angle, bend, _ = state
        held = weight * along * math.cos(angle) / rigidity
        return np.array([-bend, held, math.sin(angle)])

    def at_the_clamp(angle: float) -> np.ndarray:
        state = np.array([angle, curvature, 0.0])
        for i in range(steps):
            here = i * step
            first = slope(state, here)
            second = slope(state + 0.5 * step * first, here + 0.5 * step)
            third = slope(state + 0.5 * step * second, here + 0.5 * step)
            fourth = slope(state + step * third, here + step)
            state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        return state

    low, high = -0.1, math.pi
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if at_the_clamp(middle)[0] > 0.0 else (middle, high)
    return float(at_the_clamp(low)[2])


def clamped(length: float, segments: int, curvature: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A rod that leaves its clamp along x and curves downward, and its edges.

    The first edge is held; vertices lie on the curve.
    """
    along = length / segments * np.arange(-1, segments + 1)
    turned = curvature * np.maximum(along, 0.0)
    x = np.where(turned > 0.0, np.sin(turned) / max(curvature, 1e-12), along)
    z = np.where(turned > 0.0, (np.cos(turned) - 1.0) / max(curvature, 1e-12), 0.0)
    numbers = np.arange(len(along))
    return np.stack([x, 0.0 * x, z], axis=1), np.stack([numbers[:-1], numbers[1:]], axis=1)


def hung(name: str, mesh: tuple[Any, Any], solver: Any, dtype: Any = np.float32) -> core.Simulation:
    """A strand of a preset, pinned by its first edge, that has come to rest."""
    material = STRAND_MATERIALS[name]
    model = core.Model(dtype)
    model.add_strands(
        *mesh,
        pins=[0, 1],
        density=material.density,
        stretch_compliance=material.stretch_compliance,
        bend_compliance=material.bend_compliance,
        drag=DRAG,
    )
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(int(24 * SECONDS)):
        simulation.advance(1 / 24)
    return simulation


def expected_drop(name: str, length: float, curvature: float = 0.0) -> float:
    material = STRAND_MATERIALS[name]
    return elastica_drop(
        1.0 / material.bend_compliance, material.density * GRAVITY, length, curvature
    )


@pytest.mark.parametrize("segments", [5, 10, 40, 200])
@pytest.mark.parametrize(
    ("name", "length"), [("steel wire", 0.3), ("steel wire", 1.0), ("hair", 0.1), ("hemp rope", 1)]
)
def test_a_clamped_strand_drops_as_the_elastica(name: str, length: float, segments: int) -> None:
    simulation = hung(name, clamped(length, segments), core.XPBD(**DEFAULT))
    drop = -float(simulation.positions[-1, 2])
    bound = 0.05 if segments == 5 else 0.015
    assert abs(drop - expected_drop(name, length)) < bound * length
    assert np.abs(simulation.velocities).max() < 2e-4


@pytest.mark.parametrize("segments", [5, 10, 40, 200])
@pytest.mark.parametrize(
    ("name", "length", "curvature"), [("hair", 0.03, 60), ("hemp rope", 0.5, 4)]
)
def test_a_curled_strand_drops_as_the_elastica(
    name: str, length: float, curvature: float, segments: int
) -> None:
    simulation = hung(name, clamped(length, segments, curvature), core.XPBD(**DEFAULT))
    drop = -float(simulation.positions[-1, 2])
    bound = 0.05 if segments == 5 else 0.015
    assert abs(drop - expected_drop(name, length, curvature)) < bound * length
    assert np.abs(simulation.velocities).max() < 2e-4


@pytest.mark.parametrize(
    "options", [{"method": "jacobi"}, {"warm_start": 0.5}, {"symmetric": True}]
)
def test_so_it_does_with_other_sweeps(options: dict[str, Any]) -> None:
    solver = core.XPBD(substeps=40, iterations=8, implicit_bending=True, **options)
    simulation = hung("steel wire", clamped(0.3, 20), solver)
    drop = -float(simulation.positions[-1, 2])
    assert abs(drop - expected_drop("steel wire", 0.3)) < 0.015 * 0.3


@pytest.mark.parametrize("segments", [5, 40, 200])
def test_what_is_rigid_does_not_drop(segments: int) -> None:
    model = core.Model()
    model.add_strands(*clamped(0.3, segments), pins=[0, 1], bend_compliance=0.0, drag=DRAG)
    simulation = core.Simulation(model, core.XPBD(**DEFAULT), gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(24):
        simulation.advance(1 / 24)
    assert np.abs(simulation.positions - model.positions).max() < 1e-4 * 0.3


def test_roughness_of_the_mesh_does_not_make_a_wire_softer() -> None:
    """Vertices off the line by a hundredth of a millimetre, as rounding and artists leave them."""
    positions, edges = clamped(0.3, 80)
    positions[2:] += np.random.default_rng(1).normal(scale=3e-6, size=positions[2:].shape)
    simulation = hung("steel wire", (positions, edges), core.XPBD(**DEFAULT))
    dropped = positions[-1, 2] - simulation.positions[-1, 2]
    assert abs(dropped - expected_drop("steel wire", 0.3)) < 0.005 * 0.3


def test_moments_are_those_that_hold_the_strand() -> None:
    """At the clamp all of the weight times its lever; at the tip none."""
    name, length, segments = "steel wire", 0.3, 30
    simulation = hung(name, clamped(length, segments), core.XPBD(**DEFAULT))
    moments = simulation.forces("angle")
    weight = STRAND_MATERIALS[name].density * GRAVITY * length / segments
    levers = simulation.positions[2:, 0]
    shares = np.where(np.arange(len(levers)) == len(levers) - 1, 0.5, 1.0)
    assert moments[0] == pytest.approx(weight * (shares * levers).sum(), rel=0.02)
    assert moments[-1] < 0.01 * moments[0]
    assert simulation.report().residual < 1e-6
