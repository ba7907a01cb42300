# SPDX-License-Identifier: GPL-3.0-or-later
"""One object never keeps the others from being simulated: it is left out, by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, cached, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


@pytest.fixture
def pair(scene: bpy.types.Scene) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two sheets that never come near each other; the second is active."""
    flag = sheet("Flag")
    other = sheet("Other")
    other.location.x = 20.0
    return flag, other


Pair = tuple[bpy.types.Object, bpy.types.Object]


def hide(obj: bpy.types.Object) -> None:
    obj.hide_viewport = True


def edit(obj: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")


def lose_faces(obj: bpy.types.Object) -> None:
    obj.data.clear_geometry()
    obj.data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])


def lose_pins(obj: bpy.types.Object) -> None:
    obj.xpbd.pin_group = "Nowhere"


def empty_pins(obj: bpy.types.Object) -> None:
    obj.vertex_groups.new(name="Empty")
    obj.xpbd.pin_group = "Empty"


def damage(obj: bpy.types.Object) -> None:
    obj.data.vertices[7].co.x = np.nan


def flatten(obj: bpy.types.Object) -> None:
    """Faces of zero area, which `core` refuses."""
    obj.xpbd.pin_group = ""
    obj.data.vertices.foreach_set("co", np.zeros(3 * len(obj.data.vertices), np.float32))


CAUSES = {
    hide: "'Other' is hidden",
    edit: "'Other' is in Edit Mode",
    lose_faces: "'Other' has no faces",
    lose_pins: "'Other' has no vertex group 'Nowhere'",
    empty_pins: "The pin group 'Empty' of 'Other'",
    damage: "The mesh of 'Other' is damaged",
    flatten: "'Other' have zero area",
}


@pytest.mark.parametrize(("hinder", "sentence"), CAUSES.items())
@pytest.mark.parametrize("way", ["play", "simulate"])
def test_the_others_go_on(
    scene: bpy.types.Scene,
    pair: Pair,
    hinder: Callable[[bpy.types.Object], None],
    sentence: str,
    way: str,
) -> None:
    flag, other = pair
    hinder(other)
    if way == "play":
        play(scene)
    else:
        assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    session = addon.simulation.session
    assert cached(scene) == (1, 6)
    assert not session.status(scene).outdated
    assert session.cached_positions(scene, other, 2) is None
    fallen = session.cached_positions(scene, flag, 1) - session.cached_positions(scene, flag, 6)
    assert fallen[:, 2].max() > 0.05
    (told,) = session.left_out(scene)
    assert sentence in told
    assert session.status(scene).error == ""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("hinder", [hide, edit, lose_faces])
def test_the_first_object_may_be_the_one(
    scene: bpy.types.Scene, pair: Pair, hinder: Callable[[bpy.types.Object], None]
) -> None:
    flag, other = pair
    hinder(flag)
    play(scene)
    assert addon.simulation.session.cached_positions(scene, other, 6) is not None
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def test_when_the_cause_has_gone_it_is_simulated_and_the_others_are_not_again(
    scene: bpy.types.Scene, pair: Pair
) -> None:
    flag, other = pair
    other.hide_viewport = True
    bpy.ops.xpbd.simulate()
    before = addon.simulation.session.cached_positions(scene, flag, 6)
    other.hide_viewport = False
    bpy.context.view_layer.update()
    assert addon.simulation.session.left_out(scene) == []
    play(scene)
    assert addon.simulation.session.cached_positions(scene, other, 6) is not None
    assert not addon.simulation.session.status(scene).outdated
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, flag, 6), before)


def test_hiding_keeps_the_frames_of_all(scene: bpy.types.Scene, pair: Pair) -> None:
    _flag, other = pair
    bpy.ops.xpbd.simulate()
    before = addon.simulation.session.cached_positions(scene, other, 6)
    other.hide_viewport = True
    play(scene)
    assert not addon.simulation.session.status(scene).outdated
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, other, 6), before
    )


def test_a_refusal_is_told_until_the_object_is_another(scene: bpy.types.Scene, pair: Pair) -> None:
    _flag, other = pair
    points = np.empty((len(other.data.vertices), 3), np.float32)
    other.data.attributes["position"].data.foreach_get("vector", points.ravel())
    flatten(other)
    bpy.ops.xpbd.simulate()
    assert "zero area" in addon.simulation.session.left_out(scene)[0]
    other.data.attributes["position"].data.foreach_set("vector", points.ravel())
    addon.simulation.session.touch()
    assert addon.simulation.session.left_out(scene) == []
    bpy.ops.xpbd.simulate()
    assert addon.simulation.session.cached_positions(scene, other, 6) is not None


def test_a_deleted_object_is_not_told_of(scene: bpy.types.Scene, pair: Pair) -> None:
    _flag, other = pair
    other.xpbd.pin_group = "Nowhere"
    play(scene)
    assert addon.simulation.session.left_out(scene) != []
    bpy.data.objects.remove(other)
    assert addon.simulation.session.left_out(scene) == []
    assert addon.simulation.session.status(scene, exact=True).error == ""


def test_what_is_left_out_is_reported(
    scene: bpy.types.Scene, pair: Pair, capfd: pytest.CaptureFixture[str]
) -> None:
    hide(pair[1])
    bpy.ops.xpbd.simulate()
    assert "Left out: 'Other' is hidden" in capfd.readouterr().out


def test_a_bake_leaves_it_out_too(scene: bpy.types.Scene, pair: Pair) -> None:
    flag, other = pair
    hide(other)
    assert bpy.ops.xpbd.bake_shape_keys() == {"FINISHED"}
    assert flag.xpbd.baked
    assert not other.xpbd.baked


def test_what_is_linked_beside_what_is_not(scene: bpy.types.Scene, tmp_path: Path) -> None:
    sheet("Linked")
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    scene = empty_scene()
    with bpy.data.libraries.load(library, link=True) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.objects = ["Linked"]
    scene.collection.objects.link(wanted.objects[0])
    flag = sheet("Flag")
    play(scene)
    assert addon.simulation.session.cached_positions(scene, flag, 6) is not None
    assert "'Linked' is linked" in addon.simulation.session.left_out(scene)[0]
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
