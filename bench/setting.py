# SPDX-License-Identifier: GPL-3.0-or-later
"""What every measurement gets."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .blenders import Blenders


@dataclass(frozen=True)
class Setting:
    """How to measure.

    Attributes:
        rounds: how often each thing is measured, in turn with the others.
        blenders: those to compare with; may be none.
    """

    rounds: int
    blenders: Blenders


def thread_counts() -> list[int]:
    """Return one, and all processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return sorted({1, min(processors, 8)})
