# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames that a scene simulates: from the first to the last of what was taken over.

Each of Blender's simulations has frames of its own, ours are the scene's.
"""

from __future__ import annotations

import bpy

Frames = tuple[int, int]


def cover(scene: bpy.types.Scene, wanted: list[Frames], *, anew: bool) -> None:
    """Simulate all these frames, and remember which they were.

    Args:
        wanted: first and last frame of each object.
        anew: whether nothing else is simulated, so that no other frames count.
    """
    before = _frames(scene)
    if not is_set(scene) or before != tuple(scene.xpbd.frames_converted):
        scene.xpbd.frames_before = before
    ranges = wanted if anew else [*wanted, before]
    scene.xpbd.frame_start = min(first for first, _ in ranges)
    scene.xpbd.frame_end = max(last for _, last in ranges)
    scene.xpbd.frames_converted = _frames(scene)


def put_back(scene: bpy.types.Scene) -> None:
    """Simulate the frames of before, unless they have been changed since."""
    if is_set(scene) and _frames(scene) == tuple(scene.xpbd.frames_converted):
        scene.xpbd.frame_start, scene.xpbd.frame_end = scene.xpbd.frames_before
    scene.xpbd.property_unset("frames_before")
    scene.xpbd.property_unset("frames_converted")


def is_set(scene: bpy.types.Scene) -> bool:
    """Whether frames were set for what was taken over."""
    return scene.xpbd.is_property_set("frames_converted")


def _frames(scene: bpy.types.Scene) -> Frames:
    return scene.xpbd.frame_start, scene.xpbd.frame_end
