# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's soft scene: a creature whose head is animated drops onto a cushion, under a blanket.

Run by ``python build.py demo --scene soft`` in a Blender with the extension installed:
``python demo/soft.py OUTPUT_FOLDER``.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from figure import follow, mesh_object
from mathutils import Vector
from run import add_physics, finish, simulate, start
from stage import add_floor, add_light_and_camera, add_sheet, aim, fabric
from surface import Part, Points, mesh

FRAMES = 72
PICTURED = (1, 9, 14, 60)
CELL = 0.028  # metres
DROP, LANDED = 0.30, 7  # metres that the head is let down, and the frame on which it stops
NOD = 0.35  # radians
DAMPING = 0.01  # s: still after some swings
HEAD = "head"

CREATURE = [
    Part("body", (0.0, 0.16, 0.60), (0.0, -0.10, 0.62), (0.24, 0.20)),
    Part(HEAD, (0.0, -0.30, 0.82), (0.0, -0.36, 0.80), (0.17, 0.14)),
    Part(HEAD, (0.0, -0.36, 0.76), (0.0, -0.50, 0.74), (0.10, 0.07)),
    Part("body", (0.0, -0.14, 0.66), (0.0, -0.28, 0.80), (0.14, 0.13)),
    *(
        Part(bone, (sign * start[0], *start[1:]), (sign * end[0], *end[1:]), radii)
        for sign in (-1.0, 1.0)
        for bone, start, end, radii in (
            ("body", (0.13, -0.08, 0.52), (0.15, -0.12, 0.38), (0.085, 0.075)),
            ("body", (0.14, 0.20, 0.52), (0.17, 0.22, 0.38), (0.090, 0.075)),
            (HEAD, (0.11, -0.25, 0.92), (0.24, -0.20, 1.06), (0.065, 0.050)),
        )
    ),
    Part("body", (0.0, 0.36, 0.62), (0.0, 0.55, 0.78), (0.065, 0.050)),
]
"""A body on four legs with a long nose, two ears and a tail, which faces -y."""


def main(folder: Path) -> None:
    """Build the scene, simulate, bake, save soft.blend and soft.png, and say what was measured."""
    scene = start(folder, FRAMES)
    add_floor()
    creature = add_creature(scene)
    cushion = add_cushion()
    blanket = add_sheet("Blanket", size=0.60, cells=44, color=(0.55, 0.05, 0.07, 1.0))
    blanket.location, blanket.scale = (0.0, 0.17, 0.90 + DROP), (1.3, 1.0, 1.0)
    add_light_and_camera(scene)
    scene.camera.location = (2.7, -3.0, 1.6)
    aim(scene.camera, Vector((0.0, -0.02, 0.55)))
    for obj, kind, material in (
        (creature, "SOFT_BODY", "Flesh"),
        (cushion, "SOFT_BODY", "Foam"),
        (blanket, "CLOTH", "Wool"),
    ):
        add_physics(obj, kind, material)
    creature.xpbd.pin_group = HEAD
    for soft in (creature, cushion):
        soft.xpbd.elastic_damping = DAMPING
    creature.xpbd.friction = blanket.xpbd.friction = 1.0
    lines = simulate(scene, [creature, cushion, blanket])
    finish(scene, folder, "soft", PICTURED, lines)


def add_creature(scene: bpy.types.Scene) -> bpy.types.Object:
    """The creature, whose face follows a bone."""
    points, quads = mesh(CREATURE, CELL)
    material = fabric("Creature", (0.80, 0.48, 0.30, 1.0))
    creature = mesh_object(scene, "Creature", points, quads.tolist(), material)
    creature.vertex_groups.new(name=HEAD).add(_face(points), 1.0, "REPLACE")
    follow(creature, _add_skeleton(scene))
    return creature


def _face(points: Points) -> list[int]:
    """The vertices in front of the ears and above the chin."""
    return np.flatnonzero((points[:, 1] < -0.34) & (points[:, 2] > 0.6)).tolist()


def _add_skeleton(scene: bpy.types.Scene) -> bpy.types.Object:
    """One bone that falls with the creature, is stopped, and nods."""
    rig = bpy.data.objects.new("Skeleton", bpy.data.armatures.new("Skeleton"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new(HEAD)
    bone.head, bone.tail = Vector((0.0, -0.20, 0.78)), Vector((0.0, -0.45, 0.78))
    bpy.ops.object.mode_set(mode="POSE")
    posed = rig.pose.bones[HEAD]
    posed.rotation_mode = "XYZ"
    for frame in range(1, FRAMES + 1):
        fallen = DROP * min(1.0, ((frame - 1) / (LANDED - 1)) ** 2)
        rig.location = (0.0, 0.0, DROP - fallen)
        rig.keyframe_insert("location", frame=frame)
        swing = max(0.0, min(1.0, (frame - LANDED - 12) / 10.0))
        posed.rotation_euler.z = swing * NOD * math.sin(2.0 * math.pi * frame / 24.0)
        posed.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def add_cushion() -> bpy.types.Object:
    """A rounded block on the floor."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.05, 0.14))
    cushion = bpy.context.object
    cushion.name = "Cushion"
    cushion.scale = (1.1, 1.3, 0.26)
    bpy.ops.object.transform_apply(location=False, scale=True)
    bevel = cushion.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.09, 4
    cushion.modifiers.new("Subdivision", "SUBSURF").levels = 1
    for modifier in [each.name for each in cushion.modifiers]:
        bpy.ops.object.modifier_apply(modifier=modifier)
    bpy.ops.object.shade_smooth()
    cushion.data.materials.append(fabric("Cushion", (0.10, 0.22, 0.42, 1.0)))
    return cushion


if __name__ == "__main__":
    main(Path(sys.argv[1]))
