# SPDX-License-Identifier: GPL-3.0-or-later
"""The node group of the tension map: how much what it gets is stretched, pushed together and bent.

It measures the mesh against attributes of its edges, so that it works on whatever moves the mesh:
the simulation, a bake of it, or a file without the extension.
"""

from __future__ import annotations

from typing import Any

import bpy

GROUP = "XPBD Tension Map"
STRETCH, COMPRESSION, BENDING = "xp_stretch", "xp_compression", "xp_bending"
"""Attributes of points: shares of the length at rest, and mean curvature against rest [1/m]."""

FORCES = ("xp_force", "xp_force_warp", "xp_force_weft")
"""Attributes of points that `force_map` writes: largest tension and that along yarns [N/m]."""

REST_LENGTH, REST_ANGLE, REST_WIDTH = "xp_rest_length", "xp_rest_angle", "xp_rest_width"
"""Attributes of edges: how long they are at rest, how much both faces turn there, and how far
apart the middles of these are."""

_MARK = "xpbd_tension"


def is_tension(modifier: bpy.types.Modifier) -> bool:
    """Whether a modifier is a tension map, under whatever name."""
    group = modifier.node_group if modifier.type == "NODES" else None
    return group is not None and _MARK in group


def group() -> bpy.types.NodeTree:
    """The node group, made when it is missing."""
    for found in bpy.data.node_groups:
        if found.get(_MARK) and found.library is None:
            return found
    tree: Any = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    tree[_MARK] = 1
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    _add_nodes(tree)
    for column, node in enumerate(tree.nodes):
        node.location = (200.0 * column, 0.0)
    return tree


def _add_nodes(tree: Any) -> None:
    rest, known = _attribute(tree, REST_LENGTH)
    strain = _math(tree, "SUBTRACT", _math(tree, "DIVIDE", _length(tree), rest), 1.0)
    turned = tree.nodes.new("GeometryNodeInputMeshEdgeAngle").outputs["Signed Angle"]
    turned = _math(tree, "SUBTRACT", turned, _attribute(tree, REST_ANGLE)[0])
    fields = {
        STRETCH: _math(tree, "MAXIMUM", strain, 0.0),
        COMPRESSION: _math(tree, "MAXIMUM", _math(tree, "MULTIPLY", strain, -1.0), 0.0),
        BENDING: _math(
            tree, "DIVIDE", _math(tree, "ABSOLUTE", turned), _attribute(tree, REST_WIDTH)[0]
        ),
    }
    geometry = tree.nodes.new("NodeGroupInput").outputs["Geometry"]
    for name, field in fields.items():
        geometry = _stored(tree, geometry, name, field, known)
    tree.links.new(geometry, tree.nodes.new("NodeGroupOutput").inputs["Geometry"])


def _length(tree: Any) -> Any:
    """How long each edge is in the world."""
    ends = tree.nodes.new("GeometryNodeInputMeshEdgeVertices")
    info = tree.nodes.new("GeometryNodeObjectInfo")
    tree.links.new(tree.nodes.new("GeometryNodeSelfObject").outputs[0], info.inputs["Object"])
    way = _vector_math(tree, "SUBTRACT", ends.outputs["Position 2"], ends.outputs["Position 1"])
    scaled = _vector_math(tree, "MULTIPLY", way.outputs["Vector"], info.outputs["Scale"])
    return _vector_math(tree, "LENGTH", scaled.outputs["Vector"]).outputs["Value"]


def _attribute(tree: Any, name: str) -> tuple[Any, Any]:
    """An attribute of the mesh, and whether it exists."""
    node = tree.nodes.new("GeometryNodeInputNamedAttribute")
    node.data_type = "FLOAT"
    node.inputs["Name"].default_value = name
    return node.outputs["Attribute"], node.outputs["Exists"]


def _math(tree: Any, operation: str, *values: Any) -> Any:
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    for value, socket in zip(values, node.inputs, strict=False):
        if isinstance(value, float):
            socket.default_value = value
        else:
            tree.links.new(value, socket)
    return node.outputs[0]


def _vector_math(tree: Any, operation: str, *values: Any) -> Any:
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = operation
    for value, socket in zip(values, node.inputs, strict=False):
        tree.links.new(value, socket)
    return node


def _stored(tree: Any, geometry: Any, name: str, field: Any, wanted: Any) -> Any:
    """The geometry with the means of a field of edges at its points."""
    of_edges = tree.nodes.new("GeometryNodeFieldOnDomain")
    of_edges.data_type, of_edges.domain = "FLOAT", "EDGE"
    tree.links.new(field, of_edges.inputs["Value"])
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.data_type, store.domain = "FLOAT", "POINT"
    store.inputs["Name"].default_value = name
    tree.links.new(geometry, store.inputs["Geometry"])
    tree.links.new(wanted, store.inputs["Selection"])
    tree.links.new(of_edges.outputs["Value"], store.inputs["Value"])
    return store.outputs["Geometry"]
