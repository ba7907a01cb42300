# SPDX-License-Identifier: GPL-3.0-or-later
"""What cloth keeps from others where nobody has said it, and that what is said is kept."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from blender_scenes import empty_scene
from playing import addon

UNSET = 0.002


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def grid(size: float = 1.0) -> bpy.types.Object:
    """A square, with a diagonal of 1.41 times its size."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6, size=size)
    return bpy.context.object


def press_add(obj: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.xpbd.add() == {"FINISHED"}


def switch_on(obj: bpy.types.Object) -> None:
    """As scripts do, without a word to Blender."""
    obj.xpbd.use = True


each_way = pytest.mark.parametrize("make_cloth", [press_add, switch_on])


@each_way
@pytest.mark.parametrize(
    ("size", "thickness"),
    [(0.02, 0.00006), (0.7, 0.002), (2.0, 0.006), (20.0, 0.06)],
    ids=["a doll's dress", "a T-shirt", "a sheet", "a sail"],
)
def test_it_follows_the_size(
    scene: bpy.types.Scene,
    size: float,
    thickness: float,
    make_cloth: Callable[[bpy.types.Object], None],
) -> None:
    obj = grid(size)
    make_cloth(obj)
    assert obj.xpbd.thickness == pytest.approx(thickness)


@each_way
@pytest.mark.parametrize(("size", "damping"), [(0.2, 0.0009), (2.0, 0.009)], ids=["mug", "whale"])
def test_a_soft_body_swings_as_often_before_it_is_still(
    scene: bpy.types.Scene,
    size: float,
    damping: float,
    make_cloth: Callable[[bpy.types.Object], None],
) -> None:
    obj = grid(size)
    make_cloth(obj)
    assert obj.xpbd.elastic_damping == pytest.approx(damping)


@each_way
@pytest.mark.parametrize(
    ("sides", "cell"),
    [
        ((2.0, 2.0, 2.0), 0.12),
        ((2.0, 2.0, 0.2), 0.12),
        ((1.0, 0.2, 0.02), 0.027),
        ((9, 1, 0.001), 0.14),
    ],
    ids=["cube", "slab", "plank", "foil"],
)
def test_cells_are_hardly_wider_than_it_is_thick(
    scene: bpy.types.Scene,
    sides: tuple[float, float, float],
    cell: float,
    make_cloth: Callable[[bpy.types.Object], None],
) -> None:
    """A plank of 20 mm is 18 mm thick in the mean, half of volume over area."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, scale=sides)
    bpy.context.object.location.x = 30.0
    make_cloth(bpy.context.object)
    assert bpy.context.object.xpbd.cell_size == pytest.approx(cell)


@each_way
@pytest.mark.parametrize("by_parent", [False, True])
def test_scale_counts(
    scene: bpy.types.Scene, by_parent: bool, make_cloth: Callable[[bpy.types.Object], None]
) -> None:
    obj = grid(100.0)
    obj.rotation_euler = (0.3, 0.4, 0.5)
    if by_parent:
        obj.parent = bpy.data.objects.new("Parent", None)
        scene.collection.objects.link(obj.parent)
        obj.parent.scale = (0.01, 0.01, -0.01)
        bpy.context.view_layer.update()
        obj.scale = (2.0, 2.0, 2.0)
    else:
        obj.scale = (0.02, -0.02, 0.02)
    make_cloth(obj)
    assert obj.xpbd.thickness == pytest.approx(0.006)


def test_without_a_size_it_is_that_of_a_garment(scene: bpy.types.Scene) -> None:
    obj = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    obj.xpbd.use = True
    assert obj.xpbd.thickness == pytest.approx(UNSET)


@each_way
def test_what_is_set_is_kept(
    scene: bpy.types.Scene, make_cloth: Callable[[bpy.types.Object], None]
) -> None:
    obj = grid()
    obj.xpbd.thickness = 0.005
    make_cloth(obj)
    assert obj.xpbd.thickness == pytest.approx(0.005)
    obj.xpbd.thickness = UNSET
    obj.scale = (5.0, 5.0, 5.0)
    obj.xpbd.use = False
    make_cloth(obj)
    assert obj.xpbd.thickness == pytest.approx(UNSET)


def test_what_is_added_anew_gets_it_anew(scene: bpy.types.Scene) -> None:
    obj = grid()
    press_add(obj)
    obj.xpbd.thickness = 0.5
    bpy.ops.xpbd.remove()
    press_add(obj)
    assert obj.xpbd.thickness == pytest.approx(0.003)


# --- colliders ------------------------------------------------------------------------------------


def table() -> bpy.types.Object:
    """From -1 to 0 in z, with Collision physics as Blender adds them."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, -0.5))
    bpy.ops.object.modifier_add(type="COLLISION")
    return bpy.context.object


def height_on(scene: bpy.types.Scene) -> float:
    """Of a T-shirt's worth of cloth that has fallen on the table."""
    scene.xpbd.frame_end = 8
    obj = grid(0.7)
    obj.location.z = 0.03
    press_add(obj)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    positions = addon.simulation.session.cached_positions(scene, obj, 8)
    assert addon.simulation.session.cached_measures(scene, obj, 8).crossings == 0
    return float(positions[:, 2].mean())


def test_cloth_lies_millimetres_above_a_collider_as_it_comes(scene: bpy.types.Scene) -> None:
    assert table().collision.thickness_outer == pytest.approx(0.02)
    assert height_on(scene) == pytest.approx(0.002, rel=0.05)


@pytest.mark.parametrize("outer", [0.001, 0.0199, 0.0201])
def test_an_outer_thickness_that_was_chosen_is_added(scene: bpy.types.Scene, outer: float) -> None:
    table().collision.thickness_outer = outer
    assert height_on(scene) == pytest.approx(0.002 + outer, rel=0.05)


def test_what_is_simulated_is_as_large_as_it_was_modelled(scene: bpy.types.Scene) -> None:
    obj = grid(2.0)
    obj.scale = (1.5, 1.0, 1.0)
    press_add(obj)
    obj.xpbd.drag = 0.0
    obj.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
    obj.xpbd.pin_group = "Pins"
    scene.xpbd.frame_end = 12
    bpy.ops.xpbd.simulate()
    scene.frame_set(12)
    bpy.context.view_layer.update()
    assert obj.dimensions.z > 0.1
    assert addon.scene.sizes.size(obj)[:] == pytest.approx((3.0, 2.0, 0.0), abs=1e-6)
