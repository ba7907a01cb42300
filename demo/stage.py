# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's scene: Suzanne under a sheet, a figure that walks in three garments."""

from __future__ import annotations

import math

import bpy
from figure import add_figure, follow, mesh_object
from garments import WAISTBAND, poncho, skirt, tunic
from mathutils import Vector
from walk import animate

Color = tuple[float, float, float, float]


def build_stage(scene: bpy.types.Scene, frames: int) -> list[tuple[bpy.types.Object, str]]:
    """Fill the scene; returns its cloths, each with the name of its fabric preset."""
    add_floor()
    add_suzanne()
    drape = add_sheet("Drape", size=2.0, cells=80, color=(0.03, 0.30, 0.25, 1.0))
    drape.location = (-1.1, 0.1, 1.32)
    worn = add_dressed_figure(scene, (0.75, 0.9, 0.0), frames)
    add_light_and_camera(scene)
    return [(drape, "Cotton"), *worn]


def add_dressed_figure(
    scene: bpy.types.Scene, place: tuple[float, float, float], frames: int
) -> list[tuple[bpy.types.Object, str]]:
    """A walking figure, a collider; returns what it wears, each with its fabric preset."""
    figure = add_figure(scene, fabric("Figure", (0.45, 0.27, 0.17, 1.0)))
    make_collider(figure, distance=0.004)
    rig = figure.parent
    animate(rig, frames)
    worn = []
    for name, made, color, material in (
        ("Skirt", skirt, (0.03, 0.16, 0.42, 1.0), "Cotton"),
        ("Tunic", tunic, (0.80, 0.76, 0.66, 1.0), "Cotton"),
        ("Poncho", poncho, (0.55, 0.05, 0.07, 1.0), "Wool"),
    ):
        garment = mesh_object(scene, name, *made(), fabric(name, color))
        garment.parent = rig
        worn.append((garment, material))
    held = worn[0][0]
    held.vertex_groups.new(name="pelvis").add(range(WAISTBAND), 1.0, "REPLACE")
    follow(held, rig)
    rig.location = place
    for garment, _ in worn:
        garment.modifiers.new("Subdivision", "SUBSURF").levels = 1
        garment.modifiers["Subdivision"].render_levels = 1
    return worn


def add_sheet(name: str, *, size: float, cells: int, color: Color) -> bpy.types.Object:
    """A square grid of ``cells`` × ``cells`` quads that is smoothed after the simulation."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size)
    sheet = bpy.context.object
    sheet.name = name
    bpy.ops.object.shade_smooth()
    sheet.data.materials.append(fabric(name, color))
    return sheet


def add_suzanne() -> None:
    """Suzanne, smoothed, with Blender's own Collision physics."""
    bpy.ops.mesh.primitive_monkey_add(size=1.15, location=(-1.1, 0.1, 0.50))
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


def make_collider(obj: bpy.types.Object, *, distance: float = 0.01) -> None:
    """Collision physics with friction."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.modifier_add(type="COLLISION")
    obj.collision.thickness_outer = distance
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
    bpy.ops.object.light_add(type="AREA", location=(-3.0, -4.0, 5.0))
    light = bpy.context.object
    light.data.energy, light.data.size = 520.0, 2.5
    aim(light, Vector((0.0, 0.0, 0.7)))
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.7, 0.8, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.4
    bpy.ops.object.camera_add(location=(0.4, -5.9, 1.75))
    scene.camera = bpy.context.object
    scene.camera.data.lens = 50.0
    aim(scene.camera, Vector((-0.22, 0.0, 0.76)))


def aim(obj: bpy.types.Object, target: Vector) -> None:
    """Turn a light or camera towards a point."""
    obj.rotation_euler = (target - obj.location).to_track_quat("-Z", "Y").to_euler()
