# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the cache: what it offers, before, while and after something is simulated."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from drawing import BAKE, RANGE, SIMULATE, draw


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
