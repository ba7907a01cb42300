# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that somebody pulls for a while, by springs that need no place in the model.

A spring's force acts as gravity does, for each substep from where the particle is when that begins:
so nothing is laid out anew for it. It is explicit, and can only be as stiff as substeps are short.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..checks import finite, not_negative, spread
from ..errors import ModelError
from ..native.by_address import by_address
from ..native.compiled import native_part

DAMPING = 0.7
"""Of the springs, as a part of critical."""

STIFFEST = 0.7
"""The highest angular frequency of a spring's particle, times the length of a substep."""


@by_address
class PullArrays(NamedTuple):
    """What native code sees.

    Attributes:
        particles: ascending, shape (k,).
        stiffness: of each one's spring [N/m], shape (k,).
        starts, targets: where it is pulled to at the start and the end of a step [m], shape (k, 3).
    """

    particles: NDArray[np.int64]
    stiffness: NDArray[Any]
    starts: NDArray[Any]
    targets: NDArray[Any]


class Pulls:
    """The particles of a state that are pulled.

    Attributes:
        arrays: for native code.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        nowhere = np.zeros((0, 3), dtype)
        self.arrays = PullArrays(np.zeros(0, np.int64), np.zeros(0, dtype), nowhere, nowhere)

    def pull(
        self, count: int, particles: ArrayLike, targets: ArrayLike, stiffness: ArrayLike
    ) -> None:
        """Pull these from now on; see ``Simulation.pull``.

        Args:
            count: of all particles.
        """
        chosen = np.array(particles, np.int64)
        to = finite("Where particles are pulled", targets, columns=3)
        stiff = spread("A stiffness of what is pulled", stiffness, chosen.shape)
        not_negative("The stiffness of what is pulled", stiff)
        order = np.argsort(chosen)
        chosen = chosen[order]
        is_known = np.all((chosen >= 0) & (chosen < count) & (np.diff(chosen, prepend=-1) > 0))
        if not is_known or to.shape != (len(chosen), 3):
            raise ModelError("What is pulled must be particles that exist, each with one place.")
        before, dtype = self.arrays, self.arrays.targets.dtype
        places = to[order].astype(dtype)
        start = before.targets if np.array_equal(before.particles, chosen) else places
        self.arrays = PullArrays(chosen, stiff[order].astype(dtype), start.copy(), places)

    def follow(self, whole: Pulls, particles: NDArray[np.int64]) -> None:
        """Pull what is pulled of a whole, some particles of which are these, ascending."""
        if not len(whole.arrays.particles) and not len(self.arrays.particles):
            return
        places = np.searchsorted(particles, whole.arrays.particles)
        own = np.append(particles, -1)[places] == whole.arrays.particles
        some = PullArrays(*(array[own] for array in whole.arrays))
        self.arrays = some._replace(particles=places[own])

    def move_origin(self, way: NDArray[np.float64]) -> None:
        """See where they are pulled to from an origin that has gone a way [m]."""
        for places in (self.arrays.starts, self.arrays.targets):
            places -= way.astype(places.dtype)

    def arrive(self) -> None:
        """A step is over."""
        self.arrays.starts[:] = self.arrays.targets


@native_part
def pull_particles(pulls, arrays, settings, substep, first, last):  # type: ignore[no-untyped-def]
    """Give a thread's particles the velocity that springs add in a substep, and its way.

    As gravity's, which is there already, it is part of the acceleration of second order.
    """
    x, v, previous = arrays.rows, arrays.velocities, arrays.previous
    real, h = x.dtype.type, settings.h
    rate, gain = real(1.0) / h, settings.span * settings.span / h
    done = real(substep) / real(settings.substeps)
    over = rate / real(settings.substeps)
    for number in range(len(pulls.particles)):
        i = pulls.particles[number]
        if i < first or i >= last or x[i, 3] == 0.0:
            continue
        omega = min(np.sqrt(pulls.stiffness[number] * x[i, 3]), real(STIFFEST) * rate)
        damping = real(2.0 * DAMPING) * omega
        for k in range(3):
            start, way = pulls.starts[number, k], pulls.targets[number, k] - pulls.starts[number, k]
            speed = (v[i, k] - arrays.gained[i, k]) / arrays.kept[i, k]
            away = start + done * way - previous[i, k]
            added = gain * (omega * omega * away + damping * (over * way - speed))
            v[i, k] += added
            x[i, k] += h * added
            if settings.second_order:
                arrays.accelerations[i, k] += added * rate
