# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands clamped at one end hang as the elastica does, at any number of segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from bench.default_settings import SOLVER
from core.materials.strands import STRAND_MATERIALS
from validation.rods import DRAG, GRAVITY, clamped, expected_drop, hung

pytestmark = pytest.mark.long


def speed_seen(simulation: core.Simulation) -> float:
    """The largest speed [m/s] from this frame to the next."""
    before = simulation.positions.copy()
    simulation.advance(1 / 24)
    return 24.0 * float(np.abs(simulation.positions - before).max())


@pytest.mark.parametrize("segments", [5, 10, 40, 200])
@pytest.mark.parametrize(
    ("name", "length"), [("steel wire", 0.3), ("steel wire", 1.0), ("hair", 0.1), ("hemp rope", 1)]
)
def test_a_clamped_strand_drops_as_the_elastica(name: str, length: float, segments: int) -> None:
    simulation = hung(name, clamped(length, segments), core.XPBD(**SOLVER))
    drop = -float(simulation.positions[-1, 2])
    bound = 0.05 if segments == 5 else 0.015
    assert abs(drop - expected_drop(name, length)) < bound * length
    assert speed_seen(simulation) < 2e-4


@pytest.mark.parametrize("segments", [5, 10, 40, 200])
@pytest.mark.parametrize(
    ("name", "length", "curvature"), [("hair", 0.03, 60), ("hemp rope", 0.5, 4)]
)
def test_a_curled_strand_drops_as_the_elastica(
    name: str, length: float, curvature: float, segments: int
) -> None:
    simulation = hung(name, clamped(length, segments, curvature), core.XPBD(**SOLVER))
    drop = -float(simulation.positions[-1, 2])
    bound = 0.05 if segments == 5 else 0.015
    assert abs(drop - expected_drop(name, length, curvature)) < bound * length
    assert speed_seen(simulation) < 2e-4


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
    simulation = core.Simulation(model, core.XPBD(**SOLVER), gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(24):
        simulation.advance(1 / 24)
    assert np.abs(simulation.positions - model.positions).max() < 1e-4 * 0.3


def test_roughness_of_the_mesh_does_not_make_a_wire_softer() -> None:
    """Vertices off the line by a hundredth of a millimetre, as rounding and artists leave them."""
    positions, edges = clamped(0.3, 80)
    positions[2:] += np.random.default_rng(1).normal(scale=3e-6, size=positions[2:].shape)
    simulation = hung("steel wire", (positions, edges), core.XPBD(**SOLVER))
    dropped = positions[-1, 2] - simulation.positions[-1, 2]
    assert abs(dropped - expected_drop("steel wire", 0.3)) < 0.005 * 0.3


def test_moments_are_those_that_hold_the_strand() -> None:
    """At the clamp all of the weight times its lever; at the tip none."""
    name, length, segments = "steel wire", 0.3, 30
    simulation = hung(name, clamped(length, segments), core.XPBD(**SOLVER))
    moments = simulation.forces("angle")
    weight = STRAND_MATERIALS[name].density * GRAVITY * length / segments
    levers = simulation.positions[2:, 0]
    shares = np.where(np.arange(len(levers)) == len(levers) - 1, 0.5, 1.0)
    assert moments[0] == pytest.approx(weight * (shares * levers).sum(), rel=0.02)
    assert moments[-1] < 0.01 * moments[0]
    assert simulation.report().residual < 1e-6
