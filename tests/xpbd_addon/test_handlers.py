# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender does not draw again by itself."""

from __future__ import annotations

from typing import Literal

import bpy
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon


@pytest.mark.parametrize("simulated", [True, False])
def test_panels_and_timelines_tell_at_once_what_an_edit_outdates(
    simulated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a target of a bone, of which Blender draws viewports only."""
    empty_scene()
    if simulated:
        sheet()
    target = bpy.data.objects.new("Target", None)
    bpy.context.collection.objects.link(target)
    bpy.context.view_layer.update()
    drawn: list[bool] = []

    def physics(*, viewports: bool) -> None:
        drawn.append(viewports)

    monkeypatch.setattr(addon.simulation.redraw, "physics", physics)
    target.location.x = 1.0
    bpy.context.view_layer.update()
    assert drawn == ([True] if simulated else [])


@pytest.mark.parametrize("kind", ["LINK_COPY", "FULL_COPY"])
def test_nothing_goes_wrong_in_copied_scenes(
    kind: Literal["LINK_COPY", "FULL_COPY"], capfd: pytest.CaptureFixture[str]
) -> None:
    empty_scene()
    sheet()
    bpy.context.view_layer.update()
    bpy.ops.scene.new(type=kind)
    for scene in bpy.data.scenes:
        addon.handlers.before_frame(scene)
    assert "Error" not in "".join(capfd.readouterr())
