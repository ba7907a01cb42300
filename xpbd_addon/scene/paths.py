# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders the add-on writes to: simulated frames and compiled code."""

from __future__ import annotations

import os
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


def kernels_folder() -> Path:
    """Where compiled code is kept: numba's own setting counts, so that computers may share it."""
    chosen = os.environ.get("NUMBA_CACHE_DIR", "")
    return Path(chosen) if chosen else user_folder("kernels")


def cache_folder(scene: bpy.types.Scene, cache_id: str) -> Path:
    """Where the frames of a scene lie: below the folder chosen, else below the extension's own.

    Raises:
        SceneError: the folder is relative to a file that was never saved, or to nothing.
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
    folder = Path(os.path.expanduser(bpy.path.abspath(chosen)))
    if not folder.is_absolute():
        raise SceneError(
            f"The cache folder '{chosen}' is no whole path on this computer: choose a folder, or "
            "begin with // for one beside the .blend file"
        )
    return folder / f"xpbd-{cache_id}"


def document(scene: bpy.types.Scene, folder: Path) -> str:
    """How a cache in a folder remembers the .blend file that is open; empty if never saved.

    Where the folder lies beside the file both may be moved or copied together.
    """
    file = bpy.data.filepath
    if file and scene.xpbd.cache_directory.startswith("//"):
        return os.path.relpath(file, folder)
    return str(file)


def is_of_another_file(folder: Path, document: str) -> bool:
    """Whether what a cache remembers is a .blend file that is there, and not the one that is open.

    One that was renamed or moved is not there any more, and its cache goes with it.
    """
    path, file = folder / document, bpy.data.filepath
    if not document or not os.path.exists(path):
        return False
    return not os.path.exists(file) or not os.path.samefile(path, file)
