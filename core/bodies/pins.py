# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that follow targets: held on them, or pulled to them by springs.

A spring's stiffness is given for each square metre of a cloth, and for each metre of strands, and
is shared out by what of it a vertex stands for. So it is the same at any resolution: a sheet of the
areal density ρ that lies on springs sags by ρ g / stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..checks import not_negative, pins_of, spread
from ..errors import ModelError

AT_FIRST_CORNER = (1.0, -1.0, 0.0, 0.0, 0.0)
"""Weights of a tie to a tetrahedron's first corner."""


@dataclass(frozen=True)
class Pins:
    """Pinned vertices of a body.

    Attributes:
        vertices: ascending, shape (p,).
        stiffness: of the spring that pulls each [N/m, for each m² or m], infinite for those that
            are held, shape (p,).
        damping: the springs' Rayleigh coefficients [s], shape (p,).
    """

    vertices: NDArray[np.int64]
    stiffness: NDArray[np.float64]
    damping: NDArray[np.float64]

    @property
    def held(self) -> NDArray[np.int64]:
        """The vertices that are exactly on their targets."""
        return self.vertices[np.isinf(self.stiffness)]


def make_pins(
    name: str, count: int, vertices: ArrayLike | None, stiffness: ArrayLike, damping: ArrayLike
) -> Pins:
    """The pins of a body of ``count`` vertices; see ``Model.add_cloth``.

    Raises:
        ModelError: a vertex does not exist, or a number is negative or none; names the body.
    """
    chosen = pins_of(name, count, vertices)
    given = np.asarray([] if vertices is None else vertices, np.int64).ravel()
    _, first = np.unique(given, return_index=True)
    stiff = spread(f"The pin stiffness of '{name}'", stiffness, given.shape)[first]
    if not np.all(stiff >= 0.0):
        raise ModelError(f"The pin stiffness of '{name}' can't be {stiff.min()}.")
    damped = spread(f"The pin damping of '{name}'", damping, given.shape)[first]
    return Pins(chosen, stiff, not_negative(f"The pin damping of '{name}'", damped))


def add_springs(
    model: Builder,
    particles: NDArray[np.int64],
    pins: Pins,
    amounts: NDArray[np.float64],
    cells: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Pull what is not held; each of these vertices gets an anchor, which is led to its target.

    Args:
        particles: of all vertices, shape (n,).
        amounts: of what the body is made of, that each vertex stands for [m³, m² or m], shape (n,).
        cells: of a solid the vertices of a tetrahedron around each, itself first, shape (n, 4): its
            springs are damped in all directions, those of what is thin along themselves.

    Returns:
        The particles that targets are set for, one of each pin, shape (p,).
    """
    led = particles[pins.vertices]
    pulled = np.isfinite(pins.stiffness)
    if not pulled.any():
        return led
    vertices = pins.vertices[pulled]
    stiffness = pins.stiffness[pulled] * amounts[vertices]
    anchors = model.add_particles(
        model.positions[led[pulled]], np.inf, thickness=0.0, friction=0.0, drag=0.0
    )
    pulling = stiffness > 0.0
    kind, indices, rest = "attachment", np.stack([anchors, led[pulled]], axis=1), None
    if cells is not None:
        kind = "tie_1"
        indices = np.concatenate([anchors[:, None], particles[cells[vertices]]], axis=1)
        rest = np.tile(AT_FIRST_CORNER, (int(pulling.sum()), 1))
    model.add_constraints(
        kind,
        indices[pulling],
        rest=rest,
        compliance=1.0 / stiffness[pulling],
        damping=pins.damping[pulled][pulling],
    )
    led[pulled] = anchors
    return led
