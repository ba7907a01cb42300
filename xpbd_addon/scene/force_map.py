# SPDX-License-Identifier: GPL-3.0-or-later
"""The forces in cloth as attributes of its points, from the shape that is shown.

They follow from shape and material alone, so that any cached frame has them, in whatever order
frames are looked at. Bakes and files don't keep them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from . import mesh_io, stack, warp
from .tension_nodes import FORCES


def is_wanted(obj: bpy.types.Object) -> bool:
    """Whether an object asks for it, and can have it."""
    settings = obj.xpbd
    asked = settings.use_tension_map and settings.use_force_map and settings.kind == "CLOTH"
    return bool(asked and stack.is_writable(obj) and not obj.data.is_editmode)


def measure(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    shown: NDArray[np.floating],
    start: NDArray[np.floating],
    scale: float,
) -> dict[str, NDArray[np.float32]]:
    """Largest tension, and that along warp and weft [N/m], by attribute, shape (n,) each.

    Where the warp is an axis or an attribute, and the object turns meanwhile, it is that of the
    object as it is now.

    Args:
        shown: where the vertices are [m], shape (n, 3). start: where they started, likewise.
        scale: metres in a Blender unit.

    Raises:
        SceneError: the material can't be read, or does not stretch at all.
    """
    from ... import core

    key = mesh_io.read_rest(obj, depsgraph, scale)
    rest = np.asarray(start if key is None else key, np.float64)
    material = mesh_io.read_material(obj, depsgraph, scale).material
    known = {field.name for field in fields(core.ClothMaterial)}
    chosen = {name: value for name, value in material.items() if name in known}
    own = warp.read(obj, depsgraph, rest)
    chosen["warp"] = mesh_io.x_axis(obj, depsgraph) if own is None else own
    faces = mesh_io.read_elements(obj, depsgraph)
    points = np.asarray(shown, np.float64)
    try:
        found = core.tension_of(obj.name, points, rest, faces, core.ClothMaterial(**chosen))
    except core.ModelError as error:
        raise SceneError(str(error)) from error
    return {name: each.astype(np.float32) for name, each in zip(FORCES, found, strict=True)}


def write(obj: bpy.types.Object, forces: dict[str, NDArray[np.float32]]) -> None:
    """Put attributes on the points of the mesh."""
    mesh: Any = obj.data
    for name, values in forces.items():
        attribute = mesh.attributes.get(name) or mesh.attributes.new(name, "FLOAT", "POINT")
        attribute.data.foreach_set("value", values)
    mesh.update_tag()


def forget(mesh: bpy.types.Mesh) -> None:
    """Take the attributes away."""
    if mesh.is_editmode or mesh.library is not None:
        return
    for name in FORCES:
        found: Any = mesh.attributes.get(name)
        if found is not None and (found.data_type, found.domain) == ("FLOAT", "POINT"):
            mesh.attributes.remove(found)
            mesh.update_tag()


def strip_all() -> None:
    """Take them from every mesh, so that none is saved."""
    for mesh in bpy.data.meshes:
        forget(mesh)
