# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams and stitches: how strongly they pull, when they tear, and what becomes of it."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
import shirt

import core
from core.bodies.stitches import seams_of

FRAME = 1.0 / 24.0

GRAVITY = 9.81  # m/s²
STIFFNESS = 2000.0  # N/m

DEFAULTS: dict[str, Any] = {
    "substeps": 400, "iterations": 8, "largest_stretch": 0.03, "near_pins": True,
    "implicit_bending": True, "second_order": True,
}  # fmt: skip
"""The solver as the add-on has it."""


def simulated(model: core.Model, gravity: float = 0.0, **options: Any) -> core.Simulation:
    return core.Simulation(model, core.XPBD(**DEFAULTS | options), gravity=(0.0, 0.0, -gravity))


@pytest.mark.parametrize("second_order", [False, True])
def test_a_thread_pulls_two_weights_with_its_greatest_force(second_order: bool) -> None:
    """0.1 N on 0.2 and 0.3 kg: the gap falls by ½ (F/m₁ + F/m₂) t², and then stays closed."""
    model = core.Model(np.float64)
    model.add_particles([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], [0.2, 0.3])
    model.add_stitches([(0, 1)], sewing_force=0.1)
    simulation = simulated(model, second_order=second_order, largest_stretch=0.0, substeps=40)
    gaps = []
    for _ in range(60):
        simulation.advance(FRAME)
        gaps.append(np.ptp(simulation.positions[:, 0]))
    time = FRAME * np.arange(1, 61)
    expected = 1.0 - 0.5 * 0.1 * (1.0 / 0.2 + 1.0 / 0.3) * time**2
    open_still = expected > 0.0
    np.testing.assert_allclose(np.array(gaps)[open_still], expected[open_still], atol=0.005)
    assert max(gaps[-6:]) < 1e-3
    momentum = simulation.velocities.T @ np.array([0.2, 0.3])
    np.testing.assert_allclose(momentum, 0.0, atol=1e-6)


def test_a_seam_is_closed_in_its_time() -> None:
    """What is free may go on faster than it is drawn, but never comes back further."""
    model = core.Model()
    model.add_particles([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], [0.2, 0.2])
    model.add_stitches([(0, 1)], sewing_time=1.0)
    simulation = simulated(model)
    gaps = [1.0]
    for frame in range(1, 31):
        simulation.advance(FRAME)
        gaps.append(np.ptp(simulation.positions[:, 0]))
        assert gaps[-1] <= max(0.0, 1.0 - frame / 24.0) + 1e-6
    assert gaps[6] > 0.4


