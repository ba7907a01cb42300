# SPDX-License-Identifier: GPL-3.0-or-later
"""The display modifier of an object, and where the positions are that the modifier shows.

Where it gets the vertices of the object's mesh, these are an attribute of the mesh; where modifiers
before it make others, a shape of their own (`shown_shape`). The rest shape is never touched.
"""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ..settings import painted
from . import applied, display_nodes, force_map, shown_shape
from .stack import (
    MODIFIER,
    first_refining,
    is_made,
    is_remade,
    is_weighed,
    is_writable,
    modifier,
    put,
)


def ensure(obj: bpy.types.Object) -> bpy.types.NodesModifier:
    """Add the modifier before the first one that refines geometry, unless it is there."""
    found = modifier(obj)
    if found is None:
        found = cast(bpy.types.NodesModifier, obj.modifiers.new(MODIFIER, "NODES"))
        found.node_group = display_nodes.group()
        found.show_in_editmode = False
        found.show_expanded = False
        place = obj.modifiers.find(found.name)
        refining = first_refining(obj)
        if refining is not None and refining < place:
            put(obj, found, refining)
    prepare([obj])
    return found


def put_back(objects: list[bpy.types.Object]) -> None:
    """Add the modifier to those of the objects whose user has removed it, and not applied."""
    applied.settle(objects)
    for obj in objects:
        if obj.xpbd.use and is_writable(obj) and modifier(obj) is None:
            ensure(obj)


def remove(obj: bpy.types.Object) -> None:
    """Take the modifier and what is shown away; the mesh is as it was."""
    found = modifier(obj)
    if found is None:
        return
    _remove_attribute(obj)
    force_map.forget(cast(bpy.types.Mesh, obj.data))
    shown_shape.remove(found)
    group = found.node_group
    obj.modifiers.remove(found)
    _drop_unused(group)


def _drop_unused(group: bpy.types.NodeTree) -> None:
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
    found = modifier(obj)
    if found is not None and is_made(obj):
        _remove_attribute(obj)
        shown_shape.write(found, local)
        return
    if found is not None:
        shown_shape.hide(found)
    mesh = obj.data
    name = display_nodes.attribute_name(found)
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
    if (found := modifier(obj)) is not None and is_writable(obj):
        shown_shape.hide(found)
    _remove_attribute(obj)


def _remove_attribute(obj: bpy.types.Object) -> None:
    if obj.data.is_editmode or not is_writable(obj):
        return
    attribute = obj.data.attributes.get(display_nodes.attribute_name(modifier(obj)))
    if attribute is not None and display_nodes.holds_shown(attribute):
        obj.data.attributes.remove(attribute)
        obj.data.update_tag()


def strip_all() -> None:
    """Remove what is shown from every mesh, so that none is saved."""
    shown_shape.strip_all()
    force_map.strip_all()
    for mesh in bpy.data.meshes:
        if mesh.library is not None or mesh.is_editmode:
            continue
        names = [each.name for each in mesh.attributes if display_nodes.holds_shown(each)]
        for name in names:
            mesh.attributes.remove(mesh.attributes[name])
            mesh.update_tag()


def prepare(objects: list[bpy.types.Object]) -> None:
    """Set display modifiers up as the objects' meshes and other modifiers ask for."""
    found = {obj: own for obj in objects if is_writable(obj) and (own := modifier(obj)) is not None}
    for obj, own in found.items():
        left_behind = painted.groups(obj.xpbd) if is_weighed(obj) else ()
        if not display_nodes.is_current(own.node_group, left_behind):
            before, own.node_group = own.node_group, display_nodes.group(left_behind)
            _drop_unused(before)
        keeping = is_made(obj) and is_remade(obj)
        if display_nodes.keeps_faces(own) != keeping:
            display_nodes.keep_faces(own, keeping)
            obj.update_tag()
    _name_attributes(found)
    shown_shape.give_own(list(found.values()))


def _name_attributes(modifiers: dict[bpy.types.Object, bpy.types.NodesModifier]) -> None:
    """Give objects that share a mesh an attribute each, and none that is the user's."""
    taken: set[tuple[int, str]] = set()
    for obj, found in modifiers.items():
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
