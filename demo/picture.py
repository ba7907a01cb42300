# SPDX-License-Identifier: GPL-3.0-or-later
"""Several frames rendered with Cycles into one picture."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT, SAMPLES = 640, 420, 24


def render_frames(scene: bpy.types.Scene, frames: Sequence[int], path: Path) -> None:
    """Render the frames and write them two by two into one PNG file."""
    scene.render.engine = "CYCLES"  # type: ignore[assignment]
    scene.cycles.samples = SAMPLES
    scene.cycles.use_denoising = True
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    with tempfile.TemporaryDirectory() as folder:
        pictures = []
        for number, frame in enumerate(frames, 1):
            print(f"rendering frame {frame} ({number} of {len(frames)})", flush=True)
            scene.frame_set(frame)
            scene.render.filepath = str(Path(folder) / f"{frame}.png")
            with quiet():
                bpy.ops.render.render(write_still=True)
            pictures.append(pixels(scene.render.filepath))
    top = [np.concatenate(pictures[i : i + 2], axis=1) for i in range(0, len(pictures), 2)]
    write(np.concatenate(top[::-1], axis=0), path)


@contextmanager
def quiet() -> Iterator[None]:
    """Without the lines that Blender itself prints for every step of a render."""
    sys.stdout.flush()
    shown = os.dup(1)
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(shown, 1)
        os.close(shown)


def pixels(path: str) -> NDArray[np.float32]:
    """A picture's pixels, shape (height, width, 4), the bottom row first."""
    image = bpy.data.images.load(path)
    flat = np.empty(WIDTH * HEIGHT * 4, np.float32)
    image.pixels.foreach_get(flat)
    bpy.data.images.remove(image)
    return flat.reshape(HEIGHT, WIDTH, 4)


def write(rows: NDArray[np.float32], path: Path) -> None:
    """Write pixels, shape (height, width, 4), as a PNG file."""
    height, width, _ = rows.shape
    image = bpy.data.images.new("demo", width, height)
    flat = np.ascontiguousarray(rows).ravel()
    image.pixels.foreach_set(flat)  # type: ignore[arg-type]
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)
