# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that can't touch outdate nothing of each other."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from blender_scenes import evaluated_positions
from outdating import (
    NEW,
    anew,
    cloth,
    curtain_and_ball,
    frames,
    reasons,
    soften,
)
from playing import addon, cached, play


@pytest.mark.parametrize("fill", [bpy.ops.xpbd.simulate, None], ids=["simulated", "played"])
def test_one_that_is_added_outdates_no_other(
    scene: bpy.types.Scene, simulated: list[list[str]], fill: Callable[[], object] | None
) -> None:
    curtain, ball = curtain_and_ball()
    (fill or (lambda: play(scene)))()
    before = [frames(scene, obj) for obj in (curtain, ball)]
    third = cloth("Third", 12.0)
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Third": NEW}
    assert cached(scene) == (1, 6)
    scene.frame_set(5)
    np.testing.assert_allclose(evaluated_positions(curtain), before[0][4], atol=1e-6)
    np.testing.assert_allclose(evaluated_positions(ball), before[1][4], atol=2e-6)
    np.testing.assert_allclose(evaluated_positions(third)[:, 2], 1.0)
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Third"]]
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Third": ""}
    np.testing.assert_array_equal([frames(scene, obj) for obj in (curtain, ball)], before)
    after = frames(scene, third)
    assert np.ptp(after[:, :, 2], axis=0).max() > 0.01
    np.testing.assert_array_equal(anew(scene, third, curtain, ball), [after, *before])


