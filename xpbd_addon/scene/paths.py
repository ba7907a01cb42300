# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders the add-on writes to: simulated frames and compiled code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import bpy

from ..errors import SceneError

# The package of the extension, which owns the user folder: bl_ext.<repository>.xpbd
EXTENSION = __package__.rsplit(".", 2)[0]


@cache
def user_folder(name: str) -> Path:
    """A folder of the extension's own that outlives updates; it need not exist yet."""
    return Path(bpy.utils.extension_path_user(EXTENSION, path=name))


def cache_folder(scene: bpy.types.Scene, cache_id: str) -> Path:
    """Where the frames of a scene lie: below the folder chosen, else below the extension's own.

    Raises:
        SceneError: the folder is relative to a file that was never saved.
    """
    return _cache_folder(scene.xpbd.cache_directory, cache_id, bpy.data.filepath)


@cache
def _cache_folder(chosen: str, cache_id: str, file: str) -> Path:
    if not chosen:
        return user_folder("cache") / cache_id
    if chosen.startswith("//") and not file:
        raise SceneError(
            f"The cache folder '{chosen}' lies beside the .blend file: save the file first, "
            "or choose a folder that does not begin with //"
        )
    return Path(bpy.path.abspath(chosen)) / f"xpbd-{cache_id}"
