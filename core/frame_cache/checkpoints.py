# SPDX-License-Identifier: GPL-3.0-or-later
"""The checkpoints beside the frames of a cache: from where a simulation can go on.

Each belongs to frames that its objects have: it counts as long as the cache holds these very
frames, as the token and the checksums tell. So nothing has to be kept in step, whatever dies when.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from . import checkpoint_file
from .cache import FrameCache
from .checkpoint_file import Arrays, CheckpointHead, path_of


def write(
    cache: FrameCache,
    frame: int,
    object_ids: Sequence[str],
    arrays: Arrays,
    *,
    spacing: int = 1,
    first: int = 0,
) -> None:
    """Keep a checkpoint of a frame that some objects have, and fewer of the older ones.

    Args:
        spacing: frames from one to the next, as they are made.
        first: the first frame.

    Raises:
        CacheError: the disk is full or can't be written, or somebody else writes there.
    """
    marks = {each: cache.mark_of(each, frame) for each in object_ids}
    assert all(marks.values()), "a checkpoint is written after its frame"
    with cache.writing():
        checkpoint_file.write(path_of(cache.folder, frame), CheckpointHead(frame, marks), arrays)
        for path in checkpoint_file.files(cache.folder):
            older = checkpoint_file.frame_of(path)
            if older < frame and not is_kept(older, frame, spacing, first):
                checkpoint_file.remove(path)


def held(cache: FrameCache) -> list[CheckpointHead]:
    """Those that belong to frames that are held, the last one first."""
    try:
        heads = [checkpoint_file.read_head(path) for path in checkpoint_file.files(cache.folder)]
    except OSError:
        return []
    found = [head for head in heads if head is not None and _belongs(cache, head)]
    return sorted(found, key=lambda head: head.frame, reverse=True)


def read(cache: FrameCache, head: CheckpointHead) -> dict[str, NDArray[Any]] | None:
    """The arrays of a checkpoint that is held; None where it is damaged, or gone."""
    try:
        found = checkpoint_file.read(path_of(cache.folder, head.frame))
    except OSError:
        return None
    return found[1] if found is not None and found[0] == head else None


def drop_stale(cache: FrameCache) -> None:
    """Delete those that belong to no frames that are held. Raises CacheError."""
    known = {head.frame for head in held(cache)}
    with cache.writing():
        for path in checkpoint_file.files(cache.folder):
            if checkpoint_file.frame_of(path) not in known:
                checkpoint_file.remove(path)


def is_kept(frame: int, newest: int, spacing: int, first: int) -> bool:
    """Whether a checkpoint stays: of those that are 2ⁿ to 2ⁿ⁺¹ spacings old every 2ⁿ⁻¹-th.

    But so many that all frames are divided in eight parts at least.
    """
    (number, odd), last = divmod(frame - first, spacing), (newest - first) // spacing
    doublings = min((last - number).bit_length() - 2, last.bit_length() - 4)
    return frame == newest or (odd == 0 and number % (1 << max(0, doublings)) == 0)


def _belongs(cache: FrameCache, head: CheckpointHead) -> bool:
    marks = head.frames.items()
    return bool(marks) and all(cache.mark_of(each, head.frame) == mark for each, mark in marks)
