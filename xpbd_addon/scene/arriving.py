# SPDX-License-Identifier: GPL-3.0-or-later
"""What arrives at our modifier where modifiers before it make the geometry that is simulated.

It is read from the evaluated mesh: as it is where nothing after our modifier changes what vertices
and faces there are, else from what our modifier has left behind on every face.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from . import display_nodes, stack

Indices = NDArray[np.int32]


def vertices(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None
) -> tuple[bpy.types.Mesh, Indices]:
    """A mesh, and which of its vertices are those that are simulated, shape (n,).

    Args:
        depsgraph: says what modifiers make; None: the object's own mesh.

    Raises:
        SceneError: that can't be told.
    """
    if depsgraph is None or not stack.is_made(obj, depsgraph.mode):
        own = obj.data
        assert isinstance(own, bpy.types.Mesh)
        return own, np.arange(len(own.vertices), dtype=np.int32)
    mesh = obj.evaluated_get(depsgraph).data
    assert isinstance(mesh, bpy.types.Mesh)
    if not stack.is_remade(obj, depsgraph.mode):
        return mesh, np.arange(len(mesh.vertices), dtype=np.int32)
    counts = integers(mesh, display_nodes.INPUT_COUNT, obj)
    return mesh, places(obj, mesh, int(counts[0]) if len(counts) else 0)


def evaluated(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> tuple[bpy.types.Mesh, Indices]:
    """The evaluated mesh, and which of its vertices are those that are simulated, shape (n,).

    Raises:
        SceneError: that can't be told.
    """
    own, found = vertices(obj, depsgraph)
    if stack.is_made(obj, depsgraph.mode):
        return own, found
    mesh = obj.evaluated_get(depsgraph).data
    assert isinstance(mesh, bpy.types.Mesh)
    return mesh, places(obj, mesh, len(found))


def weights(
    obj: bpy.types.Object, vertex_group: str, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float32]:
    """Of the vertices that are simulated, as they arrive, shape (n,). Raises SceneError."""
    mesh, found = evaluated(obj, depsgraph)
    name = display_nodes.weight_attribute(vertex_group)
    return _values(mesh, name, obj, np.float32)[found]


def places(obj: bpy.types.Object, mesh: bpy.types.Mesh, count: int) -> Indices:
    """Where vertices that arrived are in an evaluated mesh, shape (count,).

    Most modifiers leave them where they were, some, as Wireframe, copies of all of them.

    Raises:
        SceneError: they are not all there.
    """
    order = integers(mesh, display_nodes.INPUT_INDEX, obj)
    if np.array_equal(order[:count], np.arange(count)):
        return np.arange(count, dtype=np.int32)
    numbers, first = np.unique(order, return_index=True)
    arrived = np.empty((len(order), 3), np.float32)
    position: Any = mesh.attributes[display_nodes.INPUT_POSITION]
    position.data.foreach_get("vector", arrived.ravel())
    if np.array_equal(numbers, np.arange(count)) and (arrived == arrived[first][order]).all():
        return first.astype(np.int32)
    raise renumbered(obj)


def is_whole(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the evaluated mesh has the faces that arrive, as nothing after it makes others."""
    return not stack.is_remade(obj, depsgraph.mode)


def faces(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[list[int]] | Indices:
    """Corners of each face, which later modifiers have copied to what they made of it.

    As an array where all faces have as many.

    Raises:
        SceneError: a face is gone, or has more than four corners.
    """
    mesh, _ = vertices(obj, depsgraph)
    numbers = integers(mesh, display_nodes.INPUT_FACE, obj)
    found, places = np.unique(numbers, return_index=True)
    if not np.array_equal(found, np.arange(len(found))):
        raise renumbered(obj)
    sizes = integers(mesh, display_nodes.INPUT_SIZE, obj)[places]
    most = len(display_nodes.INPUT_CORNERS)
    if (sizes > most).any():
        raise SceneError(
            f"'{obj.name}' has faces of more than four corners before XPBD, and modifiers after it "
            "that change faces: add a Triangulate modifier with Minimum Vertices 5 before XPBD"
        )
    corners = np.stack(
        [integers(mesh, name, obj)[places] for name in display_nodes.INPUT_CORNERS], axis=1
    )
    if len(sizes) and (sizes == sizes[0]).all():
        return corners[:, : sizes[0]]
    return [row[:size] for row, size in zip(corners.tolist(), sizes.tolist(), strict=True)]


def renumbered(obj: bpy.types.Object) -> SceneError:
    """What to do where modifiers after ours hide what arrived."""
    return SceneError(
        f"A modifier after XPBD renumbers the vertices of '{obj.name}', so its animation "
        "can't be followed: switch it off in the viewport while simulating"
    )


def integers(mesh: bpy.types.Mesh, name: str, obj: bpy.types.Object) -> Indices:
    """Whole numbers that our modifier has left behind on an evaluated mesh of the object."""
    return _values(mesh, name, obj, np.int32)


def _values(mesh: bpy.types.Mesh, name: str, obj: bpy.types.Object, dtype: Any) -> NDArray[Any]:
    attribute: Any = mesh.attributes.get(name)
    if attribute is None:
        raise SceneError(
            f"The modifier '{stack.MODIFIER}' of '{obj.name}' is missing or switched off, and "
            "its animation can't be followed: switch it on, or remove XPBD and add it again"
        )
    values = np.empty(len(attribute.data), dtype)
    attribute.data.foreach_get("value", values)
    return values
