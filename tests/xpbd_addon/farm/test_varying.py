# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that are varied: what is written is found, checked and set, or refused by name."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon


@pytest.fixture
def scene() -> bpy.types.Scene:
    found = empty_scene()
    sheet("Cape.001")
    return found


def test_every_combination_in_order() -> None:
    varied = [
        addon.farm.varying.read("Cape.density=1, 2 ,1"),
        addon.farm.varying.read("scene.substeps=3,4,5"),
    ]
    assert varied[0] == addon.farm.varying.Varied("Cape.density", ("1", "2"))
    assert addon.farm.varying.variations(varied) == [
        {"Cape.density": density, "scene.substeps": substeps}
        for density in ("1", "2")
        for substeps in ("3", "4", "5")
    ]
    assert addon.farm.varying.variations([]) == [{}]


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        ("Cape.001.density", "0.3", 0.3),
        ("Cape.001.stretch_stiffness", "2e3", 2000.0),
        ("Cape.001.use_self_collision", "false", False),
        ("Cape.001.pin_group", "Collar", "Collar"),
        ("scene.substeps", "7", 7),
        ("scene.largest_stretch", "1%", 1.0),
        ("scene.largest_stretch", "1.5", 1.5),
        ("scene.velocity_damping", "5%", 0.05),
        ("scene.solver", "pbd", "PBD"),
        ("scene.solver", "Classic", "PBD"),
    ],
)
def test_a_value_is_set(scene: bpy.types.Scene, setting: str, value: str, expected: Any) -> None:
    addon.farm.varying.check(scene, [addon.farm.varying.of_values(setting, value)])
    addon.farm.varying.apply(scene, {setting: value})
    owner, _, name = setting.rpartition(".")
    settings = scene.xpbd if owner == "scene" else bpy.data.objects[owner].xpbd
    found = getattr(settings, name)
    assert found == (pytest.approx(expected, rel=1e-6) if isinstance(expected, float) else expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Cape.001.density", "given no values"),
        ("Cape.001.density=,", "given no values"),
        ("Cap.density=1", "names no XPBD object of this scene: write scene or Cape.001"),
        ("Cape.001.stretch_stifness=1", "did you mean 'stretch_stiffness'"),
        ("Cape.001.density=heavy", "takes numbers from .*, not 'heavy'"),
        ("Cape.001.density=-1", "takes numbers from .*, not '-1'"),
        ("Cape.001.density=nan", "not 'nan'"),
        ("Cape.001.density=5%", "not '5%'"),
        ("scene.substeps=1.5", "takes whole numbers from 1 to 10000, not '1.5'"),
        ("scene.automatic=perhaps", "takes true or false, not 'perhaps'"),
        ("scene.solver=BEST", "takes Standard or .*, not 'BEST'"),
        ("scene.cache_directory=/tmp", "no setting that can be varied"),
        ("scene.cache_id=../x", "no setting that can be varied"),
        ("scene.__class__=x", "no setting that can be varied"),
        ("Cape.001.preset=Adamant", "no preset 'Adamant' for 'Cape.001': choose from .*denim"),
    ],
)
def test_what_makes_no_sense_is_named(scene: bpy.types.Scene, text: str, sentence: str) -> None:
    with pytest.raises(RuntimeError, match=f"(?i){sentence}"):
        addon.farm.varying.check(scene, [addon.farm.varying.read(text)])


def test_keyed_settings_are_refused(scene: bpy.types.Scene) -> None:
    obj = bpy.data.objects["Cape.001"]
    obj.xpbd.keyframe_insert("stretch_compliance", frame=1)
    scene.xpbd.keyframe_insert("substeps", frame=1)
    for setting in ("Cape.001.stretch_stiffness", "scene.substeps"):
        with pytest.raises(RuntimeError, match=f"'{setting}' has keyframes"):
            addon.farm.varying.check(scene, [addon.farm.varying.of_values(setting, "500")])


