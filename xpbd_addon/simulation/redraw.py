# SPDX-License-Identifier: GPL-3.0-or-later
"""Having Blender draw again what tells of simulations, where it would not by itself."""

from __future__ import annotations

from collections.abc import Collection

import bpy

_PHYSICS = {"PROPERTIES", "DOPESHEET_EDITOR"}


def physics(*, viewports: bool = False) -> None:
    """The physics panels, timelines, if wanted viewports."""
    _draw(_PHYSICS | ({"VIEW_3D"} if viewports else set()))


def timelines() -> None:
    """Timelines: while it plays, Blender moves only the frame in them."""
    _draw({"DOPESHEET_EDITOR"})


def _draw(kinds: Collection[str]) -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in kinds:
                area.tag_redraw()
