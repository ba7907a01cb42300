# SPDX-License-Identifier: GPL-3.0-or-later
"""What is added to Blender's own panels of the Physics tab."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import colliders
from ..settings import kinds
from ..simulation import session
from .sentences import draw_sentence


def draw_physics_button(self: bpy.types.Panel, context: bpy.types.Context) -> None:
    """The entry among Blender's own physics buttons."""
    obj = context.object
    if obj is None or obj.type not in {"MESH", "CURVES"}:
        return
    if obj.type == "CURVES":
        self.layout.operator("xpbd.strands_from_curves", text="XPBD Strands", icon="STRANDS")
    elif obj.xpbd.use:
        self.layout.operator("xpbd.remove", text=f"XPBD {kinds.of(obj).label}", icon="X")
    else:
        for kind in kinds.suited(obj):
            icon: Any = kind.icon
            text = f"XPBD {kind.label}"
            self.layout.operator("xpbd.add", text=text, icon=icon).kind = kind.identifier


def draw_collider_thickness(self: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Below the settings of a Collision object: what its thickness means to simulated ones."""
    obj = context.object
    if obj is None or obj.collision is None or colliders.thickness_of(obj) > 0.0:
        return
    if session.simulated_objects(context.scene):
        draw_sentence(
            self.layout,
            "Outer is at Blender's default: it adds nothing to the thickness of XPBD objects",
            icon="INFO",
        )


def register() -> None:
    """Show the physics button, and what a collider's thickness means."""
    bpy.types.PHYSICS_PT_add.append(draw_physics_button)  # type: ignore[arg-type]
    bpy.types.PHYSICS_PT_collision_softbody.append(draw_collider_thickness)  # type: ignore[arg-type]


def unregister() -> None:
    """Take them away."""
    bpy.types.PHYSICS_PT_collision_softbody.remove(draw_collider_thickness)  # type: ignore[arg-type]
    bpy.types.PHYSICS_PT_add.remove(draw_physics_button)  # type: ignore[arg-type]
