# SPDX-License-Identifier: GPL-3.0-or-later
"""Stills of variations, and the contact sheet that shows them side by side.

Stills are rendered by Cycles on the processor: that works without a window and a graphics card.
Blender's own stamp writes what a variation is onto its still.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene.physics import simulated_objects
from ..simulation import session
from . import figures, record, varying
from .record import Result, Table

WIDTH = 480
"""Pixels of a still."""

_SAMPLES = 16
_FONT = 14
_DIRECTION = Vector((0.55, -0.75, 0.35))  # from what is looked at to a camera that is added

Pixels = NDArray[np.float32]


def label(scene: bpy.types.Scene, number: int, result: Result) -> str:
    """What stands on a variation's still."""
    return f"{number}:  {varying.described(scene, result.settings)}\n{figures.text(result.figures)}"


def render_still(scene: bpy.types.Scene, path: Path, text: str) -> None:
    """Render the last frame of the simulation, with a text on it.

    The scene is left with what this needs: settings, and a camera and a light where it has none.

    Raises:
        SceneError: it can't be rendered.
    """
    if not hasattr(scene, "cycles"):
        raise SceneError("Stills are rendered by Cycles: enable it in Preferences › Add-ons")
    scene.frame_set(scene.xpbd.frame_end)
    if scene.camera is None:
        _add_camera(scene)
    if not any(obj.type == "LIGHT" for obj in scene.objects):
        _add_light(scene)
    _set_up(scene, path, text)
    try:
        bpy.ops.render.render(write_still=True, scene=scene.name)
    except RuntimeError as error:
        raise SceneError(f"The still can't be rendered: {error}") from error


def write_contact_sheet(output: Path, table: Table) -> bool:
    """Put the stills of a sweep side by side into ``sweep.png``.

    Returns:
        Whether there are any.

    Raises:
        SceneError: the picture can't be written.
    """
    paths = [
        record.folder_of(output, variation) / record.STILL
        for variation, result in zip(table.variations, table.results, strict=True)
        if result is not None and not result.error
    ]
    stills = [_read(path) for path in paths if path.is_file()]
    if stills:
        _write(output / record.PICTURE, _side_by_side(stills))
    return bool(stills)


def _add_camera(scene: bpy.types.Scene) -> None:
    """One that sees all that is simulated, on the first frame and now."""
    frames = (scene.xpbd.frame_start, scene.xpbd.frame_end)
    found = [
        session.cached_positions(scene, obj, frame)
        for obj in simulated_objects(scene)
        for frame in frames
    ]
    points = np.concatenate([each for each in found if each is not None])
    low, high = points.min(axis=0), points.max(axis=0)
    camera = bpy.data.objects.new("Still", bpy.data.cameras.new("Still"))
    radius = max(0.5 * float(np.linalg.norm(high - low)), 1e-3)
    away = _DIRECTION.normalized() * radius / math.sin(0.5 * camera.data.angle_y)
    camera.location = Vector((0.5 * (low + high)).tolist()) + away
    camera.rotation_euler = away.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_end = 10.0 * away.length
    scene.collection.objects.link(camera)
    scene.camera = camera


def _add_light(scene: bpy.types.Scene) -> None:
    if scene.world is None:
        scene.world = bpy.data.worlds.new("Still")
        scene.world.color = (0.2, 0.2, 0.2)
    light = bpy.data.objects.new("Still", bpy.data.lights.new("Still", "SUN"))
    light.data.energy = 3.0
    light.rotation_euler = (0.6, 0.2, 0.5)
    scene.collection.objects.link(light)


def _set_up(scene: bpy.types.Scene, path: Path, text: str) -> None:
    render = scene.render
    render.engine = "CYCLES"  # type: ignore[assignment]
    scene.cycles.device = "CPU"
    scene.cycles.samples = _SAMPLES
    scene.cycles.use_denoising = False
    render.resolution_y = max(1, round(WIDTH * render.resolution_y / render.resolution_x))
    render.resolution_x = WIDTH
    render.resolution_percentage = 100
    render.use_border = False
    render.use_sequencer = False
    if hasattr(render.image_settings, "media_type"):  # from Blender 5.0 on
        render.image_settings.media_type = "IMAGE"
    render.image_settings.file_format = "PNG"
    render.filepath = str(path)
    render.use_file_extension = False
    render.use_overwrite = True
    _stamp(render, text)


def _stamp(render: Any, text: str) -> None:
    for name in render.bl_rna.properties.keys():  # noqa: SIM118 (iterating yields properties)
        if name.startswith("use_stamp_"):
            setattr(render, name, False)
    render.use_stamp = render.use_stamp_note = True
    render.stamp_note_text = text
    render.stamp_font_size = _FONT
    render.stamp_foreground = (1.0, 1.0, 1.0, 1.0)
    render.stamp_background = (0.0, 0.0, 0.0, 0.6)


def _read(path: Path) -> Pixels:
    """Values of a picture as its file has them, (height, width, 4)."""
    try:
        image: Any = bpy.data.images.load(str(path))
    except RuntimeError as error:
        raise SceneError(f"The still '{path}' can't be read: {error}") from error
    try:
        image.colorspace_settings.name = "Non-Color"
        width, height = image.size
        found = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(found)
    finally:
        bpy.data.images.remove(image)
    return found.reshape(height, width, 4)


def _side_by_side(stills: Sequence[Pixels]) -> Pixels:
    """Rows of pictures from the top left; Blender's pictures begin at the bottom."""
    across = math.ceil(math.sqrt(len(stills)))
    rows = math.ceil(len(stills) / across)
    height, width = (max(still.shape[axis] for still in stills) for axis in (0, 1))
    sheet = np.zeros((rows * height, across * width, 4), np.float32)
    sheet[..., 3] = 1.0
    for place, still in enumerate(stills):
        top, left = (rows - place // across) * height, place % across * width
        sheet[top - still.shape[0] : top, left : left + still.shape[1]] = still
    return sheet


def _write(path: Path, pixels: Pixels) -> None:
    height, width, _ = pixels.shape
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    image: Any = bpy.data.images.new("XPBD Sweep", width, height, alpha=True)
    try:
        image.colorspace_settings.name = "Non-Color"
        image.pixels.foreach_set(pixels.ravel())
        image.file_format = "PNG"
        image.filepath_raw = str(unfinished)
        image.save()
        os.replace(unfinished, path)
    except (OSError, RuntimeError) as error:
        raise SceneError(f"'{path}' can't be written: {error}") from error
    finally:
        bpy.data.images.remove(image)
