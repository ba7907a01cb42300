# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cached frames are what simulating them again would give.

An object's are, as long as nothing has changed that it depends on, and nothing that any object
depends on which had a part in its frames: by having been close to it, or by leading it. What is
read anew for each frame is compared frame by frame; those before the first that differs are valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...core.frame_cache import CachedObject, FrameCache
from ..scene import fingerprint
from ..scene.fingerprint import Fingerprint
from . import measures
from .inputs import ObjectInputs
from .measures import Measures

OTHER_VERSION = "simulated by another version"
NEW = "not simulated yet"
MET = "what it met has changed"
BY_HAND = "it was changed by hand"


@dataclass(frozen=True)
class Outdated:
    """Why an object has to be simulated (again), and the first frame that can't be used."""

    frame: int
    reason: str


@dataclass(frozen=True)
class Held:
    """What is held of a scene.

    Attributes:
        fingerprint: what all was simulated from.
        start: the first frame.
        measures: what was measured.
        objects, inputs: what is known of each object that has frames of which it is known what
            they were simulated from, and that, by its cache id.
        last: its last frame.
    """

    fingerprint: str
    start: int
    measures: tuple[str, ...]
    objects: Mapping[str, CachedObject]
    inputs: Mapping[str, ObjectInputs]
    last: Mapping[str, int]


def held(cache: FrameCache, inputs: Mapping[str, ObjectInputs]) -> Held | None:
    """What a cache holds; None without frames."""
    if cache.first_frame is None:
        return None
    last = {key: cache.last_frame_of(key) for key in cache.objects}
    found = {key: frame for key, frame in last.items() if frame is not None and key in inputs}
    objects = {key: each for key, each in cache.objects.items() if key in found}
    return Held(cache.fingerprint, cache.first_frame, tuple(cache.measures), objects, inputs, found)


def outdated(
    held: Held | None, now: Fingerprint, *, accept_by_hand: bool = False
) -> dict[str, Outdated]:
    """The objects that have to be simulated (again) as far as is known, by cache id.

    Args:
        accept_by_hand: take frames for good whatever a hand has done to them.
    """
    found = {each: Outdated(now.start, NEW) for each in now.objects}
    if held is None:
        return found
    known = held.objects.keys() & now.objects.keys()
    shared = _of_all(held, now)
    for each in known:
        changed = shared or _of_object(held.objects[each].fingerprint, now.objects[each], known)
        first = Outdated(held.start, changed) if changed else _first(held, each, now)
        touched = None if accept_by_hand else held.inputs[each].touched_by(held.last[each])
        if touched is not None and (first is None or touched < first.frame):
            first = Outdated(touched, BY_HAND)
        if first is None:
            del found[each]
        else:
            found[each] = first
    links = {each: now.followed(each) | set(held.objects[each].met) for each in known}
    while _spread(found, links, held):
        pass
    return found


def unchanged(held: Held | None, now: Fingerprint) -> set[str]:
    """The objects whose frames may be valid as far as what is read for each of them is the same."""
    if held is None or _of_all(held, now):
        return set()
    known = held.objects.keys() & now.objects.keys()
    return {
        each
        for each in known
        if not _of_object(held.objects[each].fingerprint, now.objects[each], known)
    }


def _spread(found: dict[str, Outdated], links: Mapping[str, set[str]], held: Held) -> bool:
    """Whether something outdates more frames than it was known to, of what met it."""
    more = False
    for each, others in links.items():
        frames = [
            found[other].frame if other in found else held.start
            for other in others
            if other in found or other not in links
        ]
        frame = min(frames, default=held.last[each] + 1)
        if frame <= held.last[each] and (each not in found or frame < found[each].frame):
            found[each] = Outdated(frame, MET)
            more = True
    return more


def _first(held: Held, object_id: str, now: Fingerprint) -> Outdated | None:
    """The first frame that would be simulated from something else."""
    last, own = held.last[object_id], held.inputs[object_id]
    difference = own.first_difference(last, now.names[object_id])
    if own.first_unknown <= min(last, difference[0] if difference else last):
        return Outdated(own.first_unknown, OTHER_VERSION)
    return Outdated(*difference) if difference else None


def _of_all(held: Held, now: Fingerprint) -> str:
    """Why none of the frames can be used; empty where some may be."""
    if held.measures != Measures._fields:
        return OTHER_VERSION
    if held.start != now.start:
        return fingerprint.START
    return fingerprint.difference(held.fingerprint, now.shared)


def _of_object(before: str, now: str, known: set[str]) -> str:
    """Without a fingerprint frames are known to be wrong: the object has met something since."""
    return fingerprint.difference(before, now, known) if before else MET


def newly_met(
    cached: Mapping[str, CachedObject], groups: Iterable[set[str]]
) -> dict[str, CachedObject]:
    """What is to be known of objects that were together for the first time."""
    met = {each: {*cached[each].met, *group} - {each} for group in groups for each in group}
    return {
        each: replace(cached[each], met=sorted(others))
        for each, others in met.items()
        if others != set(cached[each].met)
    }


def met_unawares(
    cache: FrameCache, measured: Mapping[str, Measures], frame: int, now: Fingerprint
) -> set[str]:
    """Cache ids of objects that are not simulated on a frame and that what is could have met.

    Args:
        measured: of what is simulated.
    """
    others = cache.objects.keys() - measured.keys()
    known = measures.read(cache, others, frame)
    met: set[str] = set()
    for each, own in measured.items():
        near = others - met - now.ignored(each)
        met |= {other for other in near if own.overlaps(known.get(other, measures.AT_REST))}
    return met