def test_playing_simulates_only_what_is_new(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain, _ball = curtain_and_ball()
    play(scene)
    before = frames(scene, curtain)
    third = cloth("Third", 12.0)
    play(scene)
    assert simulated == [["Curtain", "Ball"], ["Third"]]
    assert not any(reasons(scene).values())
    after = frames(scene, third)
    assert after.shape == before.shape
    np.testing.assert_array_equal(anew(scene, third, curtain), [after, before])


def lift_a_corner(obj: bpy.types.Object) -> None:
    obj.data.vertices[0].co.z += 0.1


def unpin(obj: bpy.types.Object) -> None:
    obj.vertex_groups["Pins"].remove([0])
    addon.scene.fingerprint.forget_meshes()


def carry_away(obj: bpy.types.Object) -> None:
    obj.location.y += 0.1


CHANGES = {
    "material changed": soften,
    "mesh changed": lift_a_corner,
    "pins changed": unpin,
    "the pins of 'Curtain' move differently": carry_away,
}


@pytest.mark.parametrize("reason", CHANGES)
def test_a_change_outdates_only_the_object_itself(
    scene: bpy.types.Scene, simulated: list[list[str]], reason: str
) -> None:
    curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    before = [frames(scene, obj) for obj in (curtain, ball)]
    CHANGES[reason](curtain)
    assert reasons(scene) == {"Curtain": reason, "Ball": ""}
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Curtain"]]
    assert not any(reasons(scene).values())
    assert np.abs(frames(scene, curtain) - before[0]).max() > 1e-3
    np.testing.assert_array_equal(frames(scene, ball), before[1])


def test_what_leads_the_pins_outdates_only_what_it_leads(scene: bpy.types.Scene) -> None:
    curtain, _ball = curtain_and_ball()
    bpy.ops.object.empty_add()
    rod = bpy.context.object
    curtain.parent = rod
    bpy.ops.xpbd.simulate()
    rod.location.y = 0.5
    assert reasons(scene) == {"Curtain": "the pins of 'Curtain' move differently", "Ball": ""}
    rod.location.y = 0.0
    assert reasons(scene) == {"Curtain": "", "Ball": ""}


def change_gravity(scene: bpy.types.Scene) -> None:
    scene.gravity[2] = -5.0


def change_substeps(scene: bpy.types.Scene) -> None:
    scene.xpbd.substeps = 3


def test_playing_goes_on_when_one_is_added_on_the_way(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain, ball = curtain_and_ball()
    play(scene, 3)
    third = cloth("Third", 12.0)
    scene.frame_set(3)
    scene.frame_set(4)
    assert cached(scene) == (1, 4)
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Third": NEW}
    play(scene)
    assert simulated == [["Curtain", "Ball"], ["Curtain", "Ball", "Third"]]
    found = [frames(scene, obj) for obj in (curtain, ball, third)]
    np.testing.assert_array_equal(found, anew(scene, curtain, ball, third))


def test_playing_beside_what_simulate_made(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    """It adds what is new; what is outdated is kept where the cache is locked, else replaced."""
    _curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    third = cloth("Third", 12.0)
    play(scene)
    assert simulated == [["Curtain", "Ball"], ["Third"]]
    assert not any(reasons(scene).values())
    scene.xpbd.lock_cache = True
    soften(third)
    play(scene)
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Third": "material changed"}
    lift_a_corner(third)
    bpy.data.objects.remove(ball)
    cloth("Fourth", 18.0)
    play(scene)
    assert reasons(scene) == {"Curtain": "", "Third": "material changed", "Fourth": NEW}
    assert len(simulated) == 2
    scene.xpbd.lock_cache = False
    play(scene)
    assert simulated[2:] == [["Third", "Fourth"]]
    assert reasons(scene) == {"Curtain": "", "Third": "", "Fourth": ""}


def change_start(scene: bpy.types.Scene) -> None:
    scene.xpbd.frame_start = 2


def change_rate(scene: bpy.types.Scene) -> None:
    scene.render.fps = 25


@pytest.mark.parametrize("change", [change_gravity, change_substeps, change_start, change_rate])
def test_what_all_share_outdates_all(
    scene: bpy.types.Scene, change: Callable[[bpy.types.Scene], None]
) -> None:
    curtain_and_ball()
    bpy.ops.xpbd.simulate()
    change(scene)
    assert all(reasons(scene).values())


def test_one_that_goes_outdates_no_other(scene: bpy.types.Scene) -> None:
    _curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    bpy.data.objects.remove(ball)
    assert reasons(scene) == {"Curtain": ""}
    assert addon.simulation.session.is_complete(scene)


def test_one_that_is_baked_outdates_no_other(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain, ball = curtain_and_ball()
    bpy.ops.object.select_all(action="DESELECT")
    ball.select_set(True)
    bpy.ops.xpbd.bake_shape_keys(selected_only=True)
    assert reasons(scene) == {"Curtain": ""}
    before = frames(scene, curtain)
    soften(curtain)
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Curtain"]]
    assert np.abs(frames(scene, curtain) - before).max() > 1e-3
    ball.select_set(True)
    bpy.ops.xpbd.unbake(selected_only=True)
    assert reasons(scene) == {"Curtain": "", "Ball": NEW}


def test_a_copy_that_has_no_frames_of_its_own_yet(scene: bpy.types.Scene) -> None:
    curtain, _ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    twin = curtain.copy()
    twin.name = "Twin"
    scene.collection.objects.link(twin)
    assert twin.xpbd.cache_id == curtain.xpbd.cache_id
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Twin": NEW}


def collider(name: str, x: float) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(location=(x, 0.0, -3.0))
    bpy.context.object.name = name
    bpy.ops.object.modifier_add(type="COLLISION")
    return bpy.context.object


def test_a_collider_outdates_only_what_does_not_ignore_it(scene: bpy.types.Scene) -> None:
    curtain, _ball = curtain_and_ball()
    floor, wall = collider("Floor", 0.0), collider("Wall", 6.0)
    chosen = bpy.data.collections.new("Chosen")
    chosen.objects.link(floor)
    curtain.xpbd.collision_collection = chosen
    bpy.ops.xpbd.simulate()
    assert reasons(scene) == {"Curtain": "", "Ball": ""}
    wall.location.z -= 0.5
    assert reasons(scene) == {"Curtain": "", "Ball": "the collider 'Wall' moves differently"}
    floor.location.z -= 0.5
    moves = "the collider 'Floor' moves differently"
    assert reasons(scene) == {"Curtain": moves, "Ball": moves}
    floor.location.z += 0.5
    assert reasons(scene) == {"Curtain": "", "Ball": "the collider 'Wall' moves differently"}
    bpy.data.objects.remove(wall)
    assert reasons(scene) == {"Curtain": "", "Ball": "collision changed"}
    collider("Post", 3.0)
    assert reasons(scene)["Curtain"] == ""


def test_an_unpinned_object_that_is_moved_beyond_its_first_frame_is_outdated_at_once(
    scene: bpy.types.Scene,
) -> None:
    _curtain, ball = curtain_and_ball()
    rack = bpy.data.objects.new("Rack", None)
    scene.collection.objects.link(rack)
    ball.parent = rack
    addon.simulation.job.run_blocking(scene)
    scene.frame_set(4)
    for moved in (ball, rack):
        moved.location.y += 1.0
        bpy.context.view_layer.update()
        assert reasons(scene) == {"Curtain": "", "Ball": "object moved"}
        moved.location.y -= 1.0
        bpy.context.view_layer.update()
        assert reasons(scene)["Ball"] == ""
    ball.keyframe_insert("location", frame=1)  # of where it is
    bpy.context.view_layer.update()
    assert reasons(scene)["Ball"] == ""
