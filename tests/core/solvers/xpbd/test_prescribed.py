# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps for pins that set out or stop, which are known before the step."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from bench import contact_run, contact_scenes
from bench.default_settings import SOLVER
from core.solvers.xpbd.prescribed import PART, led_of, substeps_ahead

FRAME = 1 / 24
CELLS = 8
SIDE = 0.4


def hung(pins: list[int]) -> core.Simulation:
    model = core.Model(np.float64)
    model.add_cloth(*naive.quad_grid(CELLS + 1, CELLS + 1, SIDE, SIDE), pins=pins)
    return core.Simulation(model, core.XPBD(**SOLVER))


def needed(simulation: core.Simulation) -> int:
    model = simulation.model
    simulation.state.lead(FRAME)
    return substeps_ahead(led_of(model.groups, model.masses), simulation.state, FRAME)


@pytest.mark.parametrize("speed", [0.5, 25.0])
def test_pins_that_set_out_or_stop_are_seen_ahead(speed: float) -> None:
    """By how far they go otherwise than before, whatever their speed is."""
    pins = list(range(CELLS + 1))
    simulation = hung(pins)
    start, way = simulation.positions[pins].copy(), np.array([0.0, 0.0, speed * FRAME])
    most = int(np.ceil(speed * FRAME / (PART * SIDE / CELLS)))
    assert needed(simulation) == 0
    for frame, gone, expected in ((1, 1, most), (2, 2, 0), (3, 3, 0), (4, 3, most), (5, 3, 0)):
        simulation.set_targets(pins, start + gone * way)
        assert needed(simulation) == pytest.approx(expected, rel=0.05, abs=1), frame
        simulation.advance(FRAME)
        assert simulation.report().substeps >= 0.9 * expected


def test_what_holds_nothing_needs_none() -> None:
    simulation = hung([])
    assert needed(simulation) == 0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_a_number_is_left_to_who_tells_of_it(wrong: float) -> None:
    simulation = hung([0, 1])
    simulation.state.rows[0, 2] = wrong
    assert needed(simulation) == 0


def test_it_is_bounded_by_what_is_allowed() -> None:
    simulation = hung([0])
    simulation.set_targets([0], simulation.positions[[0]] + 100.0)
    assert needed(simulation) > SOLVER["substeps"]
    simulation.advance(FRAME)
    assert simulation.report().substeps == SOLVER["substeps"]
    assert np.isfinite(simulation.positions).all()


def test_cloths_driven_through_each_other_are_not_caught_in_each_other() -> None:
    """They were, in some resolutions: the first frame was made in as few substeps as rest needs."""
    scene = contact_scenes.make("crossing_fast", n=32)
    simulation = contact_run.build(scene, core.XPBD(**SOLVER))
    frames = list(contact_run.watch(scene, contact_run.steps(scene, simulation)))
    assert max(frame.strain_99 for frame in frames) < 1.0
    assert frames[-1].strain_99 < 0.25
