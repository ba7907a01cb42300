# SPDX-License-Identifier: GPL-3.0-or-later
"""What pins and colliders hold apart is no reason for more work, and is named."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest

import core
from core.islands.island import Island
from core.solvers.common.report import Overstretch
from core.solvers.xpbd.quality import NEAR

pytestmark = pytest.mark.long

FRAME, ALLOWED = 1 / 24, 0.03
AUTOMATIC: dict[str, Any] = {"substeps": 400, "iterations": 8, "largest_stretch": ALLOWED}


# --- by pins --------------------------------------------------------------------------------------


def between_pins() -> tuple[core.Simulation, core.Cloth, np.ndarray]:
    """A sheet of 20 × 20 cells whose upper corners are pinned by a cell each; the pins.

    Yarns that do not stretch: others are, between pins, just as long as their stiffness allows.
    """
    positions, faces = naive.quad_grid(20, 20, 1.0, 1.0)
    pins = np.array([0, 1, 21, 22, 19, 20, 40, 41])
    model = core.Model()
    cloth = model.add_cloth(positions, faces, pins=pins, drag=4.0, stretch_compliance=0.0)
    return core.Simulation(model, core.XPBD(**AUTOMATIC)), cloth, pins


def draw_apart(simulation: core.Simulation, cloth: Any, pins: np.ndarray, by: float) -> None:
    """Stretch the pinned cells to ``by`` times their width, the corners staying where they are."""
    targets = np.array(simulation.model.positions[pins])
    targets[:4, 0] = by * targets[:4, 0]
    targets[4:, 0] = 1.0 - by * (1.0 - targets[4:, 0])
    simulation.set_targets(cloth.particles[pins], targets)


def test_pins_drawn_apart_are_named_and_take_no_work() -> None:
    simulation, cloth, pins = between_pins()
    draw_apart(simulation, cloth, pins, 1.5)
    for _ in range(12):
        simulation.advance(FRAME)
    np.testing.assert_array_equal(simulation.held_apart(cloth), np.sort(pins))
    assert simulation.report().overstretch < ALLOWED
    assert simulation.report().substeps < 200


def test_they_are_no_longer_named_when_they_are_back() -> None:
    simulation, cloth, pins = between_pins()
    assert len(simulation.held_apart(cloth)) == 0
    for by, named in ((1.0, 0), (1.5, len(pins)), (1.0, 0)):
        draw_apart(simulation, cloth, pins, by)
        simulation.advance(FRAME)
        assert len(simulation.held_apart(cloth)) == named


def test_what_is_within_what_is_allowed_is_not_named() -> None:
    simulation, cloth, pins = between_pins()
    draw_apart(simulation, cloth, pins, 1.0 + 0.5 * ALLOWED)
    simulation.advance(FRAME)
    assert len(simulation.held_apart(cloth)) == 0


def test_vertices_are_those_of_the_body() -> None:
    """Of the second of two, in which particles have other numbers than vertices."""
    positions, faces = naive.quad_grid(4, 4, 1.0, 1.0)
    model = core.Model()
    first = model.add_cloth(positions, faces)
    second = model.add_cloth(
        positions + np.array([3.0, 0, 0]), faces, pins=[6, 7], stretch_compliance=0.0
    )
    simulation = core.Simulation(model, core.XPBD(**AUTOMATIC))
    simulation.set_targets(second.particles[[7]], [positions[7] + [3.5, 0, 0]])
    simulation.advance(FRAME)
    assert len(simulation.held_apart(first)) == 0
    np.testing.assert_array_equal(simulation.held_apart(second), [6, 7])
    together = simulation.overstretches_of(second, first)
    np.testing.assert_array_equal(together[0].held_apart, [6, 7])
    assert len(together[1].held_apart) == 0
    alone = [simulation.overstretch(body) for body in (second, first)]
    assert [each.error for each in together] == alone


def test_many_bodies_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each looked at for itself made two hundred of them take longer than their simulation."""
    positions, faces = naive.quad_grid(2, 2, 0.1, 0.1)
    model = core.Model()
    napkins = [model.add_cloth(positions + np.array([0, 0, k * 1e-3]), faces) for k in range(8)]
    simulation = core.Simulation(model, core.XPBD(**AUTOMATIC))
    simulation.advance(FRAME)
    asked: list[Island] = []
    look = Island.overstretch

    def noted(island: Island) -> list[Overstretch]:
        asked.append(island)
        return look(island)

    monkeypatch.setattr(Island, "overstretch", noted)
    assert len(simulation.overstretches_of(*napkins)) == len(napkins)
    assert len(asked) == len(list(simulation.islands)) == 1


def test_without_a_largest_stretch_nothing_is_named() -> None:
    simulation, cloth, pins = between_pins()
    simulation = core.Simulation(simulation.model, core.XPBD(substeps=20))
    draw_apart(simulation, cloth, pins, 1.5)
    simulation.advance(FRAME)
    assert len(simulation.held_apart(cloth)) == 0


