# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact tells which particles something has pushed in the last frame."""

from __future__ import annotations

import contact_scenes as scenes
import naive
import numpy as np

import core


def above_ground(heights: list[float], **options: float) -> core.Simulation:
    """Free particles over a plane at z = 0, at distances from it beyond what is kept."""
    model = core.Model()
    places = [(0.3 * i, 0.0, 0.01 + height) for i, height in enumerate(heights)]
    model.add_particles(places, 1.0, thickness=0.01, **options)
    model.add_collider(*scenes.quad(10.0), thickness=0.0)
    return core.Simulation(model, core.XPBD(substeps=8))


def test_those_that_fall_onto_something_have_touched() -> None:
    simulation = above_ground([0.0, 0.005, 1.0])
    assert not simulation.state.contact.touched().any()
    simulation.advance(1 / 24)
    np.testing.assert_array_equal(simulation.state.contact.touched(), [True, True, False])


def test_only_the_last_frame_counts() -> None:
    """One that bounces is free again in the frame after."""
    simulation = above_ground([0.001], restitution=1.0)
    simulation.model.colliders[0].set_target(scenes.quad(10.0, height=0.1)[0])
    simulation.advance(1 / 24)
    assert simulation.state.contact.touched().all()
    simulation.advance(1 / 24)
    assert not simulation.state.contact.touched().any()


def test_every_collider_counts() -> None:
    model = core.Model()
    model.add_particles([(0.0, 0, 0.01), (20.0, 0, 0.01)], 1.0, thickness=0.01)
    for x in (0.0, 20.0):
        vertices, triangles = scenes.quad()
        model.add_collider(vertices + np.array([x, 0, 0]), triangles, thickness=0.0)
    simulation = core.Simulation(model)
    simulation.advance(1 / 24)
    assert simulation.state.contact.touched().all()


def test_what_bodies_push_is_told_apart_from_what_colliders_do() -> None:
    """Two sheets that are driven into each other; the one lies on a plane as well."""
    points, faces = naive.quad_grid(4, 4, 0.2, 0.2)
    model = core.Model()
    lower = model.add_cloth(points, faces, thickness=0.005, velocities=(0.0, 0.0, 0.2))
    upper = model.add_cloth(
        np.add(points, (0.0, 0.0, 0.011)), faces, thickness=0.005, velocities=(0.0, 0.0, -0.2)
    )
    alone = model.add_cloth(np.add(points, (1.0, 0.0, 0.0)), faces, thickness=0.005)
    model.add_collider(*scenes.quad(10.0, height=-0.005), thickness=0.0)
    simulation = core.Simulation(model, core.XPBD(substeps=8))
    simulation.advance(1 / 24)
    contact = simulation.state.contact
    by_bodies, touched = contact.touched_by_bodies(), contact.touched()
    assert by_bodies[lower.particles].all() and by_bodies[upper.particles].all()
    assert not by_bodies[alone.particles].any()
    assert touched[alone.particles].all()
    assert not touched[upper.particles].any()


def test_what_goes_through_each_other_counts() -> None:
    """However many substeps there are, it may be stretched until it is free."""
    model = core.Model()
    flat = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)])
    upright = np.array([(0.0, 0.0, -1.0), (0.0, 0.1, 1.0), (0.0, 3.0, 1.0)])
    for points in (flat, upright, upright + np.array([10.0, 0.0, 0.0])):
        model.add_cloth(points, [(0, 1, 2)])
    simulation = core.Simulation(model, core.XPBD(substeps=2), gravity=(0.0, 0.0, 0.0))
    simulation.advance(1 / 24)
    np.testing.assert_array_equal(simulation.state.contact.touched(), [True] * 5 + [False] * 4)
