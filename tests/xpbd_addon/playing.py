# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing the timeline and asking the add-on about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import bpy
from blender_scenes import addon_module


class Addon:
    """Modules of the add-on as attributes, looked up when used: it is enabled after collection."""

    def __getattr__(self, name: str) -> ModuleType:
        return addon_module(name)


addon = Addon()


def play(scene: bpy.types.Scene, last: int | None = None) -> None:
    """Play from the first frame of the simulation to the last, as the timeline does."""
    end = scene.xpbd.frame_end if last is None else last
    for frame in range(scene.xpbd.frame_start, end + 1):
        scene.frame_set(frame)


@contextmanager
def frame_by_frame() -> Iterator[None]:
    """Long simulations read a frame when the last one is done, so that what they do is foreseen."""
    ahead = addon.simulation.read_ahead
    before, ahead.MOST = ahead.MOST, 1
    try:
        yield
    finally:
        ahead.MOST = before


def cached(scene: bpy.types.Scene) -> tuple[int | None, int | None]:
    """First and last cached frame."""
    status = addon.simulation.session.status(scene)
    return status.first, status.last
