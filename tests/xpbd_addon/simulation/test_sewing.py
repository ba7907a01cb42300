# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose edges that are sewn, and split edges that are stitched."""

from __future__ import annotations

from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.use_gravity = False
    made.xpbd.frame_end = 20
    return made


def cloth(points: Any, edges: Any, faces: Any) -> bpy.types.Object:
    """An active cloth of a mesh."""
    mesh = bpy.data.meshes.new("Panels")
    mesh.from_pydata(np.asarray(points).tolist(), list(edges), list(faces))
    obj = bpy.data.objects.new("Panels", mesh)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    return obj


def panels(apart: float = 0.3) -> bpy.types.Object:
    """Two squares of 3 × 3 cells of 0.1 m, and loose edges from side to side."""
    x, y = (each.ravel() for each in np.meshgrid(np.arange(4), np.arange(4), indexing="ij"))
    points = 0.1 * np.stack([x, y, 0 * x], axis=1)
    other = points + np.array([0.3 + apart, 0.0, 0.0])
    quads = [(4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1)
             for i in range(3) for j in range(3)]  # fmt: skip
    faces = [*quads, *([16 + k for k in quad] for quad in quads)]
    threads = [(12 + j, 16 + j) for j in range(4)]
    return cloth(np.concatenate([points, other]), threads, faces)


def last_positions(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    scene.frame_set(scene.xpbd.frame_start)
    play(scene)
    found = addon.simulation.session.cached_positions(scene, obj, scene.xpbd.frame_end)
    assert found is not None, addon.simulation.session.status(scene)
    return np.asarray(found)


def gap(points: np.ndarray) -> float:
    return float(np.linalg.norm(points[12:16] - points[16:20], axis=1).max())


def test_loose_edges_pull_panels_together(scene: bpy.types.Scene) -> None:
    obj = panels()
    assert gap(last_positions(scene, obj)) == pytest.approx(0.3, abs=1e-5)
    obj.xpbd.use_sewing, obj.xpbd.sewing_time = True, 0.5
    assert gap(last_positions(scene, obj)) < 1e-4
    obj.xpbd.sewing_force_max = 1e-4  # of 4 g on each side: far too weak
    assert gap(last_positions(scene, obj)) > 0.2


def refusal(obj: bpy.types.Object) -> str:
    """Why it can't be read."""
    with pytest.raises(addon.errors.SceneError) as error:
        addon.scene.seams.read_threads(obj, bpy.context.evaluated_depsgraph_get())
    return str(error.value)


@pytest.mark.usefixtures("scene")
def test_what_cannot_be_sewn_is_told_by_name() -> None:
    plain = sheet()
    plain.xpbd.use_sewing = True
    assert "'Sheet' has no loose edges to sew" in refusal(plain)
    plain.xpbd.use_sewing, plain.xpbd.use_stitches = False, True
    assert "'Sheet' has no split edges to stitch" in refusal(plain)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0)]
    astray = cloth(corners, [(1, 4)], [(0, 1, 2, 3)])
    astray.xpbd.use_sewing = True
    assert "end where there are no faces" in refusal(astray)
    # Both ends of an edge are sewn to one vertex.
    other = [(3, 0, 0), (4, 0, 0), (4, 1, 0)]
    spanning = cloth([*corners[:4], *other], [(1, 4), (2, 4)], [(0, 1, 2, 3), (4, 5, 6)])
    spanning.xpbd.use_sewing = True
    assert "span the mesh" in refusal(spanning)


