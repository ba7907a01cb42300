# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter with the extension: RESULT_FILE PICTURE PART

Plays each set-up of a part with Blender's own simulation, converts it and plays it again.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from .blenders import write_result
from .converted_setups import FRAMES, PARTS, Setup
from .peers_blender import EXTENSION

TILE = 180  # pixels
MOST_ACROSS = 7
"""Set-ups in a row of the picture; all rows are as long."""

SHADES = 32
"""Levels of each colour, so that the picture stays small."""

Pixels = NDArray[np.float32]


def main(picture: str, part: str) -> list[dict[str, Any]]:
    """Return what was found of each set-up; writes the picture, Blender's above, ours below."""
    bpy.ops.preferences.addon_enable(module=EXTENSION)
    sys.modules[f"{EXTENSION}.xpbd_addon.simulation.warmup"].wait()
    found, tiles = [], []
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        for setup in PARTS[part]:
            figures, pair = compare(setup, Path(folder))
            found.append({"name": setup.name} | figures)
            tiles.append(np.concatenate(pair[::-1]))
    across = math.ceil(len(tiles) / math.ceil(len(tiles) / MOST_ACROSS))
    rows = [np.concatenate(tiles[k : k + across], axis=1) for k in range(0, len(tiles), across)]
    write_picture(np.concatenate(rows[::-1]), Path(picture))
    return found


def compare(setup: Setup, folder: Path) -> tuple[dict[str, Any], list[Pixels]]:
    """Figures and two pictures of a set-up, before and after."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_end = setup.frames
    obj = setup.make()
    add_light_and_camera(obj, setup)
    bpy.context.view_layer.objects.active = obj
    before = play(obj, setup.frames)
    pictures = [render(folder)]
    scene.frame_set(1)
    try:
        bpy.ops.xpbd.convert_from_blender()
    except RuntimeError as error:
        return {"refused": str(error).removeprefix("Error: ").strip()}, [*pictures, grey()]
    after = play(obj, setup.frames)
    pictures.append(render(folder))
    size = np.ptp(before[0], axis=0).max()
    distance = np.sqrt(((before - after) ** 2).sum(axis=2).mean(axis=1)) / size
    settings = obj.xpbd
    return {
        "size": float(size),
        "low": [float(shown[-1, :, 2].min()) for shown in (before, after)],
        "spread": [spread(shown[-1]) for shown in (before, after)],
        "apart": {frame: float(distance[frame - 1]) for frame in FRAMES if frame <= len(distance)},
        "density": settings.density,
        "stretch": settings.stretch_stiffness,
        "bend": settings.bend_stiffness,
        "lost": settings.conversion.lost.splitlines(),
    }, pictures


def spread(points: NDArray[np.float32]) -> float:
    """Root mean square distance from the vertical through the middle [m]."""
    level = points[:, :2] - points[:, :2].mean(axis=0)
    return float(np.sqrt((level**2).sum(axis=1).mean()))


def play(obj: Any, frames: int) -> NDArray[np.float32]:
    """World positions of the mesh's own vertices, shape (frames, n, 3)."""
    shown = []
    count = len(obj.data.vertices)
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        local = np.empty(3 * len(evaluated.data.vertices), np.float32)
        evaluated.data.attributes["position"].data.foreach_get("vector", local)
        matrix = np.array(evaluated.matrix_world, np.float32)
        shown.append(local.reshape(-1, 3)[:count] @ matrix[:3, :3].T + matrix[:3, 3])
    return np.array(shown)


def add_light_and_camera(obj: Any, setup: Setup) -> None:
    """A sun, a bright sky, and a camera that sees what hangs below the object's middle."""
    scene: Any = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 12, True
    scene.render.resolution_x = scene.render.resolution_y = TILE
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.8, 0.85, 0.9, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.5
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3.0, (0.7, 0.6, 0.0)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    for made in (sun, camera):
        scene.collection.objects.link(made)
    material = bpy.data.materials.new("Fabric")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = obj.color
    obj.data.materials.append(material)
    size = max(obj.dimensions) * setup.away
    middle = obj.location + Vector((0.0, 0.0, -0.25 * max(obj.dimensions)))
    camera.location = middle + size * Vector((0.7, -1.5, 0.75))
    camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.clip_end, camera.data.angle = 1000.0, math.radians(45.0)
    scene.camera = camera


def render(folder: Path) -> Pixels:
    """The frame shown, shape (TILE, TILE, 4), the bottom row first."""
    path = folder / "tile.png"
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * TILE * TILE, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(TILE, TILE, 4)


def grey() -> Pixels:
    """Of what can't be shown."""
    return np.tile(np.array([0.75, 0.75, 0.75, 1.0], np.float32), (TILE, TILE, 1))


def write_picture(pixels: Pixels, path: Path) -> None:
    """A PNG file of few shades."""
    height, width, _ = pixels.shape
    image: Any = bpy.data.images.new("converted", width, height, alpha=False)
    image.pixels.foreach_set((np.round(pixels * SHADES) / SHADES).astype(np.float32).ravel())
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()


if __name__ == "__main__":
    write_result(main(*sys.argv[2:]))
