# SPDX-License-Identifier: GPL-3.0-or-later
"""LDLᵀ of a symmetric matrix whose entries stand near its diagonal, for native loops.

Row k of the upper triangle is kept from its diagonal to its last entry, ``values[starts[k] :
starts[k + 1]]``; rows end no earlier than those before them, so that all fill falls within (George,
Liu 1981, *Computer Solution of Large Sparse Positive Definite Systems*, chapter 4). Rows that are
not coupled lie in ranges of their own, which are factored independently of each other.
"""

from __future__ import annotations

from ..native.compiled import native_part

LEAST_PIVOT = 1e-14
"""Of the diagonal before elimination: a pivot below is the rounding of a zero."""


@native_part
def eliminate(values, starts, diagonal, right, first, last):  # type: ignore[no-untyped-def]
    """Factor rows [first, last) in place, and L⁻¹ b with them.

    A row that depends on those before it has no pivot; it is left out, and its unknown is zero.

    Args:
        values, starts: the rows as above; U = D Lᵀ afterwards.
        diagonal: of the matrix as it was, shape (n,).
        right: b, overwritten.
    """
    for k in range(first, last):
        start = starts[k]
        width = starts[k + 1] - start
        if not values[start] > LEAST_PIVOT * diagonal[k]:
            values[start : start + width] = 0.0
            continue
        inverse = 1.0 / values[start]
        carried = inverse * right[k]
        for i in range(1, width):
            entry = values[start + i]
            if entry == 0.0:
                continue
            right[k + i] -= entry * carried
            # Slices, so that LLVM knows what lies where and makes vectors of the loop.
            row = values[starts[k + i] :][: width - i]
            rest, factor = values[start + i : start + width], entry * inverse
            for j in range(len(row)):
                row[j] -= factor * rest[j]


@native_part
def substitute_forward(values, starts, right, first, last):  # type: ignore[no-untyped-def]
    """L⁻¹ b once more, with the factor that :func:`eliminate` left."""
    for k in range(first, last):
        start = starts[k]
        if values[start] == 0.0:
            continue
        carried = right[k] / values[start]
        for i in range(1, starts[k + 1] - start):
            right[k + i] -= values[start + i] * carried


@native_part
def substitute_back(values, starts, right, first, last):  # type: ignore[no-untyped-def]
    """Turn the ``right`` that elimination left into the solution."""
    for k in range(last - 1, first - 1, -1):
        start = starts[k]
        if values[start] == 0.0:
            right[k] = 0.0
            continue
        value = right[k]
        for i in range(1, starts[k + 1] - start):
            value -= values[start + i] * right[k + i]
        right[k] = value / values[start]
