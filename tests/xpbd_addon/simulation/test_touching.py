# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated objects keep off themselves and each other, unless they are told not to."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene
from playing import addon

LAST = 13


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.substeps = 20
    made.xpbd.automatic = False
    made.xpbd.frame_end = LAST
    return made


def grid(name: str, height: float, size: float = 1.0, pinned: bool = False) -> bpy.types.Object:
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=12, y_subdivisions=12, size=size, location=(0.0037, 0.0023, height)
    )
    obj = bpy.context.object
    obj.name = name
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    if pinned:
        obj.vertex_groups.new(name="Pins").add(range(len(obj.data.vertices)), 1.0, "ADD")
        obj.xpbd.pin_group = "Pins"
    return obj


def lowest(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int = LAST) -> float:
    return float(addon.simulation.session.cached_positions(scene, obj, frame)[:, 2].min())


def crossings(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[int]:
    """On each frame, as the panel tells them."""
    measures = addon.simulation.session.cached_measures
    return [measures(scene, obj, frame).crossings for frame in range(1, LAST + 1)]


def test_what_touches_are_the_triangles_that_blender_draws(scene: bpy.types.Scene) -> None:
    """Along the other diagonal of a quad cloth would be seen to let through what it lies on."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6)
    obj = bpy.context.object
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    bpy.ops.xpbd.simulate()
    (handle,) = addon.simulation.session.of(scene).live.handles.values()
    obj.data.calc_loop_triangles()
    triangles: Any = obj.data.loop_triangles
    drawn = [sorted(each.vertices) for each in triangles]
    assert sorted(np.sort(handle.triangles, axis=1).tolist()) == sorted(drawn)


@pytest.mark.parametrize("switched_off", [None, 0, 1])
def test_cloth_lies_on_cloth_unless_one_of_both_is_not_to(
    scene: bpy.types.Scene, switched_off: int | None
) -> None:
    table = grid("Table", 1.0, pinned=True)
    napkin = grid("Napkin", 1.1, size=0.4)
    if switched_off is not None:
        (table, napkin)[switched_off].xpbd.use_body_collision = False
    bpy.ops.xpbd.simulate()
    assert (lowest(scene, napkin) > 1.0) == (switched_off is None)
    if switched_off is None:
        assert crossings(scene, napkin) == [0] * LAST


def test_cloth_lies_on_what_its_collection_holds(scene: bpy.types.Scene) -> None:
    """Through the table cloth and the table below, onto the floor."""
    grid("Table Cloth", 1.0, pinned=True)
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, -0.1))
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.ops.mesh.primitive_plane_add(size=4.0, location=(0.0, 0.0, 0.7))
    bpy.ops.object.modifier_add(type="COLLISION")
    chosen = bpy.data.collections.new("Floor")
    chosen.objects.link(bpy.context.object)
    napkin = grid("Napkin", 1.1, size=0.4)
    napkin.xpbd.collision_collection = chosen
    scene.xpbd.frame_end = 2 * LAST
    bpy.ops.xpbd.simulate()
    assert lowest(scene, napkin, 2 * LAST) == pytest.approx(0.7, abs=0.03)
    assert max(crossings(scene, napkin)) == 0


@pytest.mark.parametrize("kept_apart", [True, False])
def test_cloth_keeps_off_itself(scene: bpy.types.Scene, kept_apart: bool) -> None:
    """A sheet that is folded over by its pins."""
    obj = grid("Sheet", 1.0)
    obj.xpbd.use_self_collision = kept_apart
    obj.vertex_groups.new(name="Pins").add(range(13), 1.0, "ADD")
    obj.xpbd.pin_group = "Pins"
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Over")
    for vertex in range(13):
        key.data[vertex].co.y += 0.8
        key.data[vertex].co.z -= 0.1
    for frame, value in ((1, 0.0), (LAST, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    bpy.ops.xpbd.simulate()
    found = crossings(scene, obj)
    assert (max(found) == 0) if kept_apart else (found == [0] * LAST)
    points = addon.simulation.session.cached_positions(scene, obj, LAST)
    assert np.isfinite(points).all()


def test_what_starts_through_each_other_is_counted_until_it_is_apart(
    scene: bpy.types.Scene,
) -> None:
    scene.use_gravity = False
    lower, upper = grid("Lower", 1.0), grid("Upper", 1.02)
    middle = [vertex for vertex in upper.data.vertices if vertex.co.length < 0.2]
    for vertex in middle:
        vertex.co.z -= 0.06
    bpy.ops.xpbd.simulate()
    for obj in (lower, upper):
        found = crossings(scene, obj)
        assert max(found) > 10
        assert found[-1] == 0


@pytest.mark.parametrize("name", ["use_self_collision", "use_body_collision"])
def test_switching_outdates_the_cache(scene: bpy.types.Scene, name: str) -> None:
    obj = grid("Sheet", 1.0)
    bpy.ops.xpbd.simulate()
    assert not addon.simulation.session.status(scene, exact=True).outdated
    setattr(obj.xpbd, name, False)
    assert addon.simulation.session.status(scene, exact=True).outdated
    setattr(obj.xpbd, name, True)
    assert not addon.simulation.session.status(scene, exact=True).outdated
