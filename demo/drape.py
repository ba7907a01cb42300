# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo: a sheet falls over Suzanne beside a figure that walks in three garments; all is baked.

Run by ``python build.py demo`` in a Blender with the extension installed:
``python demo/drape.py OUTPUT_FOLDER``.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from picture import render_frames
from stage import build_stage

EXTENSION = "bl_ext.user_default.xpbd"
FRAMES = 100
PICTURED = (1, 12, 48, 87)


def main(folder: Path) -> None:
    """Build the scene, simulate, bake, save demo.blend and demo.png, and say what was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    if EXTENSION not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=EXTENSION)
    cloths = build_stage(bpy.context.scene, FRAMES)
    for cloth, material in cloths:
        make_cloth(cloth, material)

    lines = [f"solver compiled, once on a computer, in {compile_solver():.1f} s"]
    seconds = timed(bpy.ops.xpbd.simulate)
    each = 1e3 * seconds / FRAMES
    lines.append(f"simulated {FRAMES} frames in {seconds:.1f} s: {each:.0f} ms a frame")
    lines += [measured(bpy.context.scene, cloth) for cloth, _ in cloths]
    lines.append(f"baked to shape keys in {timed(bpy.ops.xpbd.bake_shape_keys):.1f} s")

    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "demo.blend"), compress=True)
    render_frames(bpy.context.scene, PICTURED, folder / "demo.png")
    print("\n".join(["", "Measured:", *(f"  {line}" for line in lines)]), flush=True)


def compile_solver() -> float:
    """Wait for the extension's kernels; returns the seconds that took."""
    start = time.perf_counter()
    importlib.import_module(f"{EXTENSION}.xpbd_addon.simulation.warmup").wait()
    return time.perf_counter() - start


def measured(scene: bpy.types.Scene, obj: bpy.types.Object) -> str:
    """What the extension's cache tells of an object over all frames."""
    session = importlib.import_module(f"{EXTENSION}.xpbd_addon.simulation.session")
    found = [session.cached_measures(scene, obj, frame) for frame in range(1, FRAMES + 1)]
    return (
        f"{obj.name}: {len(obj.data.vertices)} vertices, strain at most "
        f"{100 * max(at.largest_strain for at in found):.0f} %, "
        f"{sum(at.crossings > 0 for at in found)} frames in which faces cross"
    )


def make_cloth(obj: bpy.types.Object, material: str) -> None:
    """Give the object XPBD physics and the constants of a fabric."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.xpbd.add(kind="CLOTH")
    apply_preset(obj, material)
    if obj.vertex_groups:
        obj.xpbd.pin_group = obj.vertex_groups[0].name


def apply_preset(obj: bpy.types.Object, material: str) -> None:
    """Apply one of the extension's fabric presets, as its menu does."""
    for folder in bpy.utils.preset_paths("xpbd_cloth"):
        path = Path(folder) / f"{material}.py"
        if path.is_file():
            bpy.ops.script.execute_preset(filepath=str(path), menu_idname="XPBD_PT_presets")
            return
    raise FileNotFoundError(f"There is no fabric preset '{material}' for '{obj.name}'.")


def timed(operator: object) -> float:
    """Run an operator; returns the seconds it took."""
    start = time.perf_counter()
    result = operator()  # type: ignore[operator]
    if result != {"FINISHED"}:
        raise RuntimeError(f"{operator} did not finish")
    return time.perf_counter() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]))
