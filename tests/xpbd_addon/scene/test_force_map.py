# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in cloth as attributes, against what it carries."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from playing import addon, play

CUTS = 10


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.gravity = (0.0, 9.81, 0.0)  # away from the pinned row, in the plane
    made.xpbd.automatic, made.xpbd.substeps = False, 30
    return made


def hanging(frames: int) -> bpy.types.Object:
    """A sheet of 2 m that hangs at rest by its pinned row, in the direction of y."""
    scene = bpy.context.scene
    obj = sheet(cuts=CUTS)
    obj.xpbd.stretch_stiffness, obj.xpbd.areal_density, obj.xpbd.drag = 1000.0, 0.3, 15.0
    obj.xpbd.poisson_ratio, obj.xpbd.membrane = 0.0, "CONTINUUM"
    obj.xpbd.use_tension_map = obj.xpbd.use_force_map = True
    scene.xpbd.frame_end = frames
    scene.frame_set(FRAMES.start)
    play(scene)
    return obj


def shown(obj: bpy.types.Object, name: str) -> np.ndarray:
    """As materials see it: of the evaluated mesh."""
    mesh: Any = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    values = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes[name].data.foreach_get("value", values)
    return values


def test_a_hanging_sheet_carries_what_is_below(scene: bpy.types.Scene) -> None:
    """ρ g (L - s) along y, which is the weft; what is seen of a frame is that of the frame."""
    obj = hanging(40)
    y = np.array([vertex.co.y for vertex in obj.data.vertices])
    inner = np.abs(y) < 0.7
    expected = 0.3 * 9.81 * (1.0 - y[inner])
    for name in ("xp_force", "xp_force_weft"):
        np.testing.assert_allclose(shown(obj, name)[inner], expected, rtol=0.06, atol=0.05)
    np.testing.assert_allclose(shown(obj, "xp_force_warp")[inner], 0.0, atol=0.25)
    scene.frame_set(FRAMES.start)
    np.testing.assert_allclose(shown(obj, "xp_force"), 0.0, atol=1e-3)
    scene.frame_set(40)
    np.testing.assert_allclose(shown(obj, "xp_force")[inner], expected, rtol=0.06, atol=0.05)


def test_nothing_of_it_stays(scene: bpy.types.Scene) -> None:
    obj = hanging(3)
    names = addon.scene.tension_nodes.FORCES

    def kept() -> list[str]:
        return [name for name in names if obj.data.attributes.get(name) is not None]

    assert len(kept()) == 3
    addon.handlers.before_save(scene)
    assert kept() == []
    scene.frame_set(3)
    assert len(kept()) == 3
    obj.xpbd.use_force_map = False
    assert kept() == []
    obj.xpbd.use_force_map = True
    assert len(kept()) == 3
    bpy.ops.xpbd.simulate()
    bpy.ops.xpbd.bake_shape_keys()
    scene.frame_set(2)
    assert kept() == []


def test_what_does_not_give_has_none(scene: bpy.types.Scene) -> None:
    obj = hanging(2)
    obj.xpbd.stretch_compliance = 0.0
    scene.frame_set(FRAMES.start)
    assert obj.data.attributes.get("xp_force") is None


def test_viewports_show_it_with_its_unit(scene: bpy.types.Scene) -> None:
    scene.xpbd.tension_shown, scene.xpbd.tension_force = "FORCE", 25.0
    overlay = addon.interface.tension_overlay
    assert overlay.shown(scene) == ("xp_force", "Force", 25.0, "25 N/m")
