# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on bodies from outside in a step, beside gravity: force fields and the air.

A field is a pressure: its force F, which Blender's particles of 1 kg feel, times so many pascals,
on the area of a vertex. Of wind that is the pressure on what faces it at rest; from it follows how
fast the air moves, and the rest is drag. Where vertices are and how they face is looked at every
`HELD` seconds; the speed relative to the air in every substep, so that nothing is flung by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import ModelError
from ..mesh.incidence import grouped
from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.vectors import Vector, add_scaled, dot, row_of, scale
from .air import Air, Areas, areas_of, spread, wind_velocity
from .field import FIELD, WIND, Field, records_of
from .field_force import field_force

PASCALS = 0.0012
"""Pressure [Pa] for each unit of strength: Blender's on cloth in cells of 5 cm, at 24 frames/s."""

HELD = 1.0 / 120.0
"""Seconds for which fields, and how faces stand, count as they were."""

STRONGEST = 1e4
"""Greatest acceleration by fields [m/s²], a thousand times gravity."""

SURROUNDINGS = np.dtype(
    [
        ("first", np.int64),  # range of fields
        ("last", np.int64),
        ("pascals", np.float64),  # for each unit of strength
        ("normal", np.float64),  # ½ ρ c_n
        ("tangential", np.float64),  # ½ ρ c_t
    ]
)
"""What acts on a body, for native code."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What acts on a body from outside.

    Attributes:
        gravity: part of gravity that it feels; negative: it rises.
        fields: force fields.
        pascals: pressure [Pa] of a field for each unit of its strength.
        air: what flows around it, and brakes; without air there is no wind either.

    Raises:
        ModelError: a number is not finite, or the pressure is negative.
    """

    gravity: float = 1.0
    fields: Sequence[Field] = ()
    pascals: float = PASCALS
    air: Air | None = None

    def __post_init__(self) -> None:
        if not isfinite(self.gravity) or not 0.0 <= self.pascals < np.inf:
            raise ModelError("The weight of gravity and the pressure of fields must be finite.")

    @property
    def record(self) -> tuple[float, float, float]:
        """Numbers for native code."""
        air = self.air or Air(0.0)
        half = 0.5 * air.density
        return self.pascals, half * air.normal, half * air.tangential


@by_address
class OutsideArrays(NamedTuple):
    """What native code sees.

    Attributes:
        bodies: SURROUNDINGS of each body; none where nothing acts on any.
        fields: FIELD of all fields.
        body, number: of each particle its body, and which of that it is, shape (n,).
        starts, neighbours, widths: around each vertex the other two corners of triangles, shape
            (k, 2), the same twice for edges of strands; and the diameter of these [m].
        felt: by each particle, shape (n, 16): 0 to 5 what makes a drag [1/m] of its speed, a matrix
            (xx, yy, zz, xy, xz, yz), 6 the most of that; 7 to 9 velocity of the air [m/s]; 10 to 12
            acceleration by fields [m/s²].
    """

    bodies: Any
    fields: Any
    body: NDArray[np.int64]
    number: NDArray[np.int64]
    starts: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    widths: NDArray[np.float64]
    felt: NDArray[Any]


class Outside:
    """What acts on the particles of a model from outside.

    Args:
        count: of particles.
        bodies: of each its particles, shape (k,), and its triangles, shape (t, 3), or else edges,
            shape (e, 2).
        widths: diameters [m] of what has no faces, shape (count,).

    Attributes:
        given: what acts on each body, by its number.
        gravity: part of gravity that each particle feels, shape (count,).
        arrays: for native code, as they were at the last `update`.
    """

    def __init__(
        self,
        count: int,
        bodies: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
        widths: NDArray[np.float64],
        dtype: DTypeLike,
    ) -> None:
        self._bodies = bodies
        self._dtype = dtype
        self._widths = widths
        self.given: dict[int, Surroundings] = {}
        self._changed = False
        self.gravity = np.ones(count)
        self.arrays = OutsideArrays(
            np.zeros(0, SURROUNDINGS),
            np.zeros(1, FIELD),
            np.full(count, len(bodies)),
            np.zeros(count, np.int64),
            np.zeros(1, np.int64),
            np.zeros((0, 2), np.int64),
            widths,
            np.zeros((0, 16), dtype),
        )

    def surround(self, number: int, surroundings: Surroundings) -> None:
        """Let this act on a body, by its number, from the next step on."""
        if self.given.get(number) != surroundings:
            self.given[number] = surroundings
            self.gravity[self._bodies[number][0]] = surroundings.gravity
            self._changed = True

    def update(self) -> None:
        """Bring arrays up to date with what is given."""
        if not self._changed:
            return
        self._changed = False
        if not any(each.fields or each.air for each in self.given.values()):
            self.arrays = self.arrays._replace(bodies=np.zeros(0, SURROUNDINGS))
            return
        if len(self.arrays.starts) == 1:
            self._spread_out()
        bodies = np.zeros(len(self._bodies) + 1, SURROUNDINGS)
        fields: list[Field] = []
        for number, each in self.given.items():
            first = len(fields)
            fields.extend(each.fields)
            bodies[number] = (first, len(fields), *each.record)
        self.arrays = self.arrays._replace(bodies=bodies, fields=records_of(fields))

    def _spread_out(self) -> None:
        """Find what lies around each vertex, once it is needed."""
        count = len(self.gravity)
        body, number = self.arrays.body, self.arrays.number
        corners = [np.zeros((0, 3), np.int64)]
        for which, (particles, pieces) in enumerate(self._bodies):
            body[particles], number[particles] = which, np.arange(len(particles))
            corners.append(_around(pieces))
        all_corners = np.concatenate(corners)
        starts, order = grouped(all_corners[:, 0], np.arange(len(all_corners)), count)
        self.arrays = self.arrays._replace(
            starts=starts,
            neighbours=np.ascontiguousarray(all_corners[order, 1:]),
            felt=np.zeros((count, 16), self._dtype),
        )


