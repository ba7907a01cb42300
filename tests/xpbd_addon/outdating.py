# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects near and far, and why each has to be simulated."""

from __future__ import annotations

import bpy
import numpy as np
from blender_scenes import FRAMES, sheet
from numpy.typing import NDArray
from playing import addon

NEW, MET = "not simulated yet", "what it met has changed"
Reasons = dict[str, str]


def cloth(name: str, x: float = 0.0, z: float = 1.0, *, pinned: bool = True) -> bpy.types.Object:
    obj = sheet(name, cuts=4)
    obj.location.x, obj.location.z = x, z
    obj.xpbd.pin_group = "Pins" if pinned else ""
    return obj


def curtain_and_ball() -> tuple[bpy.types.Object, bpy.types.Object]:
    """Far apart from each other."""
    return cloth("Curtain"), cloth("Ball", 6.0, pinned=False)


def above(lower: bpy.types.Object, name: str = "Upper", by: float = 0.05) -> bpy.types.Object:
    """Another one over it that falls."""
    return cloth(name, lower.location.x, lower.location.z + by, pinned=False)


def reasons(scene: bpy.types.Scene) -> Reasons:
    """Why each object has to be simulated, by its name; empty where it need not be."""
    status = addon.simulation.session.status(scene, exact=True)
    names = {obj.session_uid: obj.name for obj in scene.objects}
    return {names[uid]: known.reason for uid, known in status.objects.items()}


def frames(scene: bpy.types.Scene, obj: bpy.types.Object) -> NDArray[np.float32]:
    """Its cached positions, shape (frames, n, 3)."""
    found = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in FRAMES]
    return np.array(found)


def anew(scene: bpy.types.Scene, *objects: bpy.types.Object) -> list[NDArray[np.float32]]:
    """The frames of objects when everything is simulated from nothing."""
    addon.simulation.session.clear(scene)
    bpy.ops.xpbd.simulate()
    return [frames(scene, obj) for obj in objects]


def soften(obj: bpy.types.Object) -> None:
    obj.xpbd.stretch_stiffness = 7.0
