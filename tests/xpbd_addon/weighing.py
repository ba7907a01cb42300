# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers that give vertex groups other weights."""

from __future__ import annotations

from typing import Any

import bpy


def first(modifier: bpy.types.Modifier) -> bpy.types.Modifier:
    """The modifier, before all others of its object."""
    obj: Any = modifier.id_data
    obj.modifiers.move(obj.modifiers.find(modifier.name), 0)
    return obj.modifiers[modifier.name]


def mix(obj: bpy.types.Object, group: str = "Pins", weight: float = 0.0) -> Any:
    """A modifier that gives all vertices a weight, by as much as its influence says: none yet."""
    found: Any = obj.modifiers.new("Let Go", "VERTEX_WEIGHT_MIX")
    found.vertex_group_a, found.default_weight_b = group, weight
    found.mix_mode, found.mix_set, found.mask_constant = "SET", "ALL", 0.0
    return found


def key(block: Any, name: str, values: dict[int, float]) -> None:
    """Keyframes of a setting of a modifier, between which it changes evenly."""
    for frame, value in values.items():
        setattr(block, name, value)
        block.keyframe_insert(name, frame=frame)


def writing(obj: bpy.types.Object, group: str, kind: str = "FLOAT") -> Any:
    """A modifier of nodes that write the position along x, from 0 to 1, as a vertex group."""
    tree: Any = bpy.data.node_groups.new("Write", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    apart = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(tree.nodes.new("GeometryNodeInputPosition").outputs[0], apart.inputs[0])
    ranged = tree.nodes.new("ShaderNodeMapRange")
    tree.links.new(apart.outputs["X"], ranged.inputs["Value"])
    ranged.inputs["From Min"].default_value = -1.0
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.data_type, store.domain = kind, "POINT"
    store.inputs["Name"].default_value = group
    tree.links.new(tree.nodes.new("NodeGroupInput").outputs[0], store.inputs["Geometry"])
    value = next(each for each in store.inputs if each.name == "Value" and each.enabled)
    tree.links.new(ranged.outputs["Result"], value)
    tree.links.new(store.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    found: Any = obj.modifiers.new("Write", "NODES")
    found.node_group = tree
    return found
