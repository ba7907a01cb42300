# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows simulated positions through a modifier in the stack.

The modifier stores the positions that arrive from the modifiers before it as `xp_in` (animated
pins are read from there), the vertex numbers as `xp_index`, and moves the vertices to the
attribute `xp_pos` of the mesh where that exists. The rest shape is never touched.
"""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ..scene import display_nodes, mesh_io
from ..scene.stack import MODIFIER, first_generative, is_writable, modifier
from ..simulation import session

Local = NDArray[np.float32]

__all__ = [
    "MODIFIER",
    "ensure",
    "follow_use",
    "hide",
    "modifier",
    "remove",
    "show",
    "strip_all",
    "to_local",
    "write",
]


def ensure(obj: bpy.types.Object) -> bpy.types.NodesModifier:
    """Add the modifier before the first one that generates geometry, unless it is there."""
    found = modifier(obj)
    if found is None:
        found = cast(bpy.types.NodesModifier, obj.modifiers.new(MODIFIER, "NODES"))
        found.node_group = display_nodes.group()
        found.show_in_editmode = False
        found.show_expanded = False
        place = obj.modifiers.find(found.name)
        generative = first_generative(obj)
        if generative is not None and generative < place:
            obj.modifiers.move(place, generative)
    return found


def remove(obj: bpy.types.Object) -> None:
    """Take the modifier and the shown positions away; the mesh is as it was."""
    found = modifier(obj)
    if found is None:
        return
    hide(obj)
    group = found.node_group
    obj.modifiers.remove(found)
    if group.users == 0:
        bpy.data.node_groups.remove(group)


def follow_use(obj: bpy.types.Object) -> None:
    """Add or remove the modifier as `Object.xpbd.use` says."""
    if obj.type != "MESH" or not is_writable(obj):
        return
    if obj.xpbd.use:
        ensure(obj)
    else:
        remove(obj)


def show(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Show what is cached of the scene's current frame; after the last frame, the last.

    Args:
        depsgraph: the one that the positions are shown in; by default the window's.
    """
    if depsgraph is None:
        depsgraph = session.evaluated_depsgraph(scene)
    scale = scene.unit_settings.scale_length
    objects = session.simulated_objects(scene)
    _separate_shared(objects)
    for obj in objects:
        if not is_writable(obj) or obj.data.is_editmode:
            continue
        world = session.shown_positions(scene, obj, scene.frame_current + scene.frame_subframe)
        if world is None or len(world) != len(obj.data.vertices):
            hide(obj)
        else:
            write(obj, to_local(obj, world, depsgraph, scale))


def to_local(
    obj: bpy.types.Object,
    world_metres: NDArray[np.floating],
    depsgraph: bpy.types.Depsgraph | None,
    scale: float,
) -> Local:
    """Positions in the object's own space.

    Args:
        world_metres: world positions [m], shape (n, 3).
        depsgraph: says where the object is.
        scale: `unit_settings.scale_length`, metres in a Blender unit.

    Returns:
        Shape (n, 3), Blender units.
    """
    placed = obj if depsgraph is None else obj.evaluated_get(depsgraph)
    inverse = placed.matrix_world.inverted_safe()
    return mesh_io.transformed(world_metres / scale, inverse, np.float32)


def write(obj: bpy.types.Object, local: Local) -> None:
    """Show positions of the object's own space, shape (n, 3)."""
    mesh = obj.data
    name = display_nodes.attribute_name(modifier(obj))
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", local.ravel())
    mesh.update_tag()


def hide(obj: bpy.types.Object) -> None:
    """Show the object as it is without simulation."""
    if obj.data.is_editmode or not is_writable(obj):
        return
    attribute = obj.data.attributes.get(display_nodes.attribute_name(modifier(obj)))
    if attribute is not None:
        obj.data.attributes.remove(attribute)
        obj.data.update_tag()


def strip_all() -> None:
    """Remove shown positions from every mesh, so that none is saved."""
    for mesh in bpy.data.meshes:
        if mesh.library is not None or mesh.is_editmode:
            continue
        names = [attribute.name for attribute in mesh.attributes]
        for name in names:
            if not name.startswith(display_nodes.SHOWN_POSITION):
                continue
            mesh.attributes.remove(mesh.attributes[name])
            mesh.update_tag()


def _separate_shared(objects: list[bpy.types.Object]) -> None:
    """Give objects that share a mesh an attribute each."""
    taken: set[tuple[int, str]] = set()
    for obj in objects:
        found = modifier(obj)
        mesh = obj.data.session_uid
        if found is None or obj.data.users == 1:
            continue
        name, number = display_nodes.attribute_name(found), 2
        while (mesh, name) in taken:
            name, number = f"{display_nodes.SHOWN_POSITION}_{number}", number + 1
        if name != display_nodes.attribute_name(found):
            display_nodes.set_attribute_name(found, name)
            obj.update_tag()
        taken.add((mesh, name))
