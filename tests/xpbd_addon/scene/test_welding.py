# SPDX-License-Identifier: GPL-3.0-or-later
"""Coincident vertices are simulated as one, at any place where vertices count."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, sheet
from playing import addon, play

CUTS = 5


def split(obj: bpy.types.Object) -> None:
    """Give every face vertices of its own, as exporters of hard edges do."""
    mesh: Any = obj.data
    corners = np.array([face.vertices[:] for face in mesh.polygons])
    points = np.array([mesh.vertices[vertex].co[:] for vertex in corners.ravel()])
    pinned = [i for i, v in enumerate(corners.ravel()) if mesh.vertices[v].groups]
    mesh.clear_geometry()
    mesh.from_pydata(points, [], np.arange(len(points)).reshape(-1, 4).tolist())
    mesh.update()
    obj.vertex_groups.clear()
    obj.vertex_groups.new(name="Pins").add(pinned, 1.0, "ADD")


def simulated(weld: float, *, is_split: bool = True) -> tuple[bpy.types.Object, np.ndarray]:
    scene = empty_scene()
    obj = sheet()
    if is_split:
        split(obj)
    obj.xpbd.weld = weld
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    frames = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in FRAMES]
    return obj, np.array(frames)


def test_welded_faces_move_as_one_sheet() -> None:
    whole, expected = simulated(0.0, is_split=False)
    mesh: Any = whole.data
    corners = np.array([face.vertices[:] for face in mesh.polygons]).ravel()
    _, found = simulated(1e-4)
    assert found.shape == (len(FRAMES), len(corners), 3)
    np.testing.assert_allclose(found, expected[:, corners], atol=1e-3)
    _, apart = simulated(0.0)
    assert np.abs(apart - expected[:, corners]).max() > 0.05


def test_what_is_shown_and_played_is_welded_too() -> None:
    obj, found = simulated(1e-4)
    np.testing.assert_allclose(animation(obj), found, atol=1e-6)
    bpy.ops.xpbd.clear_cache()
    play(bpy.context.scene)
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(bpy.context.scene, obj, 6), found[-1]
    )


def test_the_distance_counts_and_outdates() -> None:
    obj, _ = simulated(0.0)
    obj.xpbd.weld = 1e-4
    assert addon.simulation.session.status(bpy.context.scene).reason == "mesh changed"


def test_painted_and_keyed_materials_of_welded_vertices() -> None:
    scene = empty_scene()
    obj = sheet()
    split(obj)
    obj.vertex_groups.new(name="All").add(range(len(obj.data.vertices)), 1.0, "ADD")
    obj.xpbd.weld, obj.xpbd.density_group = 1e-4, "All"
    for frame, drag in ((1, 0.0), (6, 50.0)):
        obj.xpbd.drag = drag
        obj.keyframe_insert("xpbd.drag", frame=frame)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert addon.simulation.session.left_out(scene) == []
    found = addon.simulation.session.cached_positions(scene, obj, 6)
    groups = np.unique(np.round([v.co[:] for v in obj.data.vertices], 4), axis=0)
    assert len(np.unique(found, axis=0)) <= len(groups)


def reduction(points: np.ndarray) -> Any:
    """Of vertices that are welded at a tenth of a millimetre."""
    return addon.scene.reduction.find(points, 1e-4, None, np.empty(0, np.int32))


def test_faces_and_edges_that_vanish_or_come_twice() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1e-5, 0]])
    welded = reduction(points)
    assert welded.particles.tolist() in ([0, 1, 2, 0], [2, 0, 1, 2])
    assert len(welded.vertices) == 3
    faces, numbers = welded.left([[0, 1, 2, 3], [3, 1, 2], [0, 3, 1]])
    assert ([len(face) for face in faces], numbers) == ([3], [0])
    edges, numbers = welded.left(np.array([[0, 3], [0, 1], [1, 3]], np.int32))
    assert ([len(edge) for edge in edges], numbers) == ([2], [1])


def test_the_stiffest_pin_of_a_particle_leads_it() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]])
    leading = reduction(points).pins(np.array([0, 1, 2, 3]), np.array([5.0, np.inf, np.inf, 7.0]))
    assert sorted(leading.tolist()) == [1, 2]


@pytest.mark.parametrize("distance", [0.0, 1e-4])
def test_a_mesh_without_doubles_is_left_alone(distance: float) -> None:
    assert addon.scene.welding.targets(np.eye(3), distance) is None


def test_what_is_welded_goes_on_from_a_checkpoint() -> None:
    """Of vertices that are one particle one alone is led."""
    obj, expected = simulated(1e-4)
    scene = bpy.context.scene
    bpy.ops.xpbd.clear_cache()
    scene.xpbd.frame_end = 4
    bpy.ops.xpbd.simulate()
    addon.simulation.session.forget()
    scene.xpbd.frame_end = FRAMES[-1]
    assert addon.simulation.session.status(scene).goes_on_from == 4
    begin = addon.simulation.session.of(scene).begin
    addon.simulation.session.of(scene).begin = None  # it must not begin anew
    try:
        bpy.ops.xpbd.simulate()
    finally:
        addon.simulation.session.of(scene).begin = begin
    found = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in FRAMES]
    np.testing.assert_array_equal(found, expected)
