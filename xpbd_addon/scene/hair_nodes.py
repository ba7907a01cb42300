# SPDX-License-Identifier: GPL-3.0-or-later
"""The node groups of strands.

One moves the vertices of those that were made from hair curves to the points of these, for roots
that follow a deforming surface; the other gives edges a thickness to render.
"""

from __future__ import annotations

from typing import Any, cast

import bpy

from . import display_nodes, node_inputs

FOLLOW, THICKNESS = "XPBD Follow Curves", "XPBD Strand Thickness"
RADIUS = "radius"
_SIDES_OF_HAIR, _SIDES_OF_ROPES = 3, 12
_CURVES = "Curves"
_RADIUS, _SIDES = "Radius", "Sides"
_FOLLOW_MARK, _THICKNESS_MARK = "xpbd_follow", "xpbd_thickness"
_VERSIONS = {_FOLLOW_MARK: 1, _THICKNESS_MARK: 2}


def is_follow(modifier: bpy.types.Modifier) -> bool:
    """Whether a modifier moves vertices to the points of curves."""
    return _has(modifier, _FOLLOW_MARK)


def is_thickness(modifier: bpy.types.Modifier) -> bool:
    """Whether a modifier makes edges tubes."""
    return _has(modifier, _THICKNESS_MARK)


def _has(modifier: bpy.types.Modifier, mark: str) -> bool:
    group = modifier.node_group if modifier.type == "NODES" else None
    return group is not None and mark in group


def add_follow(obj: bpy.types.Object, curves: bpy.types.Object) -> None:
    """Make the vertices of a mesh object follow the points of a curves object."""
    node_inputs.write(_add(obj, FOLLOW, _FOLLOW_MARK), _CURVES, curves)


def add_thickness(obj: bpy.types.Object) -> None:
    """Make the edges of a mesh object tubes of the radius that its vertices have, for hair."""
    _add(obj, THICKNESS, _THICKNESS_MARK)


def add_round_thickness(obj: bpy.types.Object, radius: float) -> None:
    """The same of a radius, in its own coordinates, and round, for what is seen from near."""
    modifier = _add(obj, THICKNESS, _THICKNESS_MARK)
    node_inputs.write(modifier, _RADIUS, radius)
    node_inputs.write(modifier, _SIDES, _SIDES_OF_ROPES)


def _add(obj: bpy.types.Object, name: str, mark: str) -> bpy.types.NodesModifier:
    modifier = cast(bpy.types.NodesModifier, obj.modifiers.new(name, "NODES"))
    modifier.node_group = _group(name, mark)
    modifier.show_expanded = False
    return modifier


def _group(name: str, mark: str) -> bpy.types.NodeTree:
    """The node group with the mark, made when it is missing."""
    for found in bpy.data.node_groups:
        if found.get(mark) == _VERSIONS[mark] and found.library is None:
            return found
    tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree[mark] = _VERSIONS[mark]
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    fill = {_FOLLOW_MARK: _fill_follow, _THICKNESS_MARK: _fill_thickness}[mark]
    fill(tree)
    for column, node in enumerate(tree.nodes):
        node.location = (200.0 * column, 0.0)
    return tree


