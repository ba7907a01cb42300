# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a model, as if nothing else had ever been added."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.handle import renumbered
from ..model import Model

_OF_PARTICLES = (
    "positions", "velocities", "rest_positions", "masses", "thickness", "friction",
    "restitution", "drag",
)  # fmt: skip


def model_of(whole: Model, particles: NDArray[np.int64]) -> Model:
    """A model of some particles only, of bodies and groups that are theirs as a whole.

    Args:
        particles: ascending, shape (k,); the model's i-th is the particle ``particles[i]``.

    Returns:
        With handles of its own, those of colliders among them.
    """
    part = Model(whole.dtype)
    for values in _OF_PARTICLES:
        setattr(part, values, getattr(whole, values)[particles])
    numbers = np.full(whole.particle_count, -1)
    numbers[particles] = np.arange(len(particles))
    part.cloths = renumbered(whole.cloths, numbers)
    part.strands = renumbered(whole.strands, numbers)
    part.soft_bodies = renumbered(whole.soft_bodies, numbers)
    part.skins = renumbered(whole.skins, numbers)
    part.groups = [whole.groups[g].renumbered(numbers) for g in whole.groups_of(particles)]
    part.colliders = [copy(each) for each in whole.colliders]
    kept = [body for body in whole.bodies if numbers[body.particles[0]] >= 0]
    own = [*kept, *whole.colliders], [*part.bodies, *part.colliders]
    counterparts: dict[int, Any] = {id(each): its for each, its in zip(*own, strict=True)}
    part.ignored = [
        (counterparts[id(one)], counterparts[id(other)])
        for one, other in whole.ignored
        if id(one) in counterparts and id(other) in counterparts
    ]
    return part
