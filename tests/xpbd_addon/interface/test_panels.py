# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, and say what the cache holds."""

from __future__ import annotations

from types import SimpleNamespace

import blf
import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from drawing import RANGE, SIMULATE, Layout, draw

SECTIONS = (
    "physical",
    "stiffness",
    "weave",
    "damping",
    "painted",
    "cache",
    "by_hand",
    "pinning",
    "rest_shape",
    "sewing",
    "plasticity",
    "collisions",
    "air",
    "field_weights",
    "tension",
    "solver",
    "sweep",
)
CLOTH_ONLY = ("weave", "rest_shape", "sewing", "plasticity")


def test_panels_sit_in_the_physics_tab() -> None:
    for section in SECTIONS:
        panel = getattr(bpy.types, f"PHYSICS_PT_xpbd_{section}")
        assert panel.bl_context == "physics"
        assert hasattr(bpy.types, panel.bl_parent_id)


def test_every_panel_draws() -> None:
    empty_scene()
    sheet()
    for section in ("", *SECTIONS):
        draw(section)


WIDEST = 71.0
"""Pixels that labels have in the Properties editor of a window of 1600 pixels, as Blender opens."""


BESIDE_A_BOX = 80.0
"""Pixels that what stands behind a tick box has there."""


@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY", "STRANDS"])
def test_labels_are_not_cut_off(kind: str) -> None:
    scene = empty_scene()
    sheet().xpbd.kind = kind
    blf.size(0, 11.0)
    extra = {"CLOTH": ("limits", "volume"), "SOFT_BODY": ("cage", "goal"), "STRANDS": ("limits",)}
    left_out = {"CLOTH": (), "SOFT_BODY": ("weave", "sewing"), "STRANDS": CLOTH_ONLY}
    sections = [each for each in ("", *SECTIONS) if each not in left_out[kind]] + [*extra[kind]]
    for compliance in (False, True):
        scene.xpbd.show_compliance = compliance
        for section in sections:
            for name, label in draw(section).labels.items():
                widest = BESIDE_A_BOX if name.startswith("use_") else WIDEST
                assert blf.dimensions(0, str(label))[0] <= widest, (section, name, label)


def test_every_setting_of_a_constraint_can_be_reached() -> None:
    scene = empty_scene()
    sheet()
    damping = ["stretch_damping", "shear_damping", "bend_damping"]
    assert draw("damping").drawn == [*damping, "drag"]
    scene.xpbd.show_compliance = False
    stiffness = ["stretch_stiffness", "compression", "shear_stiffness", "bend_stiffness_shown"]
    assert draw("stiffness").drawn == [*stiffness, "membrane", "show_compliance"]
    scene.xpbd.show_compliance = True
    compliance = ["stretch_compliance_shown", "compression", "shear_compliance_shown"]
    compliance += ["bend_compliance"]
    assert draw("stiffness").drawn == [*compliance, "membrane", "show_compliance"]


def test_what_zero_means_stands_below_it() -> None:
    """Where it is not the least of something but all of it."""
    empty_scene()
    sheet()
    drawn = draw("sewing").drawn
    for name, note in (("sewing_force_max", "0: no limit"), ("stitch_strength", "0: never tears")):
        assert drawn[drawn.index(name) + 1 : drawn.index(name) + 3] == ["", note]


def test_the_cage_that_is_drawn_is_that_before_simulating() -> None:
    empty_scene()
    settings = sheet().xpbd
    settings.kind = "SOFT_BODY"
    note = "Drawn as before simulating"
    assert note not in draw("cage").drawn
    settings.show_cage = True
    assert draw("cage").drawn[-2:] == ["show_cage", note]


def test_strands_show_their_own_settings() -> None:
    scene = empty_scene()
    sheet().xpbd.kind = "STRANDS"
    for section in ("", *(each for each in SECTIONS if each not in CLOTH_ONLY)):
        draw(section)
    assert draw("physical").drawn == ["line_density_shown"]
    damping = ["strand_stretch_damping", "strand_bend_damping", "strand_twist_damping"]
    assert draw("damping").drawn == [*damping, "drag"]
    stiffness = ["strand_stretch_stiffness", "strand_bend_stiffness_shown"]
    stiffness += ["strand_twist_stiffness_shown"]
    assert draw("stiffness").drawn == [*stiffness, "show_compliance"]
    scene.xpbd.show_compliance = True
    compliance = ["strand_stretch_compliance_shown", "strand_bend_compliance"]
    compliance += ["strand_twist_compliance"]
    assert draw("stiffness").drawn == [*compliance, "show_compliance"]


def test_what_is_painted_has_a_maximum() -> None:
    empty_scene()
    settings = sheet().xpbd
    groups = ["stretch", "shear", "bend", "density", "thickness", "compression", "friction"]
    groups += ["shrinkage"]
    groups += ["rest_angle", "restitution", "drag"]
    expected = [f"{name}_group" for name in groups]
    expected += ["Damping", "stretch_damping_group", "shear_damping_group"]
    assert draw("painted").drawn == expected
    settings.bend_group = "Pins"
    layout = draw("painted")
    assert layout.drawn[2:5] == ["bend_group", "bend_max_shown", "density_group"]
    assert layout.labels["bend_max_shown"] == "Max µN·m"
    settings.kind = "STRANDS"
    assert draw("painted").drawn[:4] == [
        "strand_stretch_group", "strand_bend_group", "strand_twist_group", "line_density_group",
    ]  # fmt: skip
    assert draw("pinning").drawn == ["pin_group", "pin_stiffness", "pin_damping", "weld"]
    assert draw("pinning").labels["pin_stiffness"] == "Pull N/m²"


