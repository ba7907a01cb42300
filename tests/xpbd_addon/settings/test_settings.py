# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings: two views of one value, what reaches the solver, what outdates a cache."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import bpy
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def test_stiffness_and_compliance_are_one_value(scene: bpy.types.Scene) -> None:
    settings = sheet().xpbd
    for entry in addon.settings.constraints.CONSTRAINTS:
        setattr(settings, entry.compliance, 5e-4)
        assert getattr(settings, entry.stiffness) == pytest.approx(2000.0)
        setattr(settings, entry.stiffness, 40.0)
        assert getattr(settings, entry.compliance) == pytest.approx(0.025)


def test_no_compliance_is_the_stiffest(scene: bpy.types.Scene) -> None:
    settings = sheet().xpbd
    settings.stretch_compliance = 0.0
    assert settings.stretch_stiffness == pytest.approx(addon.settings.constraints.STIFFEST)
    settings.stretch_stiffness = settings.stretch_stiffness
    assert settings.stretch_compliance == 0.0


def test_what_is_painted_falls_no_lower_than_the_plain_value(scene: bpy.types.Scene) -> None:
    """A mass of 0 would be refused only when it is simulated."""
    properties = sheet().xpbd.bl_rna.properties
    for each in addon.settings.painted.PAINTED:
        lowest = properties[each.value].hard_min
        assert properties[each.most_name].hard_min == pytest.approx(lowest), each.name
        assert properties[each.least_name].hard_min == pytest.approx(lowest), each.name


def test_defaults_are_those_of_core(scene: bpy.types.Scene) -> None:
    settings = sheet().xpbd
    material = addon.settings.materials.core_arguments(settings)
    from core import ClothMaterial

    own = dict(addon.settings.kinds.CLOTH.starts_with)
    assert own.pop("use_carried_buttons") is True
    assert own == {"bend_damping": 0.003}, "so that what lies comes to rest"
    for field in dataclasses.fields(ClothMaterial):
        if field.name in material:
            expected = own.get(field.name, field.default)
            assert material[field.name] == pytest.approx(expected), field.name


def test_quality_is_automatic_by_default(scene: bpy.types.Scene) -> None:
    settings = bpy.data.scenes.new("New").xpbd
    assert (settings.automatic, settings.largest_stretch) == (True, 3.0)
    assert (settings.substeps, settings.iterations) == (400, 8)
    assert tuple(settings.suited_counts) == (400, 8)


def test_every_property_explains_itself(scene: bpy.types.Scene) -> None:
    for settings in (sheet().xpbd, scene.xpbd):
        for prop in settings.bl_rna.properties:
            if prop.identifier not in {"rna_type", "name", "cache_id", "baked"}:
                assert len(prop.description) > 10, prop.identifier


def floor() -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=8, location=(0, 0, -4))
    bpy.ops.object.modifier_add(type="COLLISION")
    return bpy.context.object


def _set(path: str, value: object) -> Callable[[bpy.types.Scene], object]:
    def change(scene: bpy.types.Scene) -> None:
        target = scene
        *parents, name = path.split(".")
        for parent in parents:
            target = getattr(target, parent)
        setattr(target, name, value)

    return change


def _object(change: Callable[[bpy.types.Object], object]) -> Callable[[bpy.types.Scene], object]:
    return lambda scene: change(bpy.data.objects["Sheet"])


def _move_at(obj: bpy.types.Object, frame: int) -> None:
    obj.location.x += 1.0
    obj.keyframe_insert("location", frame=frame)