def hanging(cells: int, load: float) -> tuple[core.Model, Any]:
    """A sheet of 0.2 × 0.1 m hangs, and another is stitched to it that weighs a load [N/m]."""
    points, quads = naive.quad_grid(cells // 2, cells, 0.1, 0.2)
    upper = np.stack([points[:, 1], np.zeros(len(points)), -points[:, 0]], axis=1)
    count = len(points)
    both = np.concatenate([upper, upper - np.array([0.0, 0.0, 0.1])])
    faces = np.concatenate([np.asarray(quads), np.asarray(quads) + count])
    model = core.Model()
    model.add_cloth(
        both,
        faces,
        pins=np.flatnonzero(both[:, 2] == 0.0),
        density=np.repeat([0.2, load / 0.1 / GRAVITY], count),
        stretch_compliance=1.0 / STIFFNESS,
        shear_compliance=0.02,
        poisson_ratio=0.0,
        drag=4.0,
    )
    ends = np.flatnonzero(np.isclose(upper[:, 2], -0.1)), np.flatnonzero(upper[:, 2] == 0.0)
    return model, np.stack([ends[0], count + ends[1]], axis=1)


@pytest.mark.parametrize("cells", [6, 12, 24])
def test_stitches_tear_at_their_strength_at_any_resolution(cells: int) -> None:
    """Gravity grows slowly; at what the load weighs when the first stitch gives way.

    With about as many substeps as Automatic Quality takes, but always as many: where their number
    changes forces jump, and seams tear up to a quarter earlier.
    """
    model, pairs = hanging(cells, 2.0)
    stitches = model.add_stitches(pairs, strength=1.0)
    simulation = simulated(model, largest_stretch=0.0, substeps=10 * cells, iterations=1)
    share = 0.0
    while not simulation.torn(stitches).any():
        share += 0.01
        assert share < 1.0, "It never tore."
        simulation.gravity = (0.0, 0.0, -share * GRAVITY)
        simulation.advance(FRAME)
    assert 2.0 * share == pytest.approx(1.0, rel=0.05)
    for _ in range(12):
        simulation.advance(FRAME)
    assert simulation.torn(stitches).all()
    lowest = simulation.positions[pairs[:, 0], 2] - simulation.positions[pairs[:, 1], 2]
    assert lowest.min() > 0.1


def test_stitches_that_hold_carry_the_load_and_stay_closed() -> None:
    model, pairs = hanging(16, 2.0)
    stitches = model.add_stitches(pairs, strength=20.0)
    simulation = simulated(model, GRAVITY)
    for frame in range(96):
        simulation.gravity = (0.0, 0.0, -GRAVITY * min(1.0, frame / 36.0))
        simulation.advance(FRAME)
    assert not simulation.torn(stitches).any()
    assert simulation.forces(stitches).sum() / 0.2 == pytest.approx(2.0, rel=0.02)
    gaps = simulation.positions[pairs[:, 0]] - simulation.positions[pairs[:, 1]]
    assert np.linalg.norm(gaps, axis=1).max() < 1e-5
    assert simulation.positions[:, 2].min() == pytest.approx(-0.2, abs=0.002)


@pytest.mark.jit_off
def test_each_stitch_holds_half_of_the_seam_on_both_sides() -> None:
    points = np.array([(0.0, 0, 0), (1.0, 0, 0), (3.0, 0, 0), (9.0, 0, 0)])
    both = np.concatenate([points, points, [(5.0, 0.0, 0.0)]])
    edges = np.array([(0, 1), (1, 2), (4, 5), (5, 6), (2, 3), (8, 3)])
    pairs = np.array([(0, 4), (1, 5), (6, 2), (3, 8)])
    # By itself, the last holds half of the mean of 6, 4 and 4 m around it.
    spans, neighbours = seams_of(pairs, both, edges)
    np.testing.assert_allclose(spans, [0.5, 1.5, 1.0, 0.5 * 14.0 / 3.0])
    assert neighbours.tolist() == [[1, -1], [0, 2], [1, -1], [-1, -1]]


@pytest.mark.jit_off
def test_what_is_no_stitch_is_refused() -> None:
    model = core.Model()
    model.add_particles(np.zeros((2, 3)), 1.0)
    with pytest.raises(core.ModelError, match="same particle twice"):
        model.add_stitches([(1, 1)])
    with pytest.raises(core.ModelError, match="don't exist"):
        model.add_stitches([(0, 2)])
    with pytest.raises(core.ModelError, match="strength of stitches must be positive, not 0"):
        model.add_stitches([(0, 1)], strength=0.0)
    with pytest.raises(core.ModelError, match="sewing time must be finite"):
        model.add_stitches([(0, 1)], sewing_time=np.inf)
    model.add_stitches([(0, 1)])
    for solver in (core.PBD(), core.ProjectiveDynamics(), core.ConstrainedDynamics()):
        with pytest.raises(core.ModelError, match="Only XPBD"):
            core.Simulation(model, solver)
    with pytest.raises(core.ModelError, match="Only XPBD"):
        core.Simulation(model, core.XPBD(method="jacobi"))


def test_a_shirt_of_flat_panels_is_sewn_onto_a_body() -> None:
    """Drawn together in a second without gravity; with it the shirt stays on, closed.

    Its seams gape by no more than edges between stitches are allowed to be overstretched.
    """
    sewn = shirt.shirt(0.024)
    model = core.Model()
    cloth = model.add_cloth(
        sewn.points, sewn.faces, thickness=0.002, friction=0.2, drag=0.5, bend_compliance=1e4
    )
    for vertices, triangles in shirt.body():
        model.add_collider(vertices, triangles, thickness=0.002, friction=0.2)
    model.add_stitches(sewn.seams, sewing_time=1.0)
    simulation = simulated(model)
    for frame in range(48):
        simulation.gravity = (0.0, 0.0, -GRAVITY if frame >= 28 else 0.0)
        simulation.advance(FRAME)
    points = simulation.positions.astype(np.float64)
    gaps = np.linalg.norm(points[sewn.seams[:, 0]] - points[sewn.seams[:, 1]], axis=1)
    assert gaps.max() < 0.024 * DEFAULTS["largest_stretch"]
    assert simulation.crossings == 0
    assert points[:, 2].min() > 0.8
    # Faces that share a seam touch; all others must not cross, nor go through the body.
    same = np.arange(len(points))
    same[sewn.seams[:, 1]] = sewn.seams[:, 0]
    points[sewn.seams[:, 1]] = points[sewn.seams[:, 0]]
    assert len(naive.crossing_pairs(points, same[cloth.triangles])) == 0
    for limb in shirt.body():
        assert len(naive.crossing_pairs(points, same[cloth.triangles], limb)) == 0


def test_stitches_are_part_of_the_state() -> None:
    """A simulation that goes on with the same model anew, while it tears, changes no byte."""

    def frames(renewed: bool) -> list[bytes]:
        model, pairs = hanging(6, 2.0)
        stitches = model.add_stitches(pairs, strength=1.5)
        simulation = simulated(model, GRAVITY, threads=1, largest_stretch=0.0, substeps=20)
        found = []
        for frame in range(24):
            simulation.advance(FRAME)
            found.append(simulation.positions.tobytes())
            if renewed and frame % 5 == 4:
                again, _ = hanging(6, 2.0)
                torn = simulation.torn(stitches)
                stitches = again.add_stitches(pairs, strength=1.5)
                simulation.go_on_with(again)
                np.testing.assert_array_equal(simulation.torn(stitches), torn)
        assert simulation.torn(stitches).any()
        return found

    assert frames(True) == frames(False)
