# SPDX-License-Identifier: GPL-3.0-or-later
"""Units: what is never parted. Islands are made of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..mesh.connected import connected
from ..model import Model

Indices = NDArray[np.int64]


def units_of(model: Model) -> Indices:
    """The unit of each particle: a body, or all that belong to none, and what constraints join,
    or what is carried.

    Constraints that were added together are one: what any of them holds is one unit.

    Returns:
        Numbers from 0 on, in the order of the units' first particles, shape (n,).
    """
    owners = np.zeros(model.particle_count, np.int64)
    for number, body in enumerate(model.bodies, 1):
        owners[body.own] = number
    joined = [np.unique(owners[group.indices]) for group in model.groups]
    joined += [np.unique(owners[np.append(skin.particles, skin.cage)]) for skin in model.skins]
    pairs = [np.stack([each[:-1], each[1:]], axis=1) for each in joined]
    united = connected(pairs, np.ones(len(model.bodies) + 1, np.bool_))[owners]
    _, firsts, numbers = np.unique(united, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(firsts))[numbers]


def particles_of(units: Indices) -> list[Indices]:
    """The particles of each unit, ascending.

    Args:
        units: of each particle, shape (n,).
    """
    counts = np.bincount(units)
    return np.split(np.argsort(units, kind="stable"), np.cumsum(counts)[:-1]) if len(units) else []


def may_touch(model: Model, units: Indices, meets: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether two units can touch each other, wherever they are, shape (units, units).

    Args:
        units: of each particle, shape (n,).
        meets: whether two bodies can, shape (bodies or more, bodies or more).
    """
    of_bodies = units[[body.particles[0] for body in model.bodies]]
    count = int(units.max(initial=-1)) + 1
    found = np.zeros((count, count), np.bool_)
    order = np.argsort(of_bodies, kind="stable")
    own, starts = np.unique(of_bodies[order], return_index=True)
    if len(own):
        of_units = np.logical_or.reduceat(meets[np.ix_(order, order)], starts, axis=0)
        found[np.ix_(own, own)] = np.logical_or.reduceat(of_units, starts, axis=1)
    return found
