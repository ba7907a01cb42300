# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, and say what the cache holds."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet

SECTIONS = ("physical", "stiffness", "damping", "cache", "pinning", "collisions", "solver")


class Layout:
    """Records what a panel draws and checks that each property and operator exists."""

    def __init__(self, drawn: list[str] | None = None) -> None:
        self.__dict__["drawn"] = [] if drawn is None else drawn
        self.__dict__["active"] = True
        self.__dict__["enabled"] = True

    def _nested(self, **options: object) -> Layout:
        return Layout(self.drawn)

    column = row = grid_flow = box = split = _nested

    def prop(self, data: bpy.types.bpy_struct, name: str, **options: object) -> None:
        assert name in data.bl_rna.properties, name
        self.drawn.append(name)

    def prop_search(
        self, data: bpy.types.bpy_struct, name: str, source: object, items: str, **options: object
    ) -> None:
        assert hasattr(source, items)
        self.prop(data, name)

    def operator(self, identifier: str, **options: object) -> SimpleNamespace:
        category, name = identifier.split(".")
        getattr(getattr(bpy.ops, category), name).get_rna_type()
        self.drawn.append(identifier)
        return SimpleNamespace()

    def operator_menu_enum(self, identifier: str, name: str, **options: object) -> None:
        category, operator = identifier.split(".")
        operator_type = getattr(getattr(bpy.ops, category), operator).get_rna_type()
        assert name in operator_type.properties
        self.drawn.append(identifier)

    def label(self, text: str = "", **options: object) -> None:
        self.drawn.append(text)

    def progress(self, text: str = "", **options: object) -> None:
        self.drawn.append(text)

    def separator(self, **options: object) -> None:
        pass


def draw(section: str = "") -> Layout:
    """Draw one of our panels, as Blender would for the active object."""
    name = f"PHYSICS_PT_xpbd_{section}" if section else "PHYSICS_PT_xpbd"
    panel = getattr(bpy.types, name)
    assert panel.poll(bpy.context)
    layout = Layout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


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


def test_every_setting_of_a_constraint_can_be_reached() -> None:
    scene = empty_scene()
    sheet()
    entries = ("stretch", "shear", "bend")
    assert [f"{name}_damping" for name in entries] == draw("damping").drawn
    scene.xpbd.show_compliance = False
    assert [f"{name}_stiffness" for name in entries] == draw("stiffness").drawn[1:]
    scene.xpbd.show_compliance = True
    assert [f"{name}_compliance" for name in entries] == draw("stiffness").drawn[1:]


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
    drawn = draw("cache").drawn
    assert "xpbd.unbake" in drawn
    assert "xpbd.bake_shape_keys" not in drawn
    assert "Frames 1–6 baked" in drawn


def test_button_among_the_physics_buttons() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_grid_add()
    for operator in ("xpbd.add", "xpbd.remove"):
        layout = Layout()
        addon_module("panels").draw_physics_button(SimpleNamespace(layout=layout), bpy.context)
        assert layout.drawn == [operator]
        bpy.ops.xpbd.add()


def test_no_button_for_other_objects() -> None:
    empty_scene()
    bpy.ops.object.light_add()
    layout = Layout()
    addon_module("panels").draw_physics_button(SimpleNamespace(layout=layout), bpy.context)
    assert layout.drawn == []


def test_cache_panel_offers_simulation_and_bake() -> None:
    empty_scene()
    sheet()
    bpy.ops.xpbd.clear_cache()
    drawn = draw("cache").drawn
    assert {"frame_start", "frame_end", "xpbd.simulate", "xpbd.bake_shape_keys"} <= set(drawn)
    assert "No frames cached" in drawn
    bpy.ops.xpbd.simulate()
    assert "Frames 1–6 cached" in draw("cache").drawn


def test_cache_panel_while_simulating(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_scene()
    sheet()
    running = SimpleNamespace(
        frames_done=12, frames_total=250, seconds_left=125.0, factor=0.048, message=""
    )
    monkeypatch.setattr(addon_module("job"), "current", lambda: running)
    assert draw("cache").drawn == ["12 of 250 frames, 2 min 05 s left", "xpbd.cancel"]


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (("READY", 0.4, ""), None),
        (("COMPILING", 3.0, "Compiling the solver"), "Compiling the solver (3 s)"),
        (("FAILED", 3.0, "No numba: reinstall"), "No numba: reinstall"),
    ],
)
def test_compiling_is_said(
    state: tuple[str, float, str], text: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_scene()
    sheet()
    monkeypatch.setattr(addon_module("warmup"), "state", lambda: state)
    notes = [drawn for drawn in draw().drawn if drawn != "kind"]
    assert notes == ([] if text is None else [text])


def test_durations_are_readable() -> None:
    duration = addon_module("panels_cache").duration
    assert [duration(s) for s in (0, 8.4, 59.6, 125, 4200)] == [
        "0 s",
        "8 s",
        "1 min 00 s",
        "2 min 05 s",
        "1 h 10 min",
    ]


def test_a_reason_why_playing_does_not_simulate_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_scene()
    sheet()
    session = addon_module("session")
    reason = "'Sheet' is scaled to zero"
    status = session.CacheStatus(None, None, False, "", error=reason)
    monkeypatch.setattr(session, "status", lambda scene: status)
    assert reason in draw("cache").drawn


def test_cache_states_are_readable() -> None:
    text = addon_module("panels_cache").cache_text
    status = addon_module("session").CacheStatus
    assert text(status(None, None, False, "")) == "No frames cached"
    assert text(status(1, 60, False, "")) == "Frames 1–60 cached"
    assert text(status(1, 1, False, "")) == "Frame 1 cached"
    assert text(status(1, 60, True, "Sheet's density changed")) == (
        "Outdated: Sheet's density changed"
    )
