# SPDX-License-Identifier: GPL-3.0-or-later
"""Some constraints of a group laid out apart from its others; the model knows nothing of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....layout.group import Group
from ....layout.layout import Places


@dataclass(frozen=True)
class Part:
    """Constraints of a group that are laid out together.

    Attributes:
        group: they themselves.
        owner: number of the model's group that they are of.
        chosen: which of its constraints; None: all.
    """

    group: Group
    owner: int
    chosen: NDArray[np.int64] | None = None

    @staticmethod
    def where(wanted: NDArray[np.bool_], group: Group, owner: int) -> Part:
        """Those constraints of a group that are wanted, shape (count,)."""
        chosen = np.flatnonzero(wanted)
        return Part(group.subset(chosen), owner, chosen)


def over_span(group: Group, span: float) -> Group:
    """The same for sweeps over a span: damping goes by the way of a substep, and its length.

    Args:
        span: of a substep, as in ``Solver.span_factor``.
    """
    return replace(group, damping=span * group.damping)


def slots_of(groups: Sequence[Group], parts: Sequence[Part], laid_out: Places) -> Places:
    """For each group the places of its multipliers, shape (count, components).

    Args:
        laid_out: the same for each part.
    """
    found = [np.empty((len(g.indices), g.constraint.components), np.int64) for g in groups]
    for part, places in zip(parts, laid_out, strict=True):
        if part.chosen is None:
            found[part.owner] = places[: len(found[part.owner])]
        else:
            found[part.owner][part.chosen] = places
    return found
