# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers before XPBD make geometry: what stands there is what is simulated and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, evaluated_positions
from made_geometry import (
    add,
    array,
    decimated,
    each_maker,
    half,
    mirrored,
    shown_and_cached,
    without_xpbd,
)
from playing import addon, cached, play


@each_maker
def test_what_modifiers_make_is_simulated_and_shown(make: Callable[[], bpy.types.Object]) -> None:
    scene = empty_scene()
    obj = make()
    expected = without_xpbd(obj)
    base = [vertex.co[:] for vertex in obj.data.vertices]
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert addon.simulation.session.left_out(scene) == []
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    assert len(body.positions) == len(expected.vertices) != len(base)
    faces = sorted(sorted(map(int, face)) for face in body.elements)
    assert faces == sorted(sorted(face.vertices[:]) for face in expected.polygons)
    for frame in FRAMES:
        shown, held = shown_and_cached(scene, obj, frame)
        np.testing.assert_allclose(shown, held, atol=1e-6)
    assert shown[:, 2].min() < -0.05
    assert [vertex.co[:] for vertex in obj.data.vertices] == base
    assert not addon.simulation.session.status(scene).outdated


@each_maker
def test_playing_gives_the_same(make: Callable[[], bpy.types.Object]) -> None:
    scene = empty_scene()
    make()
    play(scene)
    assert cached(scene) == (1, 6)
    played = animation(bpy.context.object)
    bpy.ops.xpbd.clear_cache()
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(animation(bpy.context.object), played)


def test_a_mirrored_half_is_one_piece_with_pins_on_both_sides() -> None:
    """It moves as the whole sheet does that has no modifier."""
    scene = empty_scene()
    obj = mirrored()
    whole = bpy.data.objects.new("Whole", without_xpbd(obj))
    bpy.ops.xpbd.simulate()
    held = addon.simulation.session.cached_positions(scene, obj, 6)
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    assert (len(body.positions), len(body.pins)) == (9 * 5, 9)
    obj.xpbd.use = False
    scene.collection.objects.link(whole)
    bpy.context.view_layer.objects.active = whole
    whole.vertex_groups.new(name="Pins")
    add(whole)
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    expected = addon.simulation.session.cached_positions(scene, whole, 6)
    np.testing.assert_array_equal(held, expected)


@pytest.mark.parametrize(
    "after", [("SUBSURF",), ("SOLIDIFY", "SUBSURF"), ("MIRROR",), ("ARRAY",), ("WIREFRAME",)]
)
def test_modifiers_after_it_see_what_is_simulated(after: tuple[Any, ...]) -> None:
    scene = empty_scene()
    obj = mirrored(*after)
    expected = without_xpbd(obj)
    bpy.ops.xpbd.simulate()
    assert addon.simulation.session.left_out(scene) == []
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    faces = sorted(sorted(map(int, face)) for face in body.elements)
    assert faces == sorted(sorted(face.vertices[:]) for face in expected.polygons)
    held = addon.simulation.session.cached_positions(scene, obj, 6)
    for modifier in list(obj.modifiers)[obj.modifiers.find("XPBD") + 1 :]:
        modifier.show_viewport = False
    scene.frame_set(6)
    np.testing.assert_allclose(evaluated_positions(obj), held, atol=1e-6)


def test_edges_that_modifiers_make() -> None:
    scene = empty_scene()
    mesh = bpy.data.meshes.new("Edges")
    mesh.from_pydata([(0, 0, 1), (0.5, 0, 1)], [(0, 1)], [])
    obj = bpy.data.objects.new("Rope", mesh)
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    copies = obj.modifiers.new("Array", "ARRAY")
    copies.count, copies.use_merge_vertices = 5, True
    assert bpy.ops.xpbd.add(kind="STRANDS") == {"FINISHED"}
    obj.modifiers.new("Again", "ARRAY")
    bpy.ops.xpbd.simulate()
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    assert (len(body.positions), len(body.elements)) == (6, 5)
    shown, held = shown_and_cached(scene, obj, 6)
    np.testing.assert_allclose(shown[:6], held, atol=1e-6)


def test_painted_weights_are_those_of_the_vertices_that_are_made() -> None:
    scene = empty_scene()
    obj = mirrored("SUBSURF")
    obj.vertex_groups.new(name="Heavy").add([v.index for v in obj.data.vertices], 0.5, "ADD")
    obj.xpbd.density_group, obj.xpbd.density_max = "Heavy", 2.0 * obj.xpbd.density
    bpy.ops.xpbd.simulate()
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    np.testing.assert_allclose(body.material["density"], np.full(45, 1.5 * obj.xpbd.density))


def test_pins_follow_what_moves_them_before_and_after_they_are_made() -> None:
    scene = empty_scene()
    obj = half()
    empty = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(empty)
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group = empty, "Pins"
    obj.modifiers.new("Mirror", "MIRROR")
    add(obj)
    for frame in (1, 6):
        empty.location.z = 0.1 * frame
        empty.keyframe_insert("location", frame=frame)
    bpy.ops.xpbd.simulate()
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    led = addon.simulation.session.cached_positions(scene, obj, 6)[body.pins]
    np.testing.assert_allclose(led[:, 2], 0.6, atol=1e-6)
    assert len(led) == 9


def change_at(obj: bpy.types.Object, path: str, values: tuple[float, float]) -> None:
    """Keep one value up to frame 3, and have another one from frame 4 on."""
    modifier = obj.modifiers["Coarse"]
    for frame, value in zip((3, 4), values, strict=True):
        setattr(modifier, path, value)
        modifier.keyframe_insert(path, frame=frame)


@pytest.mark.parametrize("run", [play, lambda _: bpy.ops.xpbd.simulate()])
def test_other_vertices_on_a_frame_are_named_and_frames_before_kept(run: Any) -> None:
    scene = empty_scene()
    obj = decimated()
    change_at(obj, "ratio", (0.5, 0.3))
    scene.frame_set(1)
    sentence = (
        "Frame 4: a modifier before XPBD gives 'Shirt' other vertices or faces than on frame 1: "
        "have it make the same on all frames, or move it below XPBD"
    )
    if run is play:
        play(scene)
        assert addon.simulation.session.status(scene).error == sentence
    else:
        with pytest.raises(RuntimeError, match=sentence):
            run(scene)
    assert cached(scene) == (1, 3)


def test_a_changed_modifier_outdates_and_shows_nothing_wrong() -> None:
    scene = empty_scene()
    obj = array()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    obj.modifiers["Array"].count = 3
    expected = without_xpbd(obj)
    assert len(evaluated_positions(obj)) == len(expected.vertices)
    scene.frame_set(5)
    status = addon.simulation.session.status(scene)
    assert status.outdated
    assert "modifiers before XPBD give 'Shirt' other vertices or faces" in status.reason
    obj.modifiers["Array"].count = 2
    scene.frame_set(4)
    shown, held = shown_and_cached(scene, obj, 5)
    np.testing.assert_allclose(shown, held, atol=1e-6)
    obj.modifiers["Array"].count = 3
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    shown, held = shown_and_cached(scene, obj, 6)
    assert len(held) == len(expected.vertices)
    np.testing.assert_allclose(shown, held, atol=1e-6)
