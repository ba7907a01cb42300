# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that are shown become the shape at rest, or that of the start, and go again."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import animation, empty_scene, evaluated_positions, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def falling() -> bpy.types.Object:
    """Without pins, and turned, scaled and moved."""
    obj = sheet()
    obj.rotation_euler, obj.scale, obj.location = (0.3, 0.2, 0.1), (1.5, 1.0, 0.7), (1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    return obj


def simulated(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int = 5) -> np.ndarray:
    play(scene, frame)
    return evaluated_positions(obj)


def body_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Where it starts and what it is at rest, in the world, as the solver is told."""
    scene.frame_set(1)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    body = addon.scene.mesh_io.read_body(obj, depsgraph, scene.unit_settings.scale_length)
    rest = body.positions if body.rest_positions is None else body.rest_positions
    return body.positions, rest


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_as_rest(scene: bpy.types.Scene, unit: float) -> None:
    scene.unit_settings.scale_length = unit
    obj = falling()
    start, _ = body_of(scene, obj)
    shown = simulated(scene, obj) * unit
    assert bpy.ops.xpbd.apply_as_rest() == {"FINISHED"}
    assert addon.simulation.session.status(scene, exact=True).outdated
    now, rest = body_of(scene, obj)
    np.testing.assert_allclose(now, start, atol=1e-6)
    np.testing.assert_allclose(rest, shown, atol=1e-5)


def test_what_rests_as_shown_stays_so(scene: bpy.types.Scene) -> None:
    """Without gravity, from the start that it was given as well, nothing moves at all."""
    obj = falling()
    obj.xpbd.pin_group = ""
    shown = simulated(scene, obj)
    bpy.ops.xpbd.apply_as_rest()
    bpy.ops.xpbd.apply_as_start()
    scene.use_gravity = False
    play(scene)
    frames = animation(obj)
    np.testing.assert_allclose(frames[0], shown, atol=1e-5)
    np.testing.assert_allclose(frames[-1], shown, atol=1e-3)


def test_as_start(scene: bpy.types.Scene) -> None:
    obj = falling()
    before, _ = body_of(scene, obj)
    shown = simulated(scene, obj)
    assert bpy.ops.xpbd.apply_as_start() == {"FINISHED"}
    start, rest = body_of(scene, obj)
    np.testing.assert_allclose(start, shown, atol=1e-5)
    np.testing.assert_allclose(rest, before, atol=1e-5)
    np.testing.assert_allclose(start[:6], before[:6], atol=1e-6)
    again = simulated(scene, obj)
    assert abs(again - shown).max() > 0.05
    bpy.ops.xpbd.apply_as_start()
    start, rest = body_of(scene, obj)
    np.testing.assert_allclose(start, again, atol=1e-5)
    np.testing.assert_allclose(rest, before, atol=1e-5)


def test_beside_the_users_own_keys(scene: bpy.types.Scene) -> None:
    obj = falling()
    obj.shape_key_add(name="Basis")
    own = obj.shape_key_add(name="Wider")
    for point in own.data:
        point.co *= 1.2
    own.value = 0.5
    before, _ = body_of(scene, obj)
    shown = simulated(scene, obj)
    bpy.ops.xpbd.apply_as_start()
    start, rest = body_of(scene, obj)
    np.testing.assert_allclose(start, shown, atol=1e-5)
    np.testing.assert_allclose(rest, before, atol=1e-5)
    bpy.ops.xpbd.remove_applied()
    assert [key.name for key in obj.data.shape_keys.key_blocks] == ["Basis", "Wider"]
    np.testing.assert_allclose(body_of(scene, obj)[0], before, atol=1e-6)


def test_removed_it_is_as_before(scene: bpy.types.Scene) -> None:
    obj = falling()
    untouched = animation(obj)
    bpy.ops.xpbd.apply_as_start()
    bpy.ops.xpbd.apply_as_rest()
    assert addon.bake.applying.is_applied(obj)
    bpy.ops.xpbd.remove_applied()
    assert obj.data.shape_keys is None
    assert obj.xpbd.rest_shape_key == ""
    np.testing.assert_allclose(animation(obj), untouched, atol=1e-6)
    with pytest.raises(RuntimeError, match="Nothing was applied as rest or start of 'Sheet'"):
        bpy.ops.xpbd.remove_applied()


def test_it_is_undone(scene: bpy.types.Scene) -> None:
    obj = falling()
    simulated(scene, obj)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.xpbd.apply_as_start()
    bpy.ops.ed.undo_push(message="Applied")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Sheet"]
    assert obj.data.shape_keys is None
    assert obj.xpbd.rest_shape_key == ""


def test_an_arranged_drape_becomes_the_start(scene: bpy.types.Scene) -> None:
    obj = sheet()
    scene.frame_set(1)
    bpy.ops.xpbd.grab(center=(0.0, 1.0, 1.0), movement=(0.0, -0.5, 0.5), radius=0.5)
    shown = evaluated_positions(obj)
    bpy.ops.xpbd.apply_as_start()
    play(scene)
    np.testing.assert_allclose(animation(obj)[0], shown, atol=1e-5)
    assert not addon.simulation.session.status(scene, exact=True).outdated


def test_soft_bodies(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_cube_add(size=0.5)
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    obj = bpy.context.object
    obj.vertex_groups.new(name="Pins").add([0, 1, 2, 3], 1.0, "ADD")
    obj.xpbd.pin_group = "Pins"
    before, _ = body_of(scene, obj)
    shown = simulated(scene, obj)
    bpy.ops.xpbd.apply_as_rest()
    np.testing.assert_allclose(body_of(scene, obj)[1], shown, atol=1e-5)
    scene.frame_set(5)
    bpy.ops.xpbd.apply_as_start()
    start, _ = body_of(scene, obj)
    np.testing.assert_allclose(start[4:], shown[4:], atol=1e-5)
    np.testing.assert_allclose(start[:4], before[:4], atol=1e-6)


def test_strands_start_so_and_rest_so(scene: bpy.types.Scene) -> None:
    mesh = bpy.data.meshes.new("Hair")
    points = [(0.1 * k, 0.0, 0.0) for k in range(11)]
    mesh.from_pydata(points, [(k, k + 1) for k in range(10)], [])
    obj = bpy.data.objects.new("Hair", mesh)
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.xpbd.add(kind="STRANDS")
    shown = simulated(scene, obj)
    with pytest.raises(RuntimeError, match=r"'Hair' is of strands, .* use Apply as Start"):
        bpy.ops.xpbd.apply_as_rest()
    bpy.ops.xpbd.apply_as_start()
    np.testing.assert_allclose(body_of(scene, obj)[0], shown, atol=1e-5)
    assert [key.name for key in obj.data.shape_keys.key_blocks] == ["Basis", "XPBD Start"]


def deform(obj: bpy.types.Object) -> None:
    obj.modifiers.new("Wavy", "WAVE")
    obj.modifiers.move(len(obj.modifiers) - 1, 0)


def mirror(obj: bpy.types.Object) -> None:
    obj.modifiers.new("Twice", "MIRROR")
    obj.modifiers.move(len(obj.modifiers) - 1, 0)


def share(obj: bpy.types.Object) -> None:
    bpy.data.objects.new("Other", obj.data)


def absolute(obj: bpy.types.Object) -> None:
    obj.shape_key_add(name="Basis")
    obj.data.shape_keys.use_relative = False


def bend_by_parent(obj: bpy.types.Object) -> None:
    bpy.ops.object.add(type="LATTICE")
    obj.parent, obj.parent_type = bpy.context.object, "LATTICE"
    bpy.context.view_layer.objects.active = obj


@pytest.mark.parametrize(
    ("change", "why", "rests"),
    [
        (deform, "'Wavy' before XPBD would deform the start of 'Sheet' again", True),
        (mirror, "Modifiers before XPBD make the vertices of 'Sheet'", False),
        (share, "'Sheet' shares its mesh with other objects", True),
        (absolute, "The shape keys of 'Sheet' are absolute", False),
        (bend_by_parent, "'Sheet' is deformed by its parent", True),
        (lambda _obj: bpy.ops.xpbd.clear_cache(), "'Sheet' is not simulated on frame 3", False),
        (lambda obj: bpy.ops.xpbd.remove(), "Choose an object that XPBD simulates first", False),
    ],
)
def test_refusals(scene: bpy.types.Scene, change: object, why: str, rests: bool) -> None:
    obj = sheet()
    play(scene, 3)
    change(obj)  # type: ignore[operator]
    names = [key.name for key in obj.data.shape_keys.key_blocks] if obj.data.shape_keys else []
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.xpbd.apply_as_start()
    if rests:
        assert bpy.ops.xpbd.apply_as_rest() == {"FINISHED"}
        return
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.xpbd.apply_as_rest()
    found = [key.name for key in obj.data.shape_keys.key_blocks] if obj.data.shape_keys else []
    assert found == names
