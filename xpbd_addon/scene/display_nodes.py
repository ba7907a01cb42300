# SPDX-License-Identifier: GPL-3.0-or-later
"""The node group of the display modifier."""

from __future__ import annotations

import re
from typing import Any

import bpy

from . import node_inputs

GROUP = "XPBD Display"
INPUT_POSITION = "xp_in"
INPUT_INDEX = "xp_index"
SHOWN_POSITION = "xp_pos"
_MARK = "xpbd_display"
_SOCKET = "Attribute"
_SHOWN = re.compile(rf"{SHOWN_POSITION}(_\d+)?")


def is_display(modifier: bpy.types.Modifier) -> bool:
    """Whether a modifier is ours, under whatever name."""
    group = modifier.node_group if modifier.type == "NODES" else None
    return group is not None and _MARK in group


def attribute_name(modifier: bpy.types.NodesModifier | None) -> str:
    """Which attribute of the mesh a display modifier has to show, whatever somebody typed there."""
    name = SHOWN_POSITION if modifier is None else asked_for(modifier)
    return name if is_ours(name) else SHOWN_POSITION


def asked_for(modifier: bpy.types.NodesModifier) -> str:
    """Which attribute of the mesh stands in a display modifier."""
    return str(node_inputs.read(modifier, _SOCKET, SHOWN_POSITION))


def ask_for(modifier: bpy.types.NodesModifier, name: str) -> None:
    """Make a display modifier show another attribute of the mesh."""
    node_inputs.write(modifier, _SOCKET, name)


def is_ours(name: str) -> bool:
    """Whether an attribute that display modifiers show may be called so."""
    return _SHOWN.fullmatch(name) is not None


def holds_shown(attribute: bpy.types.Attribute) -> bool:
    """Whether an attribute of a mesh is one that display modifiers show, not one of the user's."""
    kind = (attribute.data_type, attribute.domain)
    return is_ours(attribute.name) and kind == ("FLOAT_VECTOR", "POINT")


def group() -> bpy.types.NodeTree:
    """The node group, made when it is missing."""
    for found in bpy.data.node_groups:
        if found.get(_MARK) and found.library is None:
            return found
    return _make_group()


def _make_group() -> bpy.types.NodeTree:
    tree: Any = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    tree[_MARK] = 1
    tree.is_modifier = True
    interface = tree.interface
    interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    name = interface.new_socket(_SOCKET, in_out="INPUT", socket_type="NodeSocketString")
    name.default_value = SHOWN_POSITION
    name.description = "Attribute of the mesh that holds the simulated positions"
    interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    _add_nodes(tree)
    return tree


def _add_nodes(tree: bpy.types.NodeTree) -> None:
    entry, leave = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    position = _store(tree, INPUT_POSITION, "FLOAT_VECTOR", "GeometryNodeInputPosition")
    index = _store(tree, INPUT_INDEX, "INT", "GeometryNodeInputIndex")
    shown = tree.nodes.new("GeometryNodeInputNamedAttribute")
    shown.data_type = "FLOAT_VECTOR"
    move = tree.nodes.new("GeometryNodeSetPosition")
    link = tree.links.new
    link(entry.outputs["Geometry"], position.inputs["Geometry"])
    link(position.outputs["Geometry"], index.inputs["Geometry"])
    link(index.outputs["Geometry"], move.inputs["Geometry"])
    link(entry.outputs[_SOCKET], shown.inputs["Name"])
    link(shown.outputs["Attribute"], move.inputs["Position"])
    link(shown.outputs["Exists"], move.inputs["Selection"])
    link(move.outputs["Geometry"], leave.inputs["Geometry"])
    for column, node in enumerate((entry, position, index, shown, move, leave)):
        node.location = (200.0 * column, 0.0)


def _store(tree: bpy.types.NodeTree, name: str, data_type: str, field: str) -> Any:
    """A node that stores a field as a named attribute of the points."""
    node = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    node.data_type = data_type
    node.domain = "POINT"
    node.inputs["Name"].default_value = name
    source = tree.nodes.new(field)
    tree.links.new(source.outputs[0], node.inputs["Value"])
    return node