CHANGES = {
    "substeps": _set("xpbd.substeps", 7),
    "iterations": _set("xpbd.iterations", 3),
    "automatic": _set("xpbd.automatic", False),
    "largest stretch": _set("xpbd.largest_stretch", 5.0),
    "start": _set("xpbd.frame_start", 2),
    "gravity": _set("gravity", (0, 0, -1)),
    "weightless": _set("use_gravity", False),
    "fps": _set("render.fps", 60),
    "units": _set("unit_settings.scale_length", 0.5),
    "density": _object(lambda obj: setattr(obj.xpbd, "density", 9.0)),
    "stiffness": _object(lambda obj: setattr(obj.xpbd, "bend_stiffness", 9.0)),
    "pins": _object(lambda obj: setattr(obj.xpbd, "pin_group", "")),
    "vertex": _object(lambda obj: setattr(obj.data.vertices[0].co, "z", 1.0)),
    "transform": _object(lambda obj: setattr(obj, "location", (1, 2, 3))),
    "animation": _object(lambda obj: _move_at(obj, frame=3)),
    "collider": lambda scene: floor() and None,
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_outdates_a_cache(scene: bpy.types.Scene, name: str) -> None:
    sheet()
    play(scene, 3)
    assert not addon.simulation.session.status(scene).outdated
    CHANGES[name](scene)
    status = addon.simulation.session.status(scene, exact=True)
    assert status.outdated
    assert status.reason


@pytest.mark.parametrize("change", ["thickness_outer", "cloth_friction", "location"])
def test_colliders_outdate_a_cache(scene: bpy.types.Scene, change: str) -> None:
    collider = floor()
    sheet()
    play(scene, 3)
    assert not addon.simulation.session.status(scene).outdated
    if change == "location":
        collider.location.x += 1.0
    else:
        setattr(collider.collision, change, 0.7)
    assert addon.simulation.session.status(scene, exact=True).outdated


def test_what_does_not_outdate_a_cache(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 2.0
    obj.keyframe_insert("location", frame=6)
    scene.frame_set(1)
    play(scene)
    scene.xpbd.frame_end = 99
    scene.xpbd.show_compliance = True
    scene.xpbd.bake_mode = "ABSOLUTE"
    obj.name = "Renamed"
    obj.color = (1, 0, 0, 1)
    for frame in (1, 4, 6):
        scene.frame_set(frame)
        assert not addon.simulation.session.status(scene).outdated
    bpy.ops.object.camera_add()
    assert not addon.simulation.session.status(scene).outdated


def test_status_of_an_empty_scene(scene: bpy.types.Scene) -> None:
    status = addon.simulation.session.status(scene)
    assert (status.first, status.last, status.outdated, status.baked) == (None, None, False, False)


def test_baked_objects_are_left_out(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.baked = True
    assert addon.simulation.session.simulated_objects(scene) == []
    assert addon.simulation.session.status(scene).baked
    play(scene, 3)
    assert addon.simulation.session.status(scene).last is None


def test_ready_after_waiting(scene: bpy.types.Scene) -> None:
    for solver in ("XPBD", "PBD"):
        addon.simulation.warmup.wait(solver)
        state, seconds, message = addon.simulation.warmup.state(solver)
        assert state == "READY"
        assert seconds > 0.0
        assert "ready" in message


def test_a_solver_that_nobody_asked_for_is_not_compiled(scene: bpy.types.Scene) -> None:
    """Without a window; with one all are, the chosen one first."""
    addon.simulation.warmup.wait("XPBD")
    state, seconds, message = addon.simulation.warmup.state("NONE_YET")
    assert (state, seconds) == ("COMPILING", 0.0)
    assert "first needed" in message


def test_a_stiffness_of_zero_is_none_at_all(scene: bpy.types.Scene) -> None:
    """Typed, or set by a script that goes below it: not stiff, as little as can be."""
    settings = sheet().xpbd
    arguments = addon.settings.materials.core_arguments
    for value in (0.0, -1.0):
        settings.bend_stiffness_shown = 8.0
        assert arguments(settings)["bend_compliance"] == pytest.approx(1.25e5)
        settings.bend_stiffness_shown = value
        assert settings.bend_stiffness == 0.0
        assert arguments(settings)["bend_compliance"] is None
        settings.stretch_stiffness = value
        assert arguments(settings)["stretch_compliance"] == pytest.approx(1e9)
    settings.kind = "STRANDS"
    settings.strand_bend_stiffness_shown = 0.0
    assert arguments(settings)["bend_compliance"] is None