def split(obj: bpy.types.Object, chosen: Any) -> None:
    """Split Seams on edges of which a function of both ends says whether they are chosen."""
    bpy.ops.object.mode_set(mode="EDIT")
    data: Any = obj.data
    mesh = bmesh.from_edit_mesh(data)
    bpy.ops.mesh.select_all(action="DESELECT")
    for edge in mesh.edges:
        edge.select_set(bool(chosen(*(vertex.co for vertex in edge.verts))))
    assert bpy.ops.xpbd.split_seams() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_split_seams_hold_until_they_tear(scene: bpy.types.Scene, strength: float) -> None:
    """A sheet of 2 m hangs by its first row; 0.3 kg/m² and 1.2 m of it pull with 3.5 N/m."""
    scene.use_gravity = True
    obj = sheet()
    obj.rotation_euler.x = -0.5 * np.pi
    obj.xpbd.density = 0.3
    before = len(obj.data.vertices)
    row = obj.data.vertices[12].co.y
    split(obj, lambda a, b: abs(a.y - row) < 1e-6 and abs(b.y - row) < 1e-6)
    assert len(obj.data.vertices) == before + 6
    assert obj.xpbd.use_stitches
    obj.xpbd.stitch_strength = strength
    ((pairs, _options),) = addon.scene.seams.read_threads(
        obj, bpy.context.evaluated_depsgraph_get()
    )
    assert len(pairs) == 6
    points = last_positions(scene, obj)
    gaps = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    assert gaps.max() < 1e-4 if strength == 0.0 else gaps.min() > 0.3


def test_seams_tear_when_their_keyed_strength_falls(scene: bpy.types.Scene) -> None:
    scene.use_gravity = True
    obj = sheet()
    obj.rotation_euler.x = -0.5 * np.pi
    obj.xpbd.density = 0.3
    row = obj.data.vertices[12].co.y
    split(obj, lambda a, b: abs(a.y - row) < 1e-6 and abs(b.y - row) < 1e-6)
    for frame, strength in ((9, 1000.0), (10, 0.5)):
        obj.xpbd.stitch_strength = strength
        obj.xpbd.keyframe_insert("stitch_strength", frame=frame)
    ((pairs, _options),) = addon.scene.seams.read_threads(
        obj, bpy.context.evaluated_depsgraph_get()
    )
    last_positions(scene, obj)
    cached = addon.simulation.session.cached_positions
    gaps = []
    for frame in (9, 20):
        points = cached(scene, obj, frame)
        assert points is not None
        gaps.append(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))
    assert gaps[0].max() < 1e-4 and gaps[1].min() > 0.1
    status = addon.simulation.session.status
    assert not status(scene, exact=True).outdated
    obj.xpbd.stitch_strength = 0.4
    obj.xpbd.keyframe_insert("stitch_strength", frame=10)
    assert status(scene, exact=True).outdated


def test_the_force_of_sewing_is_that_of_its_keyframes(scene: bpy.types.Scene) -> None:
    obj = panels()
    obj.xpbd.use_sewing, obj.xpbd.sewing_time = True, 0.2
    for frame, force in ((9, 1e-4), (10, 100.0)):
        obj.xpbd.sewing_force_max = force
        obj.xpbd.keyframe_insert("sewing_force_max", frame=frame)
    last = last_positions(scene, obj)
    before = addon.simulation.session.cached_positions(scene, obj, 9)
    assert before is not None and gap(np.asarray(before)) > 0.25
    assert gap(last) < 1e-3


def test_sewing_outdates_what_was_simulated(scene: bpy.types.Scene) -> None:
    obj = panels()
    last_positions(scene, obj)
    status = addon.simulation.session.status
    assert not status(scene, exact=True).outdated
    for name, value in {"use_sewing": True, "sewing_time": 2.0, "sewing_force_max": 3.0}.items():
        setattr(obj.xpbd, name, value)
        assert status(scene, exact=True).outdated, name
        last_positions(scene, obj)
    obj.xpbd.sewing_time = 2.0
    assert not status(scene, exact=True).outdated


@pytest.mark.parametrize("solver", ["PROJECTIVE_DYNAMICS", "PBD", "CONSTRAINED_DYNAMICS"])
def test_other_solvers_refuse_what_is_sewn(scene: bpy.types.Scene, solver: str) -> None:
    obj = panels()
    obj.xpbd.use_sewing = True
    scene.xpbd.solver = solver
    with pytest.raises(addon.errors.SceneError, match=r"'Panels' is sewn or stitched.*Standard as"):
        addon.settings.solvers.check(scene.xpbd, obj.name, ["sewing"])
