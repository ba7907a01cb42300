# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of a geometry-nodes modifier by their name; how they are stored depends on Blender."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy


def read(modifier: bpy.types.NodesModifier, name: str, default: Any) -> Any:
    """The value of an input, the default where none was ever set."""
    return _value(modifier, _identifier(modifier.node_group, name), default)


def objects(modifier: bpy.types.NodesModifier) -> Iterator[bpy.types.Object]:
    """The objects that are inputs."""
    tree = modifier.node_group
    items: Any = tree.interface.items_tree if tree is not None else ()
    for item in items:
        if item.item_type == "SOCKET" and item.socket_type == "NodeSocketObject":
            found = _value(modifier, item.identifier, None) if item.in_out == "INPUT" else None
            if isinstance(found, bpy.types.Object):
                yield found


def _value(modifier: bpy.types.NodesModifier, identifier: str, default: Any) -> Any:
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, identifier).value
    return modifier.get(identifier, default)


def write(modifier: bpy.types.NodesModifier, name: str, value: Any) -> None:
    """Set an input; the object still has to be tagged for update."""
    identifier = _identifier(modifier.node_group, name)
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value


def _identifier(tree: bpy.types.NodeTree, name: str) -> str:
    items = tree.interface.items_tree
    return next(item.identifier for item in items if item.name == name and item.in_out == "INPUT")
