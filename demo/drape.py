# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo: a sheet falls over Suzanne beside a figure that walks in three garments; all is baked.

Run by ``python build.py demo`` in a Blender with the extension installed:
``python demo/drape.py OUTPUT_FOLDER``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from run import add_physics, finish, simulate, start
from stage import build_stage

FRAMES = 100
PICTURED = (1, 12, 48, 87)


def main(folder: Path) -> None:
    """Build the scene, simulate, bake, save demo.blend and demo.png, and say what was measured."""
    scene = start(folder, FRAMES)
    cloths = build_stage(scene, FRAMES)
    for cloth, material in cloths:
        make_cloth(cloth, material)
    lines = simulate(scene, [cloth for cloth, _ in cloths])
    finish(scene, folder, "demo", PICTURED, lines)


def make_cloth(obj: bpy.types.Object, material: str) -> None:
    """Give the object XPBD physics and the constants of a fabric."""
    add_physics(obj, "CLOTH", material)
    if obj.vertex_groups:
        obj.xpbd.pin_group = obj.vertex_groups[0].name


if __name__ == "__main__":
    main(Path(sys.argv[1]))
