# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles stay out of colliders, however fast they or the colliders are."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import numpy as np
import pytest
from numpy.typing import DTypeLike

from core.contact import Collider
from core.errors import ModelError


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("two_sided", "side"), [(False, 1), (True, 1), (True, -1)])
def test_fast_particles_do_not_tunnel_through_a_quad(
    two_sided: bool, side: int, dtype: DTypeLike
) -> None:
    points = np.random.default_rng(1).uniform(-0.9, 0.9, (200, 3)) * (1, 1, 0)
    points[0] = 0
    ground = scenes.collider(scenes.quad(), two_sided=two_sided, thickness=0.002)
    scene = scenes.Particles(
        points + np.array([0, 0, side]), [ground],
        velocities=(3, -2, -100 * side), gravity=(0, 0, 0),
        dtype=dtype,
    )  # fmt: skip
    scene.advance()
    assert (side * scene.positions[:, 2] >= 0.002 - 1e-6).all()
    assert (side * scene.positions[:, 2] < 0.1).all()


def test_particles_pass_a_single_sided_quad_from_behind_or_beside() -> None:
    scene = scenes.Particles(
        [(0, 0, -1), (1.5, 0, 1)], [scenes.collider(scenes.quad())],
        velocities=[(0, 0, 100), (0, 0, -100)], gravity=(0, 0, 0), substeps=2,
    )  # fmt: skip
    scene.advance()
    np.testing.assert_allclose(scene.positions[:, 2], (100 / 24 - 1, 1 - 100 / 24))


def test_fast_particles_do_not_enter_a_thin_box() -> None:
    plate = scenes.collider(scenes.box((-1, -1, 0), (1, 1, 0.004)), thickness=0.01)
    points = np.random.default_rng(2).uniform(-0.95, 0.95, (300, 3)) * (1, 1, 0) + (0, 0, 1)
    scene = scenes.Particles(points, [plate], velocities=(0, 0, -100), gravity=(0, 0, 0))
    scene.advance()
    np.testing.assert_allclose(scene.positions, points * (1, 1, 0) + (0, 0, 0.014), atol=1e-9)


def test_a_fast_quad_takes_resting_particles_along() -> None:
    mesh = scenes.quad(1.0, height=-1.0)
    points = np.random.default_rng(3).uniform(-0.9, 0.9, (200, 3)) * (1, 1, 0.4)
    bat = scenes.collider(mesh, two_sided=True)
    scene = scenes.Particles(points, [bat], gravity=(0, 0, 0), substeps=4)
    bat.set_target(mesh[0] + (0, 0, 2.0))
    scene.advance()
    np.testing.assert_allclose(scene.positions[:, 2], 1.02, atol=1e-9)
    np.testing.assert_allclose(scene.velocity[:, 2], 48.0, rtol=1e-9)


def test_a_ball_sweeps_a_particle_out_of_its_way() -> None:
    vertices, triangles = scenes.ball()
    mover = Collider(vertices * 0.2, triangles, thickness=0.02)
    scene = scenes.Particles([(0.5, 0.0, 0.0)], [mover], gravity=(0, 0, 0))
    for frame in range(12):
        mover.set_target(vertices * 0.2 + ((frame + 1) * 0.05, 0, 0))
        scene.advance()
    assert scene.positions[0, 0] == pytest.approx(0.82, abs=2e-3)
    assert scene.velocity[0, 0] == pytest.approx(1.2, rel=0.02)


def test_deep_start_comes_out_slowly_and_without_velocity() -> None:
    cube = scenes.collider(scenes.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))
    points = np.array([(0, 0, 0.3), (0.45, 0, 0), (0.1, -0.4, 0.2)])
    scene = scenes.Particles(points, [cube], gravity=(0, 0, 0))
    for _ in range(24):
        before = scene.positions.copy()
        scene.advance()
        assert np.abs(scene.velocity).max() < 1e-9
        assert np.linalg.norm(scene.positions - before, axis=1).max() < 0.5 / 24 + 1e-9
    expected = [(0, 0, 0.52), (0.52, 0, 0), (0.1, -0.52, 0.2)]
    np.testing.assert_allclose(scene.positions, expected, atol=1e-9)


def test_start_within_the_thickness_makes_no_velocity() -> None:
    scene = scenes.Particles([(0, 0, 0.001)], [scenes.collider(scenes.quad())])
    for _ in range(24):
        scene.advance()
        assert scene.velocity[0, 2] < 1e-6
    assert scene.positions[0, 2] == pytest.approx(0.02, abs=1e-6)


