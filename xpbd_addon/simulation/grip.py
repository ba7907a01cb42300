# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hand has got hold of: particles, and springs that pull them where it goes.

Nothing here touches Blender: it may run in any thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ...core import Simulation

Numbers = NDArray[np.float64]


@dataclass
class Grip:
    """Particles that are pulled, each to where it was when it was taken hold of, and away with it.

    Attributes:
        uid: of the object that it is of.
        numbers: of its particles among those of its body, shape (k,): in the model they get others
            where pins are let go.
        starts: where they were [m], shape (k, 3).
        stiffness: of the spring of each [N/m], shape (k,).
        way: how far the hand has moved since [m], shape (3,).
    """

    uid: int
    numbers: NDArray[np.int64]
    starts: Numbers
    stiffness: Numbers
    way: Numbers = field(default_factory=lambda: np.zeros(3))

    def lead(self, simulation: Simulation, handles: Mapping[int, Any]) -> None:
        """Pull them in the next step.

        Args:
            handles: of the simulation's model, by uid.
        """
        particles = handles[self.uid].particles[self.numbers]
        simulation.pull(particles, self.starts + self.way, self.stiffness)


def around(
    simulation: Simulation, uid: int, body: Any, place: Numbers, radius: float, pull: float
) -> Grip:
    """Take hold of what of a body lies around a place, the nearer the more.

    Its springs share out a stiffness by mass: all of the body hangs by them as far below the hand
    whatever it weighs, and however fine it is.

    Args:
        uid: of the object. body: its handle of the simulation's model.
        place: [m], shape (3,); what is nearest to it is got hold of in any case.
        radius: beyond which nothing is [m].
        pull: stiffness for each kilogram of the body [N/(m kg)].
    """
    masses = simulation.model.masses[body.particles]
    free = np.isfinite(masses)
    numbers, masses = np.flatnonzero(free), masses[free]
    starts = np.array(simulation.positions[body.particles[numbers]], np.float64)
    away = np.linalg.norm(starts - place, axis=1)
    shares = masses * np.square(np.maximum(0.0, 1.0 - np.square(away / radius)))
    if len(shares) and not shares.any():
        shares[np.argmin(away)] = 1.0
    held = shares > 0.0
    stiffness = pull * masses.sum() * shares[held] / shares.sum()
    return Grip(uid, numbers[held], starts[held], stiffness)


def let_go(simulation: Simulation) -> None:
    """Pull nothing any more."""
    simulation.pull([], np.zeros((0, 3)), 0.0)
