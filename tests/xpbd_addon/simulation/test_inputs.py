# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever changes what a frame is simulated from: it is said from which frame on, and no sooner.

The scene is a sheet and a body that a bone carries; bone and body follow the same target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from numpy.typing import NDArray
from playing import addon, play

BODY, PINS = "the collider 'Body' moves differently", "the pins of 'Sheet' move differently"
OFF = "the collider 'Body' is switched off or gone"


class Stage(NamedTuple):
    """What there is to change."""

    scene: bpy.types.Scene
    sheet: bpy.types.Object
    body: bpy.types.Object
    rig: bpy.types.Object
    target: bpy.types.Object
    lattice: bpy.types.Object


@pytest.fixture
def stage() -> Stage:
    """Simulated. The target that leads bone and body leaves on frame 3, when the lattice bends."""
    scene = empty_scene()
    target, lattice = led_away("Target"), bent("Lattice")
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    follow(rig.pose.bones[0], target)
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, -3.0))
    body = bpy.context.object
    body.name = "Body"
    body.shape_key_add(name="Basis")
    fat = body.shape_key_add(name="Fat")
    fat.data[0].co *= 1.5
    fat.value = 0.0
    follow(body, target)
    carry(body, rig)
    deformer = body.modifiers.new("Lattice", "LATTICE")
    deformer.object = lattice
    from_the_third_frame(deformer, "strength")
    bpy.ops.object.modifier_add(type="COLLISION")
    obj = sheet(cuts=4)
    carry(obj, rig)
    drive(obj, target)
    bpy.ops.xpbd.simulate()
    scene.frame_set(5)
    return Stage(scene, obj, body, rig, target, lattice)


def led_away(name: str) -> bpy.types.Object:
    made = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(made)
    from_the_third_frame(made, "location", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0))
    return made


def bent(name: str) -> bpy.types.Object:
    made = bpy.data.objects.new(name, bpy.data.lattices.new(name))
    made.scale = (20.0, 20.0, 20.0)
    bpy.context.collection.objects.link(made)
    return made


def follow(owner: Any, target: bpy.types.Object) -> None:
    constraint = owner.constraints.new("COPY_LOCATION")
    constraint.target, constraint.use_offset = target, True
    constraint.owner_space = constraint.target_space = "LOCAL"


def carry(obj: bpy.types.Object, rig: bpy.types.Object) -> None:
    """Each vertex by the only bone, before any other modifier."""
    weigh(obj, 1.0)
    obj.modifiers.new("Rig", "ARMATURE").object = rig
    obj.modifiers.move(len(obj.modifiers) - 1, 0)


def weigh(obj: bpy.types.Object, weight: float) -> None:
    if "Bone" not in obj.vertex_groups:
        obj.vertex_groups.new(name="Bone")
    obj.vertex_groups["Bone"].add(range(len(obj.data.vertices)), weight, "REPLACE")
    obj.data.update_tag()


def from_the_third_frame(owner: Any, name: str, before: Any = 0.0, after: Any = 1.0) -> None:
    for frame, value in ((2, before), (3, after)):
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def drive(obj: bpy.types.Object, target: bpy.types.Object) -> None:
    """Along z, by how far the target is away."""
    driver = obj.driver_add("location", 2).driver
    variable = driver.variables.new()
    variable.name = "away"
    variable.targets[0].id, variable.targets[0].data_path = target, "location.y"
    driver.expression = "1.0 + away"


# --- what an artist changes, and takes back -------------------------------------------------------


def move_the_target(stage: Stage, back: bool) -> None:
    stage.target.delta_location.x = 0.0 if back else 0.1


def influence_of_the_bone(stage: Stage, back: bool) -> None:
    stage.rig.pose.bones[0].constraints[0].influence = 1.0 if back else 0.0


def influence_on_the_body(stage: Stage, back: bool) -> None:
    stage.body.constraints[0].influence = 1.0 if back else 0.0


def weights_of_the_body(stage: Stage, back: bool) -> None:
    weigh(stage.body, 1.0 if back else 0.0)


def weights_of_the_sheet(stage: Stage, back: bool) -> None:
    weigh(stage.sheet, 1.0 if back else 0.0)


def bend_the_lattice(stage: Stage, back: bool) -> None:
    stage.lattice.data.points[0].co_deform.x = -0.5 if back else -0.6
    stage.lattice.data.update_tag()


def hide_the_body(stage: Stage, back: bool) -> None:
    stage.body.hide_viewport = not back


def switch_its_collision_off(stage: Stage, back: bool) -> None:
    stage.body.modifiers["Collision"].show_viewport = back


def fatten_the_body(stage: Stage, back: bool) -> None:
    stage.body.data.shape_keys.key_blocks["Fat"].value = 0.0 if back else 0.5


def how_it_is_driven(stage: Stage, back: bool) -> None:
    driver = stage.sheet.animation_data.drivers[0].driver
    driver.expression = "1.0 + away" if back else "1.0 + 0.5 * away"


def gravity(stage: Stage, back: bool) -> None:
    stage.scene.gravity[2] = -9.81 if back else -5.0


