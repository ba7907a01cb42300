# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's meshes and arrays: world positions in metres, faces, edges.

What can't be simulated is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import DTypeLike, NDArray

from ..errors import SceneError
from ..settings import keyed as keyed_settings
from ..settings import kinds, materials
from . import arriving, display_nodes, keyed, stack, visible, weights
from .bones import BonesInput
from .reduction import Reduction

Positions = NDArray[np.float64]
Indices = NDArray[np.int32]
Threads = list[tuple[NDArray[np.int64], dict[str, Any]]]
"""Pairs of vertices that are sewn together, and the arguments of ``core.Model.add_stitches``."""

Faces = list[list[int]] | Indices

MOST_NARROWING = 0.499
"""That a soft body takes: Poisson's ratio, as `core` does."""


class MaterialInput(NamedTuple):
    """What may change over time, as in :class:`BodyInput`."""

    pins: Indices
    pin_stiffness: NDArray[np.float64]
    material: dict[str, Any]


@dataclass(frozen=True)
class BodyInput:
    """A simulated object at a frame.

    Attributes:
        uid: the object's session_uid. object_id: its cache id.
        kind: as ``Object.xpbd.kind``.
        positions: world positions [m], shape (n, 3).
        elements: corners of each face of a cloth (faces of more than four corners come as
            triangles), or the vertices of each edge of strands, shape (e, 2).
        pins: pinned vertices, ascending, shape (p,).
        pin_stiffness: of the spring that pulls each, as `core` wants it; infinite for those that
            are held, shape (p,).
        material: further keyword arguments of the kind's method of ``core.Model``.
        reduction: which of its vertices are simulated; None where each is by itself.
        rest_positions: the shape at rest [m], shape (n, 3); None: as it starts.
        threads: what of it is sewn together.
        follows_animation: whether its animated shape is the shape at rest on each frame.
        has_goal: whether its animated shape pulls it.
        starts_moving: whether it starts as fast as its animation.
        warp: the way of the warp yarns in each face, shape (e, 3); None: that of the material.
        bones: that lead its inside; None: none do.
    """

    uid: int
    object_id: str
    name: str
    kind: str
    positions: Positions
    elements: Faces
    pins: Indices
    pin_stiffness: NDArray[np.float64]
    material: dict[str, Any]
    reduction: Reduction | None = None
    rest_positions: Positions | None = None
    threads: Threads = field(default_factory=list)
    follows_animation: bool = False
    has_goal: bool = False
    starts_moving: bool = False
    warp: Positions | None = None
    bones: BonesInput | None = None

    @property
    def held(self) -> NDArray[np.bool_]:
        """Which pins are exactly on their targets, shape (p,)."""
        return np.isinf(self.pin_stiffness)

    @property
    def needs(self) -> list[str]:
        """What its solver must not lack, of the keys of ``solvers.REFUSALS``."""
        found = {
            "volume": "volume_compliance" in self.material,
            "soft body": self.kind == "SOFT_BODY",
            "strands": self.kind == "STRANDS",
            "sewing": bool(self.threads),
            "compression": bool(np.any(np.not_equal(self.material.get("compression", 1.0), 1.0))),
        }
        return [need for need, is_so in found.items() if is_so]


