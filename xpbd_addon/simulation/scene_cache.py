# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cache a scene has: where it lies, whose it is, and what others have done to it."""

from __future__ import annotations

import bpy

from ...core.frame_cache import CacheError, FrameCache
from ..errors import SceneError
from ..scene import ids, paths
from .scene_session import Session


def follow(scene: bpy.types.Scene, session: Session) -> None:
    """Have the cache open that the scene names now. Never writes."""
    cache_id = ids.given(scene)
    session.no_folder = ""
    try:
        folder = paths.cache_folder(scene, cache_id) if cache_id else None
    except SceneError as error:
        folder, session.no_folder = None, str(error)
    if (session.cache.folder if session.cache else None) != folder:
        session.open(FrameCache(folder) if folder else None)


def have_own(scene: bpy.types.Scene, session: Session) -> None:
    """Before frames are written: have a copy where the cache is that of the file copied from.

    Raises SceneError.
    """
    shared, simulation, faults = session.cache, session.live, session.faults
    if shared is None:
        return
    shared.document = paths.document(scene, shared.folder)
    if not is_shared(session):
        return
    ids.renew(scene)
    own = FrameCache(paths.cache_folder(scene, ids.given(scene)))
    own.document = paths.document(scene, own.folder)
    try:
        own.copy(shared)
    except CacheError as error:
        raise SceneError(str(error)) from error
    session.open(own)
    session.live, session.faults = simulation, faults


def look_at_files(session: Session, *, at_all: bool = False) -> None:
    """Notice what other programs have done to the cache.

    Args:
        at_all: look at every frame, not only at whether it is there.
    """
    if session.is_written:
        return
    with session.changing:
        cache = session.cache
        if cache is None:
            return
        before = cache.edition
        if at_all:
            cache.verify()
        else:
            cache.refresh()
        if cache.edition != before:
            session.know_inputs()


def remember_file(scene: bpy.types.Scene, session: Session) -> None:
    """After saving: a cache that was begun before the first save belongs to the file from now on.

    Raises SceneError.
    """
    if session.cache is not None and not session.cache.found_document:
        try:
            session.cache.set_document(paths.document(scene, session.cache.folder))
        except CacheError as error:
            raise SceneError(str(error)) from error


def clear(scene: bpy.types.Scene, session: Session) -> None:
    """Delete the frames, but not those of the file copied from. Raises SceneError."""
    if session.cache is None:
        return
    if is_shared(session):
        ids.renew(scene)
        follow(scene, session)
        return
    try:
        if session.replaced is not None:
            session.replaced.drop()
        session.cache.clear()
    except CacheError as error:
        raise SceneError(str(error)) from error


def is_shared(session: Session) -> bool:
    """Whether the cache is that of another file, from which the one that is open was copied."""
    cache = session.cache
    return cache is not None and paths.is_of_another_file(cache.folder, cache.found_document)
