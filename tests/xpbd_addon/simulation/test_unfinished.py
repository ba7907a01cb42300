# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches that were not finished, are of other versions, or damaged: what is gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
from blender_scenes import evaluated_positions
from outdating import (
    MET,
    anew,
    cloth,
    curtain_and_ball,
    frames,
    reasons,
)
from playing import addon, cached, frame_by_frame


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
