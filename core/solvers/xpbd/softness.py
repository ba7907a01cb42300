# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft constraints of a group apart from stiffer ones, so that they can be swept less often.

How often constraints have to be swept depends on the stiffest of them (see :mod:`.multirate`). On
fine meshes, and on triangles of any shape, most hinges are several times softer than those. A group
is then laid out as several, softest first; the model knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...layout.group import Group
from ...layout.layout import Places
from .multirate import TYPICAL, stiffness_of

CLASSES = 3
RATIO = 0.45
"""Of the stiffness of the stiffest in a class: what the next softer class has at most. At a half
there are hinges of regular grids, which rounding would put into the one or the other."""

LEAST = 1000
"""Constraints of a class; fewer stay with stiffer ones, as more batches cost more."""


@dataclass(frozen=True)
class Class:
    """Constraints of a group that are laid out together.

    Attributes:
        group: they themselves.
        owner: number of the model's group that they are of.
        chosen: which of its constraints; None: all.
    """

    group: Group
    owner: int
    chosen: NDArray[np.int64] | None = None

    def subset(self, wanted: NDArray[np.bool_]) -> Class:
        """Those of its constraints that are wanted, shape (count,)."""
        places = np.flatnonzero(wanted)
        chosen = places if self.chosen is None else self.chosen[places]
        return Class(self.group.subset(places), self.owner, chosen)


def undivided(groups: Sequence[Group]) -> list[Class]:
    """All groups as they are."""
    return [Class(group, number) for number, group in enumerate(groups)]


def divided(
    groups: Sequence[Group], positions: NDArray[np.float64], masses: NDArray[np.float64]
) -> list[Class]:
    """Groups that go by colours divided into classes, from the softest on."""
    found: list[Class] = []
    for number, group in enumerate(groups):
        classes = softness_classes(group, positions, masses)
        kinds = np.unique(classes)
        if len(kinds) < 2 or group.keep_order or group.chains is not None:
            found.append(Class(group, number))
            continue
        for each in kinds:
            chosen = np.flatnonzero(classes == each)
            found.append(Class(group.subset(chosen), number, chosen))
    return found


def slots_of(groups: Sequence[Group], classes: Sequence[Class], laid_out: Places) -> Places:
    """For each group the places of its multipliers, shape (count, components).

    Args:
        laid_out: the same for each class.
    """
    found = [np.empty((len(g.indices), g.constraint.components), np.int64) for g in groups]
    for part, places in zip(classes, laid_out, strict=True):
        if part.chosen is None:
            found[part.owner] = places
        else:
            found[part.owner][part.chosen] = places
    return found


def softness_classes(
    group: Group, positions: NDArray[np.float64], masses: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The class of each constraint, from the softest, 0, on; shape (count,)."""
    stiffness = stiffness_of(group, positions, masses)[:, 0]
    typical = np.percentile(stiffness, TYPICAL) if len(stiffness) else 0.0
    if typical == 0.0:
        return np.zeros(len(group.indices), np.int64)
    relative = np.maximum(stiffness / typical, RATIO**CLASSES)
    softer = np.ceil(np.log(relative) / np.log(1.0 / RATIO))
    classes = np.clip(CLASSES - 1 + softer, 0, CLASSES - 1).astype(np.int64)
    for each in range(CLASSES - 1):
        members = classes == each
        if np.count_nonzero(members) < LEAST:
            classes[members] += 1
    return classes