def _around(pieces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each corner of triangles with the other two, and each end of edges twice with the other."""
    if pieces.shape[1] == 2:
        return np.concatenate([pieces[:, [0, 1, 1]], pieces[:, [1, 0, 0]]])
    a, b, c = pieces.T
    proper = pieces[(a != b) & (b != c) & (c != a)]
    return np.concatenate([proper[:, turn] for turn in ([0, 1, 2], [1, 2, 0], [2, 0, 1])])


@native_part
def substeps_held(h: Any) -> int:
    """For how many substeps of h [s] what has been looked at counts."""
    return max(1, int(HELD / h + 0.01))


@native_part
def look_around(outside: Any, arrays: Any, first: int, last: int) -> None:
    """What fields do to particles, and how these face the air, as they are."""
    rows, felt = arrays.rows, outside.felt
    for i in range(first, last):
        acts, inverse_mass = outside.bodies[outside.body[i]], rows[i, 3]
        areas = areas_of(outside, rows, i)
        push, wind = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if inverse_mass > 0.0 and acts.first < acts.last:
            push, wind = _forces(outside, arrays, acts, areas, i)
        push = scale(acts.pascals * inverse_mass, push)
        size = sqrt(dot(push, push))
        push = scale(min(1.0, STRONGEST / size) if size > 0.0 else 0.0, push)
        wind = wind_velocity(wind, acts.pascals, acts.normal)
        across = inverse_mass * (acts.normal - acts.tangential)
        along = inverse_mass * acts.tangential * areas[6]
        felt[i, 0] = across * areas[0] + along
        felt[i, 1] = across * areas[1] + along
        felt[i, 2] = across * areas[2] + along
        felt[i, 3], felt[i, 4], felt[i, 5] = across * areas[3], across * areas[4], across * areas[5]
        felt[i, 6] = inverse_mass * acts.normal * areas[6]
        for k in range(3):
            felt[i, 7 + k], felt[i, 10 + k] = wind[k], push[k]


@native_part
def _forces(outside: Any, arrays: Any, acts: Any, areas: Areas, i: int) -> tuple[Vector, Vector]:
    """Of a vertex: F times its area, of all fields but winds, and F of these."""
    x, v, number = row_of(arrays.rows, i), row_of(arrays.velocities, i), outside.number[i]
    push, wind = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for place in range(acts.first, acts.last):
        field = outside.fields[place]
        force = field_force(field, x, v, number)
        if field.kind == WIND:
            wind = add_scaled(wind, 1.0, force)
        else:
            push = add_scaled(push, (1.0 - field.across) * areas[6], force)
            push = add_scaled(push, field.across, spread(areas, force))
    return push, wind


@native_part
def push_particles(outside: Any, arrays: Any, settings: Any, first: int, last: int) -> None:
    """Give particles the velocity that fields and the air add in a substep, and its way.

    It is the speed before gravity that counts, so that what falls steadily falls as fast with any
    substep; of second order ``gained`` is half of what gravity adds from one to the next. The air
    never brings a vertex further in a substep than to its own velocity.
    """
    felt, x, v, gained = outside.felt, arrays.rows, arrays.velocities, arrays.gained
    one, h = felt.dtype.type(1.0), settings.h
    gains = felt.dtype.type(2.0 if settings.second_order else 1.0)
    for i in range(first, last):
        u0 = felt[i, 7] - (v[i, 0] - gains * gained[i, 0])
        u1 = felt[i, 8] - (v[i, 1] - gains * gained[i, 1])
        u2 = felt[i, 9] - (v[i, 2] - gains * gained[i, 2])
        part = h * np.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
        part /= max(one, part * felt[i, 6])
        d0 = part * (felt[i, 0] * u0 + felt[i, 3] * u1 + felt[i, 4] * u2) + h * felt[i, 10]
        d1 = part * (felt[i, 3] * u0 + felt[i, 1] * u1 + felt[i, 5] * u2) + h * felt[i, 11]
        d2 = part * (felt[i, 4] * u0 + felt[i, 5] * u1 + felt[i, 2] * u2) + h * felt[i, 12]
        v[i, 0], v[i, 1], v[i, 2] = v[i, 0] + d0, v[i, 1] + d1, v[i, 2] + d2
        x[i, 0], x[i, 1], x[i, 2] = x[i, 0] + h * d0, x[i, 1] + h * d1, x[i, 2] + h * d2
