# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects' cached frames are what simulating them again would give.

An object's are, as long as nothing has changed that it depends on, and nothing that any object
depends on which had a part in its frames: by having been close to it, or by leading it.
"""

from __future__ import annotations

from ...core.frame_cache import FrameCache
from ..scene import fingerprint
from ..scene.fingerprint import Fingerprint
from .measures import Measures

OTHER_VERSION = "simulated by another version"
NEW = "not simulated yet"
MET = "what it met has changed"


def reasons(cache: FrameCache, now: Fingerprint) -> dict[str, str]:
    """Why each object's frames can't be used, by its cache id; empty where they can."""
    cached = {
        key: each for key, each in cache.objects.items() if cache.last_frame_of(key) is not None
    }
    shared = _of_all(cache, now)
    known = cached.keys() & now.objects.keys()
    found = {
        object_id: shared or _changed(cached[object_id].fingerprint, text, known)
        if object_id in known
        else NEW
        for object_id, text in now.objects.items()
    }
    links = {each: now.followed(each) | set(cached[each].met) for each in known}
    valid = {each for each in known if not found[each]}
    while spoilt := {each for each in valid if not links[each] <= valid}:
        found |= dict.fromkeys(spoilt, MET)
        valid -= spoilt
    return found


def _of_all(cache: FrameCache, now: Fingerprint) -> str:
    """Why none of the frames can be used; empty where some may be."""
    if tuple(cache.measures) != Measures._fields:
        return OTHER_VERSION
    if cache.first_frame != now.start:
        return fingerprint.START
    return fingerprint.difference(cache.fingerprint, now.shared)


def _changed(before: str, now: str, known: set[str]) -> str:
    """Without a fingerprint frames are known to be wrong: the object has met something since."""
    return fingerprint.difference(before, now, known) if before else MET
