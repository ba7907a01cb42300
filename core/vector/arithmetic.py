# SPDX-License-Identifier: GPL-3.0-or-later
"""The arithmetic of constraint bodies: the same expression on floats or on traced numbers.

A body uses ``+ - * /``, comparisons and the functions below, nothing else: no ``if``, no ``math``.
Given floats it computes; given what :mod:`.trace` calls lanes it emits vector instructions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

Scalar = Any
"""A float or a :class:`Traced`: what bodies compute with."""

Vector = Sequence[Scalar]
"""Three scalars."""

SMALLEST = 1e-37
"""Numbers below have no finite reciprocal in single precision."""


USE = "use the functions of core/vector/arithmetic.py"


class Traced(ABC):
    """A number whose arithmetic is written down instead of being done."""

    def __float__(self) -> float:
        raise TypeError(f"A traced number has no value yet: {USE} instead of those of math.")

    def __pow__(self, _exponent: object) -> Traced:
        raise TypeError("A traced number has no powers: multiply, or take its sqrt.")

    @property
    @abstractmethod
    def single(self) -> bool:
        """Whether it is of single precision."""

    @abstractmethod
    def intrinsic(self, name: str) -> Traced:
        """A function of one number that processors have: ``"sqrt"``, ``"fabs"``."""


class Condition(ABC):
    """The outcome of comparing traced numbers."""

    def __bool__(self) -> bool:
        raise TypeError(f"A traced comparison is neither true nor false yet: {USE}, select for if.")

    @abstractmethod
    def select(self, true: Scalar, false: Scalar) -> Traced:
        """``true`` where it holds, else ``false``."""


def sqrt(value: Scalar) -> Scalar:
    """√value."""
    return value.intrinsic("sqrt") if isinstance(value, Traced) else math.sqrt(value)


def absolute(value: Scalar) -> Scalar:
    """|value|."""
    return value.intrinsic("fabs") if isinstance(value, Traced) else abs(value)


def select(condition: Any, true: Scalar, false: Scalar) -> Scalar:
    """``true`` where the condition holds, else ``false``; both are computed."""
    if isinstance(condition, Condition):
        return condition.select(true, false)
    return true if condition else false


ARCTANGENT = (
    0.999999986, -0.33333094, 0.199930541, -0.142071336, 0.106546774, -0.0753367601, 0.0430393674,
    -0.0162830078, 0.00290355248,
)  # fmt: skip
"""Of t², for atan(t) / t on [0, 1]: the polynomial of this degree with the smallest largest error,
1.4e-8."""


def arctangent2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the vector (x, y) in [-π, π]; zero for the null vector."""
    across, along = absolute(y), absolute(x)
    steep = across > along
    longer = select(steep, across, along)
    shorter = select(steep, along, across)
    ratio = shorter / select(longer > 0.0, longer, 1.0)
    angle = _single_arctangent(ratio) if is_single(ratio) else _double_arctangent(ratio)
    angle = select(steep, math.pi / 2 - angle, angle)
    angle = select(x < 0.0, math.pi - angle, angle)
    return select(y < 0.0, -angle, angle)


def _single_arctangent(ratio: Scalar) -> Scalar:
    square = ratio * ratio
    series: Scalar = ARCTANGENT[-1]
    for coefficient in ARCTANGENT[-2::-1]:
        series = coefficient + series * square
    return ratio * series


def _double_arctangent(ratio: Scalar) -> Scalar:
    """Reduced to |t| ≤ tan(π/8) by tan(φ/2) = t / (1 + √(1 + t²)), then Taylor's series."""
    tangent = ratio / (1.0 + sqrt(1.0 + ratio * ratio))
    square = tangent * tangent
    series: Scalar = 0.0
    for degree in range(41, 0, -2):
        series = (1.0 if degree % 4 == 1 else -1.0) / degree + series * square
    return 2.0 * tangent * series


def is_single(value: Scalar) -> bool:
    """Whether the value is traced in single precision."""
    return isinstance(value, Traced) and value.single


def subtract(a: Vector, b: Vector) -> list[Scalar]:
    """a - b."""
    return [p - q for p, q in zip(a, b, strict=True)]


def add(a: Vector, b: Vector) -> list[Scalar]:
    """a + b."""
    return [p + q for p, q in zip(a, b, strict=True)]


def scale(factor: Scalar, a: Vector) -> list[Scalar]:
    """factor · a."""
    return [factor * p for p in a]


def dot(a: Vector, b: Vector) -> Scalar:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> list[Scalar]:
    """a × b."""
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def total(terms: Sequence[Scalar]) -> Scalar:
    """The sum of one or more scalars, without a leading zero to add to."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def solve_symmetric(
    matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar], least: Scalar = SMALLEST
) -> list[Scalar]:
    """Solve A y = b for a small symmetric positive semi-definite A by LDLᵀ, unrolled.

    Where a pivot is not larger than ``least``, the component is no freedom of its own: it gets
    zero.
    """
    size = len(right)
    lower: list[list[Scalar]] = [[None] * size for _ in range(size)]
    inverse: list[Scalar] = []
    scaled: list[list[Scalar]] = [[None] * size for _ in range(size)]
    for row in range(size):
        for column in range(row + 1):
            value = matrix[row][column]
            for k in range(column):
                value = value - scaled[row][k] * lower[column][k]
            scaled[row][column] = value
            if column < row:
                lower[row][column] = value * inverse[column]
        pivot = scaled[row][row]
        inverse.append(reciprocal_or_zero(pivot, least))
    forward: list[Scalar] = []
    for row in range(size):
        forward.append(right[row])
        for k in range(row):
            forward[row] = forward[row] - lower[row][k] * forward[k]
    solution = [value * factor for value, factor in zip(forward, inverse, strict=True)]
    for row in reversed(range(size)):
        for k in range(row + 1, size):
            solution[row] = solution[row] - lower[k][row] * solution[k]
    return solution


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two."""
    return select(a > b, a, b)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two."""
    return select(a < b, a, b)


def reciprocal_or_zero(value: Scalar, least: Scalar = SMALLEST) -> Scalar:
    """1 / value where value is larger than ``least`` and its reciprocal finite, else zero."""
    large = value > maximum(least, SMALLEST)
    return select(large, 1.0 / select(large, value, 1.0), 0.0)


def length_and_direction(a: Vector) -> tuple[Scalar, list[Scalar]]:
    """|a| and a / |a|; zero and the null vector where |a|² has no finite reciprocal."""
    square = dot(a, a)
    measurable = square > SMALLEST
    inverse = select(measurable, 1.0 / sqrt(select(measurable, square, 1.0)), 0.0)
    return square * inverse, scale(inverse, a)
