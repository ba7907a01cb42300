# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that are switched off and on between frames."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

FRAME = 1 / 24
FLOOR = np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]])
RESTING, FALLING = 6, 6
"""Frames on the floor, and without it."""

SELF = pytest.mark.parametrize("own", [False, True], ids=["particles only", "touching itself"])


def sheets(own: bool, height: float = 0.02, *, apart: bool = False) -> tuple[Any, core.Collider]:
    """A sheet just above a floor; with another one far away they are islands."""
    model = core.Model()
    points, quads = naive.quad_grid(6, 6, 1.0, 1.0)
    for away in (0.0, 4.0) if apart else (0.0,):
        place = points + np.array([away - 0.5, -0.5, height])
        model.add_cloth(place, quads, thickness=0.005, self_collision=own)
    floor = model.add_collider(FLOOR, [[0, 1, 2], [0, 2, 3]], thickness=0.0)
    solver = core.XPBD(substeps=20, second_order=True, implicit_bending=True)
    return core.Simulation(model, solver), floor


def height(simulation: Any) -> float:
    return float(simulation.positions[:, 2].mean())


@SELF
@pytest.mark.parametrize("apart", [False, True], ids=["one", "islands"])
def test_what_lies_on_a_collider_falls_freely_once_it_is_off(own: bool, apart: bool) -> None:
    simulation, floor = sheets(own, apart=apart)
    for _ in range(RESTING):
        simulation.advance(FRAME)
    at_rest = height(simulation)
    assert at_rest == pytest.approx(0.005, abs=0.002)
    floor.is_on = False
    for _ in range(FALLING):
        simulation.advance(FRAME)
    assert at_rest - height(simulation) == pytest.approx(
        0.5 * 9.81 * (FALLING * FRAME) ** 2, rel=0.1
    )


@SELF
def test_a_collider_that_is_off_from_the_start_holds_what_it_is_switched_on_below(
    own: bool,
) -> None:
    """Where its target is, at once: coming up to there it would beat the sheet."""
    simulation, floor = sheets(own, 1.0)
    floor.is_on = False
    floor.set_target(FLOOR + np.array([0.0, 0.0, 3.0]))
    simulation.advance(FRAME)
    floor.set_target(FLOOR + np.array([0.0, 0.0, -1.0]))
    for _ in range(4):
        simulation.advance(FRAME)
    falling = simulation.velocities[:, 2].copy()
    assert falling == pytest.approx(-9.81 * 5 * FRAME, rel=0.02)
    floor.is_on = True
    floor.set_target(FLOOR + np.array([0.0, 0.0, 0.4]))
    for _ in range(48):
        simulation.advance(FRAME)
    assert height(simulation) == pytest.approx(0.405, abs=0.002)


@SELF
@pytest.mark.parametrize("stop", [4, 6, 7, 8])
def test_what_goes_on_from_a_checkpoint_has_it_off_and_on_as_well(own: bool, stop: int) -> None:
    """Also where it comes back just then, at once somewhere else."""

    def advance(simulation: Any, floor: core.Collider, frame: int) -> None:
        floor.is_on = not 4 <= frame < 7
        if floor.is_on:
            floor.set_target(FLOOR - np.array([0.0, 0.0, 0.02 if frame < 4 else 0.25]))
        simulation.advance(FRAME)

    simulation, floor = sheets(own)
    for frame in range(stop):
        advance(simulation, floor, frame)
    later, later_floor = sheets(own)
    later.restore(simulation.checkpoint())
    for frame in range(stop, 10):
        advance(simulation, floor, frame)
        advance(later, later_floor, frame)
    assert simulation.positions.tobytes() == later.positions.tobytes()


def test_hills_that_come_back_elsewhere_hold_by_their_other_slopes() -> None:
    model = core.Model()
    points, quads = naive.quad_grid(6, 6, 1.0, 1.0)
    model.add_cloth(points + np.array([-0.5, -0.5, 0.3]), quads, thickness=0.005)
    ground, tiles = naive.quad_grid(60, 60, 12.0, 12.0)
    ground = ground - np.array([6.0, 6.0, 0.0])
    ground[:, 2] = 0.2 * np.sin(2.0 * ground[:, 0])
    corners = np.concatenate([np.array(tiles)[:, each] for each in ([0, 1, 2], [0, 2, 3])])
    hills = model.add_collider(ground, corners, thickness=0.0)
    simulation = core.Simulation(model, core.XPBD(substeps=20, second_order=True))
    for _ in range(8):
        simulation.advance(FRAME)
    hills.is_on = False
    simulation.advance(FRAME)
    hills.is_on = True
    shift = np.array([3.0, 0.0, -0.5])
    hills.set_target(ground + shift)
    for _ in range(24):
        simulation.advance(FRAME)
    x, _, z = simulation.positions.T
    assert (z > 0.2 * np.sin(2.0 * (x - 3.0)) - 0.5 - 0.01).all()
