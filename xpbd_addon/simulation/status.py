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
        goes_on_from: frame of the checkpoint that Simulate goes on from; None where it starts from
            the first frame, or has nothing to do.
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
    goes_on_from: int | None = None
    objects: Mapping[int, ObjectStatus] = field(default_factory=dict)

    def count(self, start: int, end: int) -> int:
        """How many frames of a range are held of all objects."""
        if self.first is None or self.last is None:
            return 0
        return max(0, min(self.last, end) - max(self.first, start) + 1)

    def is_whole(self, start: int, end: int) -> bool:
        """Whether every frame of a range is valid, of whatever can be simulated."""
        return (
            any(not each.left_out for each in self.objects.values())
            and not self.outdated
            and self.first == start
            and self.last is not None
            and self.last >= end >= start
        )


def unsimulated(
    status: CacheStatus,
    names: Mapping[int, str],
    *,
    frame: int,
    start: int,
    end: int,
    arrived: int | None,
    locked: bool,
) -> str:
    """Why what is shown on a frame is not what simulating gives, and the cure, as a sentence.

    Args:
        names: of the simulated objects, by their session_uid.
        frame: that is shown.
        start, end: the range of the simulation.
        arrived: the frame that the live solver has arrived at, from which it can go on.
        locked: whether playing keeps what is outdated.

    Returns:
        Empty where it is what simulating gives, as far as is known.
    """
    taking_part = {uid: each for uid, each in status.objects.items() if not each.left_out}
    if frame <= start or not taking_part:
        return ""
    if frame > end:
        return f"The simulation ends on frame {end}: set End to a later frame to go on"

    def told(uids: list[int], what: str, origin: int) -> str:
        cure = f"play from frame {origin}, or press Simulate"
        if len(uids) == len(taking_part):
            return f"Frame {frame} is {what}: {cure}"
        others = f" and {len(uids) - 1} more are" if len(uids) > 1 else " is"
        return f"'{names[uids[0]]}'{others} {what} on frame {frame}: {cure}"

    if outdated := [uid for uid, each in taking_part.items() if _is_outdated(each, frame)]:
        if locked:
            return "The cache is locked and outdated: unlock it to simulate it anew by playing"
        reached = any((taking_part[uid].last or start) >= frame for uid in outdated)
        return told(outdated, "outdated" if reached else "not simulated yet", start)
    lacking = [uid for uid, each in taking_part.items() if each.last is None or each.last < frame]
    goes_on = arrived is not None and start < arrived < frame and len(lacking) == len(taking_part)
    origin = arrived if arrived is not None and goes_on else start
    return told(lacking, "not simulated yet", origin) if lacking else ""


def _is_outdated(status: ObjectStatus, frame: int) -> bool:
    return status.last is not None and status.since is not None and frame >= status.since
