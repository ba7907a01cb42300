# SPDX-License-Identifier: GPL-3.0-or-later
"""How many cores there are: processors that share one count once."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


@cache
def cores() -> int:
    """Cores that this process may run on, at least one; half of the processors where unknown."""
    return max(1, _linux_cores() or (os.cpu_count() or 1) // 2)


def _linux_cores() -> int:
    """Zero where unknown."""
    siblings = {
        path.read_text()
        for processor in (os.sched_getaffinity(0) if sys.platform == "linux" else ())
        if (path := Path(_SIBLINGS.format(processor))).exists()
    }
    return len(siblings)
