# SPDX-License-Identifier: GPL-3.0-or-later
"""What a force field does to points, without simulating anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import finite
from ..native.compiled import native
from .field import Field, records_of
from .field_force import field_force


def forces_of(
    field: Field, positions: ArrayLike, velocities: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The force of a field on points, in Blender's unit.

    Args:
        positions: [m], shape (n, 3).
        velocities: [m/s], same shape; by default the points rest.

    Returns:
        Shape (n, 3): accelerations [m/s²] of particles of 1 kg; times ``Surroundings.pascals`` the
        pressure on a surface [Pa].

    Raises:
        ModelError: shapes don't fit, or a number is not finite.
    """
    points = finite("Positions", positions, columns=3)
    moving = np.zeros_like(points) if velocities is None else velocities
    found = np.empty_like(points)
    _evaluate(records_of([field]), points, finite("Velocities", moving, columns=3), found)
    return found


@native
def _evaluate(fields: Any, x: Any, v: Any, found: Any) -> None:
    for i in range(len(x)):
        force = field_force(fields[0], (x[i, 0], x[i, 1], x[i, 2]), (v[i, 0], v[i, 1], v[i, 2]), i)
        for k in range(3):
            found[i, k] = force[k]
