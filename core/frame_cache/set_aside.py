# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that are about to be replaced, set aside in a folder of their own inside the cache's."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from . import description as cache_json
from . import object_files, plain_file
from .cache import FrameCache
from .description import FORMAT, Description


def folder_of(cache: FrameCache) -> Path:
    """Where the frames of a cache are set aside."""
    return cache.folder / "replaced"


def goes_with(one: FrameCache, other: FrameCache) -> bool:
    """Whether the frames of both may lie in one cache."""
    first, second = (
        (cache.fingerprint, cache.first_frame, cache.measures) for cache in (one, other)
    )
    return first == second


def set_aside(
    cache: FrameCache, object_ids: Collection[str], *, copying: bool = False
) -> FrameCache:
    """Move all frames of some objects of a cache aside, beside those that lie there and go with it.

    The cache still tells of them, and has none of them: it is to be created anew.

    Args:
        copying: leave the frames where they are, too.

    Returns:
        The cache that holds them now.

    Raises:
        CacheError: files can't be moved.
    """
    assert cache.first_frame is not None
    aside = FrameCache(folder_of(cache))
    objects = {each: cache.objects[each] for each in object_ids}
    moved = Description(
        format=FORMAT,
        fingerprint=cache.fingerprint,
        source=cache.source,
        frame_start=cache.first_frame,
        measures=cache.measures,
        objects=(aside.objects if goes_with(cache, aside) else {}) | objects,
    )
    with cache.writing():
        folder_of(cache).mkdir(exist_ok=True)
        cache_json.write(folder_of(cache) / "cache.json", moved)
        if copying:
            _copy(cache.folder, folder_of(cache), objects)
        else:
            _move(cache.folder, folder_of(cache), objects)
        cache.refresh()
    return FrameCache(folder_of(cache))


def take_back(cache: FrameCache, aside: FrameCache) -> None:
    """Have the frames back, in the place of those that the cache has of these objects.

    Frames of others stay where they were simulated from the same.

    Raises:
        CacheError: files can't be moved.
    """
    assert aside.first_frame is not None
    kept = cache.objects.keys() - aside.objects.keys() if goes_with(cache, aside) else set()
    cache.create(
        aside.fingerprint,
        {each: cache.objects[each] for each in kept} | aside.objects,
        aside.first_frame,
        aside.source,
        aside.measures,
        keep=kept,
    )
    with cache.writing():
        _move(aside.folder, cache.folder, aside.objects)
        cache.refresh()
    aside.clear()
    aside.close()


def _move(start: Path, end: Path, object_ids: Collection[str]) -> None:
    for object_id in object_ids:
        for path in object_files.paths(start, object_id):
            if path.exists():
                os.replace(path, end / path.name)


def _copy(start: Path, end: Path, object_ids: Collection[str]) -> None:
    for object_id in object_ids:
        for path in object_files.paths(start, object_id):
            if plain_file.is_plain(path):
                plain_file.copy(path, end / path.name)
