# SPDX-License-Identifier: GPL-3.0-or-later
"""Splitting edges into seams that can tear."""

from __future__ import annotations

import bmesh
import bpy

from ..scene import mesh_io


class XPBD_OT_split_seams(bpy.types.Operator):
    """Split the selected edges and hold them together by stitches, which can tear"""

    bl_idname = "xpbd.split_seams"
    bl_label = "Split Seams"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return obj is not None and obj.mode == "EDIT" and obj.type == "MESH" and obj.xpbd.use

    def execute(self, context: bpy.types.Context) -> set[str]:
        obj = context.object
        data = mesh_io.mesh_of(obj)
        mesh = bmesh.from_edit_mesh(data)
        chosen = [edge for edge in mesh.edges if edge.select and len(edge.link_faces) > 1]
        if not chosen:
            message = "Select edges between faces first: nothing else can be split"
            self.report({"WARNING"}, message)
            return {"CANCELLED"}
        bmesh.ops.split_edges(mesh, edges=chosen)
        bmesh.update_edit_mesh(data)
        obj.xpbd.use_stitches = True
        return {"FINISHED"}


def draw_in_edge_menu(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """The entry of the Edge menu of Edit Mode."""
    if XPBD_OT_split_seams.poll(context):
        self.layout.operator("xpbd.split_seams")


def register() -> None:
    """Offer the operator in the Edge menu."""
    bpy.utils.register_class(XPBD_OT_split_seams)
    bpy.types.VIEW3D_MT_edit_mesh_edges.append(draw_in_edge_menu)  # type: ignore[arg-type]


def unregister() -> None:
    """Take it away."""
    bpy.types.VIEW3D_MT_edit_mesh_edges.remove(draw_in_edge_menu)  # type: ignore[arg-type]
    bpy.utils.unregister_class(XPBD_OT_split_seams)
