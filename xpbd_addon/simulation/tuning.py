# SPDX-License-Identifier: GPL-3.0-or-later
"""What is changed while the timeline plays: the live solver goes on with it, as by a hand."""

from __future__ import annotations

from dataclasses import replace

from ...core.frame_cache import CacheError
from ..errors import SceneError
from ..scene import fingerprint
from ..scene.fingerprint import Fingerprint
from . import validity
from .live import Live
from .scene_session import Session


def can_step(session: Session, now: Fingerprint, *, locked: bool) -> bool:
    """Whether the next live frame can be one of what is set up now, beside what is cached.

    Where a hand has moved things it goes on from there.

    Args:
        locked: whether it waits for the first frame where something was changed; else it does only
            where that is more than can change over time.
    """
    if session.cache is None or session.live is None:
        return False
    frame, ids = session.live.frame + 1, set(session.live.object_ids)
    others = session.cache.objects.keys() - session.hindered.keys() - ids
    if not all(session.reaches(each, frame) for each in others):
        return False
    if not _not_following(session, session.live, now):
        return True
    texts = {each: known.fingerprint for each, known in session.cache.objects.items()}
    as_held = now.but_for_settings(session.cache.fingerprint, texts)
    held = validity.held(session.cache, session.inputs)
    return not locked and ids <= validity.unchanged(held, as_held)


def take_over(session: Session, simulation: Live, now: Fingerprint) -> bool:
    """Go on with what is set up now, after the frame that the live solver stands at.

    What comes then may not be what simulating from the first frame gives. That is known of it even
    where all becomes again as it was.

    Returns:
        Whether settings are others than those that it has.

    Raises:
        SceneError: the cache can't be written.
    """
    if others := _not_following(session, simulation, now):
        _begin_by_hand(session, simulation, others)
    before = simulation.inputs.fingerprint
    simulation.inputs = replace(simulation.inputs, fingerprint=now)
    of_objects = [(before.objects[each], now.objects[each]) for each in simulation.object_ids]
    return any(fingerprint.difference(*each) for each in [(before.shared, now.shared), *of_objects])


def _not_following(session: Session, simulation: Live, now: Fingerprint) -> set[str]:
    """Cache ids of what does not go on from its cached frames, even if a hand has changed these."""
    return set(simulation.object_ids) - session.valid(now, but_by_hand=True)


def _begin_by_hand(session: Session, simulation: Live, object_ids: set[str]) -> None:
    """What these objects come to now counts as changed by hand. Raises SceneError."""
    assert session.replaced is not None
    if session.touched is None:
        try:
            session.replaced.drop()
        except CacheError as error:
            raise SceneError(str(error)) from error
    simulation.touched = simulation.touched | object_ids
