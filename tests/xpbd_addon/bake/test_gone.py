# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that no longer plays says so, with what it has lost."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from baking_scenes import assert_same, each_mode, plain, simulate
from blender_scenes import addon_module, animation

BAKED = ("Frames 1–6 baked: to change it, Delete Bake", "STATE")


def told(obj: bpy.types.Object) -> tuple[str, str]:
    """The first line of the panel, and how much it matters."""
    message = addon_module("interface.messages").in_panel(bpy.context.scene, obj)[0]
    return message.text, message.level


def in_a_file(folder: Path) -> bpy.types.Object:
    obj = simulate(plain)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.xpbd.bake_mesh_cache()
    assert told(obj) == BAKED
    return obj


def test_its_file(tmp_path: Path) -> None:
    in_a_file(tmp_path)
    bpy.ops.wm.save_mainfile()
    path = tmp_path / "scene_Sheet.pc2"
    path.rename(tmp_path / "elsewhere.pc2")
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    obj = bpy.data.objects["Sheet"]
    cure = f"The bake of 'Sheet' has lost its file '{path}': bring it back, or press Delete Bake"
    assert told(obj) == (cure, "WARNING")
    (tmp_path / "elsewhere.pc2").rename(path)
    assert told(obj) == BAKED


def test_its_modifier(tmp_path: Path) -> None:
    obj = in_a_file(tmp_path)
    obj.modifiers.remove(obj.modifiers["XPBD Mesh Cache"])
    text, level = told(obj)
    assert "'Sheet' has lost its Mesh Cache modifier" in text
    assert "Delete Bake" in text
    assert level == "WARNING"


@each_mode
@pytest.mark.parametrize(("names", "which"), [(["Frame 3"], "'Frame 3':"), ([], "'Frame 1' and 5")])
def test_its_shape_keys(mode: str, names: list[str], which: str) -> None:
    obj = simulate(plain)
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    assert told(obj) == BAKED
    for name in names:
        obj.shape_key_remove(obj.data.shape_keys.key_blocks[name])
    if not names:
        obj.shape_key_clear()
    text, level = told(obj)
    assert f"'Sheet' has lost its shape key {which}" in text
    assert "Delete Bake" in text
    assert level == "WARNING"
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert obj.data.shape_keys is None
    assert_same(animation(obj), preview)
