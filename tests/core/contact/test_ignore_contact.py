# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model says goes through each other does, and everything else is as it was."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from numpy.typing import NDArray

import core

FRAME = 1 / 24

SOLVERS = {
    "xpbd": lambda: core.XPBD(substeps=20),
    "pbd": lambda: core.PBD(substeps=20),
    "projective": lambda: core.ProjectiveDynamics(substeps=4, iterations=10),
    "constrained": lambda: core.ConstrainedDynamics(substeps=20),
}


def sheet(model: core.Model, height: float, size: float = 0.4, **options: Any) -> core.Cloth:
    points, faces = naive.quad_grid(9, 9, size, size)
    points = points + np.array([0.0037 - 0.5 * size, 0.0023 - 0.5 * size, height])
    options = {"thickness": 0.005, "stretch_compliance": 1e-3, "shear_compliance": 1e-3, **options}
    return model.add_cloth(points, faces, **options)


def ball(model: core.Model, height: float) -> core.Collider:
    vertices, triangles = scenes.ball(12)
    return model.add_collider(
        0.1 * vertices + np.array([0.0, 0.0, height]), triangles, thickness=0.0
    )


def table(model: core.Model, height: float) -> core.Collider:
    return model.add_collider(*scenes.box((-1, -1, height - 0.5), (1, 1, height)), thickness=0.0)


def advanced(model: core.Model, solver: Any, frames: int) -> core.Simulation:
    simulation = core.Simulation(model, solver)
    for _ in range(frames):
        simulation.advance(FRAME)
        assert simulation.crossings == 0
    return simulation


def heights(simulation: core.Simulation, body: core.Cloth) -> NDArray[Any]:
    return np.asarray(simulation.positions[body.particles, 2])


@pytest.mark.parametrize("solver", SOLVERS)
def test_cloth_falls_through_the_ball_that_it_ignores_onto_the_table(solver: str) -> None:
    """Half a metre takes 0.32 s: eight frames; another sheet stays on the ball."""
    model = core.Model()
    through, caught = sheet(model, 0.5), sheet(model, 0.52)
    obstacle = ball(model, 0.35)
    table(model, 0.0)
    model.ignore_contact(through, obstacle)
    simulation = advanced(model, SOLVERS[solver](), 20)
    np.testing.assert_allclose(heights(simulation, through), 0.005, atol=1e-3)
    assert heights(simulation, caught).max() > 0.44


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_what_is_ignored_neither_rubs_nor_bounces_nor_holds(restitution: float) -> None:
    """It falls as if the ball were not there, to the last digit."""

    def falling(with_ball: bool) -> NDArray[Any]:
        model = core.Model()
        body = sheet(model, 0.5, restitution=restitution, friction=1.0)
        if with_ball:
            model.ignore_contact(body, ball(model, 0.35))
        simulation = advanced(model, core.XPBD(substeps=20), 7)
        assert not simulation.state.contact.touched().any()
        return np.array(simulation.positions)

    np.testing.assert_array_equal(falling(with_ball=True), falling(with_ball=False))


def test_it_stays_ignored_while_it_moves_and_gets_thicker() -> None:
    model = core.Model()
    body, moving = sheet(model, 0.5), ball(model, 0.0)
    model.ignore_contact(body, moving)
    simulation = core.Simulation(model, core.XPBD(substeps=8), gravity=(0.0, 0.0, 0.0))
    start = np.array(simulation.positions)
    for frame in range(10):
        moving.thickness = 0.002 * frame
        moving.set_target(moving.vertices + np.array([0.0, 0.0, 0.1]))
        simulation.advance(FRAME)
    np.testing.assert_allclose(simulation.positions, start, atol=1e-6)


@pytest.mark.parametrize("turned", [False, True])
def test_cloth_falls_through_the_cloth_that_it_ignores_onto_a_third(turned: bool) -> None:
    model = core.Model()
    _, second = (sheet(model, z, 0.8, pins=range(100)) for z in (0.0, 0.2))
    first = sheet(model, 0.3)
    model.ignore_contact(*((second, first) if turned else (first, second)))
    simulation = advanced(model, core.XPBD(substeps=20), 16)
    np.testing.assert_allclose(heights(simulation, first), 0.01, atol=2e-3)


def test_strands_and_cloth() -> None:
    model = core.Model()
    net = sheet(model, 0.2, 0.8, pins=range(100))
    points = np.c_[np.linspace(-0.1, 0.1, 9), np.zeros(9), np.full(9, 0.25)]
    strand = model.add_strands(points, np.c_[np.arange(8), np.arange(1, 9)])
    model.ignore_contact(strand, net)
    simulation = advanced(model, core.XPBD(substeps=20), 8)
    assert simulation.positions[strand.particles, 2].max() < 0.0


def test_a_pair_that_never_meets_changes_no_byte() -> None:
    def piled(ignoring: bool) -> NDArray[Any]:
        model = core.Model()
        bodies = [sheet(model, z) for z in (0.12, 0.14)]
        far = sheet(model, 9.0)
        ball(model, 0.0)
        if ignoring:
            model.ignore_contact(bodies[0], far)
        return np.array(advanced(model, core.XPBD(substeps=10), 6).positions)

    np.testing.assert_array_equal(piled(ignoring=True), piled(ignoring=False))
