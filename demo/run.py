# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demo's scenes have in common: set up, simulate, bake, save, render, and tell."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import bpy
from picture import render_frames

EXTENSION = "bl_ext.user_default.xpbd"
PRESETS = {"CLOTH": "xpbd_cloth", "SOFT_BODY": "xpbd_soft_bodies"}


def start(folder: Path, frames: int) -> bpy.types.Scene:
    """An empty scene of so many frames in a Blender with the extension."""
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    if EXTENSION not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=EXTENSION)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.xpbd.frame_start, scene.xpbd.frame_end = 1, frames
    return scene


def add_physics(obj: bpy.types.Object, kind: str, material: str) -> None:
    """Give the object XPBD physics and one of the extension's presets, as its buttons do."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.xpbd.add(kind=kind)
    for folder in bpy.utils.preset_paths(PRESETS[kind]):
        path = Path(folder) / f"{material}.py"
        if path.is_file():
            bpy.ops.script.execute_preset(filepath=str(path), menu_idname="XPBD_PT_presets")
            return
    raise FileNotFoundError(f"There is no preset '{material}' for '{obj.name}'.")


def simulate(scene: bpy.types.Scene, objects: Sequence[bpy.types.Object]) -> list[str]:
    """Simulate and bake; returns lines of what was measured."""
    lines = [f"solver compiled, once on a computer, in {_compile_solver():.1f} s"]
    frames = scene.frame_end
    seconds = _timed(bpy.ops.xpbd.simulate)
    each = 1e3 * seconds / frames
    lines.append(f"simulated {frames} frames in {seconds:.1f} s: {each:.0f} ms a frame")
    lines += [_measured(scene, obj) for obj in objects]
    lines.append(f"baked to shape keys in {_timed(bpy.ops.xpbd.bake_shape_keys):.1f} s")
    return lines


def finish(
    scene: bpy.types.Scene, folder: Path, name: str, pictured: Sequence[int], lines: Sequence[str]
) -> None:
    """Save and render the scene, and print what was measured."""
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{name}.blend"), compress=True)
    render_frames(scene, pictured, folder / f"{name}.png")
    print("\n".join(["", "Measured:", *(f"  {line}" for line in lines)]), flush=True)


def _compile_solver() -> float:
    """Wait for the extension's kernels; returns the seconds that took."""
    begun = time.perf_counter()
    importlib.import_module(f"{EXTENSION}.xpbd_addon.simulation.warmup").wait()
    return time.perf_counter() - begun


def _measured(scene: bpy.types.Scene, obj: bpy.types.Object) -> str:
    """What the extension's cache tells of an object over all frames."""
    session = importlib.import_module(f"{EXTENSION}.xpbd_addon.simulation.session")
    frames = range(1, scene.frame_end + 1)
    found = [session.cached_measures(scene, obj, frame) for frame in frames]
    return (
        f"{obj.name}: {len(obj.data.vertices)} vertices, strain at most "
        f"{100 * max(at.largest_strain for at in found):.0f} %, "
        f"{sum(at.crossings > 0 for at in found)} frames in which faces cross"
    )


def _timed(operator: Callable[[], set[str]]) -> float:
    """Run an operator; returns the seconds it took."""
    begun = time.perf_counter()
    if operator() != {"FINISHED"}:
        raise RuntimeError(f"{operator} did not finish")
    return time.perf_counter() - begun
