# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that met are outdated together, and stay so until they are simulated again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from outdating import (
    MET,
    NEW,
    above,
    anew,
    cloth,
    curtain_and_ball,
    frames,
    reasons,
    soften,
)
from playing import addon, cached, play


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
