# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD chooses its substeps and iterations for each frame, within limits, the same way always."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from baking_scenes import assert_same, each_mode
from blender_scenes import animation, evaluated_positions, sheet
from playing import addon, play

CUTS, END = 20, 16


@pytest.fixture
def scene() -> bpy.types.Scene:
    """With the defaults of the solver."""
    scene = bpy.context.scene
    scene.xpbd.frame_end = END
    return scene


def hung_by_corners() -> bpy.types.Object:
    """A sheet that two single vertices hold, which stretches much where they are."""
    obj = sheet(cuts=CUTS)
    group = obj.vertex_groups["Pins"]
    group.remove(range(1, CUTS))
    return obj


def measured(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[Any]:
    """The measures of every frame but the first, where nothing has been simulated."""
    frames = range(scene.xpbd.frame_start + 1, scene.xpbd.frame_end + 1)
    return [addon.simulation.session.cached_measures(scene, obj, frame) for frame in frames]


def simulated(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[Any]:
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    return measured(scene, obj)


def efforts(found: list[Any]) -> list[tuple[int, int]]:
    return [(frame.substeps, frame.iterations) for frame in found]


def test_each_frame_takes_what_it_needs(scene: bpy.types.Scene) -> None:
    """It follows the frame before, so that a sudden pull may go somewhat beyond."""
    obj = hung_by_corners()
    substeps = {}
    for percent in (0.5, 3.0, 20.0):
        scene.xpbd.largest_stretch = percent
        found = simulated(scene, obj)
        assert len(set(efforts(found))) > 1, "the same for every frame"
        overstretch = [frame.overstretch for frame in found[4:]]
        assert 0.0 < np.median(overstretch) < 0.01 * percent
        assert max(overstretch) < 0.015 * percent
        assert not any(frame.missed(0.01 * percent, 400, 8) for frame in found)
        substeps[percent] = sum(frame.substeps for frame in found)
    assert substeps[20.0] <= substeps[3.0] < substeps[0.5]


def test_each_object_takes_what_it_needs_itself(scene: bpy.types.Scene) -> None:
    hung, other = hung_by_corners(), sheet("Other", cuts=CUTS)
    other.location.x = 5.0
    scene.xpbd.largest_stretch = 0.1
    dear, cheap = simulated(scene, hung), measured(scene, other)
    assert dear[-1].substeps > 1.5 * cheap[-1].substeps
    assert max(cheap[-1].overstretch, dear[-1].overstretch) < 0.0015


@pytest.mark.parametrize("limits", [(8, 1), (8, 3), (32, 1)])
def test_limits_are_kept_and_it_says_where_they_are_too_low(
    scene: bpy.types.Scene, limits: tuple[int, int]
) -> None:
    obj = hung_by_corners()
    scene.xpbd.largest_stretch = 0.1
    scene.xpbd.substeps, scene.xpbd.iterations = limits
    found = simulated(scene, obj)
    assert all(frame.substeps <= limits[0] for frame in found)
    assert all(frame.iterations <= limits[1] for frame in found)
    assert efforts(found)[-1] == limits
    assert found[-1].missed(0.001, *limits)
    assert not found[-1].missed(0.001, 100 * limits[0], limits[1])


@pytest.mark.parametrize("limits", [(1, 1), (7, 2)])
def test_the_lowest_limits_are_kept(scene: bpy.types.Scene, limits: tuple[int, int]) -> None:
    obj = hung_by_corners()
    scene.xpbd.frame_end = 6
    scene.xpbd.substeps, scene.xpbd.iterations = limits
    for frame in simulated(scene, obj):
        assert 1 <= frame.substeps <= limits[0]
        assert 1 <= frame.iterations <= limits[1]


def test_without_it_every_frame_takes_the_same(scene: bpy.types.Scene) -> None:
    obj = hung_by_corners()
    scene.xpbd.automatic = False
    assert set(efforts(simulated(scene, obj))) == {(160, 1)}
    by_default = addon.simulation.session.cached_positions(scene, obj, END)
    scene.xpbd.automatic = True
    simulated(scene, obj)
    assert (
        np.abs(addon.simulation.session.cached_positions(scene, obj, END) - by_default).max() > 1e-5
    )


def test_other_solvers_tell_what_is_set(scene: bpy.types.Scene) -> None:
    obj = hung_by_corners()
    scene.xpbd.frame_end = 4
    scene.xpbd.solver = "PBD"
    found = simulated(scene, obj)[-1]
    assert (found.substeps, found.iterations) == (scene.xpbd.substeps, scene.xpbd.iterations)
    scene.xpbd.automatic = False
    assert not addon.simulation.session.status(scene, exact=True).outdated
    assert (scene.xpbd.substeps, scene.xpbd.iterations) == (160, 1)


def test_the_read_out_is_what_the_solver_took(scene: bpy.types.Scene) -> None:
    """As a simulation beside the cache takes it, step by step."""
    obj = hung_by_corners()
    found = simulated(scene, obj)
    scene.frame_set(1)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    live = addon.simulation.live.build(
        addon.simulation.scene_input.read_scene(scene, depsgraph, [obj], "")
    )
    for frame, shown in enumerate(found, start=2):
        scene.frame_set(frame)
        addon.simulation.live.advance(
            live, addon.simulation.scene_input.read_frame(scene, depsgraph, live.inputs)
        )
        effort = live.simulation.report()
        assert (shown.substeps, shown.iterations) == (effort.substeps, effort.iterations)
        assert shown.overstretch == pytest.approx(effort.overstretch)
        held = addon.simulation.session.cached_positions(scene, obj, frame)
        np.testing.assert_array_equal(held, live.positions[obj.xpbd.cache_id])


def test_the_first_frame_took_nothing(scene: bpy.types.Scene) -> None:
    obj = hung_by_corners()
    simulated(scene, obj)
    first = addon.simulation.session.cached_measures(scene, obj, 1)
    assert (first.effort_text, first.overstretch) == ("", 0.0)
    assert not first.missed(0.03, 400, 8)


def test_effort_is_written_for_people() -> None:
    measures = addon.simulation.measures.Measures
    assert measures(0.0, 0.0, 0.0, 43, 1).effort_text == "43 substeps"
    assert measures(0.0, 0.0, 0.0, 400, 3).effort_text == "400 substeps × 3 iterations"


# --- one result, however it is made ---------------------------------------------------------------


def test_playing_in_parts_simulating_and_the_function_agree(scene: bpy.types.Scene) -> None:
    obj = hung_by_corners()
    play(scene, 6)
    scene.frame_set(2)
    for frame in range(3, END + 1):
        scene.frame_set(frame)
    played, played_efforts = animation(obj, range(1, END + 1)), efforts(measured(scene, obj))
    assert len(set(played_efforts)) > 1
    for simulate in (bpy.ops.xpbd.simulate, lambda: addon.simulation.job.run_blocking(scene)):
        addon.simulation.session.clear(scene)
        simulate()
        assert efforts(measured(scene, obj)) == played_efforts
        np.testing.assert_array_equal(animation(obj, range(1, END + 1)), played)


def test_simulating_on_from_where_playing_stopped(scene: bpy.types.Scene) -> None:
    obj = hung_by_corners()
    straight = efforts(simulated(scene, obj))
    positions = addon.simulation.session.cached_positions(scene, obj, END)
    addon.simulation.session.clear(scene)
    play(scene, 7)
    assert efforts(simulated(scene, obj)) == straight
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, obj, END), positions
    )


