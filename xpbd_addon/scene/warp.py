# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way the warp yarns of a cloth run in each face: along U of a UV map, or an attribute."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..settings import woven
from . import arriving, mesh_io

Directions = NDArray[np.float64]

_DOMAINS = ("FACE", "CORNER", "POINT")
_FLATTEST = 1e-8  # least area of a face in the map, over the square of its size there


def read(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, rest: mesh_io.Positions
) -> Directions | None:
    """The warp in each of the faces of ``mesh_io.read_elements``, shape (f, 3).

    Args:
        rest: the shape at rest in the world, shape (n, 3).

    Returns:
        Unit vectors; None where it is the same everywhere.

    Raises:
        SceneError: the map or attribute is missing, or tells of no direction at all.
    """
    source = obj.xpbd.warp_source
    if obj.xpbd.kind != "CLOTH" or source == woven.AXIS:
        return None
    mesh, _ = arriving.vertices(obj, depsgraph)
    if mesh.is_evaluated and not arriving.is_whole(obj, depsgraph):
        raise SceneError(
            f"Modifiers after XPBD make other faces of '{obj.name}', whose warp can't be read "
            "then: move those that make its geometry behind XPBD, or set Warp to Object's X Axis"
        )
    found: Directions
    if source == woven.UV:
        found = along_u(mesh, _uv(obj, mesh), rest)
    else:
        matrix = obj.evaluated_get(depsgraph).matrix_world
        turn = np.array(matrix, np.float64)[:3, :3]
        found = _of_faces(obj, mesh) @ turn.T
    length = np.linalg.norm(found, axis=1)
    known = (length > 0.0) & np.isfinite(length)
    if not known.any():
        what = "UV map" if source == woven.UV else "warp attribute"
        cure = "unwrap it" if source == woven.UV else "fill it"
        raise SceneError(
            f"The {what} of '{obj.name}' has no direction on any face: {cure}, or set Warp to "
            "Object's X Axis"
        )
    unit = found / np.where(known, length, 1.0)[:, None]
    return np.where(known[:, None], unit, mesh_io.x_axis(obj, depsgraph))[face_numbers(mesh)]


def along_u(mesh: bpy.types.Mesh, uv: NDArray[np.float32], points: Directions) -> Directions:
    """∂x/∂u on each face, the best linear fit to its corners, shape (faces, 3); zero without area.

    Args:
        uv: of each face corner, shape (corners, 2). points: of the vertices, shape (n, 3).
    """
    corners, sizes = mesh_io.corner_vertices(mesh), mesh_io.face_sizes(mesh)
    starts = np.cumsum(sizes) - sizes
    faces = np.repeat(np.arange(len(sizes)), sizes)

    def sums(values: Directions) -> Directions:
        return np.add.reduceat(values, starts, axis=0)

    def centred(values: NDArray[Any]) -> Directions:
        values = values.astype(np.float64)
        return values - (sums(values) / sizes[:, None])[faces]

    (u, v), x = centred(uv).T, centred(points[corners])
    uu, mixed, vv = sums(u * u), sums(u * v), sums(v * v)
    found: Directions = vv[:, None] * sums(u[:, None] * x) - mixed[:, None] * sums(v[:, None] * x)
    solid = uu * vv - mixed**2 > _FLATTEST * (uu + vv) ** 2
    return np.asarray(np.where(solid[:, None], found, 0.0))


def face_numbers(mesh: bpy.types.Mesh) -> mesh_io.Indices:
    """Which face of the mesh each of those of ``mesh_io.read_faces`` is, or lies in, shape (f,)."""
    sizes = mesh_io.face_sizes(mesh)
    if (sizes == sizes[0]).all() and sizes[0] <= 4:
        return np.arange(len(sizes), dtype=np.int32)
    owners = np.empty(len(mesh_io.loop_triangles(mesh)), np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", owners)
    many = owners[sizes[owners] > 4].astype(np.int64)
    parts = [np.flatnonzero(sizes == 3), np.flatnonzero(sizes == 4), many]
    return np.concatenate(parts).astype(np.int32)


def source(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None
) -> NDArray[np.float32] | None:
    """What a mesh says of the warp; None where that is nothing.

    Args:
        depsgraph: says what modifiers make; None: the object's own mesh.

    Raises:
        SceneError: it can't be told what they make.
    """
    mesh, _ = arriving.vertices(obj, depsgraph)
    if obj.xpbd.kind != "CLOTH" or obj.xpbd.warp_source == woven.AXIS or mesh.is_editmode:
        return None
    try:
        if obj.xpbd.warp_source == woven.UV:
            return _uv(obj, mesh)
        return _values(_attribute(obj, mesh), 3)
    except SceneError:
        return None


def _uv(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """UV of each face corner, shape (corners, 2)."""
    name = obj.xpbd.warp_uv_map
    layer = mesh.uv_layers.get(name) if name else mesh.uv_layers.active
    if layer is None:
        missing = f"no UV map '{name}'" if name else "no UV map"
        raise SceneError(
            f"'{obj.name}' has {missing}: choose another for Warp, unwrap it, or set Warp to "
            "Object's X Axis"
        )
    return _values(mesh.attributes[layer.name], 2)


def _attribute(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> Any:
    name = obj.xpbd.warp_attribute
    found: Any = mesh.attributes.get(name)
    if found is None or found.data_type != "FLOAT_VECTOR" or found.domain not in _DOMAINS:
        raise SceneError(
            f"'{obj.name}' has no attribute '{name}' of vectors on faces, face corners or points: "
            "choose another Warp Attribute, or set Warp to Object's X Axis"
        )
    return found


def _of_faces(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> Directions:
    """Means of a vector attribute over the corners of faces, shape (faces, 3)."""
    attribute = _attribute(obj, mesh)
    values = _values(attribute, 3).astype(np.float64)
    if attribute.domain == "FACE":
        return values
    if attribute.domain == "POINT":
        values = values[mesh_io.corner_vertices(mesh)]
    sizes = mesh_io.face_sizes(mesh)
    return np.asarray(np.add.reduceat(values, np.cumsum(sizes) - sizes, axis=0) / sizes[:, None])


def _values(attribute: Any, size: int) -> NDArray[np.float32]:
    values = np.empty((len(attribute.data), size), np.float32)
    attribute.data.foreach_get("vector", values.ravel())
    return values
