# SPDX-License-Identifier: GPL-3.0-or-later
"""Hobbyists' scenes are taken over, and what can't be is left alone, with a sentence."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_cloth import cloth, convert, group, play, soft_body, strip
from playing import addon

from bench.hobby_scenes import SCENES


@pytest.fixture
def obj() -> Any:
    return strip()


@pytest.mark.parametrize("name", sorted(SCENES))
def test_hobbyists_scenes_play(name: str) -> None:
    (obj,) = SCENES[name]()
    convert(obj)
    shown = play(obj, 4)
    assert np.isfinite(shown).all()
    assert np.abs(shown[-1] - shown[0]).max() > 1e-3
    status = addon.simulation.session.status(bpy.context.scene)
    assert not status.error
    assert status.last == 4


def is_baked(obj: Any) -> None:
    bpy.context.scene.frame_end = 3
    cache = obj.modifiers["Cloth"].point_cache
    cache.frame_end = 3
    with bpy.context.temp_override(point_cache=cache, object=obj, active_object=obj):
        bpy.ops.ptcache.bake(bake=True)
    assert cache.is_baked


def has_xpbd(obj: Any) -> None:
    addon.scene.physics.add(obj)


def has_both(obj: Any) -> None:
    soft_body(obj)


def is_switched_off(obj: Any) -> None:
    obj.modifiers["Cloth"].show_viewport = False


def is_edited(obj: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


def has_no_edges(obj: Any) -> None:
    obj.data.clear_geometry()


def is_still(obj: Any) -> None:
    obj.modifiers["Cloth"].settings.time_scale = 0.0


def has_no_size(obj: Any) -> None:
    obj.scale = (0.0, 0.0, 0.0)


def is_damaged(obj: Any) -> None:
    obj.data.vertices[3].co.x = float("nan")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (is_baked, "is baked: it stays as it is"),
        (has_xpbd, "has XPBD already"),
        (has_both, "has both Cloth and Soft Body"),
        (is_switched_off, "is switched off"),
        (is_edited, "is in Edit Mode"),
        (has_no_edges, "has no edges"),
        (is_still, "is 0"),
        (has_no_size, "has no size"),
        (is_damaged, "not numbers"),
    ],
)
def test_what_cannot_be_converted_is_left_alone_and_told(obj: Any, make: Any, told: str) -> None:
    cloth(obj)
    bpy.context.view_layer.objects.active = obj
    make(obj)
    shown = [(each.name, each.show_viewport) for each in obj.modifiers]
    with pytest.raises(RuntimeError, match=f"'Strip'.*{told}"):
        bpy.ops.xpbd.convert_from_blender()
    assert [(each.name, each.show_viewport) for each in obj.modifiers] == shown


def test_a_second_cloth_is_none(obj: Any) -> None:
    """Blender refuses it itself."""
    cloth(obj)
    assert obj.modifiers.new("Second", "CLOTH") is None
    convert(obj)


def test_a_soft_body_without_edges_is_refused(obj: Any) -> None:
    soft_body(obj, use_edges=False)
    with pytest.raises(RuntimeError, match="has no Edges that hold it together"):
        convert(obj)


def test_without_blenders_cloth_there_is_nothing_to_convert_or_convert_back(obj: Any) -> None:
    with pytest.raises(RuntimeError, match="neither Blender's Cloth nor Soft Body"):
        convert(obj)
    with pytest.raises(RuntimeError, match="was not converted"):
        bpy.ops.xpbd.convert_to_blender()


def test_when_blenders_cloth_has_gone_there_is_no_way_back(obj: Any) -> None:
    modifier = cloth(obj)
    convert(obj)
    obj.modifiers.remove(modifier)
    with pytest.raises(RuntimeError, match="Cloth of 'Strip' has been deleted"):
        bpy.ops.xpbd.convert_to_blender()
    assert obj.xpbd.use


def test_a_library_override_is_told_to_be_made_local(obj: Any, tmp_path: Any) -> None:
    cloth(obj)
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {obj}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["Strip"]
    override = wanted.objects[0].override_create()
    bpy.context.scene.collection.objects.link(override)
    with pytest.raises(RuntimeError, match="comes from another file: make it local"):
        convert(override)


def test_duplicates_are_named_and_share_the_group_of_their_pins(obj: Any) -> None:
    cloth(obj, vertex_group_mass=group(obj, "Top", range(5), 0.5))
    twin = obj.copy()
    twin.name = "Twin"
    bpy.context.scene.collection.objects.link(twin)
    _, told = addon.scene.conversion.takeover.convert(bpy.context.scene, [obj], "LOOK")
    assert told == ["'Twin' is a duplicate of 'Strip' and still Blender's: convert it, too"]
    addon.scene.conversion.takeover.convert(bpy.context.scene, [twin], "LOOK")
    assert twin.xpbd.pin_group == obj.xpbd.pin_group
    assert len(obj.vertex_groups) == 2
    addon.scene.conversion.takeover.give_back(bpy.context.scene, obj)
    assert len(twin.vertex_groups) == 2
    addon.scene.conversion.takeover.give_back(bpy.context.scene, twin)
    assert len(twin.vertex_groups) == 1