# --- by colliders ---------------------------------------------------------------------------------

AROUND, LEVELS, RADIUS, LONG = 32, 28, 0.2, 0.8


def tube() -> tuple[np.ndarray, list[list[int]]]:
    """Around the z axis, hanging down from z = 0."""
    angles = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = RADIUS * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = [(*place, -LONG * level / (LEVELS - 1)) for level in range(LEVELS) for place in ring]
    below = [level * AROUND for level in range(LEVELS)]
    faces = [
        [a + k, a + (k + 1) % AROUND, b + (k + 1) % AROUND, b + k]
        for a, b in pairwise(below)
        for k in range(AROUND)
    ]
    return np.array(points), faces


def disc(radius: float) -> np.ndarray:
    """The vertices of a flattened ball, a quarter of a metre down."""
    return radius * scenes.ball(16)[0] * [1.0, 1.0, 0.5] - [0.0, 0.0, 0.25]


class Squeezed:
    """A tube of cotton around a body that grows to 1.3 times its width."""

    def __init__(self) -> None:
        model = core.Model()
        self.cloth = model.add_cloth(*tube(), drag=2.0, density=0.15, thickness=0.002)
        self.body = model.add_collider(disc(0.18), scenes.ball(16)[1], thickness=0.003)
        self.simulation = core.Simulation(model, core.XPBD(**AUTOMATIC, near_pins=True))
        self.effort: list[float] = []

    def grow(self, start: float, end: float, frames: int) -> None:
        for part in np.linspace(0.0, 1.0, frames + 1)[1:]:
            self.body.set_target(disc(start + part * (end - start)))
            self.simulation.advance(FRAME)
            report = self.simulation.report()
            self.effort.append(report.substeps * report.iterations)

    @property
    def strain(self) -> np.ndarray:
        cloth = self.cloth
        return core.edge_strain(self.simulation.positions, cloth.edges, cloth.rest_lengths)


def test_a_tube_that_a_body_stretches_takes_no_more_than_it_needs() -> None:
    """Looked at like any other it took all there was, 3200, for ever, and got no shorter."""
    squeezed = Squeezed()
    squeezed.grow(0.18, 0.26, 12)
    squeezed.grow(0.26, 0.26, 24)
    assert max(squeezed.effort) < 300
    assert 0.28 < np.percentile(squeezed.strain, 99) < 0.34
    assert squeezed.simulation.report().overstretch < ALLOWED


def test_its_effort_does_not_swing() -> None:
    squeezed = Squeezed()
    squeezed.grow(0.18, 0.26, 12)
    squeezed.grow(0.26, 0.26, 36)
    settled = np.array(squeezed.effort[-12:])
    assert np.ptp(settled) <= 0.05 * settled.mean()


def test_only_what_touches_is_named_and_only_as_long_as_it_does() -> None:
    squeezed = Squeezed()
    squeezed.grow(0.18, 0.26, 12)
    named = squeezed.simulation.held_apart(squeezed.cloth)
    assert len(named) > AROUND
    assert squeezed.simulation.state.contact.touched()[squeezed.cloth.particles[named]].all()
    squeezed.grow(0.26, 0.18, 12)
    squeezed.grow(0.18, 0.18, 24)
    assert len(squeezed.simulation.held_apart(squeezed.cloth)) == 0


def test_what_hangs_from_it_is_as_exact_as_ever() -> None:
    """A heavy hem below a body that stretches the tube: far from it more work does help."""
    squeezed = Squeezed()
    squeezed.grow(0.18, 0.26, 12)
    squeezed.grow(0.26, 0.26, 12)
    heights = squeezed.simulation.positions[:, 2][squeezed.cloth.edges].mean(axis=1)
    touching = squeezed.simulation.positions[squeezed.simulation.state.contact.touched(), 2]
    below = heights < touching.min() - (NEAR + 1) * LONG / (LEVELS - 1)
    assert below.sum() > 5 * AROUND
    assert squeezed.strain[below].max() < ALLOWED


def test_cloth_that_lies_loosely_is_looked_at_as_ever() -> None:
    """On a ball, from which it hangs down all around: nothing holds it apart."""
    positions, faces = naive.quad_grid(24, 24, 1.0, 1.0)
    model = core.Model()
    cloth = model.add_cloth(positions - [0.5, 0.5, -0.32], faces, drag=2.0, thickness=0.002)
    vertices, triangles = scenes.ball(16)
    model.add_collider(0.3 * vertices, triangles, thickness=0.01)
    simulation = core.Simulation(model, core.XPBD(**AUTOMATIC | {"largest_stretch": 0.002}))
    spent = []
    for _ in range(36):
        simulation.advance(FRAME)
        spent.append(simulation.report().substeps)
    assert simulation.state.contact.touched().any()
    strain = core.edge_strain(simulation.positions, cloth.edges, cloth.rest_lengths)
    assert np.percentile(strain, 99) < 0.02
    assert max(spent) > 100 and spent[-1] > 30
