# SPDX-License-Identifier: GPL-3.0-or-later
"""Cutting what is inside of a mesh into pieces that lie on each other: cells of Voronoi's."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import bmesh
import bpy
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ..errors import SceneError
from . import mesh_io

TRIES = 200
"""Points for one that is inside: even thin bodies fill so much of their boxes."""


def cut(obj: bpy.types.Object, count: int, seed: int, material: int) -> int:
    """Cut the mesh of an object into pieces, none of which shares vertices with another.

    Args:
        count: of points inside; what is nearest to each becomes a piece, or several.
        seed: of where these points are.
        material: number of the slot that cut faces get.

    Returns:
        How many pieces there are.

    Raises:
        SceneError: there is nothing inside, or the mesh can't be changed.
    """
    mesh = mesh_io.mesh_of(obj)
    _check(obj, mesh)
    whole = bmesh.new()
    made = bmesh.new()
    try:
        whole.from_mesh(mesh)
        if any(not edge.is_manifold for edge in whole.edges) or not whole.faces:
            raise SceneError(
                f"'{obj.name}' is not closed, so that nothing is inside: fill its holes and "
                "delete what is doubled first (Edit Mode, Mesh > Clean Up)"
            )
        size = Matrix.Diagonal((*obj.matrix_world.to_scale(), 1.0))
        points = [size @ point for point in _points_inside(obj, whole, count, Random(seed))]
        whole.transform(size)
        for point in points:
            _add_piece(made, whole, point, points, material)
        made.transform(size.inverted())
        if mesh.users > 1:
            obj.data = mesh = mesh.copy()
        made.to_mesh(mesh)
    finally:
        whole.free()
        made.free()
    mesh.update()
    return len(points)


def _check(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    if mesh.library is not None or obj.library is not None:
        raise SceneError(f"The mesh of '{obj.name}' is linked: make it local before it is cut")
    if mesh.shape_keys is not None:
        raise SceneError(
            f"'{obj.name}' has shape keys, which don't outlive a cut: apply or remove them first"
        )
    if 0.0 in obj.matrix_world.to_scale()[:]:
        raise SceneError(f"'{obj.name}' is scaled to nothing: set its scale before it is cut")


def _points_inside(
    obj: bpy.types.Object, whole: bmesh.types.BMesh, count: int, random: Random
) -> list[Vector]:
    """Points inside of a mesh as it was modelled, whatever the object shows on this frame."""
    surface = BVHTree.FromBMesh(whole)
    low, high = ([side(v.co[k] for v in whole.verts) for k in range(3)] for side in (min, max))
    found: list[Vector] = []
    for _ in range(TRIES * count):
        if len(found) == count:
            break
        point = Vector([random.uniform(low[k], high[k]) for k in range(3)])
        nearest, normal, _, _ = surface.find_nearest(point)
        if (nearest - point).dot(normal) > 0.0:
            found.append(point)
    if not found:
        raise SceneError(
            f"Nothing is inside '{obj.name}': let its normals point outwards (Edit Mode, Mesh > "
            "Normals > Recalculate Outside)"
        )
    return found


def _add_piece(
    made: bmesh.types.BMesh,
    whole: bmesh.types.BMesh,
    point: Vector,
    points: list[Vector],
    material: int,
) -> None:
    """Add what of a body is nearer to a point than to all others."""
    piece = whole.copy()
    others = sorted((other for other in points if other is not point), key=_away_from(point))
    for other in others:
        reach = max(((vertex.co - point).length for vertex in piece.verts), default=0.0)
        if 0.5 * (other - point).length > reach:
            break
        parts = [*piece.verts, *piece.edges, *piece.faces]
        rim = bmesh.ops.bisect_plane(
            piece,
            geom=parts,
            plane_co=(0.5 * (point + other))[:],
            plane_no=(other - point)[:],
            clear_outer=True,
        )["geom_cut"]
        edges = [part for part in rim if isinstance(part, bmesh.types.BMEdge)]
        filled = bmesh.ops.triangle_fill(piece, edges=edges, use_dissolve=True)["geom"]
        for face in filled:
            if isinstance(face, bmesh.types.BMFace):
                face.material_index = material
    bmesh.ops.recalc_face_normals(piece, faces=list(piece.faces))
    carrier = bpy.data.meshes.new("piece")
    piece.to_mesh(carrier)
    made.from_mesh(carrier)
    bpy.data.meshes.remove(carrier)
    piece.free()


def _away_from(point: Vector) -> Callable[[Vector], float]:
    return lambda other: (other - point).length
