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
