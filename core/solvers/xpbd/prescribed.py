# SPDX-License-Identifier: GPL-3.0-or-later
"""How many substeps a step needs as pins set out or stop in it, which no earlier step tells.

What hangs from a pin keeps its velocity until the pin pulls it. In the first substep the pull is
the whole difference between the pin's way and its way at the velocity that it had. Where that is
more than ``PART`` of a cell, cells turn over and layers catch in each other before a later step
could take more substeps. A pin that keeps its velocity asks for none, however fast it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...layout.group import Group
from ...state import State

PART = 1.0 / 3.0
"""Of the width of the cells at a pin: how far it may go otherwise than before in a substep."""


@dataclass(frozen=True)
class Led:
    """Kinematic particles that hold something.

    Attributes:
        places: of each among all kinematic particles, shape (k,).
        particles: their numbers, shape (k,).
        widths: of what each holds [m], shape (k,).
    """

    places: NDArray[np.int64]
    particles: NDArray[np.int64]
    widths: NDArray[np.float64]


def led_of(groups: Sequence[Group], masses: NDArray[np.float64]) -> Led:
    """The kinematic particles of a model, and the mean width of what they hold by its content."""
    content, summed = np.zeros(len(masses)), np.zeros(len(masses))
    for group in groups:
        if group.constraint.sizes is not None and len(group.indices) > 0:
            held, width = group.constraint.sizes(group.first_rest)
            size = group.indices.shape[1]
            content += np.bincount(group.indices.ravel(), np.repeat(held, size), len(masses))
            summed += np.bincount(group.indices.ravel(), np.repeat(held * width, size), len(masses))
    kinematic = np.flatnonzero(np.isinf(masses))
    places = np.flatnonzero(summed[kinematic] > 0.0)
    particles = kinematic[places]
    return Led(places, particles, summed[particles] / content[particles])


def substeps_ahead(led: Led, state: State, dt: float) -> int:
    """The substeps of a step of dt [s] in which no pin is jerked too far; 0 without pins, and where
    a position is not a number, which is told of after the step.
    """
    if len(led.places) == 0:
        return 0
    before, velocities = state.positions[led.particles], state.velocities[led.particles]
    way = state.targets[led.places] - before - dt * velocities
    jerked = float((np.linalg.norm(way, axis=1) / (PART * led.widths)).max())
    return math.ceil(jerked) if math.isfinite(jerked) else 0
