# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's scene: Suzanne on a floor, two cloths, light and a camera."""

from __future__ import annotations

import math

import bpy
from mathutils import Vector

Color = tuple[float, float, float, float]


def build_stage(scene: bpy.types.Scene, frames: int) -> list[tuple[bpy.types.Object, str]]:
    """Fill the scene; returns its cloths, each with the name of its fabric preset."""
    scene.frame_start, scene.frame_end = 1, frames
    scene.xpbd.frame_start, scene.xpbd.frame_end = 1, frames
    add_floor()
    add_suzanne()
    drape = add_sheet("Drape", size=3.6, cells=110, color=(0.55, 0.05, 0.07, 1.0))
    drape.location = (0.0, 0.0, 2.45)
    curtain = add_sheet("Curtain", size=2.4, cells=60, color=(0.03, 0.16, 0.42, 1.0))
    curtain.rotation_euler = (math.radians(90.0), 0.0, math.radians(-25.0))
    pin_top_edge(curtain, every=15)
    slide(curtain, frames)
    add_light_and_camera(scene)
    return [(drape, "Cotton"), (curtain, "Silk")]


def add_sheet(name: str, *, size: float, cells: int, color: Color) -> bpy.types.Object:
    """A square grid of ``cells`` × ``cells`` quads that is smoothed after the simulation."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size)
    sheet = bpy.context.object
    sheet.name = name
    bpy.ops.object.shade_smooth()
    sheet.data.materials.append(fabric(name, color))
    return sheet


def pin_top_edge(sheet: bpy.types.Object, *, every: int) -> None:
    """A vertex group of every so many vertices along the upper edge, so that folds form."""
    top = max(vertex.co.y for vertex in sheet.data.vertices)
    edge = [v.index for v in sheet.data.vertices if math.isclose(v.co.y, top, abs_tol=1e-5)]
    edge.sort(key=lambda index: sheet.data.vertices[index].co.x)
    sheet.vertex_groups.new(name="Pins").add(edge[::every], 1.0, "REPLACE")


def slide(curtain: bpy.types.Object, frames: int) -> None:
    """Move the object, and with it the pins, there and part of the way back."""
    for frame, x in ((1, 2.6), (frames // 3, 4.0), (2 * frames // 3, 3.2)):
        curtain.location = (x, 1.2, 1.55)
        curtain.keyframe_insert("location", frame=frame)


def add_suzanne() -> None:
    """Suzanne, smoothed, with Blender's own Collision physics."""
    bpy.ops.mesh.primitive_monkey_add(size=2.0, location=(0.0, 0.0, 0.95))
    suzanne = bpy.context.object
    suzanne.rotation_euler = (math.radians(-25.0), 0.0, math.radians(20.0))
    suzanne.modifiers.new("Subdivision", "SUBSURF").levels = 2
    suzanne.modifiers["Subdivision"].render_levels = 2
    bpy.ops.object.shade_smooth()
    suzanne.data.materials.append(fabric("Suzanne", (0.75, 0.65, 0.5, 1.0)))
    make_collider(suzanne)


def add_floor() -> None:
    """A floor to fall on."""
    bpy.ops.mesh.primitive_plane_add(size=30.0)
    floor = bpy.context.object
    floor.name = "Floor"
    floor.data.materials.append(fabric("Floor", (0.32, 0.33, 0.35, 1.0)))
    make_collider(floor)


def make_collider(obj: bpy.types.Object) -> None:
    """Collision physics with friction."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.modifier_add(type="COLLISION")
    obj.collision.thickness_outer = 0.01
    obj.collision.cloth_friction = 5.0


def fabric(name: str, color: Color) -> bpy.types.Material:
    """A matte material."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = color
    shader.inputs["Roughness"].default_value = 0.8
    return material


def add_light_and_camera(scene: bpy.types.Scene) -> None:
    """A large soft light from the left, sky from everywhere, a camera in front."""
    bpy.ops.object.light_add(type="AREA", location=(-4.0, -5.0, 7.0))
    light = bpy.context.object
    light.data.energy, light.data.size = 900.0, 4.0
    aim(light, Vector((0.5, 0.0, 0.8)))
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.7, 0.8, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.4
    bpy.ops.object.camera_add(location=(1.5, -9.6, 4.4))
    scene.camera = bpy.context.object
    scene.camera.data.lens = 42.0
    aim(scene.camera, Vector((1.5, 0.0, 1.05)))


def aim(obj: bpy.types.Object, target: Vector) -> None:
    """Turn a light or camera towards a point."""
    obj.rotation_euler = (target - obj.location).to_track_quat("-Z", "Y").to_euler()
