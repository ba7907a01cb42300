# SPDX-License-Identifier: GPL-3.0-or-later
"""The node group of the display modifier.

It stores the positions that arrive from the modifiers before it as `xp_in` (animated pins are read
from there) and the vertex numbers as `xp_index`, and moves the vertices to where they are shown.
Where it is told to, it also leaves behind on every face which one it was, and of what vertices:
modifiers that come after it copy that to the faces that they make. There is another node group for
each set of vertex groups whose weights are to be left behind as they arrive.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import bpy

from . import node_inputs

GROUP = "XPBD Display"
INPUT_POSITION = "xp_in"
INPUT_INDEX = "xp_index"
INPUT_COUNT = "xp_count"
INPUT_FACE = "xp_face"
INPUT_SIZE = "xp_face_size"
INPUT_CORNERS = ("xp_corner_1", "xp_corner_2", "xp_corner_3", "xp_corner_4")
SHOWN_POSITION = "xp_pos"
INPUT_WEIGHT = "xp_weight"
_MARK = "xpbd_display"
_WEIGHTS = "xpbd_weights"  # on node groups that leave weights behind, whose
_VERSION = 2
_SOCKET = "Attribute"
_SHAPE = "Shape"
_KEEP = "Keep Faces"
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


def shape(modifier: bpy.types.NodesModifier) -> bpy.types.Object | None:
    """The object whose vertices a display modifier has to show."""
    found: bpy.types.Object | None = node_inputs.read(modifier, _SHAPE, None)
    return found


def show_shape(modifier: bpy.types.NodesModifier, obj: bpy.types.Object | None) -> None:
    """Make a display modifier show the vertices of another object, if they are as many."""
    node_inputs.write(modifier, _SHAPE, obj)
    modifier.node_group = modifier.node_group  # has Blender see that it depends on another object


def keeps_faces(modifier: bpy.types.NodesModifier) -> bool:
    """Whether a display modifier leaves behind what faces it was given."""
    return bool(node_inputs.read(modifier, _KEEP, False))


def keep_faces(modifier: bpy.types.NodesModifier, value: bool) -> None:
    """Make a display modifier leave that behind, or not."""
    node_inputs.write(modifier, _KEEP, value)


def is_ours(name: str) -> bool:
    """Whether an attribute that display modifiers show may be called so."""
    return _SHOWN.fullmatch(name) is not None


def holds_shown(attribute: bpy.types.Attribute) -> bool:
    """Whether an attribute of a mesh is one that display modifiers show, not one of the user's."""
    kind = (attribute.data_type, attribute.domain)
    return is_ours(attribute.name) and kind == ("FLOAT_VECTOR", "POINT")


def is_left_behind(attribute: bpy.types.Attribute) -> bool:
    """Whether an attribute is one of those that display modifiers read and write."""
    names = (INPUT_POSITION, INPUT_INDEX, INPUT_COUNT, INPUT_FACE, INPUT_SIZE, *INPUT_CORNERS)
    weighs = attribute.name.startswith(f"{INPUT_WEIGHT}_")
    return attribute.name in names or weighs or holds_shown(attribute)


def weight_attribute(vertex_group: str) -> str:
    """As which attribute the weights of a vertex group are left behind."""
    return f"{INPUT_WEIGHT}_{crc32(vertex_group.encode()):08x}"


def group(vertex_groups: Sequence[str] = ()) -> bpy.types.NodeTree:
    """The node group that leaves these weights behind, made when it is missing."""
    for found in bpy.data.node_groups:
        if is_current(found, vertex_groups) and found.library is None:
            return found
    return _make_group(vertex_groups)


def is_current(tree: bpy.types.NodeTree, vertex_groups: Sequence[str] = ()) -> bool:
    """Whether a node group is what this version makes, and leaves these weights behind."""
    known = json.loads(tree.get(_WEIGHTS, "[]"))
    return bool(tree.get(_MARK) == _VERSION and known == list(vertex_groups))


def _make_group(vertex_groups: Sequence[str]) -> bpy.types.NodeTree:
    tree: Any = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    tree[_MARK] = _VERSION
    if vertex_groups:
        tree[_WEIGHTS] = json.dumps(vertex_groups)
    tree.is_modifier = True
    _add_socket(tree, "Geometry", "Geometry")
    name = _add_socket(tree, _SOCKET, "String")
    name.default_value = SHOWN_POSITION
    name.description = "Attribute of the mesh that holds the simulated positions"
    _add_socket(
        tree, _SHAPE, "Object"
    ).description = (
        "Holds the simulated positions where modifiers make the geometry that is simulated"
    )
    _add_socket(
        tree, _KEEP, "Bool"
    ).description = (
        "Leave the faces that are simulated behind as attributes, for modifiers after this one"
    )
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    _add_nodes(tree, vertex_groups)
    return tree


def _add_socket(tree: Any, name: str, kind: str) -> Any:
    """An input of the group."""
    return tree.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")


