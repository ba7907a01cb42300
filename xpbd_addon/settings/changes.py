# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is told when the user changes a setting.

Settings know nobody above them: whoever depends on them puts a function on a list here, as
`handlers` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

Update = Callable[[Any, bpy.types.Context], None]

OVERRIDE: set[Any] = {"LIBRARY_OVERRIDABLE"}
"""Of all properties of objects: a library override has its own."""

KEYABLE: set[Any] = {"ANIMATABLE"}
"""Of settings that may change over time; those of others are empty, so that nothing lies."""

on_change: list[Callable[[], None]] = []
"""Called after any change that a simulation depends on."""

on_use: list[Callable[[bpy.types.Object], None]] = []
"""Called before those, with the object that was made a simulated or an ordinary one."""


def changed(settings: Any, _context: bpy.types.Context) -> None:
    """The update function of settings that a simulation depends on.

    Keyframes of views write to evaluated copies, which is no change.
    """
    if settings.id_data.is_evaluated:
        return
    for tell in on_change:
        tell()


def use_changed(settings: Any, context: bpy.types.Context) -> None:
    """The update function of ``Object.xpbd.use``."""
    for tell in on_use:
        tell(settings.id_data)
    changed(settings, context)
