# SPDX-License-Identifier: GPL-3.0-or-later
"""Library overrides have settings and a cache of their own."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, cached, play


@pytest.fixture
def library(tmp_path: Path) -> str:
    """A file with a sheet that has XPBD, some settings and frames of its own."""
    empty_scene()
    obj = sheet("Sheet")
    obj.xpbd.density, obj.xpbd.stretch_stiffness = 0.7, 1234.5
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    return str(tmp_path / "library.blend")


def overridden(library: str, scene: bpy.types.Scene) -> bpy.types.Object:
    with bpy.data.libraries.load(library, link=True) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.objects = ["Sheet"]
    linked = wanted.objects[0]
    scene.collection.objects.link(linked)
    made: bpy.types.Object = linked.override_create(remap_local_usages=True)
    return made


def test_an_override_is_simulated_and_shown(library: str) -> None:
    scene = empty_scene()
    obj = overridden(library, scene)
    assert (obj.library, obj.data.library is not None) == (None, True)
    assert obj.xpbd.density == pytest.approx(0.7)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert addon.simulation.session.left_out(scene) == []
    assert cached(scene) == (1, 6)
    scene.frame_set(6)
    expected = addon.simulation.session.cached_positions(scene, obj, 6)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)
    assert expected[:, 2].min() < 0.95


@pytest.mark.parametrize(("link", "cure"), [(True, "library override"), (False, "its collection")])
def test_what_is_only_an_instance_is_said_to_be(library: str, link: bool, cure: str) -> None:
    scene = empty_scene()
    with bpy.data.libraries.load(library, link=link) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.objects = ["Sheet"]
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type = "COLLECTION"
    empty.instance_collection = bpy.data.collections.new("Sheets")
    empty.instance_collection.objects.link(wanted.objects[0])
    scene.collection.objects.link(empty)
    with pytest.raises(RuntimeError, match=f"'Sheet' is only there as an instance.*{cure}"):
        bpy.ops.xpbd.simulate()


def test_settings_of_an_override_are_kept_and_so_are_its_frames(
    library: str, tmp_path: Path
) -> None:
    scene = empty_scene()
    obj = overridden(library, scene)
    obj.xpbd.density, obj.xpbd.bending_stiffness, obj.xpbd.inflation = 2.5, 7.25, 1.5
    play(scene)
    before = addon.simulation.session.cached_positions(scene, obj, 6)
    values = dict(addon.settings.materials.core_arguments(obj.xpbd))
    own = obj.xpbd.cache_id
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    obj = next(each for each in scene.objects if each.override_library)
    assert obj.xpbd.cache_id == own
    assert addon.settings.materials.core_arguments(obj.xpbd) == values
    assert not addon.simulation.session.status(scene).outdated
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, obj, 6), before)


def test_an_override_keeps_keyframes_and_gets_its_own(tmp_path: Path) -> None:
    empty_scene()
    obj = sheet("Sheet")
    for frame, drag in ((1, 0.0), (6, 50.0)):
        obj.xpbd.drag = drag
        obj.keyframe_insert("xpbd.drag", frame=frame)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    scene = empty_scene()
    obj = overridden(str(tmp_path / "library.blend"), scene)
    assert addon.scene.keyed.arguments(obj) == {"drag"}
    obj.driver_add("xpbd.friction").driver.expression = "0.1 * frame"
    assert addon.scene.keyed.arguments(obj) == {"drag", "friction"}
    play(scene)
    keyed = addon.simulation.session.cached_positions(scene, obj, 6)
    obj.animation_data_clear()
    obj.xpbd.drag = 0.0
    scene.frame_set(1)
    play(scene)
    plain = addon.simulation.session.cached_positions(scene, obj, 6)
    assert keyed[:, 2].mean() > plain[:, 2].mean() + 0.01


def test_two_overrides_of_one_object_share_no_frames(library: str) -> None:
    scene = empty_scene()
    first = overridden(library, scene)
    second = first.copy()
    scene.collection.objects.link(second)
    second.location.x = 7.0
    second.xpbd.density = 3.0
    play(scene)
    assert first.xpbd.cache_id != second.xpbd.cache_id
    for obj in (first, second):
        expected = addon.simulation.session.cached_positions(scene, obj, 6)
        np.testing.assert_allclose(evaluated_positions(obj), expected, atol=2e-6)


def test_a_bake_wants_a_mesh_of_its_own(library: str) -> None:
    scene = empty_scene()
    overridden(library, scene)
    with pytest.raises(RuntimeError, match="make it local"):
        bpy.ops.xpbd.bake_shape_keys()
