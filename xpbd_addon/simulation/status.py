# SPDX-License-Identifier: GPL-3.0-or-later
"""What is cached, as panels, operators and scripts are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ObjectStatus:
    """What is cached of an object.

    Attributes:
        last: its last frame, None without any.
        reason: why it has to be simulated (again); empty where its frames are valid.
        since: the first frame that has to be simulated (again); None where all are valid.
        left_out: why it can't be simulated as it is now, a sentence; empty where it can.
    """

    last: int | None
    reason: str
    since: int | None = None
    left_out: str = ""

    def outdated_text(self, first: int) -> str:
        """From which frame on it is outdated, if not from the first, and why."""
        start = "" if self.since is None or self.since <= first else f" from frame {self.since}"
        return f"Outdated{start}: {self.reason}"


@dataclass(frozen=True)
class CacheStatus:
    """What is cached of a scene.

    Attributes:
        first, last: frames held of all objects that have any, None where there are none.
        outdated: not all frames are valid of objects that can be simulated; reason says why, of the
            first such object.
        baked: there is nothing to simulate, because all objects are baked.
        source: who made it: 'play', 'simulate' or ''.
        error: why playing does not simulate; empty where it does.
        earlier: there are frames of an earlier version, which can't be used.
        objects: of each simulated object, by its session_uid.
    """

    first: int | None
    last: int | None
    outdated: bool
    reason: str
    baked: bool = False
    source: str = ""
    error: str = ""
    earlier: bool = False
    objects: Mapping[int, ObjectStatus] = field(default_factory=dict)


def unsimulated(
    status: CacheStatus, *, frame: int, start: int, end: int, arrived: int | None, locked: bool
) -> str:
    """Why what is shown on a frame is not what simulating gives, and the cure, as a sentence.

    Args:
        frame: that is shown.
        start, end: the range of the simulation.
        arrived: the frame that the live solver has arrived at, from which it can go on.
        locked: whether playing keeps what is outdated.

    Returns:
        Empty where it is what simulating gives, as far as is known.
    """
    taking_part = [each for each in status.objects.values() if not each.left_out]
    if frame <= start or not taking_part:
        return ""
    if frame > end:
        return f"The simulation ends on frame {end}: set End to a later frame to go on"
    since = [each.since for each in taking_part if each.since is not None and each.last is not None]
    if frame >= min(since, default=frame + 1):
        if locked:
            return "The cache is locked and outdated: unlock it to simulate it anew by playing"
        return f"Frame {frame} is outdated: play from frame {start}, or press Simulate"
    if any(each.last is None or each.last < frame for each in taking_part):
        origin = arrived if arrived is not None and start < arrived < frame else start
        return f"Frame {frame} is not simulated yet: play from frame {origin}, or press Simulate"
    return ""
