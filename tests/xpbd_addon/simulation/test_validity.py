# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that can't touch outdate nothing of each other; those that met do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, evaluated_positions, sheet
from numpy.typing import NDArray
from playing import addon, cached, frame_by_frame, play

NEW, MET = "not simulated yet", "what it met has changed"
Reasons = dict[str, str]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of what is simulated together, each time that something is."""
    found: list[list[str]] = []
    build = addon.simulation.live.build

    def watched(inputs: object, *cancelled: object) -> object:
        found.append([body.name for body in inputs.bodies])
        return build(inputs, *cancelled)

    monkeypatch.setattr(addon.simulation.live, "build", watched)
    return found


def cloth(name: str, x: float = 0.0, z: float = 1.0, *, pinned: bool = True) -> bpy.types.Object:
    obj = sheet(name, cuts=4)
    obj.location.x, obj.location.z = x, z
    obj.xpbd.pin_group = "Pins" if pinned else ""
    return obj


def curtain_and_ball() -> tuple[bpy.types.Object, bpy.types.Object]:
    """Far apart from each other."""
    return cloth("Curtain"), cloth("Ball", 6.0, pinned=False)


def above(lower: bpy.types.Object, name: str = "Upper", by: float = 0.05) -> bpy.types.Object:
    """Another one over it that falls."""
    return cloth(name, lower.location.x, lower.location.z + by, pinned=False)


def reasons(scene: bpy.types.Scene) -> Reasons:
    """Why each object has to be simulated, by its name; empty where it need not be."""
    status = addon.simulation.session.status(scene, exact=True)
    names = {obj.session_uid: obj.name for obj in scene.objects}
    return {names[uid]: known.reason for uid, known in status.objects.items()}


def frames(scene: bpy.types.Scene, obj: bpy.types.Object) -> NDArray[np.float32]:
    """Its cached positions, shape (frames, n, 3)."""
    found = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in FRAMES]
    return np.array(found)


def anew(scene: bpy.types.Scene, *objects: bpy.types.Object) -> list[NDArray[np.float32]]:
    """The frames of objects when everything is simulated from nothing."""
    addon.simulation.session.clear(scene)
    bpy.ops.xpbd.simulate()
    return [frames(scene, obj) for obj in objects]


# --- objects far from each other -----------------------------------------------------------------


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


def soften(obj: bpy.types.Object) -> None:
    obj.xpbd.stretch_stiffness = 7.0


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


# --- objects that meet ---------------------------------------------------------------------------


def test_what_met_is_outdated_together(scene: bpy.types.Scene) -> None:
    curtain, ball = curtain_and_ball()
    upper = above(ball)
    bpy.ops.xpbd.simulate()
    soften(upper)
    assert reasons(scene) == {"Curtain": "", "Ball": MET, "Upper": "material changed"}
    bpy.ops.xpbd.simulate()
    soften(curtain)
    assert reasons(scene) == {"Curtain": "material changed", "Ball": "", "Upper": ""}
    bpy.data.objects.remove(upper)
    assert reasons(scene) == {"Curtain": "material changed", "Ball": MET}


def test_what_met_stays_known_when_the_file_is_opened_again(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    _curtain, ball = curtain_and_ball()
    above(ball)
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    scene = bpy.context.scene
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Upper": ""}
    soften(bpy.data.objects["Ball"])
    assert reasons(scene) == {"Curtain": "", "Ball": "material changed", "Upper": MET}


def test_what_met_what_met_it_is_outdated_too(scene: bpy.types.Scene) -> None:
    _curtain, ball = curtain_and_ball()
    above(above(ball), "Uppermost")
    bpy.ops.xpbd.simulate()
    soften(ball)
    found = {"Ball": "material changed", "Upper": MET, "Uppermost": MET, "Curtain": ""}
    assert reasons(scene) == found


def test_those_that_ignore_each_other_have_not_met(scene: bpy.types.Scene) -> None:
    curtain = cloth("Curtain")
    upper = above(curtain)
    upper.xpbd.collision_collection = bpy.data.collections.new("Nothing")
    bpy.ops.xpbd.simulate()
    before = frames(scene, curtain)
    soften(upper)
    assert reasons(scene) == {"Curtain": "", "Upper": "material changed"}
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(frames(scene, curtain), before)
    upper.xpbd.collision_collection = None
    assert set(reasons(scene).values()) == {"collision changed"}


def test_one_that_is_added_and_ignored(scene: bpy.types.Scene, simulated: list[list[str]]) -> None:
    curtain = cloth("Curtain")
    curtain.xpbd.collision_collection = bpy.data.collections.new("Nothing")
    bpy.ops.xpbd.simulate()
    upper = above(curtain)
    assert reasons(scene) == {"Curtain": "", "Upper": NEW}
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain"], ["Upper"]]
    assert reasons(scene) == {"Curtain": "", "Upper": ""}
    found = [frames(scene, obj) for obj in (curtain, upper)]
    np.testing.assert_array_equal(found, anew(scene, curtain, upper))
    curtain.xpbd.collision_collection.objects.link(upper)
    assert set(reasons(scene).values()) == {"collision changed"}


@pytest.mark.parametrize("by", [0.05, 0.12])
def test_one_that_is_added_where_it_meets_another(
    scene: bpy.types.Scene, simulated: list[list[str]], by: float
) -> None:
    """That can't be known before it is simulated; then both are, from the first frame."""
    curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    before = [frames(scene, obj) for obj in (curtain, ball)]
    upper = above(curtain, by=by)
    assert reasons(scene) == {"Curtain": "", "Ball": "", "Upper": NEW}
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Upper"], ["Curtain", "Upper"]]
    assert not any(reasons(scene).values())
    np.testing.assert_array_equal(frames(scene, ball), before[1])
    found = [frames(scene, obj) for obj in (curtain, upper)]
    assert not np.array_equal(found[0], before[0])
    np.testing.assert_array_equal(found, anew(scene, curtain, upper))
    soften(upper)
    assert reasons(scene) == {"Curtain": MET, "Ball": "", "Upper": "material changed"}


