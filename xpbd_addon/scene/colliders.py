# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects with Blender's own Collision physics."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from . import mesh_io, visible
from .mesh_io import Indices, Positions

# Blender's default cloth friction of 5 is a Coulomb coefficient of 0.5.
_FRICTION = 0.1

# Blender's default Outer thickness, which nobody has chosen: it would keep garments an inch off.
_NOT_CHOSEN = 0.02


@dataclass(frozen=True)
class ColliderInput:
    """A Collision object at a frame: vertices (v, 3) [m], triangles (t, 3), thickness [m]."""

    uid: int
    name: str
    vertices: Positions
    triangles: Indices
    thickness: float
    friction: float
    two_sided: bool


def collision_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Mesh objects that cloth collides with, cloth itself left out."""
    return [
        obj
        for obj in scene.objects
        if obj.type == "MESH"
        and obj.collision is not None
        and obj.collision.use
        and (not obj.xpbd.use or obj.xpbd.baked)
    ]


def read_collider(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float
) -> ColliderInput | None:
    """Everything of a collider; None where it is switched off or has no faces."""
    evaluated = obj.evaluated_get(depsgraph)
    if not is_on(obj, depsgraph) or not evaluated.data.polygons:
        return None
    settings = obj.collision
    triangles = mesh_io.loop_triangles(mesh_io.mesh_of(evaluated))
    if evaluated.matrix_world.determinant() < 0.0:
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    return ColliderInput(
        uid=obj.session_uid,
        name=obj.name,
        vertices=read_vertices(obj, depsgraph, scale),
        triangles=triangles,
        thickness=thickness_of(obj) * scale,
        friction=settings.cloth_friction * _FRICTION,
        two_sided=not settings.use_culling,
    )


def is_on(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a Collision object is shown, and its Collision modifier switched on."""
    modifiers = (modifier for modifier in obj.modifiers if modifier.type == "COLLISION")
    return visible.is_shown(obj, depsgraph) and any(each.show_viewport for each in modifiers)


def thickness_of(obj: bpy.types.Object) -> float:
    """What a Collision object adds to the distance that others keep, in Blender units."""
    outer = obj.collision.thickness_outer
    return 0.0 if abs(outer - _NOT_CHOSEN) < 1e-6 else outer


def read_vertices(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> Positions:
    """World positions [m] of the evaluated vertices, shape (v, 3)."""
    evaluated = obj.evaluated_get(depsgraph)
    local = mesh_io.vectors(mesh_io.mesh_of(evaluated), "position")
    return mesh_io.to_world(evaluated, local, scale)