Change = Callable[[Stage, bool], None]
BODY, PINS = "the collider 'Body' moves differently", "the pins of 'Sheet' move differently"
OFF = "the collider 'Body' is switched off or gone"
CHANGES: list[tuple[Change, int, str]] = [
    (move_the_target, 1, BODY),
    (influence_of_the_bone, 3, BODY),
    (influence_on_the_body, 3, BODY),
    (weights_of_the_body, 3, BODY),
    (weights_of_the_sheet, 3, PINS),
    (bend_the_lattice, 3, BODY),
    (hide_the_body, 1, OFF),
    (switch_its_collision_off, 1, OFF),
    (fatten_the_body, 1, BODY),
    (how_it_is_driven, 3, PINS),
    (gravity, 1, "gravity changed"),
]
each_change = pytest.mark.parametrize(
    ("change", "frame", "reason"), CHANGES, ids=[change.__name__ for change, _, _ in CHANGES]
)


def outdated(stage: Stage) -> tuple[int | None, str]:
    """From which frame on the sheet is, and why."""
    status = addon.simulation.session.status(stage.scene, exact=True)
    known = status.objects[stage.sheet.session_uid]
    assert status.outdated == bool(known.reason)
    return known.since, known.reason


def show(stage: Stage) -> None:
    """Each frame, in an order in which none is played."""
    for frame in reversed(FRAMES):
        stage.scene.frame_set(frame)


def frames(stage: Stage) -> NDArray[np.float32]:
    """The cached positions, shape (frames, n, 3)."""
    read = addon.simulation.session.cached_positions
    return np.array([read(stage.scene, stage.sheet, frame) for frame in FRAMES])


@each_change
def test_a_frame_that_is_shown_tells(stage: Stage, change: Change, frame: int, reason: str) -> None:
    before = frames(stage)
    assert outdated(stage) == (None, "")
    change(stage, False)
    assert outdated(stage) == (1, reason), "on the frame that is looked at, so perhaps on others"
    show(stage)
    assert outdated(stage) == (frame, reason)
    stage.scene.frame_set(4)
    change(stage, True)
    assert outdated(stage) == (None, ""), "what was undone is valid without simulating"
    show(stage)
    assert outdated(stage) == (None, "")
    np.testing.assert_array_equal(frames(stage), before)


@each_change
def test_simulating_looks_at_all_frames(
    stage: Stage, change: Change, frame: int, reason: str
) -> None:
    before = frames(stage)
    stage.scene.frame_set(20)
    change(stage, False)
    assert outdated(stage) == (None, ""), "nobody has looked"
    bpy.ops.xpbd.simulate()
    assert outdated(stage) == (None, "")
    after = frames(stage)
    np.testing.assert_array_equal(after[: frame - 1], before[: frame - 1])
    change(stage, True)
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(frames(stage), before)
    if reason != OFF and reason != BODY:
        assert np.any(after[frame:] != before[frame:], axis=(1, 2)).all()


@each_change
def test_a_frame_that_is_played_tells(
    stage: Stage, change: Change, frame: int, reason: str
) -> None:
    stage.scene.xpbd.lock_cache = True
    stage.scene.frame_set(20)
    change(stage, False)
    bpy.context.view_layer.update()
    play(stage.scene)
    assert outdated(stage) == (frame, reason)


def test_playing_again_from_the_first_frame_simulates_anew(stage: Stage) -> None:
    before = frames(stage)
    stage.scene.frame_set(20)
    weights_of_the_sheet(stage, False)
    bpy.context.view_layer.update()
    play(stage.scene)
    assert outdated(stage) == (3, PINS)
    play(stage.scene)
    assert outdated(stage) == (None, "")
    assert np.any(frames(stage)[2:] != before[2:], axis=(1, 2)).all()


def test_a_collider_that_is_new_goes_or_has_another_name(stage: Stage) -> None:
    bpy.ops.mesh.primitive_cube_add(location=(9.0, 0.0, 0.0))
    post = bpy.context.object
    bpy.ops.object.modifier_add(type="COLLISION")
    assert outdated(stage) == (1, "collision changed")
    bpy.data.objects.remove(post)
    assert outdated(stage) == (None, "")
    stage.body.name = "Renamed"
    assert outdated(stage) == (None, "")
    show(stage)
    assert outdated(stage) == (None, "")
    move_the_target(stage, False)
    assert outdated(stage)[0] == 1


def test_what_is_known_of_frames_lasts(stage: Stage) -> None:
    addon.simulation.session.forget()
    show(stage)
    assert outdated(stage) == (None, "")
    influence_on_the_body(stage, False)
    stage.scene.frame_set(3)
    assert outdated(stage)[1] == BODY
    show(stage)
    assert outdated(stage) == (3, BODY)


def test_frames_of_which_nothing_is_known_are_not_believed(stage: Stage) -> None:
    folder = addon.simulation.session.of(stage.scene).cache.folder
    path = folder / f"{stage.sheet.xpbd.cache_id}.inputs"
    path.write_bytes(path.read_bytes()[:-30])
    addon.simulation.session.forget()
    assert outdated(stage) == (6, "simulated by another version")
    path.unlink()
    addon.simulation.session.forget()
    assert outdated(stage) == (1, "simulated by another version")
    bpy.ops.xpbd.simulate()
    assert outdated(stage) == (None, "")
