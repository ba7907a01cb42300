# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, and say what the cache holds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import blf
import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from drawing import BAKE, RANGE, SIMULATE, Layout, draw

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


def test_button_among_the_physics_buttons() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_grid_add()
    for operators in (["xpbd.add", "xpbd.add"], ["xpbd.remove"]):
        layout = Layout()
        addon_module("interface.physics_tab").draw_physics_button(
            SimpleNamespace(layout=layout), bpy.context
        )
        assert layout.drawn == operators
        bpy.ops.xpbd.add()


def test_button_adds_what_the_mesh_is_suited_for() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_circle_add()
    bpy.ops.mesh.primitive_grid_add()
    for name, kind in (("Circle", "STRANDS"), ("Grid", "CLOTH")):
        bpy.context.view_layer.objects.active = bpy.data.objects[name]
        layout = Layout()
        addon_module("interface.physics_tab").draw_physics_button(
            SimpleNamespace(layout=layout), bpy.context
        )
        assert layout.drawn.count("xpbd.add") == (1 if kind == "STRANDS" else 2)
        assert bpy.ops.xpbd.add(kind=kind) == {"FINISHED"}


def test_button_and_menu_for_hair_curves() -> None:
    scene = empty_scene()
    hair = bpy.data.objects.new("Hair", bpy.data.hair_curves.new("Hair"))
    scene.collection.objects.link(hair)
    bpy.context.view_layer.objects.active = hair
    for draw_it in (
        addon_module("interface.physics_tab").draw_physics_button,
        addon_module("interface.convert").draw_convert,
    ):
        layout = Layout()
        draw_it(SimpleNamespace(layout=layout), bpy.context)
        assert layout.drawn == ["xpbd.strands_from_curves"]


def test_no_button_for_other_objects() -> None:
    empty_scene()
    bpy.ops.object.light_add()
    layout = Layout()
    addon_module("interface.physics_tab").draw_physics_button(
        SimpleNamespace(layout=layout), bpy.context
    )
    assert layout.drawn == []


def test_cache_panel_offers_simulation_and_bake() -> None:
    empty_scene()
    sheet()
    bpy.ops.xpbd.clear_cache()
    actions = [*SIMULATE, *BAKE]
    assert draw("cache").drawn == [*RANGE, *actions]
    assert draw().drawn == ["No frames cached", "kind"]
    bpy.ops.xpbd.simulate()
    assert draw("cache").drawn == [*RANGE, *actions]
    assert draw().drawn == ["Frames 1–6 cached", "kind"]


def test_buttons_of_the_cache_panel_have_words() -> None:
    scene = empty_scene()
    sheet()
    for mode in ("RELATIVE", "MESH_CACHE"):
        scene.xpbd.bake_mode = mode
        buttons = draw("cache").buttons
        assert all(buttons.values()), buttons
        assert buttons["xpbd.simulate_from"] == "Simulate from Here"


def test_cache_panel_says_from_where_it_goes_on() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    scene.xpbd.frame_end = 9
    addon_module("simulation.session").forget()
    assert "Goes on from frame 6" in draw("cache").drawn
    bpy.ops.xpbd.simulate()
    assert not any(text.startswith("Goes on") for text in draw("cache").drawn)