def test_twice_or_too_many() -> None:
    with pytest.raises(RuntimeError, match=r"'a\.b' is varied twice"):
        addon.farm.varying.variations(
            [addon.farm.varying.read("a.b=1,2"), addon.farm.varying.read("a.b=3")]
        )
    many = ",".join(map(str, range(40)))
    with pytest.raises(RuntimeError, match="1600 variations: 1000 at most"):
        addon.farm.varying.variations(
            [addon.farm.varying.read(f"a.b={many}"), addon.farm.varying.read(f"a.c={many}")]
        )


def test_nothing_is_set_where_something_is_wrong(scene: bpy.types.Scene) -> None:
    before = scene.xpbd.substeps
    with pytest.raises(RuntimeError):
        addon.farm.varying.apply(scene, {"scene.substeps": "9", "Cape.001.density": "-1"})
    assert scene.xpbd.substeps == before


def test_a_preset_and_the_solver_come_before_what_they_would_change(scene: bpy.types.Scene) -> None:
    obj = bpy.data.objects["Cape.001"]
    addon.farm.varying.apply(scene, {"Cape.001.preset": "denim"})
    denim = obj.xpbd.density
    order = {"Cape.001.density": "7", "Cape.001.preset": "silk"}
    addon.farm.varying.apply(scene, order | {"scene.substeps": "3", "scene.solver": "PBD"})
    assert (obj.xpbd.density, scene.xpbd.substeps) == (7.0, 3)
    assert denim not in (obj.xpbd.density, 0.0)
    addon.farm.varying.apply(scene, {"Cape.001.preset": "Denim"})
    assert obj.xpbd.density == denim


def test_names_lists_what_can_be_varied(scene: bpy.types.Scene) -> None:
    found = addon.farm.varying.names(scene)
    assert {"scene.solver", "Cape.001.preset", "Cape.001.stretch_stiffness"} <= set(found)
    assert not any("cache" in name for name in found)


def test_names_lists_each_setting_of_an_objects_kind_once(scene: bpy.types.Scene) -> None:
    obj = bpy.data.objects["Cape.001"]
    found = addon.farm.varying.names(scene)
    assert {"Cape.001.density", "Cape.001.stretch_damping"} <= set(found)
    other = {"volume_density", "young_modulus", "strand_bend_stiffness", "elastic_damping"}
    twice = {"stretch_compliance", "bend_stiffness_shown", "density_min"}
    without_effect = {"density_max", "bend_group", "show_cage", "use_force_map"}
    assert not {f"Cape.001.{name}" for name in other | twice | without_effect} & set(found)
    assert not {"scene.grab_pull", "scene.tension_force"} & set(found)
    obj.xpbd.bend_group = "Soft"
    assert "Cape.001.bend_max" in addon.farm.varying.names(scene)
    obj.xpbd.kind = "SOFT_BODY"
    assert "Cape.001.young_modulus" in addon.farm.varying.names(scene)


def test_settings_are_called_what_panels_call_them(scene: bpy.types.Scene) -> None:
    varying = addon.farm.varying
    bpy.data.objects["Cape.001"].xpbd.bend_group = "Soft"
    words = {each: varying.in_words(scene, each) for each in varying.names(scene)}
    assert words["Cape.001.stretch_stiffness"] == "Cape.001: Stretch Stiffness"
    assert words["Cape.001.density"] == "Cape.001: Mass"
    assert words["Cape.001.preset"] == "Cape.001: Preset"
    assert words["scene.largest_stretch"] == "Scene: Max Stretch"
    twice = [each for each in words if list(words.values()).count(words[each]) > 1]
    assert not twice, "settings of one name"
    assert not any("_" in each for each in words.values())
    for unknown in ("Cap.density", "Cape.001.densty", "scene.preset", "scene.cache_id", ""):
        assert varying.in_words(scene, unknown) == unknown


def test_choices_begin_with_the_words_of_their_menu(scene: bpy.types.Scene) -> None:
    scene.xpbd.solver = "PROJECTIVE_DYNAMICS"
    assert addon.farm.varying.current(scene, "scene.solver") == "Calm"
    obj = bpy.data.objects["Cape.001"]
    assert addon.farm.varying.current(scene, "Cape.001.membrane") == "Automatic"
    addon.farm.varying.apply(scene, {"Cape.001.membrane": "Continuous"})
    assert obj.xpbd.membrane == "CONTINUUM"
