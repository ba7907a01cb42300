# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be so of a cache, whatever has happened to it."""

from __future__ import annotations

from pathlib import Path

from core.frame_cache import FrameCache, checkpoint_file, checkpoints

from .work import LAST, OBJECT, reference

MOST_FILES = 16
"""Of one object: its four, two of the folder, checkpoints, and what a dying program left of two."""


class Wrong(AssertionError):
    """Something is not as it must be."""


def last_frame(folder: Path) -> int:
    """The last frame that is shown of a cache, 0 without any, each of them as it should be.

    Raises:
        Wrong: one is another, or files pile up.
    """
    cache = FrameCache(folder)
    cache.verify()
    last = cache.last_frame_of(OBJECT) or 0
    for frame in range(1, last + 1):
        held = cache.read(OBJECT, frame)
        if held is not None and held.tobytes() != reference()[frame - 1]:
            raise Wrong(f"frame {frame} is shown, and is another one")
    files = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    if len(files) > MOST_FILES:
        raise Wrong(f"files pile up: {sorted(files)}")
    for head in checkpoints.held(cache):
        if head.frame > last:
            raise Wrong(f"the checkpoint of frame {head.frame} has no frame")
    return last


def is_whole(folder: Path) -> None:
    """Raise Wrong unless all frames are there, with a checkpoint of the last."""
    if (last := last_frame(folder)) != LAST:
        raise Wrong(f"only {last} frames are there in the end")
    if not checkpoint_file.path_of(folder, LAST).exists():
        raise Wrong("there is no checkpoint in the end")


def is_cleared(folder: Path) -> None:
    """Clear a cache. Raises Wrong where something is left."""
    FrameCache(folder).clear()
    if folder.exists():
        raise Wrong(f"left after clearing: {sorted(path.name for path in folder.iterdir())}")