@pytest.mark.jit_off
def test_thickness_of_both_is_kept_at_rest() -> None:
    scene = scenes.Particles(
        [(0.1, 0.2, 0.1)], [scenes.collider(scenes.quad())], thickness=0.005, substeps=6
    )
    scene.advance(6)
    np.testing.assert_allclose(scene.positions, [(0.1, 0.2, 0.025)], atol=1e-9)


def test_two_colliders_hold_a_particle_between_them() -> None:
    floor, wall = scenes.quad(), scenes.quad()
    wall = (wall[0] @ scenes.rotation((0, 1, 0), np.pi / 2).T, wall[1])
    scene = scenes.Particles(
        [(0.3, 0, 0.3)], [scenes.collider(floor), scenes.collider(wall)], gravity=(-5, 0, -5)
    )
    scene.advance(24)
    np.testing.assert_allclose(scene.positions, [(0.02, 0, 0.02)], atol=2e-5)


def test_kinematic_particles_stay() -> None:
    scene = scenes.Particles([(0, 0, 0.0)], [scenes.collider(scenes.quad())])
    scene.rows[0, 3] = 0
    scene.advance()
    np.testing.assert_array_equal(scene.positions, [(0, 0, 0)])


def test_triangles_without_area_do_no_harm() -> None:
    vertices, triangles = scenes.quad()
    extra = np.array([(0, 0, 1), (2, 2, 2), (0, 3, 3)])
    scene = scenes.Particles(
        np.random.default_rng(4).uniform(-0.9, 0.9, (50, 3)) * (1, 1, 0) + (0, 0, 0.2),
        [scenes.collider((vertices, np.concatenate([extra, triangles, extra])))],
        dtype=np.float32,
    )
    scene.advance(24)
    assert np.isfinite(scene.positions).all()
    np.testing.assert_allclose(scene.positions[:, 2], 0.02, atol=1e-6)


def test_not_a_number_is_left_alone_and_harms_nobody_else() -> None:
    scene = scenes.Particles([(0, 0, 0.1), (0.2, 0, 0.1)], [scenes.collider(scenes.quad())])
    scene.rows[0, 0] = np.nan
    scene.advance(12)
    assert scene.positions[1, 2] == pytest.approx(0.02)


def test_rain_on_a_tumbling_ball_stays_outside_and_finite() -> None:
    vertices, triangles = scenes.ball(12)
    mover = Collider(vertices, triangles, thickness=0.02)
    points = np.random.default_rng(5).uniform(-1, 1, (2000, 3)) + np.array([0, 0, 2.5])
    scene = scenes.Particles(points, [mover], dtype=np.float32)
    for frame in range(24):
        turned = vertices @ scenes.rotation((1, 2, 3), 0.3 * (frame + 1)).T
        mover.set_target(turned + np.array([0.3 * np.sin(frame), 0, 0]))
        scene.advance()
        assert np.isfinite(scene.positions).all()
        centre = mover.vertices.mean(axis=0)
        assert np.linalg.norm(scene.positions - centre, axis=1).min() > 0.98


def test_ranges_of_particles_give_the_same_result_as_one() -> None:
    points = np.random.default_rng(6).uniform(-1, 1, (500, 3)) + np.array([0, 0, 2])

    def run(parts: int) -> bytes:
        ground = scenes.collider(scenes.ball(12))
        scene = scenes.Particles(points, [ground], dtype=np.float32, parts=parts)
        scene.advance(20)
        return scene.positions.tobytes()

    assert run(1) == run(3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vertices": np.full((4, 3), np.nan)}, "'table' has a vertex that is not"),
        ({"vertices": np.zeros((4, 2))}, "'table' needs vertices"),
        ({"triangles": np.zeros((0, 3), int)}, "'table' needs triangles"),
        ({"triangles": np.array([(0, 1, 4)])}, "'table' refers to a missing vertex"),
        ({"thickness": -1.0}, "thickness of collider 'table'"),
    ],
)
def test_wrong_meshes_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    vertices, triangles = scenes.quad()
    settings = {"vertices": vertices, "triangles": triangles, "name": "table", **change}
    with pytest.raises(ModelError, match=message):
        Collider(**settings)


def test_wrong_targets_are_refused() -> None:
    table = scenes.collider(scenes.quad(), name="table")
    with pytest.raises(ModelError, match="'table' has 4 vertices and can't move to 3"):
        table.set_target(np.zeros((3, 3)))
    with pytest.raises(ModelError, match="not a finite number: delete it"):
        table.set_target(np.full((4, 3), np.inf))