def _fill_follow(tree: Any) -> None:
    """Where the curves have as many points as the mesh has vertices, take over their positions."""
    tree.interface.new_socket(_CURVES, in_out="INPUT", socket_type="NodeSocketObject")
    link, entry = tree.links.new, tree.nodes.new("NodeGroupInput")
    curves = tree.nodes.new("GeometryNodeObjectInfo")
    curves.transform_space = "RELATIVE"
    link(entry.outputs[_CURVES], curves.inputs["Object"])
    equal = tree.nodes.new("FunctionNodeCompare")
    equal.data_type, equal.operation = "INT", "EQUAL"
    counted = [socket for socket in equal.inputs if socket.enabled]
    link(display_nodes.count(tree, entry.outputs["Geometry"], "MESH"), counted[0])
    link(display_nodes.count(tree, curves.outputs["Geometry"], "CURVE"), counted[1])
    sample = tree.nodes.new("GeometryNodeSampleIndex")
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    link(curves.outputs["Geometry"], sample.inputs["Geometry"])
    link(tree.nodes.new("GeometryNodeInputPosition").outputs[0], sample.inputs["Value"])
    link(tree.nodes.new("GeometryNodeInputIndex").outputs[0], sample.inputs["Index"])
    move = tree.nodes.new("GeometryNodeSetPosition")
    link(entry.outputs["Geometry"], move.inputs["Geometry"])
    link(equal.outputs["Result"], move.inputs["Selection"])
    link(sample.outputs["Value"], move.inputs["Position"])
    link(move.outputs["Geometry"], tree.nodes.new("NodeGroupOutput").inputs["Geometry"])


def _fill_thickness(tree: Any) -> None:
    """Join tubes along the edges to the mesh itself, whose vertices keep their numbers."""
    radius = tree.interface.new_socket(_RADIUS, in_out="INPUT", socket_type="NodeSocketFloat")
    radius.default_value, radius.min_value, radius.subtype = 0.002, 0.0, "DISTANCE"
    radius.description = "Where the mesh has no attribute 'radius' of its vertices"
    sides = tree.interface.new_socket(_SIDES, in_out="INPUT", socket_type="NodeSocketInt")
    sides.default_value, sides.min_value, sides.max_value = _SIDES_OF_HAIR, 3, 64
    sides.description = "Of each tube around; more are rounder"
    link, entry = tree.links.new, tree.nodes.new("NodeGroupInput")
    curves = tree.nodes.new("GeometryNodeMeshToCurve")
    link(entry.outputs["Geometry"], curves.inputs["Mesh"])
    own = tree.nodes.new("GeometryNodeInputNamedAttribute")
    own.data_type = "FLOAT"
    own.inputs["Name"].default_value = RADIUS
    without = tree.nodes.new("FunctionNodeBooleanMath")
    without.operation = "NOT"
    link(own.outputs["Exists"], without.inputs[0])
    thick = tree.nodes.new("GeometryNodeSetCurveRadius")
    link(curves.outputs["Curve"], thick.inputs["Curve"])
    link(without.outputs[0], thick.inputs["Selection"])
    link(entry.outputs[_RADIUS], thick.inputs["Radius"])
    tubes = _tubes(tree, thick.outputs["Curve"], entry.outputs[_SIDES])
    joined = tree.nodes.new("GeometryNodeJoinGeometry")
    link(tubes, joined.inputs[0])
    link(entry.outputs["Geometry"], joined.inputs[0])
    # Tubes come without a material: give them the object's first.
    material = tree.nodes.new("GeometryNodeSetMaterialIndex")
    link(joined.outputs[0], material.inputs["Geometry"])
    link(material.outputs[0], tree.nodes.new("NodeGroupOutput").inputs["Geometry"])


def _tubes(tree: Any, curves: Any, sides: Any) -> Any:
    """A smooth mesh around curves, of their radius."""
    link = tree.links.new
    circle = tree.nodes.new("GeometryNodeCurvePrimitiveCircle")
    link(sides, circle.inputs["Resolution"])
    next(socket for socket in circle.inputs if socket.name == "Radius").default_value = 1.0
    mesh = tree.nodes.new("GeometryNodeCurveToMesh")
    link(curves, mesh.inputs["Curve"])
    link(circle.outputs["Curve"], mesh.inputs["Profile Curve"])
    if "Scale" in mesh.inputs:  # Blender 4.5: the radius is the scale no longer by itself
        link(tree.nodes.new("GeometryNodeInputRadius").outputs[0], mesh.inputs["Scale"])
    smooth = tree.nodes.new("GeometryNodeSetShadeSmooth")
    link(mesh.outputs["Mesh"], smooth.inputs[0])
    return smooth.outputs[0]