def _add_nodes(tree: bpy.types.NodeTree, vertex_groups: Sequence[str]) -> None:
    link, entry = tree.links.new, tree.nodes.new("NodeGroupInput")
    arriving, wanted = entry.outputs["Geometry"], entry.outputs[_SHAPE]
    read = _store(tree, arriving, INPUT_POSITION, "POINT", _field(tree, "InputPosition"))
    read = _store(tree, read, INPUT_INDEX, "POINT", _field(tree, "InputIndex"))
    for name in vertex_groups:
        weight = _named(tree, "FLOAT").outputs["Attribute"]
        weight.node.inputs["Name"].default_value = name
        read = _store(tree, read, weight_attribute(name), "POINT", weight)
    keep = tree.nodes.new("GeometryNodeSwitch")
    keep.input_type = "GEOMETRY"
    link(entry.outputs[_KEEP], keep.inputs["Switch"])
    link(read, keep.inputs["False"])
    link(_store_faces(tree, read), keep.inputs["True"])
    shown = _named(tree, "FLOAT_VECTOR")
    link(entry.outputs[_SOCKET], shown.inputs["Name"])
    own = _move(tree, keep.outputs[0], shown.outputs["Exists"], shown.outputs["Attribute"])
    moved = _move(tree, own, *_of_shape(tree, arriving, wanted))
    link(moved, tree.nodes.new("NodeGroupOutput").inputs["Geometry"])
    for column, node in enumerate(tree.nodes):
        node.location = (200.0 * column, 0.0)


def _store_faces(tree: bpy.types.NodeTree, geometry: Any) -> Any:
    """Store what a later modifier can't tell any more: the number of vertices, and the faces."""
    geometry = _store(tree, geometry, INPUT_COUNT, "POINT", count(tree, geometry, "MESH"))
    geometry = _store(tree, geometry, INPUT_FACE, "FACE", _field(tree, "InputIndex"))
    for place, name in enumerate(INPUT_CORNERS):
        corner = tree.nodes.new("GeometryNodeCornersOfFace")
        corner.inputs["Sort Index"].default_value = place
        vertex = tree.nodes.new("GeometryNodeVertexOfCorner")
        tree.links.new(corner.outputs["Corner Index"], vertex.inputs["Corner Index"])
        geometry = _store(tree, geometry, name, "FACE", vertex.outputs["Vertex Index"])
    return _store(tree, geometry, INPUT_SIZE, "FACE", corner.outputs["Total"])


def _of_shape(tree: bpy.types.NodeTree, arriving: Any, wanted: Any) -> tuple[Any, Any]:
    """Whether an object has as many vertices as what arrives, and where these are."""
    link, shape = tree.links.new, tree.nodes.new("GeometryNodeObjectInfo")
    link(wanted, shape.inputs["Object"])
    held = shape.outputs["Geometry"]
    equal = tree.nodes.new("FunctionNodeCompare")
    equal.data_type, equal.operation = "INT", "EQUAL"
    first, second = (socket for socket in equal.inputs if socket.enabled)
    link(count(tree, arriving, "MESH"), first)
    link(count(tree, held, "MESH"), second)
    sample = tree.nodes.new("GeometryNodeSampleIndex")
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    link(held, sample.inputs["Geometry"])
    link(_field(tree, "InputPosition"), sample.inputs["Value"])
    link(_field(tree, "InputIndex"), sample.inputs["Index"])
    return equal.outputs["Result"], sample.outputs["Value"]


def _move(tree: bpy.types.NodeTree, geometry: Any, where: Any, position: Any) -> Any:
    """Move vertices."""
    move = tree.nodes.new("GeometryNodeSetPosition")
    for value, name in ((geometry, "Geometry"), (where, "Selection"), (position, "Position")):
        tree.links.new(value, move.inputs[name])
    return move.outputs["Geometry"]


def _named(tree: bpy.types.NodeTree, kind: str) -> Any:
    """A node that reads an attribute."""
    node: Any = tree.nodes.new("GeometryNodeInputNamedAttribute")
    node.data_type = kind
    return node


def _field(tree: bpy.types.NodeTree, name: str) -> Any:
    return tree.nodes.new(f"GeometryNode{name}").outputs[0]


def count(tree: Any, geometry: Any, component: str) -> Any:
    """How many points a component of a geometry has."""
    size = tree.nodes.new("GeometryNodeAttributeDomainSize")
    size.component = component
    tree.links.new(geometry, size.inputs["Geometry"])
    return size.outputs["Point Count"]


def _store(tree: bpy.types.NodeTree, geometry: Any, name: str, domain: str, value: Any) -> Any:
    """Store a field as a named attribute of its type."""
    node = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    node.data_type = {"VECTOR": "FLOAT_VECTOR", "VALUE": "FLOAT"}.get(value.type, "INT")
    node.domain = domain
    node.inputs["Name"].default_value = name
    tree.links.new(geometry, node.inputs["Geometry"])
    tree.links.new(value, next(s for s in node.inputs if s.name == "Value" and s.enabled))
    return node.outputs["Geometry"]
