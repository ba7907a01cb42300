# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest shape of a body: where its vertices are without strain, shrunk, and as it changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import finite
from ..errors import ModelError
from ..layout.group import Group
from ..mesh.surface import Positions
from .painted import Painted, means


def rest_shape_of(name: str, positions: Positions, given: ArrayLike | None) -> Positions:
    """The rest shape of a body [m], shape (n, 3); as it starts where nothing else is given.

    Raises:
        ModelError: it has another number of vertices, or one that is not finite; names the body.
    """
    if given is None:
        return positions
    shape = finite(f"The rest shape of '{name}'", given, columns=3)
    if len(shape) != len(positions):
        raise ModelError(
            f"The rest shape of '{name}' has {len(shape)} vertices instead of {len(positions)}."
        )
    return shape


def scale_of(shrinkage: Painted) -> float:
    """What is left of lengths where a rest shape shrinks as a whole."""
    return float(1.0 - np.max(shrinkage))


def shrunk(rest: Positions, shrinkage: Painted) -> tuple[Positions, Painted]:
    """A rest shape, shrunk as a whole as far as its every vertex is.

    Args:
        rest: [m], shape (n, 3).
        shrinkage: the part of its lengths that goes; negative where the body grows.

    Returns:
        The shape [m], and by which factor lengths are still longer than in it.
    """
    left, least = 1.0 - np.asarray(shrinkage, np.float64), scale_of(shrinkage)
    if least == 1.0:
        return rest, left
    middle = rest.mean(axis=0)
    return middle + least * (rest - middle), left / least


def stretch_rest(groups: Sequence[Group], points: Positions, factors: Painted) -> None:
    """Let the rest state of constraints be that of lengths that are longer by a factor.

    Args:
        groups: of constraints that were measured on these points.
        points: of all particles [m], shape (p, 3).
        factors: of each particle, shape (p,), or one.
    """
    for group in groups:
        if group.constraint.reshape is not None and len(group.indices):
            before = points[group.indices]
            now = means(factors, group.indices)[:, None, None] * before
            group.rest = group.constraint.reshape(group.rest, before, now)


def follow_rest(
    group: Group,
    rest: NDArray[np.float64],
    before: Positions,
    now: Positions,
    rest_angle: Painted,
) -> NDArray[np.float64]:
    """The rest state of constraints in a rest shape that has moved.

    Args:
        rest: that in the shape before, shape (count, rest_size).
        before, now: all particles in both shapes [m], shape (p, 3).
        rest_angle: how much of the shape's angles is kept, one or of each particle.
    """
    if group.constraint.reshape is None or not len(group.indices):
        return rest
    moved = group.constraint.reshape(rest, before[group.indices], now[group.indices])
    if group.constraint.kind != "bending":
        return moved
    share = means(rest_angle, group.indices[:, :2])[:, None]
    return np.asarray(rest + share * (moved - rest))