def test_what_is_touched_stands_above_how() -> None:
    empty_scene()
    sheet()
    switches = ["use_self_collision", "use_body_collision", "collision_collection"]
    assert draw("collisions").drawn == [*switches, "thickness", "friction", "restitution"]


def test_a_collider_says_that_blenders_default_adds_nothing() -> None:
    def said() -> list[str]:
        layout = Layout()
        panel = SimpleNamespace(layout=layout)
        addon_module("interface.physics_tab").draw_collider_thickness(panel, bpy.context)
        return layout.drawn

    empty_scene()
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    assert said() == []
    bpy.ops.object.modifier_add(type="COLLISION")
    assert said() == []
    sheet()
    bpy.context.view_layer.objects.active = cube
    assert "Blender's default" in " ".join(said())
    cube.collision.thickness_outer = 0.01
    assert said() == []


@pytest.mark.parametrize(
    ("section", "switch", "settings", "on_strands"),
    [
        ("limits", "use_strain_limits", ["stretch_limit", "compression_limit"], True),
        (
            "volume",
            "use_volume",
            ["inflation", "inflation_time", "volume_compliance_shown"],
            False,
        ),
    ],
)
def test_panels_with_a_switch(
    section: str, switch: str, settings: list[str], on_strands: bool
) -> None:
    empty_scene()
    obj = sheet()
    assert draw(section, "draw_header").drawn == [switch]
    assert draw(section).drawn == settings
    bpy.ops.xpbd.bake_shape_keys()
    assert not draw(section, "draw_header").active
    assert not draw(section).active
    obj.xpbd.kind = "STRANDS"
    assert getattr(bpy.types, f"PHYSICS_PT_xpbd_{section}").poll(bpy.context) == on_strands


@pytest.mark.parametrize(("kind", "section"), [("CLOTH", "volume"), ("SOFT_BODY", "rest_shape")])
def test_the_time_of_inflation_is_grey_where_there_is_none(kind: str, section: str) -> None:
    empty_scene()
    bpy.ops.mesh.primitive_cube_add()
    assert bpy.ops.xpbd.add(kind=kind) == {"FINISHED"}
    settings = bpy.context.object.xpbd
    assert draw(section).greyed == ["inflation_time"]
    assert draw(section).labels["inflation_time"] == "Time"
    settings.inflation = 1.5
    assert not draw(section).greyed
    for frame, value in ((1, 1.5), (9, 1.0)):
        settings.inflation = value
        settings.keyframe_insert("inflation", frame=frame)
    assert not draw(section).greyed, "keyed"
    bpy.context.object.animation_data_clear()
    settings.inflation_group = "Belly"
    assert draw(section).greyed == ([] if kind == "SOFT_BODY" else ["inflation_time"])


def test_shown_units_are_views_of_the_same_value() -> None:
    empty_scene()
    settings = sheet().xpbd
    settings.bend_stiffness_shown = 25.0  # µN·m
    assert settings.bend_stiffness == pytest.approx(25e-6)
    assert settings.bend_compliance == pytest.approx(4e4)
    settings.strand_bend_stiffness_shown = 500.0  # nN·m²
    assert settings.strand_bend_compliance == pytest.approx(2e6)
    settings.stretch_compliance_shown = 1e-4  # m/kN
    assert settings.stretch_compliance == pytest.approx(1e-7)
    assert settings.stretch_stiffness == pytest.approx(1e7)
    for name in ("stretch_stiffness", "bend_stiffness_shown", "strand_bend_stiffness_shown"):
        compliance = name.partition("_stiffness")[0] + "_compliance"
        setattr(settings, compliance, 0.0)
        setattr(settings, name, getattr(settings, name))
        assert getattr(settings, compliance) == 0.0, name


def test_units_are_shown() -> None:
    units = [
        entry.shown(compliance=compliance)[1].partition(" ")[2]
        for entry in addon_module("settings.constraints").CONSTRAINTS
        for compliance in (False, True)
    ]
    cloth, strands = ["N/m", "m/kN", "N/m", "m/kN", "µN·m", "1/Nm"], ["N", "1/kN"]
    soft, thin = ["kPa", "1/kPa"], ["nN·m²", "1/Nm²"]
    assert units == [*cloth, *soft, *strands, *thin, *thin]


def test_panels_are_hidden_without_physics() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_grid_add()
    assert not bpy.types.PHYSICS_PT_xpbd.poll(bpy.context)
    assert not bpy.types.PHYSICS_PT_xpbd_cache.poll(bpy.context)


def test_panels_are_inactive_when_baked() -> None:
    empty_scene()
    sheet()
    assert draw("physical").active
    bpy.ops.xpbd.bake_shape_keys()
    for section in ("", "physical", "stiffness", "damping", "pinning", "collisions", "solver"):
        assert not draw(section).active
    assert draw("cache").drawn == [
        *RANGE,
        *SIMULATE,
        "xpbd.unbake",
    ]
    assert draw().drawn == ["Frames 1–6 baked: to change it, Delete Bake", "kind"]


def test_panels_show_dots_for_keyframes() -> None:
    empty_scene()
    sheet()
    for section in ("", *SECTIONS):
        layout = draw(section)
        assert layout.use_property_split
        keyed = section not in ("cache", "sweep")  # nothing there can be
        assert layout.use_property_decorate == keyed
