# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex groups of simulated objects: what is painted, and how strongly pins hold."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..settings import painted
from . import arriving, stack, visible

Indices = NDArray[np.int32]
Weights = NDArray[np.float32]

HELD = 0.999
"""The weight from which on a pin holds exactly, as Blender's do."""


_known: dict[tuple[int, str, int], Weights] = {}


def forget() -> None:
    """Read vertex groups anew: a mesh was edited, or a file loaded."""
    _known.clear()


def check_groups(obj: bpy.types.Object) -> None:
    """Raise SceneError where an object has not got a vertex group that it asks for."""
    if obj.xpbd.pin_group:
        _group(obj, obj.xpbd.pin_group, "Pin Group")
    for quantity in painted.painted(obj.xpbd):
        _group(obj, getattr(obj.xpbd, quantity.group), quantity.label)


def read_painted(
    obj: bpy.types.Object, settings: Any, depsgraph: bpy.types.Depsgraph
) -> dict[str, NDArray[np.float64]]:
    """One number of each vertex for arguments of `core`; lengths in Blender units.

    Args:
        settings: ``Object.xpbd`` as it is on the frame.
        depsgraph: says what arrives at our modifier.

    Raises:
        SceneError: a group is missing, is painted and empty, or has weights that are none.
    """
    found = {}
    for quantity in painted.painted(settings):
        name = getattr(settings, quantity.group)
        weights = read_weights(obj, name, quantity.label, depsgraph)
        if not weights.any() and not stack.is_weighed(obj):
            raise SceneError(
                f"The vertex group '{name}' of '{obj.name}' is empty: paint {quantity.label} with "
                "it, or clear it among Property Weights"
            )
        found[quantity.argument] = quantity.of_vertices(settings, weights)
    return found


def read_pins(
    obj: bpy.types.Object, settings: Any, depsgraph: bpy.types.Depsgraph | None = None
) -> tuple[Indices, NDArray[np.float64]]:
    """Pinned vertices, ascending, and how stiff the spring of each is, both of shape (p,).

    Args:
        settings: ``Object.xpbd`` as it is on the frame.
        depsgraph: says what arrives at our modifier; None: what is painted counts.

    Raises:
        SceneError: the pin group is missing, is painted and empty, or has weights that are none.
    """
    name = settings.pin_group
    if not name:
        return np.empty(0, np.int32), np.empty(0)
    weights = read_weights(obj, name, "Pin Group", depsgraph)
    pins = np.flatnonzero(weights > 0.0).astype(np.int32)
    if len(pins) == 0 and not (depsgraph and stack.is_weighed(obj)):
        raise SceneError(
            f"The pin group '{name}' of '{obj.name}' has no vertices of a weight above 0: assign "
            "some, or clear the Pin Group"
        )
    own = weights[pins].astype(np.float64)
    return pins, np.where(own >= HELD, np.inf, own * settings.pin_stiffness)


def read_weights(
    obj: bpy.types.Object,
    name: str,
    purpose: str,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> Weights:
    """Weight of each vertex in a group, shape (n,), 0 outside of it.

    As it arrives at our modifier, on the frame, where modifiers before it may change it. As it is
    painted else, which is kept until the mesh is edited: reading vertex groups is slow.

    Args:
        purpose: what it is for, in the panel's words.
        depsgraph: says what arrives; None: what is painted counts.

    Raises:
        SceneError: there is no such group, or a weight is not between 0 and 1.
    """
    wanted = _group(obj, name, purpose).index
    if depsgraph is not None and stack.is_weighed(obj):
        visible.check_shown(obj, depsgraph)
        return _checked(obj, name, arriving.weights(obj, name, depsgraph))
    mesh, _ = arriving.vertices(obj, None)
    key = (obj.session_uid, name, len(mesh.vertices))
    if key not in _known:
        weights = np.zeros(len(mesh.vertices), np.float32)
        for vertex in mesh.vertices:
            for member in vertex.groups:
                if member.group == wanted:
                    weights[vertex.index] = member.weight
        _known[key] = _checked(obj, name, weights)
    return _known[key]


def _checked(obj: bpy.types.Object, name: str, weights: Weights) -> Weights:
    """The weights. Raises SceneError where one is none."""
    fine = (weights >= 0.0) & (weights <= 1.0)
    if not fine.all():
        wrong = int(np.argmin(fine))
        raise SceneError(
            f"The vertex group '{name}' of '{obj.name}' has a weight of {weights[wrong]:g} at "
            f"vertex {wrong}: keep weights between 0 and 1, as Weights > Normalize does"
        )
    return weights


def _group(obj: bpy.types.Object, name: str, purpose: str) -> bpy.types.VertexGroup:
    group: bpy.types.VertexGroup | None = obj.vertex_groups.get(name)
    if group is None:
        raise SceneError(
            f"'{obj.name}' has no vertex group '{name}': choose another {purpose}, or clear it"
        )
    return group
