# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether all that constraints are laid out by is what it was, as where only friction changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...layout.group import Group

if TYPE_CHECKING:
    from ...model import Model

Description = list[Any]


def described_by(model: Model, groups: Sequence[Group]) -> Description:
    """What some of a model's groups are laid out by, but for rest states now: arrays and plain
    values.
    """
    of_groups = [each for group in groups for each in _described(group)]
    return [model.dtype.str, model.masses, model.rest_positions, *of_groups]


def is_same(one: Description | None, other: Description | None) -> bool:
    """Whether two descriptions are there, and the same."""
    if one is None or other is None:
        return False
    return len(one) == len(other) and all(map(_are_equal, one, other))


def _described(group: Group) -> Iterator[Any]:
    yield group.constraint.kind
    yield group.keep_order
    yield from (group.indices, group.first_rest, group.compliance, group.damping)
    yield group.plastic is not None
    chains, twist = group.chains, group.twist
    yield from () if chains is None else (chains.links, chains.starts, chains.vertices)
    yield from () if twist is None else (twist.compliance, twist.damping)


def _are_equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    return bool(one == other)
