# SPDX-License-Identifier: GPL-3.0-or-later
"""The display modifier of an object, and the attribute of its mesh that the modifier shows.

The modifier stores the positions that arrive from the modifiers before it as `xp_in` (animated
pins are read from there), the vertex numbers as `xp_index`, and moves the vertices to the
attribute `xp_pos` of the mesh where that exists. The rest shape is never touched.
"""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from . import display_nodes
from .stack import MODIFIER, first_generative, is_writable, modifier


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


def write(obj: bpy.types.Object, local: NDArray[np.float32]) -> None:
    """Show positions of the object's own space, shape (n, 3), Blender units."""
    mesh = obj.data
    name = display_nodes.attribute_name(modifier(obj))
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, "FLOAT_VECTOR", "POINT")
    if mesh.library is None:
        attribute.data.foreach_set("vector", local.ravel())
    else:  # of a library override: what is linked is only written to one by one
        for item, point in zip(attribute.data, local.tolist(), strict=True):
            item.vector = point
    mesh.update_tag()


def hide(obj: bpy.types.Object) -> None:
    """Show the object as it is without simulation."""
    if obj.data.is_editmode or not is_writable(obj):
        return
    attribute = obj.data.attributes.get(display_nodes.attribute_name(modifier(obj)))
    if attribute is not None and display_nodes.holds_shown(attribute):
        obj.data.attributes.remove(attribute)
        obj.data.update_tag()


def strip_all() -> None:
    """Remove shown positions from every mesh, so that none is saved."""
    for mesh in bpy.data.meshes:
        if mesh.library is not None or mesh.is_editmode:
            continue
        names = [each.name for each in mesh.attributes if display_nodes.holds_shown(each)]
        for name in names:
            mesh.attributes.remove(mesh.attributes[name])
            mesh.update_tag()


def name_attributes(objects: list[bpy.types.Object]) -> None:
    """Give objects that share a mesh an attribute each, and none that is the user's."""
    taken: set[tuple[int, str]] = set()
    for obj in objects:
        found = modifier(obj)
        if found is None or not is_writable(obj):
            continue
        mesh = obj.data.session_uid
        asked, number = display_nodes.asked_for(found), 2
        name = asked if display_nodes.is_ours(asked) else display_nodes.SHOWN_POSITION
        while (mesh, name) in taken or not _is_free(obj, name):
            name, number = f"{display_nodes.SHOWN_POSITION}_{number}", number + 1
        if name != asked:
            display_nodes.ask_for(found, name)
            obj.update_tag()
        taken.add((mesh, name))


def _is_free(obj: bpy.types.Object, name: str) -> bool:
    """Whether no attribute of the user's is called so."""
    attribute = obj.data.attributes.get(name)
    return attribute is None or display_nodes.holds_shown(attribute)