def test_nothing_moves_while_simulating(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    running = SimpleNamespace(
        frames_done=12, frames_total=250, seconds_left=125.0, factor=0.048, message=""
    )
    running.is_cancelled = False
    monkeypatch.setattr(addon_module("simulation.job"), "current", lambda: running)
    monkeypatch.delattr(addon_module("simulation.session"), "status")  # which looks at meshes
    progress = ["12 / 250 · 2:05 left", "xpbd.cancel", SIMULATE[-1]]
    assert draw("cache").drawn == [*RANGE, *progress, *BAKE]
    assert draw().drawn == ["Frames 1–6 cached", "kind"]
    assert SIMULATE[-1] in draw("cache").disabled
    running.message, running.seconds_left, running.frames_done = "Reading the scene", None, 0
    progress = ["0 / 250", "xpbd.cancel", SIMULATE[-1]]
    assert draw("cache").drawn == [*RANGE, *progress, *BAKE]
    assert draw().drawn == ["Reading the scene", "kind"]
    text = addon_module("interface.modal_job").progress_text(running)
    assert text.startswith("XPBD: 0 / 250 (Reading the scene)")


def test_strain_of_the_last_frame_is_shown_while_simulating(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    scene.frame_set(6)
    last = draw("solver").drawn[-3:]
    assert last[0].startswith("Stretch ")
    assert last[2].startswith("2 substeps")
    scene.frame_set(7)
    assert draw("solver").drawn[-3:] == ["No stretch known on this frame", "", ""]
    monkeypatch.setattr(addon_module("simulation.job"), "is_simulating", lambda scene: True)
    assert draw("solver").drawn[-3:] == last


COUNTS = ["substeps", "iterations"]


def test_automatic_quality_shows_limits_else_counts() -> None:
    scene = empty_scene()
    sheet()
    layout = draw("solver")
    controls = ["solver", "automatic", "largest_stretch", *COUNTS, "warm_start", "time_scale"]
    assert layout.drawn[:7] == controls
    assert [layout.labels[name] for name in COUNTS] == ["Substeps ≤", "Iterations ≤"]
    assert not layout.greyed
    scene.xpbd.automatic = False
    layout = draw("solver")
    assert layout.drawn[:7] == controls
    assert [layout.labels[name] for name in COUNTS] == ["Substeps", "Iterations"]
    assert layout.greyed == ["largest_stretch"]
    assert len(layout.drawn) == 9, "what every frame takes is no news"


def test_automatic_quality_is_hidden_where_the_solver_has_none() -> None:
    scene = empty_scene()
    sheet()
    for solver, own in (("PBD", ["velocity_damping"]), ("PROJECTIVE_DYNAMICS", [])):
        scene.xpbd.solver = solver
        layout = draw("solver")
        nothing = ["No stretch known on this frame", ""]
        assert layout.drawn == ["solver", *COUNTS, *own, "time_scale", *nothing]
        assert [layout.labels[name] for name in COUNTS] == ["Substeps", "Iterations"]


def told(monkeypatch: pytest.MonkeyPatch, **found: Any) -> list[str]:
    """What the panel says beside the figures, of objects with these measures."""
    by_id = {bpy.data.objects[name].xpbd.cache_id: each for name, each in found.items()}
    session = addon_module("simulation.session")
    monkeypatch.setattr(session, "measures_of", lambda *_: by_id)
    drawn = draw("solver").drawn
    return drawn[drawn.index("60 substeps × 2 iterations") + 1 :]


def left(overstretch: float, iterations: int = 2, **faults: int) -> Any:
    return addon_module("simulation.measures").Measures(
        0.05, 0.01, 1e-4, 60, iterations, overstretch, **faults
    )


@pytest.fixture
def two_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose frame took all that is allowed."""
    scene = empty_scene()
    for name in ("Skirt", "Shirt"):
        addon_module("scene.ids").ensure_all(scene, [sheet(name)])
    scene.xpbd.substeps, scene.xpbd.iterations = 60, 2
    session = addon_module("simulation.session")
    monkeypatch.setattr(session, "cached_measures", lambda *_: left(0.0))


@pytest.mark.usefixtures("two_sheets")
def test_a_limit_that_was_too_low_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    well, going_on, too_low = left(0.029), left(0.05, iterations=1), left(0.05)
    assert told(monkeypatch, Skirt=well, Shirt=well) == []
    assert told(monkeypatch, Skirt=well, Shirt=going_on) == []
    for skirt, shirt, name in ((well, too_low, "Shirt"), (left(0.06), too_low, "Skirt")):
        sentence = " ".join(told(monkeypatch, Skirt=skirt, Shirt=shirt))
        percent = 100.0 * max(skirt.overstretch, shirt.overstretch)
        assert sentence == (
            f"'{name}' is overstretched by {percent:.1f} %, 3.0 % allowed: raise Substeps, or "
            "accept it"
        )


@pytest.mark.usefixtures("two_sheets")
def test_a_soft_body_that_is_too_soft_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    soft, fine = left(0.0, needed=219), left(0.0, needed=60)
    assert told(monkeypatch, Skirt=soft, Shirt=soft) == []
    bpy.data.objects["Shirt"].xpbd.kind = "SOFT_BODY"
    assert told(monkeypatch, Skirt=soft, Shirt=fine) == []
    text = " ".join(told(monkeypatch, Skirt=soft, Shirt=soft))
    assert text.startswith("'Shirt' needs 219 substeps to be as stiff")


@pytest.mark.usefixtures("two_sheets")
def test_it_is_said_of_the_object_for_which_it_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one may be stretched more, for which the limits are still enough."""
    going_on, too_low = left(0.055, iterations=1), left(0.05)
    text = " ".join(told(monkeypatch, Skirt=going_on, Shirt=too_low))
    assert text.startswith("'Shirt' is overstretched by 5.0 %")


@pytest.mark.usefixtures("two_sheets")
@pytest.mark.parametrize(
    ("measure", "fault", "expected"),
    [
        (
            "held_apart",
            "OVERSTRETCHED",
            "Pins or colliders hold 12 vertices of 'Shirt' too far apart, which more substeps "
            "can't mend",
        ),
        (
            "squeezed",
            "SQUEEZED",
            "12 vertices of 'Shirt' have no room between pins or colliders, which have forced it "
            "through something: leave more room there, or make it thinner",
        ),
        (
            "crossings",
            "CROSSING",
            "'Shirt' goes through itself or something else at 12 pairs of faces, which are being "
            "pulled apart",
        ),
    ],
)
def test_what_is_wrong_with_vertices_is_said(
    monkeypatch: pytest.MonkeyPatch, measure: str, fault: str, expected: str
) -> None:
    """It names the object that has most of them, and offers to select the vertices."""
    button = "xpbd.select_faults"
    for most, name in ((3, "Shirt"), (13, "Skirt")):
        skirt, shirt = left(0.0, **{measure: most}), left(0.01, **{measure: 12})
        *sentence, last = told(monkeypatch, Skirt=skirt, Shirt=shirt)
        if name == "Shirt":
            assert " ".join(sentence) == expected
        assert last == button
        operator = draw("solver").operators[button]
        assert (operator.fault, operator.object_name) == (fault, name)


@pytest.mark.usefixtures("two_sheets")
def test_both_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(told(monkeypatch, Skirt=left(0.05), Shirt=left(0.01, held_apart=12)))
    assert "'Skirt' is overstretched by 5.0 %" in text
    assert "12 vertices of 'Shirt'" in text


def test_nothing_is_said_of_what_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_scene()
    sheet()
    monkeypatch.setattr(addon_module("simulation.session"), "measures_of", lambda *_: {})
    assert draw("solver").drawn[-3:] == ["No stretch known on this frame", "", ""]


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (("READY", 0.4, ""), "No frames cached"),
        (("COMPILING", 0.0, "Later"), "No frames cached"),
        (("COMPILING", 3.0, "Now"), "Compiling the solver once (3 s)"),
        (("FAILED", 3.0, "No numba: reinstall"), "No numba: reinstall"),
    ],
)
def test_compiling_is_said(
    state: tuple[str, float, str],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty_scene()
    sheet()
    bpy.ops.xpbd.clear_cache()
    monkeypatch.setattr(addon_module("simulation.warmup"), "state", lambda *_solver: state)
    assert draw().drawn == [text, "kind"]


def test_durations_are_readable() -> None:
    duration = addon_module("interface.progress").duration
    assert [duration(s) for s in (-1, 0, 8.4, 59.6, 125, 4200)] == [
        "0:00",
        "0:00",
        "0:08",
        "1:00",
        "2:05",
        "1:10:00",
    ]


@pytest.mark.parametrize("mode", ["RELATIVE", "ABSOLUTE"])
def test_bake_button_bakes_in_the_chosen_mode(mode: str) -> None:
    scene = empty_scene()
    sheet()
    scene.xpbd.bake_mode = mode
    assert draw("cache").operators["xpbd.bake_shape_keys"].mode == mode


def test_panels_show_dots_for_keyframes() -> None:
    empty_scene()
    sheet()
    for section in ("", *SECTIONS):
        layout = draw(section)
        assert layout.use_property_split
        keyed = section not in ("cache", "sweep")  # nothing there can be
        assert layout.use_property_decorate == keyed
