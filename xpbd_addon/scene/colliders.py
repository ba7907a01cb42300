# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects with Blender's own Collision physics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np

from . import animation, mesh_io, visible
from .mesh_io import Indices, Positions

# Blender's default cloth friction of 5 is a Coulomb coefficient of 0.5.
_FRICTION = 0.1

# Blender's default Outer thickness, which nobody has chosen: it would keep garments an inch off.
_NOT_CHOSEN = 0.02


_SWITCH = re.compile(r"hide_viewport|collision\.use|modifiers\[.+\]\.show_(viewport|render)")
"""Data paths by which a collider is switched on and off."""


class ColliderSettings(NamedTuple):
    """What of a collider may change over time beside its place.

    Attributes:
        thickness: [m].
        friction: a Coulomb coefficient.
        is_on: whether it keeps anything out.
    """

    thickness: float
    friction: float
    is_on: bool


@dataclass(frozen=True)
class ColliderInput:
    """A Collision object at the first frame: vertices (v, 3) [m], triangles (t, 3)."""

    uid: int
    name: str
    vertices: Positions
    triangles: Indices
    settings: ColliderSettings
    two_sided: bool


def collision_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Mesh objects that cloth collides with, now or on other frames, cloth itself left out."""
    return [
        obj
        for obj in scene.objects
        if obj.type == "MESH"
        and obj.collision is not None
        and (obj.collision.use or is_switched(obj))
        and (not obj.xpbd.use or obj.xpbd.baked)
    ]


def is_switched(obj: bpy.types.Object) -> bool:
    """Whether keyframes or drivers switch an object's collision on and off, or may do so."""
    animated = obj.animation_data
    if animated is None:
        return False
    return any(
        _SWITCH.fullmatch(curve.data_path)
        for curves in (animation.curves_of(obj), animated.drivers)
        for curve in curves
    )


def read_collider(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float
) -> ColliderInput | None:
    """Everything of a collider; None where it is switched off for good or has no faces."""
    evaluated = obj.evaluated_get(depsgraph)
    settings = read_settings(obj, depsgraph, scale)
    if not (settings.is_on or is_switched(obj)) or not evaluated.data.polygons:
        return None
    triangles = mesh_io.loop_triangles(mesh_io.mesh_of(evaluated))
    if evaluated.matrix_world.determinant() < 0.0:
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    return ColliderInput(
        uid=obj.session_uid,
        name=obj.name,
        vertices=read_vertices(obj, depsgraph, scale),
        triangles=triangles,
        settings=settings,
        two_sided=not obj.collision.use_culling,
    )


def read_settings(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float
) -> ColliderSettings:
    """Those of a collider as they are on the frame."""
    evaluated = obj.evaluated_get(depsgraph)
    if evaluated.collision is None:  # hidden: nothing of it is evaluated
        evaluated = obj
    modifiers = (each for each in evaluated.modifiers if each.type == "COLLISION")
    return ColliderSettings(
        thickness_of(evaluated) * scale,
        evaluated.collision.cloth_friction * _FRICTION,
        visible.is_shown(obj, depsgraph)
        and not (depsgraph.mode == "VIEWPORT" and evaluated.hide_viewport)  # as keyframes say
        and evaluated.collision.use
        and any(each.show_viewport for each in modifiers),
    )


def thickness_of(obj: bpy.types.Object) -> float:
    """What a Collision object adds to the distance that others keep, in Blender units."""
    outer = obj.collision.thickness_outer
    return 0.0 if abs(outer - _NOT_CHOSEN) < 1e-6 else outer


def read_vertices(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> Positions:
    """World positions [m] of the evaluated vertices, shape (v, 3)."""
    evaluated = obj.evaluated_get(depsgraph)
    local = mesh_io.vectors(mesh_io.mesh_of(evaluated), "position")
    return mesh_io.to_world(evaluated, local, scale)
