# SPDX-License-Identifier: GPL-3.0-or-later
"""A display modifier that the user has applied: what was shown is the mesh now.

As with Blender's own simulations that ends the simulation of the object, as with a sheet that was
draped and is to stay so. It is told by what the modifier leaves behind, which else is only ever on
evaluated meshes.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from .. import log
from . import display_nodes, stack


def settle(objects: Iterable[bpy.types.Object]) -> None:
    """Make those of the simulated objects ordinary ones whose modifier was applied."""
    for obj in objects:
        if is_applied(obj):
            _forget_what_is_left_behind(obj)
            obj.xpbd.use = False
            log.say(f"'{obj.name}' keeps the shape that was applied: it is no XPBD object any more")


def is_applied(obj: bpy.types.Object) -> bool:
    """Whether the mesh of an object without display modifier is what one has made."""
    if stack.modifier(obj) is not None or obj.data.library is not None or obj.data.is_editmode:
        return False
    names = (display_nodes.INPUT_INDEX, display_nodes.INPUT_POSITION)
    return stack.is_writable(obj) and all(name in obj.data.attributes for name in names)


def _forget_what_is_left_behind(obj: bpy.types.Object) -> None:
    attributes = obj.data.attributes
    for name in [each.name for each in attributes if display_nodes.is_left_behind(each)]:
        attributes.remove(attributes[name])
