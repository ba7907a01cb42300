# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way the fibres of a soft body run, along which it contracts."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..settings import inside
from . import arriving, mesh_io
from .bones import BonesInput

Numbers = NDArray[np.float64]


def read(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    positions: Numbers,
    bones: BonesInput | None,
) -> Numbers:
    """Where they lead in the world, shape (3,), or from each vertex, (n, 3).

    Args:
        positions: of the vertices in the world [m], shape (n, 3).
        bones: that lead the inside.

    Raises:
        SceneError: they have no direction.
    """
    source = obj.xpbd.fibre_source
    if source == inside.BONES:
        if bones is None:
            raise SceneError(
                f"'{obj.name}' has no bones along which its fibres could run: choose Bones under "
                "Shape, or set Fibres to Direction"
            )
        return bones.directions(positions)
    turn = np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64)[:3, :3]
    along = turn @ np.array(obj.xpbd.fibre_direction)
    if not along.any():
        raise SceneError(
            f"The fibres of '{obj.name}' have no direction: set Direction to 0, 0, 1, or along them"
        )
    if source == inside.AXIS:
        return np.asarray(along)
    mesh, places = arriving.vertices(obj, depsgraph)
    painted = _values(obj, mesh)[places].astype(np.float64) @ turn.T
    known = np.isfinite(painted).all(axis=1) & (painted != 0.0).any(axis=1)
    return np.where(known[:, None], painted, along)


def source(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None
) -> NDArray[np.float32] | None:
    """What a mesh says of them; None where that is nothing.

    Args:
        depsgraph: says what modifiers make; None: the object's own mesh.

    Raises:
        SceneError: it can't be told what they make.
    """
    mesh, places = arriving.vertices(obj, depsgraph)
    painted = obj.xpbd.kind == "SOFT_BODY" and obj.xpbd.fibre_source == inside.ATTRIBUTE
    if not painted or mesh.is_editmode:
        return None
    try:
        return _values(obj, mesh)[places]
    except SceneError:
        return None


def _values(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """The vector of each vertex of a mesh, shape (vertices, 3)."""
    name = obj.xpbd.fibre_attribute
    found: Any = mesh.attributes.get(name)
    if found is None or found.data_type != "FLOAT_VECTOR" or found.domain != "POINT":
        raise SceneError(
            f"'{obj.name}' has no attribute '{name}' of vectors on points: choose another Fibre "
            "Attribute, or set Fibres to Direction"
        )
    return mesh_io.vectors(mesh, name)
