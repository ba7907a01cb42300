# SPDX-License-Identifier: GPL-3.0-or-later
"""One line at the bottom of 3D viewports: the most important message, none where all is well.

Text Info, among the viewport's overlays, switches it off with Blender's own texts.
"""

from __future__ import annotations

from typing import Any

import blf
import bpy

from . import messages
from .drawing import Drawing

_FONT = 0
_SIZE, _MARGIN = 12.0, 20.0  # pixels, before the user's scale
_COLORS = {"WARNING": (1.0, 0.78, 0.3, 1.0), "WAIT": (0.9, 0.9, 0.9, 1.0)}
_SHADOW = (0.0, 0.0, 0.0, 0.8)
_SHELF = {"ASSET_SHELF", "ASSET_SHELF_HEADER"}


def draw() -> None:
    """Draw it in the region that is being drawn."""
    context = bpy.context
    space, region = context.space_data, context.region
    if not isinstance(space, bpy.types.SpaceView3D) or not is_wanted(space.overlay):
        return
    message = messages.of_scene(context.scene)
    if message is None:
        return
    scale = context.preferences.system.ui_scale
    blf.size(_FONT, _SIZE * scale)
    text = fitted(message.text, region.width - 2.0 * _MARGIN * scale)
    shelf = sum(each.height for each in context.area.regions if each.type in _SHELF)
    left = 0.5 * (region.width - blf.dimensions(_FONT, text)[0])
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, 5, *_SHADOW)
    blf.color(_FONT, *_COLORS[message.level])
    blf.position(_FONT, left, _MARGIN * scale + shelf, 0.0)
    blf.draw(_FONT, text)
    blf.disable(_FONT, blf.SHADOW)


def is_wanted(overlay: Any) -> bool:
    """Whether a viewport of these overlays shows texts."""
    return bool(overlay.show_overlays and overlay.show_text)


def fitted(text: str, width: float) -> str:
    """As much of a text as fits into a width [pixels]."""
    shown = text
    while len(text) > 1 and blf.dimensions(_FONT, shown)[0] > width:
        text = text[:-1]
        shown = f"{text.rstrip()}…"
    return shown


_drawing = Drawing(bpy.types.SpaceView3D, draw)
register, unregister = _drawing.register, _drawing.unregister
