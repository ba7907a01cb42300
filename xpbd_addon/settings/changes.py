# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is told when the user changes a setting.

Settings know nobody above them: whoever depends on them puts a function on a list here, as
`handlers` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

OVERRIDE: set[Any] = {"LIBRARY_OVERRIDABLE"}
"""Of all properties of objects: a library override has its own."""

KEYABLE: set[Any] = {"ANIMATABLE"}
"""Of settings that may change over time; those of others are empty, so that nothing lies."""

on_change: list[Callable[[], None]] = []
"""Called after any change that a simulation depends on."""

on_map: list[Callable[[bpy.types.Object], None]] = []
"""Called after an object got a tension map, or lost it."""

on_look: list[Callable[[], None]] = []
"""Called when viewports are to show something else."""

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


def map_changed(settings: Any, _context: bpy.types.Context) -> None:
    """The update function of ``Object.xpbd.use_tension_map``."""
    for tell in on_map:
        tell(settings.id_data)


def use_changed(settings: Any, context: bpy.types.Context) -> None:
    """The update function of ``Object.xpbd.use``."""
    for tell in on_use:
        tell(settings.id_data)
    changed(settings, context)


def setting(make: Callable[..., Any], *, keyable: bool = False, **options: Any) -> Any:
    """A setting of objects that a simulation depends on.

    Args:
        make: of ``bpy.props``.
        keyable: whether it may change over time.
        options: for ``make``, whose ``get`` and ``set`` make it a view of another setting, which
            tells of its changes itself.
    """
    told = {} if "get" in options else {"update": changed}
    keys = KEYABLE if keyable else set()
    return make(**{"options": keys, "override": OVERRIDE} | told | options)


def time_taken(name: str, description: str) -> Any:
    """A setting for the seconds that something takes from the first frame on."""
    return setting(
        bpy.props.FloatProperty,
        name=name,
        description=description,
        default=1.0,
        min=0.0,
        max=1000.0,
        soft_max=10.0,
        precision=2,
        subtype="TIME_ABSOLUTE",
    )
