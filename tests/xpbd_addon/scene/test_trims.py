# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons go along with the garment that they lie on."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene
from outdating import reasons
from playing import addon, play

LAST = 12
SIDE, BUTTON = 0.6, 0.02  # m
CELLS = 15


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.frame_end = LAST
    return made


def sheet_with(*buttons: tuple[float, float, float]) -> bpy.types.Object:
    """An upright sheet pinned along its top, and cubes at places in front of it, as one mesh."""
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=CELLS, y_subdivisions=CELLS, size=SIDE, rotation=(0.3, 0.0, 0.0)
    )
    sheet: Any = bpy.context.object
    bpy.ops.object.transform_apply()
    pins = sheet.vertex_groups.new(name="Pins")
    height = max(vertex.co.y for vertex in sheet.data.vertices)
    pins.add([v.index for v in sheet.data.vertices if v.co.y > height - 1e-4], 1.0, "REPLACE")
    for place in buttons:
        bpy.ops.mesh.primitive_cube_add(size=BUTTON, location=place)
        bpy.context.object.select_set(True)
        sheet.select_set(True)
        bpy.context.view_layer.objects.active = sheet
        bpy.ops.object.join()
    bpy.ops.object.select_all(action="DESELECT")
    sheet.select_set(True)
    bpy.ops.xpbd.add(kind="CLOTH")
    sheet.xpbd.pin_group = "Pins"
    return sheet


def frames(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """Where all vertices are on each frame, shape (frames, vertices, 3)."""
    play(scene)
    found = [addon.simulation.session.cached_positions(scene, obj, f) for f in range(1, LAST + 1)]
    return np.array(found, np.float64)


def sizes(points: np.ndarray) -> np.ndarray:
    """All distances between points, on each frame."""
    return np.linalg.norm(points[:, :, None] - points[:, None, :], axis=-1)


def test_a_button_stays_on_and_keeps_its_shape(scene: bpy.types.Scene) -> None:
    obj = sheet_with((0.05, 0.0, 0.011), (-0.1, -0.2, -0.05))
    button = slice((CELLS + 1) ** 2, (CELLS + 1) ** 2 + 8)
    found = frames(scene, obj)
    cloth = found[:, : button.start]
    under = np.linalg.norm(cloth[0] - found[0, button].mean(axis=0), axis=1).argmin()
    away = found[:, button].mean(axis=1) - cloth[:, under]
    assert np.abs(cloth[-1, under] - cloth[0, under]).max() > 0.1
    assert np.abs(np.linalg.norm(away, axis=1) - np.linalg.norm(away[0])).max() < 0.1 * BUTTON
    change = sizes(found[:, button]) - sizes(found[:1, button])
    assert np.abs(change).max() < 0.1 * BUTTON


def test_the_cloth_moves_as_without(scene: bpy.types.Scene) -> None:
    bare = frames(scene, sheet_with())
    bpy.data.objects.remove(bpy.context.object)
    obj = sheet_with((0.05, 0.0, 0.011))
    np.testing.assert_allclose(frames(scene, obj)[:, : bare.shape[1]], bare, atol=1e-5)


def test_without_it_they_fall_off(scene: bpy.types.Scene) -> None:
    obj = sheet_with((0.05, 0.0, 0.1))
    obj.xpbd.use_carried_buttons = False
    found = frames(scene, obj)
    falls = found[0, -8:, 2].mean() - found[-1, -8:, 2].mean()
    assert falls > 0.3 * 9.81 * ((LAST - 1) / 24) ** 2


def test_what_is_far_or_pinned_is_simulated(scene: bpy.types.Scene) -> None:
    obj = sheet_with((0.05, 0.0, 0.2), (-0.2, -0.1, 0.0))
    last = range(len(obj.data.vertices) - 8, len(obj.data.vertices))
    obj.vertex_groups["Pins"].add(list(last), 1.0, "REPLACE")
    found = frames(scene, obj)
    assert found[0, -16:-8, 2].mean() - found[-1, -16:-8, 2].mean() > 0.1
    np.testing.assert_allclose(found[-1, -8:], found[0, -8:], atol=1e-6)


def test_switching_it_outdates_the_cache(scene: bpy.types.Scene) -> None:
    obj = sheet_with((0.05, 0.0, 0.011))
    play(scene)
    assert reasons(scene)[obj.name] == ""
    obj.xpbd.use_carried_buttons = False
    assert reasons(scene)[obj.name] != ""


@pytest.mark.parametrize("flat", [False, True])
def test_it_turns_exactly_with_what_turns(flat: bool) -> None:
    rng = np.random.default_rng(3)
    cloth = rng.uniform(-1.0, 1.0, (60, 3)) * ([1.0, 1.0, 0.0] if flat else [1.0, 1.0, 0.3])
    points = np.concatenate([cloth, rng.uniform(-0.4, 0.4, (8, 3))])
    trims = addon.scene.trims.bind(points, [np.arange(60, 68)], [np.arange(60)])
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    np.testing.assert_allclose(trims.places(points), points[60:], atol=1e-9)
    moved = points @ turn.T + [3.0, -2.0, 1.0]
    np.testing.assert_allclose(trims.places(moved), moved[60:], atol=1e-9)


def test_a_belt_bends_with_what_it_lies_on() -> None:
    """A strip along a sheet that is rolled up stays at its height over it."""
    x, y = (each.ravel() for each in np.meshgrid(np.linspace(0, 1, 81), np.linspace(-0.1, 0.1, 9)))
    u, v = (each.ravel() for each in np.meshgrid(np.linspace(0.2, 0.8, 31), [-0.01, 0.01]))
    flat = np.concatenate([np.stack([x, y, 0 * x], 1), np.stack([u, v, 0 * u + 0.005], 1)])
    trims = addon.scene.trims.bind(flat, [np.arange(len(x), len(flat))], [np.arange(len(x))])
    radius = 0.25
    rolled = np.stack(
        [radius * np.sin(flat[:, 0] / radius), flat[:, 1], radius * np.cos(flat[:, 0] / radius)], 1
    )
    places = trims.places(rolled)
    height = np.hypot(places[:, 0], places[:, 2]) - radius
    np.testing.assert_allclose(height, 0.005, atol=0.002)


def test_what_is_sewn_on_is_simulated(scene: bpy.types.Scene) -> None:
    """By loose edges from each corner of a patch to the sheet behind it."""
    obj = sheet_with((0.05, -0.05, 0.03))
    mesh: Any = obj.data
    points = np.array([vertex.co[:] for vertex in mesh.vertices])
    ends = np.linalg.norm(points[:-8] - points[-8:].mean(axis=0), axis=1).argsort()[:8]
    mesh.edges.add(8)
    for edge, one, other in zip(mesh.edges[-8:], ends, range(len(points) - 8, len(points))):
        edge.vertices = int(one), int(other)
    mesh.update()
    obj.xpbd.use_sewing = True
    found = frames(scene, obj)
    gaps = np.linalg.norm(found[:, ends] - found[:, -8:], axis=2).max(axis=1)
    assert gaps[-1] < 0.7 * gaps[0], "what is carried keeps its distance"
