# SPDX-License-Identifier: GPL-3.0-or-later
"""On which side of a line or plane a point lies, decided exactly.

Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates":
a determinant in double precision with a bound of its error. Where the bound does not decide, the
same determinant is taken in rational numbers, which double precision numbers are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Signs = NDArray[np.int8]

ERROR = 1e-15
"""Error of a determinant over the sum of the magnitudes of its terms: Shewchuk proves (3 + 16 ε) ε
in the plane and (7 + 56 ε) ε in space, ε = 2⁻⁵³, that is 7.8e-16."""

LEAST = 1e-100
"""Products of three differences as large as this don't underflow; the rational numbers take the
smaller ones. Coordinates of more than 1e100 would overflow and are not provided for."""

_rational: Callable[[NDArray[Any]], NDArray[Any]] = np.vectorize(Fraction, otypes=[object])


def orientation(points: NDArray[np.float64]) -> Signs:
    """The sign of the determinant with the rows p₀ - p_d, p₁ - p_d, …, in d dimensions.

    Args:
        points: three points of the plane or four of space in each row, shape (m, d + 1, d).

    Returns:
        Shape (m,): 1 or -1 on either side of the line or plane, 0 exactly on it.
    """
    edges = points[:, :-1] - points[:, -1:]
    value, magnitude = _determinant(edges)
    signs = np.sign(value).astype(np.int8)
    tiny = ((edges != 0.0) & (np.abs(edges) < LEAST)).any(axis=(1, 2))
    certain = (np.abs(value) > ERROR * magnitude) | (magnitude == 0.0)
    unsure = np.flatnonzero(tiny | ~certain)
    if len(unsure):
        exact = _rational(points[unsure])
        value, _ = _determinant(exact[:, :-1] - exact[:, -1:])
        signs[unsure] = (value > 0).astype(np.int8) - (value < 0).astype(np.int8)
    return signs


def _determinant(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Determinants of matrices, shape (m, d, d), and the sums of the magnitudes of their terms."""
    if rows.shape[1] == 2:
        (a, b), (c, d) = rows.transpose(1, 2, 0)
        return a * d - b * c, abs(a * d) + abs(b * c)
    u, v, w = rows.transpose(1, 2, 0)
    plus = [v[1] * w[2], v[2] * w[0], v[0] * w[1]]
    minus = [v[2] * w[1], v[0] * w[2], v[1] * w[0]]
    value = sum(u[k] * (plus[k] - minus[k]) for k in range(3))
    magnitude = sum(abs(u[k]) * (abs(plus[k]) + abs(minus[k])) for k in range(3))
    return np.asarray(value), np.asarray(magnitude)
