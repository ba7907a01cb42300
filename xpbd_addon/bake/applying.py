# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown becomes the shape at rest, or that in which the simulation starts: shape keys.

The mesh itself stays as it is, so that all of it can be taken away again.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..errors import SceneError
from ..scene import display_nodes, mesh_io, stack, weights
from ..simulation import session
from . import preparing
from .preparing import Positions

REST, START = "XPBD Rest", "XPBD Start"
_MARK = "xpbd_basis"  # on shape keys whose first one is ours, too

# Modifiers that leave vertices where they are.
_STILL = frozenset(
    {
        "COLLISION",
        "DATA_TRANSFER",
        "NORMAL_EDIT",
        "UV_PROJECT",
        "UV_WARP",
        "VERTEX_WEIGHT_EDIT",
        "VERTEX_WEIGHT_MIX",
        "VERTEX_WEIGHT_PROXIMITY",
        "WEIGHTED_NORMAL",
    }
)


def apply_as_rest(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Let the shape shown be the shape at rest. Raises SceneError where that can't be."""
    chosen = _check(obj)
    if chosen.xpbd.kind == "STRANDS":
        raise SceneError(
            f"'{chosen.name}' is of strands, which are at rest in the shape in which they start: "
            "use Apply as Start"
        )
    _write(chosen, REST, _shown(scene, chosen), 0.0)
    chosen.xpbd.rest_shape_key = REST


def apply_as_start(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Let the simulation start in the shape shown, at rest as before.

    What is held by pins stays where the animation has it. Strands are at rest in it, too.

    Raises:
        SceneError: it can't.
    """
    chosen = _check(obj)
    _check_undeformed(chosen)
    shown = _shown(scene, chosen)
    depsgraph = session.evaluated_depsgraph(scene)
    before = mesh_io.read_local(chosen, depsgraph) - _start_of(chosen)
    pins, _ = weights.read_pins(chosen, chosen.xpbd, depsgraph)
    moved = shown - before
    moved[pins] = 0.0
    if chosen.xpbd.kind != "STRANDS" and not chosen.xpbd.rest_shape_key:
        _write(chosen, REST, before, 0.0)
        chosen.xpbd.rest_shape_key = REST
    _write(chosen, START, _basis(chosen) + moved, 1.0)


def is_applied(obj: bpy.types.Object) -> bool:
    """Whether there is something to take away."""
    mesh = mesh_io.mesh_of(obj)
    return any(mesh_io.read_key(mesh, name) is not None for name in (REST, START))


def remove(obj: bpy.types.Object | None) -> None:
    """Take away what was applied. Raises SceneError where nothing was."""
    chosen = _check(obj)
    if not is_applied(chosen):
        raise SceneError(f"Nothing was applied as rest or start of '{chosen.name}'")
    keys: Any = chosen.data.shape_keys
    for name in (REST, START):
        if name in keys.key_blocks:
            chosen.shape_key_remove(keys.key_blocks[name])
    if chosen.xpbd.rest_shape_key == REST:
        chosen.xpbd.rest_shape_key = ""
    if len(keys.key_blocks) == 1 and _MARK in keys:
        chosen.shape_key_remove(keys.key_blocks[0])


def _check(obj: bpy.types.Object | None) -> bpy.types.Object:
    """The object, if shape keys can be added to it that fit. Raises SceneError."""
    if obj is None or obj.type != "MESH" or not obj.xpbd.use or obj.xpbd.baked:
        raise SceneError("Choose an object that XPBD simulates first")
    preparing.check_writable(obj)
    if stack.is_made(obj):
        raise SceneError(
            f"Modifiers before XPBD make the vertices of '{obj.name}', which shape keys can't "
            "hold: apply these modifiers first"
        )
    keys = obj.data.shape_keys
    if keys is not None and not keys.use_relative:
        raise SceneError(
            f"The shape keys of '{obj.name}' are absolute, which leaves no room for another one: "
            "switch Relative on in Object Data > Shape Keys"
        )
    return obj


def _check_undeformed(obj: bpy.types.Object) -> None:
    """Raise SceneError where something between the mesh and XPBD moves vertices."""
    if obj.data.users > 1:
        raise SceneError(
            f"'{obj.name}' shares its mesh with other objects, which would start so, too: make it "
            "single-user (Object > Relations > Make Single User > Object & Data) first"
        )
    if obj.parent_type in {"ARMATURE", "CURVE", "LATTICE"}:
        raise SceneError(
            f"'{obj.name}' is deformed by its parent, which would deform its start again: set its "
            "Parent Type to Object"
        )
    for modifier in obj.modifiers:
        if display_nodes.is_display(modifier):
            return
        if stack.is_on(modifier, "") and modifier.type not in _STILL:
            raise SceneError(
                f"'{modifier.name}' before XPBD would deform the start of '{obj.name}' again: move "
                "it below XPBD, or apply it"
            )


def _shown(scene: bpy.types.Scene, obj: bpy.types.Object) -> Positions:
    """Positions in the object's space as they are shown. Raises SceneError where none are."""
    world = session.shown_positions(scene, obj, scene.frame_current)
    if world is None or len(world) != len(obj.data.vertices):
        raise SceneError(
            f"'{obj.name}' is not simulated on frame {scene.frame_current}: play or simulate first"
        )
    depsgraph = session.evaluated_depsgraph(scene)
    return mesh_io.to_local(obj, world, depsgraph, scene.unit_settings.scale_length)


def _basis(obj: bpy.types.Object) -> Positions:
    mesh = mesh_io.mesh_of(obj)
    keys = mesh.shape_keys
    found = mesh_io.read_key(mesh, keys.reference_key.name) if keys is not None else None
    return mesh_io.vectors(mesh, "position") if found is None else found


def _start_of(obj: bpy.types.Object) -> Positions:
    """How far the key of the start moves vertices, shape (n, 3)."""
    mesh = mesh_io.mesh_of(obj)
    basis, start = _basis(obj), mesh_io.read_key(mesh, START)
    if start is None or mesh.shape_keys is None:
        return np.zeros_like(basis)
    key = mesh.shape_keys.key_blocks[START]
    return np.float32(0.0 if key.mute else key.value) * (start - basis)


def _write(obj: bpy.types.Object, name: str, shape: Positions, value: float) -> None:
    """Have a shape key of this shape, with its value."""
    mesh = mesh_io.mesh_of(obj)
    is_ours = mesh.shape_keys is None
    if is_ours:
        obj.shape_key_add(name="Basis", from_mix=False)
    keys: Any = mesh.shape_keys
    if is_ours:
        keys[_MARK] = True
    blocks = keys.key_blocks
    key = blocks[name] if name in blocks else obj.shape_key_add(name=name, from_mix=False)
    key.relative_key = keys.reference_key
    key.points.foreach_set("co", np.ascontiguousarray(shape, np.float32).ravel())
    key.value, key.mute, key.vertex_group = value, False, ""
    mesh.update()
