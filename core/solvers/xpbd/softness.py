# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft constraints of a group apart from stiffer ones, so that they can be swept less often.

How often constraints have to be swept depends on the stiffest of them (see ``periods.py``). On a
mesh of triangles of any shape most hinges are several times softer than those.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...layout.group import Group
from .multirate import TYPICAL, stiffness_of

CLASSES = 3
RATIO = 0.45
"""Of the stiffness of the stiffest in a class: what the next softer class has at most. At a half
there are hinges of regular grids, which rounding would put into the one or the other."""

LEAST = 1000
"""Constraints of a class; fewer stay with stiffer ones, as more batches cost more."""


def softness_classes(
    groups: Sequence[Group], positions: NDArray[np.float64], masses: NDArray[np.float64]
) -> list[NDArray[np.int64]]:
    """For each group the class of each constraint, from the softest, 0, on; shape (count,)."""
    classes = [np.zeros(len(group.indices), np.int64) for group in groups]
    for number, group in enumerate(groups):
        stiffness = stiffness_of(group, positions, masses)[:, 0]
        typical = np.percentile(stiffness, TYPICAL) if len(stiffness) else 0.0
        if typical > 0.0:
            classes[number] = _classes(stiffness / typical)
    return classes


def _classes(stiffness: NDArray[np.float64]) -> NDArray[np.int64]:
    """Classes by the stiffness over that of the stiffest but few."""
    softer = np.ceil(np.log(np.maximum(stiffness, RATIO**CLASSES)) / np.log(1.0 / RATIO))
    classes = np.clip(CLASSES - 1 + softer, 0, CLASSES - 1).astype(np.int64)
    for each in range(CLASSES - 1):
        members = classes == each
        if np.count_nonzero(members) < LEAST:
            classes[members] += 1
    return classes
