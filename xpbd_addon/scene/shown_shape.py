# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated positions of geometry that modifiers make: they don't fit the mesh of the object.

They are the vertices of a mesh of their own, of an object that is in no scene and is named in the
display modifier. Without a simulation it is empty, and so it is in files.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from . import display_nodes

_MARK = "xpbd_shape"
_NAME = "XPBD Shape"


def write(modifier: bpy.types.NodesModifier, local: NDArray[np.float32]) -> None:
    """Show positions of the object's own space, shape (n, 3), Blender units."""
    shape = _of(modifier)
    if shape is None:
        shape = bpy.data.objects.new(_NAME, bpy.data.meshes.new(_NAME))
        shape[_MARK] = True
        display_nodes.show_shape(modifier, shape)
    mesh = shape.data
    if len(mesh.vertices) != len(local):
        mesh.clear_geometry()
        mesh.vertices.add(len(local))
    mesh.attributes["position"].data.foreach_set("vector", local.ravel())
    mesh.update_tag()


def hide(modifier: bpy.types.NodesModifier) -> None:
    """Show nothing."""
    shape = _of(modifier)
    if shape is not None:
        _empty(shape)


def remove(modifier: bpy.types.NodesModifier) -> None:
    """Take the positions away for good, unless a duplicate shows them, too."""
    shape = _of(modifier)
    if shape is not None and shape.users == 1:
        bpy.data.meshes.remove(shape.data)  # and the object with it


def strip_all() -> None:
    """Remove shown positions from memory; all of what nobody shows any more."""
    shapes: list[Any] = [each for each in bpy.data.objects if _is_shape(each)]
    for shape in shapes:
        if shape.users > shape.use_fake_user:
            _empty(shape)
        else:
            bpy.data.meshes.remove(shape.data)


def give_own(modifiers: list[bpy.types.NodesModifier]) -> None:
    """See that no two show the same, as an object and its duplicate would, and none the user's."""
    taken: set[int] = set()
    for modifier in modifiers:
        shape = display_nodes.shape(modifier)
        if shape is None:
            continue
        if not _is_shape(shape) or shape.session_uid in taken:
            display_nodes.show_shape(modifier, None)
        taken.add(shape.session_uid)


def _of(modifier: bpy.types.NodesModifier) -> Any:
    """What a modifier shows, if that is no object of the user's and no linked one."""
    shape = display_nodes.shape(modifier)
    return shape if shape is not None and _is_shape(shape) else None


def _is_shape(obj: Any) -> bool:
    """Whether it is one of ours, not linked from another file."""
    return bool(_MARK in obj and obj.type == "MESH" and not (obj.library or obj.data.library))


def _empty(shape: Any) -> None:
    mesh = shape.data
    if len(mesh.vertices):
        mesh.clear_geometry()
        mesh.update_tag()
