# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: those that the extension brings, and those that a user saves with "+"."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from playing import addon

from core.materials.fabrics import MATERIALS
from core.materials.soft_bodies import SOFT_MATERIALS
from core.materials.strands import STRAND_MATERIALS

NO_NUMBERS = {"name", "source"}


def folder(kind: str) -> Path:
    names = {"CLOTH": "xpbd_cloth", "SOFT_BODY": "xpbd_soft_bodies", "STRANDS": "xpbd_strands"}
    name = names[kind]
    return Path(addon_module("interface.presets").SHIPPED) / "presets" / name


def names_in(kind: str) -> list[str]:
    return sorted(path.stem for path in folder(kind).glob("*.py"))


def apply(path: Path) -> None:
    result = bpy.ops.xpbd.preset_choose(filepath=str(path), menu_idname="XPBD_PT_presets")
    assert result == {"FINISHED"}


def settings_of(kind: str) -> Any:
    empty_scene()
    settings = sheet().xpbd
    settings.kind = kind
    return settings


@pytest.fixture
def user_presets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the presets that a user saves."""

    def user_resource(kind: str, *, path: str = "", create: bool = False) -> str:
        place = tmp_path / path
        place.mkdir(parents=True, exist_ok=create)
        return str(place)

    monkeypatch.setattr(bpy.utils, "user_resource", user_resource)
    return tmp_path


def test_every_material_has_a_preset() -> None:
    assert names_in("CLOTH") == sorted(material.name for material in MATERIALS.values())
    assert names_in("SOFT_BODY") == sorted(material.name for material in SOFT_MATERIALS.values())
    assert names_in("STRANDS") == sorted(material.name for material in STRAND_MATERIALS.values())


@pytest.mark.parametrize("name", [material.name for material in MATERIALS.values()])
def test_preset_sets_all_that_the_core_material_says(name: str) -> None:
    settings = settings_of("CLOTH")
    apply(folder("CLOTH") / f"{name}.py")
    for field, value in dataclasses.asdict(MATERIALS[name.lower()]).items():
        if field not in NO_NUMBERS:
            assert getattr(settings, field) == pytest.approx(value, rel=1e-6), field


@pytest.mark.parametrize("name", [material.name for material in STRAND_MATERIALS.values()])
def test_strand_preset_sets_all_that_the_core_material_says(name: str) -> None:
    settings = settings_of("STRANDS")
    apply(folder("STRANDS") / f"{name}.py")
    for field, value in dataclasses.asdict(STRAND_MATERIALS[name.lower()]).items():
        if field not in NO_NUMBERS:
            own = field if field in {"density", "friction"} else f"strand_{field}"
            assert getattr(settings, own) == pytest.approx(value, rel=1e-6), field
    assert settings.areal_density == pytest.approx(0.2)


@pytest.mark.parametrize("name", [material.name for material in SOFT_MATERIALS.values()])
def test_soft_preset_sets_all_that_the_core_material_says(name: str) -> None:
    settings = settings_of("SOFT_BODY")
    apply(folder("SOFT_BODY") / f"{name}.py")
    for field, value in dataclasses.asdict(SOFT_MATERIALS[name.lower()]).items():
        if field not in NO_NUMBERS:
            own = "elastic_damping" if field == "damping" else field
            assert getattr(settings, own) == pytest.approx(value, rel=1e-6), field
    assert settings.areal_density == pytest.approx(0.2)


def test_menu_of_strands_finds_our_folder() -> None:
    (found,) = bpy.utils.preset_paths(bpy.types.XPBD_PT_strand_presets.preset_subdir)
    assert Path(found).resolve() == folder("STRANDS").resolve()


def test_menu_finds_our_folder_and_not_blenders_cloth() -> None:
    paths = bpy.utils.preset_paths(bpy.types.XPBD_PT_presets.preset_subdir)
    assert Path(paths[-1]).resolve() == folder("CLOTH").resolve()
    names = {path.stem for place in paths for path in Path(place).glob("*.py")}
    assert names == set(names_in("CLOTH"))
    assert not any("xpbd" in place for place in bpy.utils.preset_paths("cloth"))


@pytest.mark.parametrize(
    ("kind", "add", "further"),
    [
        ("CLOTH", "preset_add", ["density", "poisson_ratio", "friction"]),
        ("SOFT_BODY", "soft_preset_add", ["density", "poisson_ratio", "friction"]),
        ("STRANDS", "strand_preset_add", ["density", "friction"]),
    ],
)
def test_a_preset_of_the_user_brings_every_property_back(
    kind: str, add: str, further: list[str], user_presets: Path
) -> None:
    settings = settings_of(kind)
    table = [entry for entry in addon.settings.constraints.CONSTRAINTS if entry.kind == kind]
    names = [f"{entry.name}_{what}" for entry in table for what in ("compliance", "damping")]
    saved = {name: 0.01 * (1 + number) for number, name in enumerate(names + further)}
    for name, value in saved.items():
        setattr(settings, name, value)
    assert getattr(bpy.ops.xpbd, add)(name="Sail") == {"FINISHED"}
    (written,) = user_presets.rglob("Sail.py")
    assert written.parent.name == folder(kind).name
    for name in saved:
        setattr(settings, name, 0.5)
    apply(written)
    for name, value in saved.items():
        assert getattr(settings, name) == pytest.approx(value, rel=1e-6), name


def test_what_is_added_to_the_tables_is_in_presets(monkeypatch: pytest.MonkeyPatch) -> None:
    constraints, materials = addon.settings.constraints, addon.settings.materials
    twist = dataclasses.replace(
        constraints.CONSTRAINTS[0], keyword="twist", name="twist", default=0.25
    )
    grip = dataclasses.replace(materials.CONSTANTS[0], name="grip", default=0.75)
    monkeypatch.setattr(constraints, "CONSTRAINTS", (*constraints.CONSTRAINTS, twist))
    monkeypatch.setattr(materials, "CONSTANTS", (*materials.CONSTANTS, grip))
    added = {"twist_compliance": 0.25, "twist_damping": 0.0, "grip": 0.75}
    values = addon.settings.presets.values("CLOTH", MATERIALS["denim"])
    assert added.items() <= values.items()
    assert list(values) == addon.settings.presets.properties("CLOTH")
    assert not added.keys() & set(addon.settings.presets.properties("STRANDS"))


def test_applying_a_preset_outdates_the_cache() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    assert not addon_module("simulation.session").status(scene).outdated
    apply(folder("CLOTH") / "Denim.py")
    assert addon_module("simulation.session").status(scene).outdated


@pytest.mark.parametrize("name", ["preset_add", "soft_preset_add", "strand_preset_add"])
def test_what_a_preset_saves_needs_no_names_of_its_own(name: str) -> None:
    empty_scene()
    sheet()
    operator = getattr(bpy.types, f"XPBD_OT_{name}")
    for line in operator.preset_values:
        assert isinstance(eval(line, {"bpy": bpy}), float)  # as Blender does
