# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that are carried: vertices of a skin, each a weighted mean of up to four corners.

They have neither mass nor motion of their own. Contact finds and measures them like any other
vertex; what pushes one pushes its corners instead, each by its weight: x = Σ bₖ xₖ, so ∂x/∂xₖ = bₖ.
Momentum is kept exactly, and a carried particle is moved as if it had the inverse mass Σ bₖ² / mₖ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..native.by_address import by_address
from ..native.compiled import native, native_part
from ..native.lanes import add_scaled, load, minus, store
from ..native.team import own_share
from ..native.vectors import REAL, Vector
from .data import Reals
from .surface.distances import LEVER

NONE = -1
"""The number of what is not carried."""


Carriage = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Carried particles, shape (k,), ascending, their corners, shape (k, 4), and weights, (k, 4)."""


@by_address
class Carried(NamedTuple):
    """Carried particles, k of them.

    Attributes:
        particles: of each the row, ascending, shape (k,), int64.
        corners: the particles that carry each, shape (k, 4), int32.
        weights: of these, none below -0.5, their sum 1, shape (k, 4).
        numbers: of each row which carried particle it is, or NONE, shape (m,), int32.
        carriers: rows that carry others, ascending, shape (q,), int64.
        carries: 1 for these, shape (m,), uint8.
        shifts: how far carriers are moved while something is being solved [m], shape (m, 4), and
            weight_sums: of all that push them then, shape (m,). In double precision, as pushes by a
            fine skin are many and small; zero else.
    """

    particles: NDArray[Any]
    corners: NDArray[Any]
    weights: NDArray[Any]
    numbers: NDArray[Any]
    carriers: NDArray[Any]
    carries: NDArray[Any]
    shifts: NDArray[Any]
    weight_sums: NDArray[Any]


def carried_of(
    rows: int,
    particles: NDArray[np.int64],
    corners: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> Carried:
    """The arrays for native code, of so many rows; see :class:`Carried`."""
    numbers, carries = np.full(rows, NONE, np.int32), np.zeros(rows, np.uint8)
    numbers[particles] = np.arange(len(particles))
    carries[corners[weights != 0.0]] = 1
    return Carried(
        particles=particles.astype(np.int64),
        corners=corners.astype(np.int32),
        weights=weights.astype(np.float64),
        numbers=numbers,
        carriers=np.flatnonzero(carries).astype(np.int64),
        carries=carries,
        shifts=np.zeros((rows if len(particles) else 0, 4)),
        weight_sums=np.zeros(rows if len(particles) else 0),
    )


def carried_rest(
    rest: NDArray[np.float64], corners: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where carried particles are at rest, as rows of ``Builder.contact_rest``, shape (k, 4).

    Lengths around them are longer by the least of the factors of what carries them.

    Args:
        rest: rows of all particles, shape (n, 4).
        corners: of each, shape (k, 4), and weights, shape (k, 4).
    """
    places = np.einsum("nk,nkd->nd", weights, rest[:, :3][corners])
    factors = np.where(weights != 0.0, rest[:, 3][corners], np.inf).min(axis=1)
    return np.column_stack([places, factors])


@native
def weigh_carried(carried, rows):  # type: ignore[no-untyped-def]
    """Give carried particles the inverse mass that they are moved with."""
    for number in range(len(carried.particles)):
        rows[carried.particles[number], 3] = mobility_of(carried, rows, number)


@native_part
def mobility_of(carried: Carried, rows: Reals, number: int) -> float:
    """Σ bₖ² / mₖ of a carried particle [1/kg]."""
    mobility = 0.0
    for k in range(4):
        weight = carried.weights[number, k]
        mobility += weight * weight * rows[carried.corners[number, k], 3]
    return mobility


@native_part
def inertia_of(carried: Carried, rows: Reals, number: int) -> float:
    """What turns a way of a carried particle into a multiplier [kg].

    As of pairs of the contact surface, no corner is flung away to make a little room: see LEVER.
    """
    most = 0.0
    for k in range(4):
        corner = carried.corners[number, k]
        most = max(most, abs(carried.weights[number, k]) * rows[corner, 3])
    mobility = mobility_of(carried, rows, number)
    part = min(1.0, LEVER * mobility / most)
    return part * part / mobility


@native_part
def carry(carried: Carried, rows: Reals, number: int) -> None:
    """Put a carried particle where its corners are: exactly there where all four are."""
    corners, weights, real = carried.corners, carried.weights, rows.dtype.type
    particle, origin = carried.particles[number], load(rows, corners[number, 0])
    place, mass = origin, rows[particle, 3]
    for k in range(1, 4):
        way = minus(load(rows, corners[number, k]), origin)
        place = add_scaled(place, real(weights[number, k]), way)
    store(rows, particle, place)
    rows[particle, 3] = mass


@native_part
def carry_share(carried: Carried, rows: Reals, team: Any) -> None:
    """The same for a thread's share of all carried particles."""
    first, last = own_share(len(carried.particles), team)
    for number in range(first, last):
        carry(carried, rows, number)


@native_part
def shift_corners(
    carried: Carried, rows: Reals, number: int, amount: float, direction: Vector
) -> None:
    """Push the corners of a carried particle by a multiplier [m kg] in a direction."""
    lead_corners(carried, carried.shifts, rows, number, amount, direction)


@native_part
def lead_corners(
    carried: Carried, led: Reals, rows: Reals, number: int, amount: float, direction: Vector
) -> None:
    """The same, noted in other rows."""
    for k in range(4):
        corner = carried.corners[number, k]
        step = amount * carried.weights[number, k] * REAL(rows[corner, 3])
        for d in range(3):
            led[corner, d] += step * direction[d]


@native_part
def shift_of(carried: Carried, number: int) -> Vector:
    """How far a carried particle is moved by the shifts of its corners [m]."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(4):
        corner, weight = carried.corners[number, k], carried.weights[number, k]
        x += weight * carried.shifts[corner, 0]
        y += weight * carried.shifts[corner, 1]
        z += weight * carried.shifts[corner, 2]
    return x, y, z


@native_part
def end_shifts(carried: Carried, rows: Reals) -> None:
    """Move carriers by their shifts, which are done with."""
    for k in range(len(carried.carriers)):
        carrier = carried.carriers[k]
        for d in range(3):
            rows[carrier, d] += carried.shifts[carrier, d]
            carried.shifts[carrier, d] = 0.0
