# SPDX-License-Identifier: GPL-3.0-or-later
"""Compression apart from stretch, as artists set it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.gravity = (0.0, -9.81, 0.0)  # in the plane of sheets, which nothing pushes out of it
    made.xpbd.automatic, made.xpbd.substeps = False, 20
    return made


def standing(compression: float) -> bpy.types.Object:
    """A sheet of 2 m that stands on its pinned row."""
    for left in list(bpy.data.objects):
        bpy.data.objects.remove(left)
    obj = sheet(cuts=6)
    obj.xpbd.stretch_stiffness, obj.xpbd.areal_density, obj.xpbd.drag = 1000.0, 0.2, 15.0
    obj.xpbd.compression = compression
    return obj


def height(scene: bpy.types.Scene, obj: bpy.types.Object) -> float:
    shown = addon.simulation.session.cached_positions(scene, obj, scene.xpbd.frame_end)
    return float(np.ptp(shown[:, 1]))


def test_cloth_that_stands_sinks_by_its_compression(scene: bpy.types.Scene) -> None:
    """By ρ g L² / (2 k), a little less as its pinned row does not get broader."""
    scene.xpbd.frame_end = 40
    sunk = []
    for compression in (1.0, 0.5):
        obj = standing(compression)
        scene.frame_set(FRAMES.start)
        play(scene)
        sunk.append(2.0 - height(scene, obj))
    assert sunk[0] == pytest.approx(0.2 * 9.81 * 2.0**2 / (2.0 * 1000.0), rel=0.12)
    assert sunk[1] / sunk[0] == pytest.approx(2.0, rel=0.05)


def test_it_is_painted_and_keyed(scene: bpy.types.Scene) -> None:
    obj = standing(1.0)
    group = obj.vertex_groups.new(name="Soft")
    group.add(range(len(obj.data.vertices)), 0.5, "REPLACE")
    obj.xpbd.compression, obj.xpbd.compression_group = 0.2, "Soft"
    obj.xpbd.compression_max = 0.6
    depsgraph = bpy.context.evaluated_depsgraph_get()
    inputs = addon.simulation.scene_input.read_scene(scene, depsgraph, [obj], "")
    np.testing.assert_allclose(inputs.bodies[0].material["compression"], 0.4, rtol=1e-6)
    assert obj.xpbd.keyframe_insert("compression", frame=1)
    obj.xpbd.compression = 0.3
    assert obj.xpbd.keyframe_insert("compression", frame=4)
    play(scene)
    assert addon.simulation.session.left_out(scene) == []


def test_classic_refuses_it_by_name(scene: bpy.types.Scene) -> None:
    obj = standing(0.5)
    scene.xpbd.solver = "PBD"
    depsgraph = bpy.context.evaluated_depsgraph_get()
    inputs = addon.simulation.scene_input.read_scene(scene, depsgraph, [obj], "")
    (message,) = inputs.left_out.values()
    assert "'Sheet' is softer when it is pushed together, which Classic can't" in message
