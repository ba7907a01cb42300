# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen from an origin that goes along moves as before, and keeps its digits."""

from __future__ import annotations

from functools import partial
from typing import Any

import naive
import numpy as np
import pytest
from resumed_scenes import SCENES, sheet, xpbd

import core
from core.contact import Collider

pytestmark = pytest.mark.long

WAY = np.array([8.0, -16.0, 4.0])
MOVED, FRAMES = 7, 8


def seen_from(monkeypatch: pytest.MonkeyPatch, way: Any) -> None:
    """Let scenes' targets be told from an origin that has gone so far."""

    def led(simulation: core.Simulation, indices: Any, positions: Any) -> None:
        set_targets(simulation, indices, positions - way)

    def move(collider: Collider, vertices: Any) -> None:
        set_target(collider, vertices - way)

    set_targets, set_target = core.Simulation.set_targets, Collider.set_target
    monkeypatch.setattr(core.Simulation, "set_targets", led)
    monkeypatch.setattr(Collider, "set_target", move)


@pytest.mark.parametrize("name", SCENES)
def test_all_goes_on_as_it_would_have(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "Model", partial(core.Model, np.float64))
    scene = SCENES[name]
    one, other = scene.simulation(), scene.simulation()
    for frame in range(1, FRAMES + 1):
        scene.advance(one, frame)
    for frame in range(1, MOVED):
        scene.advance(other, frame)
    other.move_origin(WAY)
    seen_from(monkeypatch, WAY)
    for frame in range(MOVED, FRAMES + 1):
        scene.advance(other, frame)
    # Cloth in the same place as other cloth is pushed to a side that rounding chooses.
    bodies = one.model.strands if name == "torn" else one.model.bodies
    chosen = np.concatenate([body.particles for body in bodies])
    # What is pushed far stops at hulls in single precision, to a micrometre when 16 m away.
    rounded = 100.0 if name == "pressed" else 1.0
    assert np.allclose(other.positions[chosen] + WAY, one.positions[chosen], atol=1e-7 * rounded)
    assert np.allclose(other.velocities[chosen], one.velocities[chosen], atol=1e-5 * rounded)


def test_what_is_pulled_is_pulled_to_the_same_place() -> None:
    found = []
    for way in (np.zeros(3), WAY):
        model = core.Model(np.float64)
        cloth = sheet(model, 0.0)
        simulation = core.Simulation(model, xpbd()())
        raised = model.positions[:5] + np.array([0.0, 0.0, 0.3])
        simulation.pull(cloth.particles[:5], raised, 50.0)
        for frame in range(6):
            if frame == 3:
                simulation.move_origin(way)
            simulation.advance(1 / 24)
        found.append(simulation.positions + way)
    assert np.allclose(found[1], found[0], atol=1e-7)


@pytest.mark.parametrize("goes_along", [True, False])
def test_what_is_carried_for_hundreds_of_metres_hangs_still(goes_along: bool) -> None:
    """A curtain at rest at 60 m/s, for five seconds; where the origin stays it trembles."""
    points, quads = naive.quad_grid(32, 32, 1.0, 1.0)
    upright, speed = points[:, [0, 2, 1]], np.array([60.0, 0.0, 0.0])
    pins = np.flatnonzero(upright[:, 2] > 0.999)
    model = core.Model()
    model.add_cloth(upright, quads, pins=pins, velocities=speed, self_collision=False)
    simulation = core.Simulation(model, xpbd(largest_stretch=0.0, iterations=1)())
    origin, ways, before = np.zeros(3), [], upright
    for frame in range(1, 121):
        if goes_along:
            way = np.array([np.round(simulation.positions[0, 0]), 0.0, 0.0])
            simulation.move_origin(way)
            origin += way
        simulation.set_targets(pins, upright[pins] + speed * frame / 24 - origin)
        simulation.advance(1 / 24)
        now = simulation.positions + origin - speed * frame / 24
        ways.append(24.0 * np.linalg.norm(now - before, axis=1))
        before = now
    fastest = np.percentile(ways[-12:], 99)
    assert fastest < 4e-3 if goes_along else fastest > 2e-2


def test_a_way_that_is_no_number_is_refused() -> None:
    model = core.Model()
    sheet(model, 0.0)
    simulation = core.Simulation(model)
    with pytest.raises(core.ModelError, match="origin"):
        simulation.move_origin((0.0, np.nan, 0.0))