@each_mode
def test_the_bake_is_the_preview(scene: bpy.types.Scene, mode: str) -> None:
    obj = hung_by_corners()
    frames = range(1, END + 1)
    scene.frame_set(1)
    shown = [evaluated_positions(obj)]
    for frame in frames[1:]:
        scene.frame_set(frame)
        shown.append(evaluated_positions(obj))
    assert bpy.ops.xpbd.bake_shape_keys(mode=mode) == {"FINISHED"}
    assert_same(animation(obj, frames), np.array(shown))


# --- switching ------------------------------------------------------------------------------------


def test_switching_brings_limits_or_counts(scene: bpy.types.Scene) -> None:
    settings = scene.xpbd
    for solver, automatic, counts in (
        ("XPBD", False, (160, 1)),
        ("XPBD", True, (400, 8)),
        ("PBD", True, (160, 1)),
        ("PBD", False, (160, 1)),
        ("XPBD", False, (160, 1)),
        ("PROJECTIVE_DYNAMICS", False, (40, 4)),
        ("PROJECTIVE_DYNAMICS", True, (40, 4)),
        ("XPBD", True, (400, 8)),
    ):
        settings.automatic, settings.solver = automatic, solver
        assert (settings.substeps, settings.iterations) == counts


def test_switching_keeps_what_the_user_chose(scene: bpy.types.Scene) -> None:
    settings = scene.xpbd
    settings.substeps = 20
    settings.automatic = False
    assert (settings.substeps, settings.iterations) == (20, 1)
    settings.iterations = 5
    settings.solver = "PBD"
    settings.automatic = True
    settings.solver = "XPBD"
    assert (settings.substeps, settings.iterations) == (20, 5)
    assert settings.largest_stretch == 3.0
