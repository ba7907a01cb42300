# SPDX-License-Identifier: GPL-3.0-or-later
"""What is carried for hundreds of metres: the origin of single precision goes along."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon

FRAMES = 40


def hanging(speed: float) -> bpy.types.Scene:
    """A sheet that hangs by a row, and is carried from the start, in [m] a frame."""
    scene = empty_scene()
    scene.xpbd.frame_end, scene.xpbd.checkpoint_interval = FRAMES, 7
    obj = sheet(cuts=12)
    obj.xpbd.drag, obj.xpbd.use_initial_velocity = 0.0, True
    # Without keyframes' easing, and exact in single precision.
    obj.driver_add("location", 0).driver.expression = f"{speed} * (frame - 1)"
    scene.frame_set(1)
    return scene


def simulated(scene: bpy.types.Scene) -> np.ndarray:
    (obj,) = addon.simulation.session.simulated_objects(scene)
    assert addon.simulation.job.run_blocking(scene) == FRAMES
    held = addon.simulation.session.cached_positions
    return np.array([held(scene, obj, frame) for frame in range(1, FRAMES + 1)], np.float64)


def test_it_swings_as_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 12 m a frame, up to 468 m away, where 30 µm are a rounding; the origin comes along."""
    origins = []
    advance = addon.simulation.live.advance

    def noted(live: Any, targets: Any) -> None:
        advance(live, targets)
        origins.append(live.origin[0])

    monkeypatch.setattr(addon.simulation.live, "advance", noted)
    still = simulated(hanging(0.0))
    assert not any(origins)
    carried = simulated(hanging(12.0))
    carried[:, :, 0] -= 12.0 * np.arange(FRAMES)[:, None]
    assert np.abs(still[-1] - still[0]).max() > 0.5
    np.testing.assert_allclose(carried, still, atol=1e-3)
    np.testing.assert_allclose(origins[FRAMES - 1 :], 12.0 * np.arange(1, FRAMES), atol=2.0)


@pytest.mark.parametrize("stop", [9, 16])
def test_it_goes_on_from_checkpoints_as_it_was(stop: int) -> None:
    scene = hanging(3.0)
    expected = simulated(scene)
    addon.simulation.session.clear(scene)
    scene.xpbd.frame_end = stop
    assert addon.simulation.job.run_blocking(scene) == stop
    addon.simulation.session.forget()
    scene.xpbd.frame_end = FRAMES
    np.testing.assert_array_equal(simulated(scene), expected)
