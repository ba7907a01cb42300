# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors of three numbers for native code, as tuples.

numba compiles a call far faster than the indices and products that it stands for.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import native_part

REAL: Any = np.float64

Vector = tuple[float, float, float]
Triangle = tuple[Vector, Vector, Vector]

Reals = NDArray[Any]
Integers = NDArray[Any]


@native_part
def row_of(rows: Reals, i: int) -> Vector:
    """The first three numbers of row i, in double precision."""
    return REAL(rows[i, 0]), REAL(rows[i, 1]), REAL(rows[i, 2])


@native_part
def difference_of(rows: Reals, others: Reals, i: int) -> Vector:
    """The first three numbers of row i less those of another array, in the arrays' precision."""
    return (
        REAL(rows[i, 0] - others[i, 0]),
        REAL(rows[i, 1] - others[i, 1]),
        REAL(rows[i, 2] - others[i, 2]),
    )


@native_part
def load(numbers: Reals) -> Vector:
    """The numbers of an array of three."""
    return numbers[0], numbers[1], numbers[2]


@native_part
def store(numbers: Reals, vector: Vector) -> None:
    """Put a vector into an array of three."""
    numbers[0], numbers[1], numbers[2] = vector


@native_part
def add_to(numbers: Reals, factor: float, vector: Vector) -> None:
    """Add a multiple of a vector to the first three numbers of an array."""
    numbers[0] += factor * vector[0]
    numbers[1] += factor * vector[1]
    numbers[2] += factor * vector[2]


@native_part
def corners_of(vertices: Reals, triangles: Integers, t: int) -> Triangle:
    """The three corners of triangle t."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    return row_of(vertices, a), row_of(vertices, b), row_of(vertices, c)


@native_part
def subtract(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@native_part
def dot(a: Vector, b: Vector) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@native_part
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@native_part
def scale(factor: float, a: Vector) -> Vector:
    """A multiple of a."""
    return factor * a[0], factor * a[1], factor * a[2]


@native_part
def add_scaled(a: Vector, factor: float, b: Vector) -> Vector:
    """a + factor b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@native_part
def unit(vector: Vector) -> Vector:
    """A vector of length one in the same direction; nothing of nothing."""
    square = dot(vector, vector)
    return scale(1.0 / sqrt(square), vector) if square > 0.0 else (0.0, 0.0, 0.0)


@native_part
def between(corners: Triangle, u: float, v: float) -> Vector:
    """The point (1 - u - v) a + u b + v c of a triangle."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    rest = 1.0 - u - v
    return (
        rest * ax + u * bx + v * cx,
        rest * ay + u * by + v * cy,
        rest * az + u * bz + v * cz,
    )


@native_part
def spanned(corners: Triangle, u: float, v: float) -> Vector:
    """a + u (b - a) + v (c - a): exactly a where all three are the same."""
    a, b, c = corners
    return add_scaled(add_scaled(a, u, subtract(b, a)), v, subtract(c, a))
