# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins that pull instead of holding."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

pytestmark = pytest.mark.long

GRAVITY = 9.81
DENSITY = 0.2
PULL = 1000.0  # N/m for each m²

SOLVERS = {
    "XPBD": core.XPBD(substeps=20, implicit_bending=True),
    "PBD": core.PBD(substeps=20, iterations=5),
    "ProjectiveDynamics": core.ProjectiveDynamics(substeps=20),
    "ConstrainedDynamics": core.ConstrainedDynamics(substeps=20),
}


def sheet(cells: int) -> tuple[np.ndarray, np.ndarray]:
    points, quads = naive.quad_grid(cells + 1, cells + 1, 1.0, 1.0)
    return points, np.asarray(quads)


def advanced(model: core.Model, frames: int, solver: Any = SOLVERS["XPBD"]) -> core.Simulation:
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(frames):
        simulation.advance(1 / 24)
    return simulation


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cells", [3, 12])
def test_a_sheet_on_springs_sags_the_same_at_any_resolution(solver: str, cells: int) -> None:
    points, quads = sheet(cells)
    model = core.Model()
    every = np.arange(len(points))
    model.add_cloth(
        points, quads, pins=every, pin_stiffness=PULL, pin_damping=0.02, density=DENSITY
    )
    simulation = advanced(model, 60, SOLVERS[solver])
    sag = -simulation.positions[every, 2]
    np.testing.assert_allclose(sag, DENSITY * GRAVITY / PULL, rtol=0.01)


@pytest.mark.parametrize("segments", [4, 32])
def test_a_thread_on_springs_sags_the_same_at_any_resolution(segments: int) -> None:
    x = np.linspace(0.0, 1.0, segments + 1)
    points = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    edges = np.stack([np.arange(segments), np.arange(1, segments + 1)], axis=1)
    model = core.Model()
    every = np.arange(len(points))
    model.add_strands(points, edges, pins=every, pin_stiffness=10.0, pin_damping=0.02, density=0.01)
    sag = -advanced(model, 60).positions[every, 2]
    np.testing.assert_allclose(sag, 0.01 * GRAVITY / 10.0, rtol=0.01)


def test_some_are_held_and_some_are_pulled_after_their_targets() -> None:
    points, quads = sheet(6)
    pins = np.flatnonzero(points[:, 1] > 0.6)[::-1]
    stiffness = np.where(points[pins, 1] > 0.99, np.inf, 1e5)
    model = core.Model()
    cloth = model.add_cloth(points, quads, pins=pins, pin_stiffness=stiffness, pin_damping=0.05)
    simulation = advanced(model, 1)
    ascending = np.sort(pins)
    for frame in range(48):
        lifted = points[ascending] + np.array([0.0, 0.0, min(0.02 * (frame + 1), 0.4)])
        simulation.set_targets(cloth.pins, lifted)
        simulation.advance(1 / 24)
    there = simulation.positions[ascending]
    held = points[ascending, 1] > 0.99
    np.testing.assert_array_equal(there[held], lifted[held].astype(np.float32))
    away = np.linalg.norm(there - lifted, axis=1)[~held]
    assert 0.0 < away.min() and away.max() < 2e-3
    assert len(cloth.particles) == len(points)
    assert cloth.anchors.size == np.count_nonzero(~held)


def test_damping_calms_the_swing_about_the_target() -> None:
    def swing(damping: float) -> float:
        points, quads = sheet(3)
        model = core.Model()
        every = np.arange(len(points))
        model.add_cloth(
            points, quads, pins=every, pin_stiffness=100.0, pin_damping=damping, density=DENSITY
        )
        simulation = advanced(model, 24, core.XPBD(substeps=50))
        return float(np.abs(simulation.velocities[every, 2]).max())

    assert swing(0.05) < 0.05 * swing(0.0)


def test_pulled_bodies_know_nothing_of_each_other() -> None:
    """To the byte: anchors belong to the body that they pull."""

    def build(model: core.Model, away: float) -> Any:
        points, quads = sheet(4)
        pins = np.arange(8)
        shifted = points + np.array([away, 0.0, 0.0])
        return model.add_cloth(shifted, quads, pins=pins, pin_stiffness=500.0, name=f"at {away}")

    alone, both = core.Model(), core.Model()
    build(alone, 0.0)
    first, second = build(both, 0.0), build(both, 50.0)
    one, two = advanced(alone, 12), advanced(both, 12)
    assert two.islands_of(first, second) == [0, 1]
    np.testing.assert_array_equal(
        two.positions[first.particles], one.positions[: len(first.particles)]
    )
    assert both.owner_of(int(second.anchors[-1])) == "at 50.0"


def test_no_stiffness_is_no_pin() -> None:
    points, quads = sheet(3)
    free, pulled = core.Model(), core.Model()
    free.add_cloth(points, quads)
    pulled.add_cloth(points, quads, pins=[0, 1], pin_stiffness=0.0)
    count = len(points)
    np.testing.assert_allclose(
        advanced(pulled, 5).positions[:count], advanced(free, 5).positions, atol=1e-5
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pin_stiffness": -1.0}, "pin stiffness of 'flag' can't be -1"),
        ({"pin_stiffness": [1.0, 2.0, 3.0]}, "pin stiffness of 'flag' must fit"),
        ({"pin_stiffness": np.nan}, "pin stiffness of 'flag' must be numbers"),
        ({"pin_damping": -1.0}, "pin damping of 'flag' must be finite and not negative"),
        ({"pins": [99]}, "A pin of 'flag' refers to a vertex"),
    ],
)
def test_bad_pins_are_refused(options: Any, said: str) -> None:
    points, quads = sheet(2)
    with pytest.raises(core.ModelError, match=said):
        core.Model().add_cloth(points, quads, name="flag", **({"pins": [0, 1]} | options))