def test_one_that_is_added_where_it_meets_another_that_is_to_go_on(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    upper = above(curtain, by=0.12)
    scene.xpbd.frame_end = 7
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Curtain", "Ball", "Upper"]]
    found = [frames(scene, obj) for obj in (curtain, ball, upper)]
    np.testing.assert_array_equal(found, anew(scene, curtain, ball, upper))


@pytest.mark.parametrize("fill", [bpy.ops.xpbd.simulate, None], ids=["simulated", "played"])
def test_playing_stops_where_one_that_is_new_meets_another(
    scene: bpy.types.Scene, simulated: list[list[str]], fill: Callable[[], object] | None
) -> None:
    curtain, ball = curtain_and_ball()
    (fill or (lambda: play(scene)))()
    before = frames(scene, curtain)
    upper = above(curtain, by=0.2)
    play(scene)
    status = addon.simulation.session.status(scene, exact=True)
    assert "Frame 5: 'Curtain' was simulated without what comes near it now" in status.error
    assert cached(scene) == (1, 4)
    assert reasons(scene) == {"Curtain": MET, "Ball": "", "Upper": ""}
    np.testing.assert_array_equal(frames(scene, curtain), before)
    if fill is None:
        play(scene)
    else:
        bpy.ops.xpbd.simulate()
    assert not addon.simulation.session.status(scene, exact=True).error
    assert simulated == [["Curtain", "Ball"], ["Upper"], ["Curtain", "Upper"]]
    assert not any(reasons(scene).values())
    found = [frames(scene, obj) for obj in (curtain, ball, upper)]
    np.testing.assert_array_equal(found, anew(scene, curtain, ball, upper))


def test_what_follows_a_simulated_object_is_outdated_with_it(scene: bpy.types.Scene) -> None:
    curtain, ball = curtain_and_ball()
    tassel = cloth("Tassel", 12.0)
    tassel.parent, tassel.parent_type = curtain, "VERTEX"
    bpy.ops.xpbd.simulate()
    soften(ball)
    assert reasons(scene) == {"Curtain": "", "Ball": "material changed", "Tassel": ""}
    soften(curtain)
    assert reasons(scene)["Tassel"] == MET


# --- colliders -----------------------------------------------------------------------------------


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


# --- unfinished and foreign caches ---------------------------------------------------------------


def halfway(scene: bpy.types.Scene) -> Iterator[None]:
    """A simulation that Esc stops after its third frame."""
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.poll():
            if job.frames_done == 3:
                job.cancel()
            yield


def test_what_was_stopped_goes_on_beside_what_is_complete(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    third = cloth("Third", 12.0)
    list(halfway(scene))
    assert cached(scene) in ((1, 3), (1, 4))
    assert not any(reasons(scene).values())
    assert not addon.simulation.session.is_complete(scene)
    scene.frame_set(6)
    np.testing.assert_allclose(evaluated_positions(curtain), frames(scene, curtain)[5], atol=1e-6)
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Third"]]
    found = [frames(scene, obj) for obj in (curtain, ball, third)]
    np.testing.assert_array_equal(found, anew(scene, curtain, ball, third))


def test_what_is_complete_goes_on_when_the_end_moves(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    cloth("Third", 12.0)
    bpy.ops.xpbd.simulate()
    scene.xpbd.frame_end = 8
    bpy.ops.xpbd.simulate()
    assert simulated[2:] == [["Curtain", "Ball", "Third"]]
    assert cached(scene) == (1, 8)
    last = [addon.simulation.session.cached_positions(scene, obj, 8) for obj in (curtain, ball)]
    anew(scene)
    again = [addon.simulation.session.cached_positions(scene, obj, 8) for obj in (curtain, ball)]
    np.testing.assert_array_equal(last, again)


def rewrite(scene: bpy.types.Scene, change: Callable[[dict[str, object]], None]) -> None:
    """Change what stands in ``cache.json``, as whoever made it may have."""
    path = Path(addon.simulation.session.of(scene).cache.folder) / "cache.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    addon.simulation.session.forget()


def test_having_met_what_is_not_cached_outdates(scene: bpy.types.Scene) -> None:
    curtain, _ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()

    def meet(content: dict[str, dict[str, dict[str, list[str]]]]) -> None:
        content["objects"][curtain.xpbd.cache_id]["met"] = ["nobody"]

    rewrite(scene, meet)  # type: ignore[arg-type]
    assert reasons(scene) == {"Curtain": MET, "Ball": ""}


def test_frames_with_other_measures_are_not_gone_on_with(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    curtain_and_ball()
    bpy.ops.xpbd.simulate()
    rewrite(scene, lambda content: content["measures"].pop())
    assert set(reasons(scene).values()) == {"simulated by another version"}
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"]] * 2
    assert not any(reasons(scene).values())


def test_measures_that_are_damaged_are_none_and_simulated_again(
    scene: bpy.types.Scene, simulated: list[list[str]]
) -> None:
    """What the object has been near is not known without them."""
    curtain, ball = curtain_and_ball()
    bpy.ops.xpbd.simulate()
    path = Path(addon.simulation.session.of(scene).cache.folder) / f"{curtain.xpbd.cache_id}.f32"
    path.write_bytes(b"\xff" * path.stat().st_size)
    addon.simulation.session.forget()
    known = [addon.simulation.session.cached_measures(scene, obj, 3) for obj in (curtain, ball)]
    assert known[0] is None
    assert known[1] is not None
    cloth("Third", 12.0)
    bpy.ops.xpbd.simulate()
    assert simulated == [["Curtain", "Ball"], ["Curtain", "Third"]]
    assert not any(reasons(scene).values())


def test_frames_of_an_earlier_version_are_told_of_and_replaced(scene: bpy.types.Scene) -> None:
    curtain = cloth("Curtain")
    bpy.ops.xpbd.simulate()

    def turn_back(content: dict[str, object]) -> None:
        content |= {"format": 2, "point_counts": {curtain.xpbd.cache_id: 25}}
        del content["objects"], content["document"]

    rewrite(scene, turn_back)
    status = addon.simulation.session.status(scene, exact=True)
    assert (status.first, status.earlier, status.outdated) == (None, True, False)
    scene.frame_set(6)
    np.testing.assert_allclose(evaluated_positions(curtain)[:, 2], 1.0)
    bpy.ops.xpbd.simulate()
    assert reasons(scene) == {"Curtain": ""}
    assert not addon.simulation.session.status(scene, exact=True).earlier


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
