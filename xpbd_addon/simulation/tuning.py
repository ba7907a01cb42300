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


def not_following(session: Session, simulation: Live, now: Fingerprint) -> set[str]:
    """Cache ids of what the live solver can't simply go on with from frames that are cached.

    It can where a hand has moved things.
    """
    return set(simulation.object_ids) - session.valid(now, accept_by_hand=True)


def can_step(
    session: Session, simulation: Live, now: Fingerprint, others: set[str], *, locked: bool
) -> bool:
    """Whether the next live frame can be one of what is set up now, beside what is cached.

    Args:
        others: what does not follow.
        locked: whether that waits for the first frame; else it does only where more was changed
            than can change over time.
    """
    cache, ids = session.cache, set(simulation.object_ids)
    if cache is None:
        return False
    beside = cache.objects.keys() - session.left_out.hindered.keys() - ids
    if not all(session.reaches(each, simulation.frame + 1) for each in beside):
        return False
    if locked or not others:
        return not others
    texts = {each: known.fingerprint for each, known in cache.objects.items()}
    as_held = now.but_for_settings(cache.fingerprint, texts)
    return ids <= validity.unchanged(validity.held(cache, session.inputs), as_held)


def take_over(session: Session, simulation: Live, now: Fingerprint, others: set[str]) -> bool:
    """Go on with what is set up now, after the frame that the live solver stands at.

    What others come to then may not be what simulating from the first frame gives. That is known of
    them even where all becomes again as it was.

    Args:
        others: what does not follow.

    Returns:
        Whether settings are others than those that it has.

    Raises:
        SceneError: the cache can't be written.
    """
    if others and session.touched is None:
        assert session.replaced is not None
        try:
            session.replaced.drop()
        except CacheError as error:
            raise SceneError(str(error)) from error
    simulation.touched = simulation.touched | others
    before = simulation.inputs.fingerprint
    simulation.inputs = replace(simulation.inputs, fingerprint=now)
    of_objects = [(before.objects[each], now.objects[each]) for each in simulation.object_ids]
    return any(fingerprint.difference(*each) for each in [(before.shared, now.shared), *of_objects])
