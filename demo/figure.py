# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure made by procedure: flesh around bones, an armature, and weights."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray
from surface import Part, Points, mesh

Place = tuple[float, float, float]
CELL = 0.021  # metres
_SOFTNESS = 0.02  # metres over which bones share the skin

PARENTS = {
    "pelvis": None,
    "spine": "pelvis",
    "chest": "spine",
    "neck": "chest",
    "head": "neck",
    "upper_arm": "chest",
    "forearm": "upper_arm",
    "hand": "forearm",
    "thigh": "pelvis",
    "shin": "thigh",
    "foot": "shin",
}
"""Bones and what each hangs on; those of limbs stand for two, ``.L`` and ``.R``."""

_MIDDLE = [
    Part("pelvis", (0.0, 0.005, 0.99), (0.0, 0.0, 0.93), (0.125, 0.135), 0.72),
    Part("spine", (0.0, 0.0, 1.05), (0.0, 0.0, 1.16), (0.112, 0.112), 0.74),
    Part("chest", (0.0, 0.005, 1.22), (0.0, 0.005, 1.33), (0.125, 0.125), 0.74),
    Part("chest", (0.02, 0.01, 1.410), (0.15, 0.01, 1.388), (0.060, 0.056)),
    Part("chest", (-0.02, 0.01, 1.410), (-0.15, 0.01, 1.388), (0.060, 0.056)),
    Part("neck", (0.0, 0.014, 1.42), (0.0, 0.006, 1.56), (0.052, 0.046)),
    Part("head", (0.0, -0.036, 1.592), (0.0, 0.0, 1.662), (0.064, 0.094), 1.06),
]
_LEFT = [
    Part("upper_arm", (0.165, 0.01, 1.400), (0.363, 0.01, 1.202), (0.052, 0.040)),
    Part("forearm", (0.363, 0.01, 1.202), (0.533, 0.0, 1.032), (0.040, 0.027)),
    Part("hand", (0.545, -0.002, 1.020), (0.620, -0.01, 0.945), (0.034, 0.022), 0.65),
    Part("thigh", (0.085, 0.005, 0.90), (0.095, 0.0, 0.49), (0.088, 0.052)),
    Part("shin", (0.095, 0.0, 0.49), (0.100, 0.02, 0.09), (0.052, 0.034)),
    Part("shin", (0.096, 0.025, 0.40), (0.097, 0.028, 0.32), (0.048, 0.044)),
    Part("foot", (0.100, 0.03, 0.045), (0.108, -0.14, 0.030), (0.042, 0.030)),
]


def parts() -> list[Part]:
    """All that the figure is made of: it faces -y, arms held half down; the left is at x > 0."""
    return [
        *_MIDDLE,
        *(_sided(part, "L") for part in _LEFT),
        *(_sided(part, "R") for part in _LEFT),
    ]


def bones() -> dict[str, tuple[Place, Place, str | None]]:
    """Head, tail and parent of each bone."""
    found: dict[str, tuple[Place, Place, str | None]] = {}
    for part in parts():
        name, _, side = part.bone.partition(".")
        parent = PARENTS[name]
        if parent in {"upper_arm", "forearm", "thigh", "shin"}:
            parent = f"{parent}.{side}"
        found.setdefault(part.bone, (part.start, part.end, parent))
    return found


def add_figure(scene: bpy.types.Scene, material: bpy.types.Material) -> bpy.types.Object:
    """The figure with its armature, its parent; returns the figure."""
    points, quads = mesh(parts(), CELL)
    body = mesh_object(scene, "Figure", points, quads.tolist(), material)
    rig = _add_armature(scene)
    for name, weights in skin_weights(points).items():
        group = body.vertex_groups.new(name=name)
        for vertex in np.flatnonzero(weights > 0.01):
            group.add([int(vertex)], float(weights[vertex]), "REPLACE")
    follow(body, rig)
    return body


def follow(obj: bpy.types.Object, rig: bpy.types.Object) -> None:
    """Let vertex groups follow the bones of their names."""
    obj.parent = rig
    obj.modifiers.new("Armature", "ARMATURE").object = rig


def skin_weights(points: Points) -> dict[str, NDArray[np.float64]]:
    """How much each bone moves each vertex: the more, the nearer its flesh is."""
    shares: dict[str, NDArray[np.float64]] = {}
    for part in parts():
        share = np.exp(-np.maximum(part.distance(points), -0.2) / _SOFTNESS)
        shares[part.bone] = np.maximum(share, shares.get(part.bone, 0.0))
    total = np.sum(list(shares.values()), axis=0)
    return {name: share / total for name, share in shares.items()}


def mesh_object(
    scene: bpy.types.Scene,
    name: str,
    points: Points,
    faces: list[list[int]],
    material: bpy.types.Material,
) -> bpy.types.Object:
    """A smoothly shaded mesh object in the scene."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(points.tolist(), [], faces)
    data.materials.append(material)
    data.polygons.foreach_set("use_smooth", [True] * len(data.polygons))
    obj = bpy.data.objects.new(name, data)
    scene.collection.objects.link(obj)
    return obj


def _add_armature(scene: bpy.types.Scene) -> bpy.types.Object:
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent) in bones().items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = Vector(head), Vector(tail)
        if parent is not None:
            bone.parent = rig.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _sided(part: Part, side: str) -> Part:
    sign = 1.0 if side == "L" else -1.0
    start, end = ((sign * x, y, z) for x, y, z in (part.start, part.end))
    return Part(f"{part.bone}.{side}", start, end, part.radii, part.depth)
