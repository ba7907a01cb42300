# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabric presets appear in Blender's preset menu and agree with the core's table."""

from pathlib import Path

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet

from core.materials.fabrics import MATERIALS
from core.materials.strands import STRAND_MATERIALS


def preset_files() -> dict[str, Path]:
    folder = addon_module("interface.presets").FOLDER
    return {path.stem: path for path in sorted(folder.glob("*.py"))}


def apply(path: Path) -> None:
    result = bpy.ops.script.execute_preset(filepath=str(path), menu_idname="XPBD_PT_presets")
    assert result == {"FINISHED"}


def test_every_material_has_a_preset() -> None:
    assert sorted(preset_files()) == sorted(material.name for material in MATERIALS.values())


@pytest.mark.parametrize("name", [material.name for material in MATERIALS.values()])
def test_preset_sets_the_core_material(name: str) -> None:
    empty_scene()
    obj = sheet()
    apply(preset_files()[name])
    material = MATERIALS[name.lower()]
    for field in addon_module("interface.presets").PRESET_PROPERTIES:
        assert getattr(obj.xpbd, field) == pytest.approx(getattr(material, field), rel=1e-6)


def test_every_strand_material_has_a_preset() -> None:
    folder = addon_module("interface.presets").STRANDS_FOLDER
    names = sorted(path.stem for path in folder.glob("*.py"))
    assert names == sorted(material.name for material in STRAND_MATERIALS.values())


@pytest.mark.parametrize("name", [material.name for material in STRAND_MATERIALS.values()])
def test_strand_preset_sets_the_core_material(name: str) -> None:
    empty_scene()
    settings = sheet().xpbd
    settings.kind = "STRANDS"
    apply(addon_module("interface.presets").STRANDS_FOLDER / f"{name}.py")
    material = STRAND_MATERIALS[name.lower()]
    for field in addon_module("interface.presets").STRANDS_PRESET_PROPERTIES:
        expected = getattr(material, field.removeprefix("strand_"))
        assert getattr(settings, field) == pytest.approx(expected, rel=1e-6), field
    assert settings.areal_density == pytest.approx(0.2)


def test_menu_of_strands_finds_our_folder() -> None:
    (folder,) = bpy.utils.preset_paths(bpy.types.XPBD_PT_strand_presets.preset_subdir)
    assert Path(folder).resolve() == addon_module("interface.presets").STRANDS_FOLDER.resolve()


def test_menu_finds_our_folder_and_not_blenders_cloth() -> None:
    panel = bpy.types.XPBD_PT_presets
    paths = bpy.utils.preset_paths(panel.preset_subdir)
    assert Path(paths[-1]).resolve() == addon_module("interface.presets").FOLDER.resolve()
    names = {path.stem for folder in paths for path in Path(folder).glob("*.py")}
    assert names == set(preset_files())
    assert not any("xpbd" in folder for folder in bpy.utils.preset_paths("cloth"))


def test_presets_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def user_resource(kind: str, *, path: str = "", create: bool = False) -> str:
        folder = tmp_path / path
        folder.mkdir(parents=True, exist_ok=create)
        return str(folder)

    monkeypatch.setattr(bpy.utils, "user_resource", user_resource)
    empty_scene()
    obj = sheet()
    obj.xpbd.density = 0.42
    assert bpy.ops.xpbd.preset_add(name="Sail") == {"FINISHED"}
    (written,) = tmp_path.rglob("Sail.py")
    assert written.parent.name == "xpbd_cloth"
    obj.xpbd.density = 0.1
    apply(written)
    assert obj.xpbd.density == pytest.approx(0.42)


def test_applying_a_preset_outdates_the_cache() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    assert not addon_module("simulation.session").status(scene).outdated
    apply(preset_files()["Denim"])
    assert addon_module("simulation.session").status(scene).outdated
