# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over Blender's own editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

Objects = list[bpy.types.Object]


def objects_overlaid(find: Callable[[bpy.types.Context], Objects]) -> Objects:
    """What is found to be drawn on in the region being drawn; nothing where overlays are off."""
    context = bpy.context
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return []
    return find(context)


class Drawing:
    """Draws in the main region of all editors of a kind, from `register` to `unregister`.

    Args:
        space: the kind, as `bpy.types.SpaceView3D`.
        draw: called for each region that is being drawn.
        place: POST_PIXEL for drawing in the region's pixels, POST_VIEW in what it looks at.
    """

    def __init__(self, space: Any, draw: Callable[[], None], place: str = "POST_PIXEL") -> None:
        self._space = space
        self._draw = draw
        self._place = place
        self._handle: Any = None

    def register(self) -> None:
        """Draw from now on."""
        self._handle = self._space.draw_handler_add(self._draw, (), "WINDOW", self._place)

    def unregister(self) -> None:
        """Draw no more."""
        if self._handle is not None:
            self._space.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None
