# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the bending is wrong, and that Automatic Quality mends it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest
from overhangs import droop, overhang

import core
from bench.default_settings import SOLVER
from core.solvers.xpbd import solver
from core.solvers.xpbd.bending.gauge import DROOP, FLAT, LARGEST, NARROW, Hinges
from core.solvers.xpbd.effort import PAUSE, Effort, Plateau, next_effort

CELL = 0.0045  # m
FINE = 320  # substeps with which the droop is the same with twice as many


def automatic(**options: Any) -> core.XPBD:
    return core.XPBD(**SOLVER | {"threads": 1} | options)


def in_substeps(substeps: int) -> core.XPBD:
    return automatic(substeps=substeps, iterations=1, largest_stretch=0.0)


def test_it_is_the_part_of_the_angle_that_was_changed_after_the_prediction() -> None:
    """A hinge that is moved when the step is done has another angle than its moment is of."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1, 0, 0), (0.5, 1, 0.4), (0.5, -1, 0)], 1.0)
    model.add_constraints("bending", [(0, 1, 2, 3)], rest=[[0.0]], compliance=0.5)
    simulation = core.Simulation(model, in_substeps(1))
    simulation.advance(1e-3)
    predicted = 0.5 * simulation.forces("bending")[0]
    simulation.positions[3, 2] += 0.3
    angle = abs(naive.bending(simulation.positions, np.zeros(1))[0])
    length, width = 2.0, (math.hypot(1.0, 0.4) + 1.0) / 3.0
    least = FLAT * width / length
    expected = DROOP * (angle - predicted) * predicted / (predicted**2 + least**2)
    assert angle > 1.1 * predicted
    assert simulation.report().bend_error == pytest.approx(expected, rel=1e-6)


def test_a_sheet_that_is_as_good_as_flat_has_nothing_wrong() -> None:
    """Of wrinkles of a hundredth of a degree everything may be wrong, and nobody sees it."""
    points, faces = naive.quad_grid(8, 8, 1.0, 1.0)
    flat, random = np.asarray(points), np.random.default_rng(0)
    wrinkled = flat.copy()
    wrinkled[:, 2] = 1e-5 * random.uniform(-1.0, 1.0, len(flat))
    model = core.Model()
    model.add_cloth(wrinkled, faces, rest_positions=flat)
    simulation = core.Simulation(model, in_substeps(1))
    simulation.advance(1e-3)
    simulation.positions[:, 2] = 1e-5 * random.uniform(-1.0, 1.0, len(flat))
    assert 0.0 < simulation.report().bend_error < 0.1 * LARGEST


def test_a_seam_of_narrow_hinges_does_not_rule_a_garment() -> None:
    """A hundredth of the usual width: most of the energy of an angle, which nobody sees."""
    widths = np.array([0.01, 0.01, 0.0001])
    narrow = Hinges.narrowness_of(widths, np.full(3, 0.02))
    np.testing.assert_allclose(narrow, [1.0, 1.0, 0.01 / NARROW], rtol=0.02)
    assert hinges(narrowness=narrow).error(LEFT, NOTHING, NOTHING) < 0.05 * DROOP
    assert hinges().error(LEFT, NOTHING, NOTHING) > 0.9 * DROOP


def test_what_touches_all_around_is_bent_as_what_it_touches() -> None:
    touched = np.zeros(7, bool)
    touched[[4, 5, 6]] = True
    assert hinges().error(LEFT, touched, NOTHING) == hinges().error(LEFT, NOTHING, NOTHING)
    touched[3] = True
    assert hinges().error(LEFT, touched, NOTHING) == 0.0


def test_what_a_tangle_pulls_at_does_not_say_that_more_work_is_needed() -> None:
    tangled = np.zeros(7, bool)
    tangled[3] = True
    assert hinges().error(LEFT, NOTHING, tangled) == 0.0
    tangled[:] = np.arange(7) == 0
    assert hinges().error(LEFT, NOTHING, tangled) == hinges().error(LEFT, NOTHING, NOTHING)


NOTHING = np.zeros(7, bool)
LEFT = np.array([0.0, 0.0, 0.3, 0.3, 0.3, 0.3])
"""The last of three hinges is left as wrong as it is bent."""


def hinges(**options: Any) -> Hinges:
    """Three, of which the last is a hundred times as stiff as the others."""
    given: dict[str, Any] = {
        "corners": np.array([(0, 1, 2, 3), (1, 2, 3, 4), (3, 4, 5, 6)]),
        "places": np.arange(6).reshape(2, 3),
        "narrowness": np.ones(3),
        "stiffness": np.array([1.0, 1.0, 100.0]),
        "least": 0.0,
    }
    return Hinges(**given | options)


def test_cloth_over_an_edge_droops_as_it_does_in_many_substeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In few it droops by 3 % of its length more, and its stretch does not ask for enough."""
    exact, few = (droop("leather", CELL, in_substeps(count))[0] for count in (FINE, 20))
    found, simulation = droop("leather", CELL, automatic())
    monkeypatch.setattr(solver, "LARGEST", math.inf)
    _, stretch_alone = droop("leather", CELL, automatic())
    assert few - exact > 0.02
    assert abs(found - exact) < 0.01
    assert 0.3 * LARGEST < simulation.report().bend_error < LARGEST
    assert simulation.report().substeps > 1.1 * stretch_alone.report().substeps


def test_each_body_has_its_own() -> None:
    """Cloth beside one that hangs over an edge has nothing wrong."""
    model, _ = overhang("leather", CELL)
    points, faces = naive.quad_grid(6, 6, 0.05, 0.05)
    flat = model.add_cloth(points + np.array([5.0, 0.0, 0.0]), faces, pins=np.arange(7))
    simulation = core.Simulation(model, in_substeps(20))
    for _ in range(24):
        simulation.advance(1 / 24)
    errors = [simulation.bend_error(body) for body in (model.bodies[0], flat)]
    assert errors[0] > 3.0 * errors[1]
    assert simulation.report().bend_error == max(errors)


@pytest.mark.jit_off
def test_where_more_work_does_not_help_bending_it_stops() -> None:
    plateau, last, most = Plateau(most=math.inf), Effort(40, 1), Effort(400, 8)
    spent = []
    for _ in range(3 * PAUSE):
        heeded = plateau.heeded(replace(last, overstretch=0.5), 0.03)
        last = next_effort(heeded, 0.03, most)
        spent.append(last.work)
    assert max(spent) < 200.0
    assert np.median(spent) < 60.0