def read_body(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> BodyInput:
    """Everything of a simulated object. Raises SceneError where it can't be simulated."""
    check_body(obj)
    changing = read_material(obj, depsgraph, scale)
    if obj.xpbd.kind == "CLOTH":
        changing.material["warp"] = x_axis(obj, depsgraph)
    positions = read_positions(obj, depsgraph, scale)
    return BodyInput(
        uid=obj.session_uid,
        object_id=obj.xpbd.cache_id,
        name=obj.name,
        kind=obj.xpbd.kind,
        positions=positions,
        elements=read_elements(obj, depsgraph),
        **changing._asdict(),
        rest_positions=read_rest(obj, depsgraph, scale),
        follows_animation=obj.xpbd.kind == "CLOTH" and obj.xpbd.use_dynamic_mesh,
        has_goal=obj.xpbd.kind == "SOFT_BODY" and obj.xpbd.use_goal,
        starts_moving=obj.xpbd.kind != "SOFT_BODY" and obj.xpbd.use_initial_velocity,
    )


def read_rest(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float
) -> Positions | None:
    """The shape at rest of a cloth or soft body [m], shape (n, 3); None: that in which it starts.

    Raises:
        SceneError: the shape key is missing.
    """
    if obj.xpbd.kind == "STRANDS" or not obj.xpbd.rest_shape_key:
        return None
    shape = read_key(mesh_of(obj), obj.xpbd.rest_shape_key)
    if shape is None:
        raise SceneError(
            f"'{obj.name}' has no shape key '{obj.xpbd.rest_shape_key}': choose another Rest "
            "Shape Key, or clear it"
        )
    return to_world(obj.evaluated_get(depsgraph), shape, scale)


def read_key(mesh: bpy.types.Mesh, name: str) -> NDArray[np.float32] | None:
    """A shape key in the object's own space [Blender units], shape (n, 3); None without it."""
    keys = mesh.shape_keys
    if keys is None or name not in keys.key_blocks:
        return None
    shape = np.empty((len(mesh.vertices), 3), np.float32)
    keys.key_blocks[name].points.foreach_get("co", shape.ravel())
    return shape


def read_material(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float
) -> MaterialInput:
    """What may change over time. Raises SceneError."""
    keyed.check(obj, depsgraph)
    settings = obj.evaluated_get(depsgraph).xpbd
    pins, stiffness = weights.read_pins(obj, settings, depsgraph)
    material = materials.core_arguments(settings) | weights.read_painted(obj, settings, depsgraph)
    _check_numbers(obj.name, material)
    for length in {"thickness", "cell_size", "pin_depth"} & material.keys():
        material[length] = material[length] * scale
    return MaterialInput(pins, stiffness, material)


def _check_numbers(name: str, material: dict[str, Any]) -> None:
    """Raise SceneError where a setting is no number, or none that a soft body can have."""
    for argument, value in material.items():
        if isinstance(value, (float, np.ndarray)) and np.isnan(value).any():
            raise SceneError(
                f"The {keyed_settings.in_words(argument)} of '{name}' is not a number: type one"
            )
    if "young_modulus" in material:
        narrowing = material["poisson_ratio"]
        if not 0.0 <= narrowing <= MOST_NARROWING:
            raise SceneError(
                f"Narrowing of the soft body '{name}' is {narrowing:.3g}: choose something between "
                f"0 and {MOST_NARROWING}"
            )
        if not np.all(material["young_modulus"] > 0.0):
            raise SceneError(f"Elastic of '{name}' is 0 kPa, which holds nothing: type more")


def x_axis(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[float, float, float]:
    """The direction of the object's own x axis in the world."""
    axis = obj.evaluated_get(depsgraph).matrix_world.to_3x3().transposed()[0].normalized()
    return axis.x, axis.y, axis.z


def check_body(obj: bpy.types.Object) -> None:
    """Raise SceneError for an object that can't be simulated, whatever the frame."""
    name = obj.name
    if obj.type != "MESH":
        raise SceneError(
            f"'{name}' is not a mesh: convert it with Object > Convert > Mesh, or remove XPBD"
        )
    if not stack.is_writable(obj):
        raise SceneError(stack.linked(obj))
    if obj.data.is_editmode:
        raise SceneError(f"'{name}' is in Edit Mode: leave it with Tab first")
    kind = kinds.of(obj)
    if not stack.is_made(obj) and not kinds.has_elements(obj, kind):
        raise SceneError(f"'{name}' has no {kind.elements}: {kind.cure}, or remove XPBD")


def read_positions(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    scale: float,
    chosen: Indices | slice = slice(None),
) -> Positions:
    """World positions [m], shape (n, 3), as the modifiers before ours leave them.

    Args:
        chosen: the vertices wanted, by default all.

    Raises:
        SceneError: they can't be read, or one is not a finite number.
    """
    local = read_local(obj, depsgraph)
    evaluated = obj.evaluated_get(depsgraph)
    visible.check_placed(obj, evaluated)
    if min(abs(axis) for axis in evaluated.matrix_world.to_scale()) < visible.SMALLEST_SCALE:
        raise SceneError(f"'{obj.name}' is scaled to zero: give each of its axes some scale")
    return to_world(evaluated, local[chosen], scale)


def read_elements(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Faces:
    """What the object is made of, as :attr:`BodyInput.elements`. Raises SceneError."""
    kind = kinds.of(obj)
    mesh, places = arriving.vertices(obj, depsgraph)
    if not len(mesh.polygons if kind.elements == "faces" else mesh.edges):
        raise _nothing(obj)
    if kind.elements == "edges":
        if not np.array_equal(places, np.arange(len(places))):
            raise arriving.renumbered(obj)
        edges = read_edges(mesh)
        return np.ascontiguousarray(edges[(edges < len(places)).all(axis=1)])
    if stack.is_made(obj, depsgraph.mode) and not arriving.is_whole(obj, depsgraph):
        return arriving.faces(obj, depsgraph)
    return read_faces(mesh)


def _nothing(obj: bpy.types.Object) -> SceneError:
    kind = kinds.of(obj)
    return SceneError(
        f"'{obj.name}' has no {kind.elements} where XPBD stands: {kind.cure}, or remove XPBD"
    )


def read_local(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> NDArray[np.float32]:
    """Positions in the object's own space [Blender units], shape (n, 3), otherwise the same."""
    visible.check_shown(obj, depsgraph)
    if _is_deformed(obj, depsgraph.mode):
        evaluated, places = arriving.evaluated(obj, depsgraph)
        local = vectors(evaluated, display_nodes.INPUT_POSITION)[places]
    else:
        local = vectors(mesh_of(obj), "position")
    if not len(local):
        raise _nothing(obj)
    if not np.isfinite(local).all():
        finite = np.isfinite(local).all(axis=1)
        vertex = int(np.flatnonzero(~finite)[0])
        raise SceneError(
            f"The mesh of '{obj.name}' is damaged: the coordinates of vertex {vertex} are not "
            f"numbers ({int((~finite).sum())} such in all); delete these vertices"
        )
    return local


def to_world(evaluated: bpy.types.Object, local: NDArray[np.floating], scale: float) -> Positions:
    """Local positions in Blender units to world positions in metres."""
    return scale * transformed(local, evaluated.matrix_world, np.float64)


def to_local(
    obj: bpy.types.Object,
    world_metres: NDArray[np.floating],
    depsgraph: bpy.types.Depsgraph | None,
    scale: float,
) -> NDArray[np.float32]:
    """Positions in the object's own space.

    Args:
        world_metres: world positions [m], shape (n, 3).
        depsgraph: says where the object is; None: where it stands without evaluation.
        scale: `unit_settings.scale_length`, metres in a Blender unit.

    Returns:
        Shape (n, 3), Blender units.
    """
    placed = obj if depsgraph is None else obj.evaluated_get(depsgraph)
    inverse = placed.matrix_world.inverted_safe()
    return transformed(world_metres / scale, inverse, np.float32)


def transformed(points: NDArray[Any], matrix: Matrix, dtype: DTypeLike) -> NDArray[Any]:
    """Points (n, 3) through a matrix, in double precision, each as if it were alone."""
    result = np.empty((len(points), 3), dtype)
    x, y, z = np.ascontiguousarray(points.T, np.float64)
    rows = np.array(matrix, np.float64)[:3]
    for column, (a, b, c, d) in zip(result.T, rows, strict=True):
        column[:] = a * x + b * y + c * z + d
    return result


def read_faces(mesh: bpy.types.Mesh) -> Faces:
    """Corners of each face; quads stay quads, faces of more corners become triangles."""
    sizes, corners = face_sizes(mesh), corner_vertices(mesh)
    if (sizes == sizes[0]).all() and sizes[0] <= 4:
        return corners.reshape(-1, sizes[0])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    faces: list[list[int]] = []
    for size in (3, 4):
        chosen = starts[sizes == size]
        faces += corners[chosen[:, None] + np.arange(size)].tolist()
    if (sizes > 4).any():
        triangles = np.empty(len(mesh.loop_triangles) or _triangulate(mesh), np.int32)
        mesh.loop_triangles.foreach_get("polygon_index", triangles)
        faces += loop_triangles(mesh)[sizes[triangles] > 4].tolist()
    return faces


def read_edges(mesh: bpy.types.Mesh) -> Indices:
    """Vertices of each edge, shape (e, 2)."""
    pairs = np.empty((len(mesh.edges), 2), np.int32)
    if len(pairs):
        mesh.attributes[".edge_verts"].data.foreach_get("value", pairs.ravel())
    return pairs


def mesh_of(obj: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh of a mesh object, original or evaluated."""
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh), obj.name
    return mesh


def vectors(data: bpy.types.Mesh | bpy.types.Curves, attribute: str) -> NDArray[np.float32]:
    """A vector attribute of the vertices or points, shape (n, 3)."""
    if attribute == "position" and attribute not in data.attributes:  # it has no vertices
        return np.empty((0, 3), np.float32)
    source: Any = data.attributes[attribute].data
    values = np.empty((len(source), 3), np.float32)
    source.foreach_get("vector", values.ravel())
    return values


def corner_vertices(mesh: bpy.types.Mesh) -> Indices:
    """Vertex of each face corner, shape (corners,)."""
    return _of_corners(mesh, ".corner_vert")


def corner_edges(mesh: bpy.types.Mesh) -> Indices:
    """Edge from each face corner to the next one of the face, shape (corners,)."""
    return _of_corners(mesh, ".corner_edge")


def _of_corners(mesh: bpy.types.Mesh, attribute: str) -> Indices:
    values = np.empty(len(mesh.loops), np.int32)
    if len(values):  # a mesh without faces lacks it
        mesh.attributes[attribute].data.foreach_get("value", values)
    return values


def face_sizes(mesh: bpy.types.Mesh) -> Indices:
    """Number of corners of each face, shape (faces,)."""
    sizes = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    return sizes


def loop_triangles(mesh: bpy.types.Mesh) -> Indices:
    """Corners of the triangles that the faces consist of, shape (t, 3)."""
    triangles = np.empty((_triangulate(mesh), 3), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    return triangles


def _triangulate(mesh: bpy.types.Mesh) -> int:
    mesh.calc_loop_triangles()
    return len(mesh.loop_triangles)


def _is_deformed(obj: bpy.types.Object, mode: str) -> bool:
    """Whether anything before our modifier moves vertices."""
    if obj.data.shape_keys is not None or obj.parent_type in {"ARMATURE", "LATTICE", "CURVE"}:
        return True
    for modifier in obj.modifiers:
        if display_nodes.is_display(modifier):
            return False
        if stack.is_on(modifier, mode):
            return True
    return False
