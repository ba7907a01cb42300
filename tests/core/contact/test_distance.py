# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances and neighbour lists, against spheres and against brute force."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import numpy as np
import pytest
from contact_parts import closest_point, find_closest, move_colliders, project
from numpy.typing import DTypeLike, NDArray

from core.contact import ColliderSet
from core.contact.data import LIST_SIZE, UNKNOWN, Contacts

pytestmark = pytest.mark.long


def rows_of(points: NDArray[Any], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    return np.c_[points, np.ones(len(points))].astype(dtype)


def closest_distances(contacts: Contacts, points: NDArray[np.float64]) -> NDArray[np.float64]:
    contacts.candidates["particle"] = np.arange(len(points))
    contacts.candidates["feature"] = UNKNOWN
    find_closest(contacts, rows_of(points), 0, 0, len(points), 0)
    return np.array(contacts.candidates["distance"])


def set_of(mesh: scenes.Mesh, count: int, **settings: Any) -> ColliderSet:
    zeros = np.zeros(count)
    return ColliderSet([scenes.collider(mesh, **settings)], zeros, zeros, threads=1)


def brute_force(mesh: scenes.Mesh, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances of points to triangles by sampling nothing: plane and edges, in whole arrays."""
    vertices, triangles = mesh
    best = np.full(len(points), np.inf)
    for corners in vertices[triangles]:
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            edge = b - a
            s = np.clip((points - a) @ edge / max(edge @ edge, 1e-300), 0, 1)
            best = np.minimum(best, np.linalg.norm(points - a - s[:, None] * edge, axis=1))
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        if normal @ normal < 1e-20:
            continue
        height = (points - corners[0]) @ normal / np.linalg.norm(normal)
        foot = points - height[:, None] * normal / np.linalg.norm(normal)
        inside = np.ones(len(points), bool)
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            inside &= np.cross(b - a, foot - a) @ normal >= 0
        best = np.where(inside, np.minimum(best, abs(height)), best)
    return best


@pytest.mark.jit_off
def test_closest_point_of_every_feature() -> None:
    a, b, c = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    cases = {
        (0.2, 0.2, 0.5): (0.25, 0.2, 0.2, 0),
        (0.5, -1.0, 0.0): (1.0, 0.5, 0.0, 1),
        (1.0, 1.0, 0.0): (0.5, 0.5, 0.5, 2),
        (-2.0, 0.5, 0.0): (4.0, 0.0, 0.5, 3),
        (-1.0, -1.0, 0.0): (2.0, 0.0, 0.0, 4),
        (3.0, -1.0, 0.0): (5.0, 1.0, 0.0, 5),
        (-1.0, 3.0, 0.0): (5.0, 0.0, 1.0, 6),
    }
    for point, expected in cases.items():
        assert closest_point(point, (a, b, c)) == pytest.approx(expected)


@pytest.mark.parametrize("flat", [((0, 0, 0),) * 3, ((0, 0, 0), (1, 0, 0), (3, 0, 0))])
def test_closest_point_without_area(flat: tuple[tuple[float, float, float], ...]) -> None:
    a, b, c = ((float(x), float(y), float(z)) for x, y, z in flat)
    square, u, v, _ = closest_point((2.0, 1.0, 0.0), (a, b, c))
    assert np.isfinite([square, u, v]).all()
    assert square == pytest.approx(1.0 if flat[1][0] else 5.0)


def test_lists_against_brute_force() -> None:
    rng = np.random.default_rng(1)
    vertices = rng.uniform(-1, 1, (60, 3))
    triangles = np.array([rng.choice(60, 3, replace=False) for _ in range(150)])
    triangles[7, 1] = triangles[7, 0]
    points = np.concatenate([rng.uniform(-1.5, 1.5, (2000, 3)), vertices, vertices * 1.001])
    mesh = (vertices, triangles)
    found = closest_distances(set_of(mesh, len(points)).contacts, points)
    np.testing.assert_allclose(found, brute_force(mesh, points), atol=1e-12)


def test_lists_stay_right_while_particles_and_collider_move() -> None:
    rng = np.random.default_rng(2)
    vertices = rng.uniform(-1, 1, (60, 3))
    triangles = np.array([rng.choice(60, 3, replace=False) for _ in range(100)])
    points = rng.uniform(-1.2, 1.2, (300, 3))
    direction, wobble = rng.normal(size=(300, 3)), rng.normal(size=vertices.shape)
    scene = set_of((vertices, triangles), len(points))
    for frame in range(10):
        end = vertices + (0.05 * np.sin(frame) * wobble + (0.1 * frame, 0, 0))
        scene.colliders[0].set_target(end)
        scene.begin_frame(1 / 24)
        for substep in range(4):
            move_colliders(scene.contacts, substep / 4, (substep + 1) / 4)
            points = points + 0.01 * direction
            now = scene.contacts.meshes.now
            found = closest_distances(scene.contacts, points)
            np.testing.assert_allclose(found, brute_force((now, triangles), points), atol=1e-12)
        scene.end_frame()


ARMS = (0.5, 1.0), (-0.5, -1.0)
"""Of two limbs, their places along x in distances, and the ways in which they turn."""


def on_arms(points: NDArray[np.float64], turn: float) -> NDArray[np.float64]:
    """Points of two limbs, five metres apart, that hang on arms and turn against each other."""
    arm, apart = np.array((0.0, 0.0, 2.0)), np.array((5.0, 0.0, 0.0))
    turned = [(points + arm) @ scenes.rotation((1, 0, 0), way * turn).T for _, way in ARMS]
    return np.concatenate([each + x * apart for each, (x, _) in zip(turned, ARMS, strict=True)])


def test_what_goes_along_with_a_limb_is_searched_once_a_frame() -> None:
    """However fast others move: its companion goes as the nearest triangle does."""
    ball, one = scenes.ball(16)
    points = np.random.default_rng(7).normal(size=(150, 3))
    points *= 1.02 / np.linalg.norm(points, axis=1)[:, None]
    scene = set_of((on_arms(ball, 0.0), np.concatenate([one, one + len(ball)])), 300)
    triangles, pairs = scene.colliders[0].triangles, scene.contacts.pairs[0]
    closest_distances(scene.contacts, on_arms(points, 0.0))
    frames, substeps, renewed = 4, 40, np.zeros(300)
    for frame in range(frames):
        before, after = (on_arms(points, 0.05 * (frame + k)) for k in (0, 1))
        scene.colliders[0].set_target(on_arms(ball, 0.05 * (frame + 1)))
        scene.begin_frame(1 / 24)
        for substep in range(substeps):
            part, known = (substep + 1) / substeps, pairs["gone"].copy()
            move_colliders(scene.contacts, substep / substeps, part)
            moved = before + part * (after - before)
            found = closest_distances(scene.contacts, moved)
            renewed += pairs["gone"] != known
        now = (scene.contacts.meshes.now, triangles)
        np.testing.assert_allclose(found, brute_force(now, moved), atol=1e-12)
        scene.end_frame()
    assert renewed.min() >= frames
    assert renewed.mean() < 1.1 * frames


def test_more_equally_near_triangles_than_fit_in_a_list() -> None:
    count = 3 * LIST_SIZE
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    rim = np.c_[np.cos(angle), np.sin(angle), np.zeros(count)]
    fan = np.array([(0, 1 + k, 1 + (k + 1) % count) for k in range(count)])
    mesh = (np.concatenate([[(0, 0, 0.5)], rim]), fan)
    scene = set_of(mesh, 500)
    points = np.random.default_rng(3).uniform(-1, 1, (500, 3)) * (0.3, 0.3, 0.1) + (0, 0, 0.6)
    for _ in range(20):
        points = points + np.random.default_rng(4).normal(size=(500, 3)) * 0.01
        found = closest_distances(scene.contacts, points)
        np.testing.assert_allclose(found, brute_force(mesh, points), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ball_keeps_particles_at_radius_plus_thickness(dtype: DTypeLike) -> None:
    """Pushed points lie where the analytic sphere of radius 1 + thickness is."""
    rng = np.random.default_rng(5)
    outward = rng.normal(size=(3000, 3))
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    start, end = 1.2 * outward, outward * rng.uniform(0.9, 1.15, (3000, 1))
    scene = set_of(scenes.ball(96), len(end), thickness=0.1)
    rows, previous = rows_of(end, dtype), rows_of(start, dtype)
    scene.begin_frame(1 / 24)
    move_colliders(scene.contacts, 0.0, 1.0)
    project(scene.contacts, rows, previous, 0, len(rows), 0)
    wanted = np.maximum(1.1, np.linalg.norm(end, axis=1))
    np.testing.assert_allclose(np.linalg.norm(rows[:, :3], axis=1), wanted, atol=1e-3)
    np.testing.assert_allclose(rows[:, :3], wanted[:, None] * outward, atol=4e-3)
    np.testing.assert_array_equal(previous, rows_of(start, dtype))


SPIKE = (
    np.array([(0, 0, 1), (0.1, 0, 0), (-0.05, 0.08, 0), (-0.05, -0.08, 0)]),
    np.array([(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]),
)


@pytest.mark.parametrize("mesh", [scenes.box((0, 0, 0), (1, 1, 0.05)), SPIKE])
def test_sign_near_sharp_edges_and_corners(mesh: scenes.Mesh) -> None:
    """Where the normal of the closest triangle alone would tell the wrong side."""
    vertices, triangles = mesh
    low, high = vertices.min(axis=0) - 0.2, vertices.max(axis=0) + 0.2
    points = np.random.default_rng(6).uniform(low, high, (4000, 3))
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside = (np.einsum("tpk,tk->tp", points - corners[:, :1], normals) < 0).all(axis=0)
    thickness = 1e-3
    scene = set_of(mesh, len(points), thickness=thickness)
    scene.contacts.recovery[:] = 1e9
    move_colliders(scene.contacts, 0.0, 1.0)
    rows = rows_of(points)
    project(scene.contacts, rows, rows_of(points), 0, len(points), 0)
    moved = ~np.isclose(rows[:, :3], points, atol=1e-12).all(axis=1)
    np.testing.assert_array_equal(moved, inside | (brute_force(mesh, points) < thickness))
