# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation nearest to a 3 × 3 matrix, on scalars, from no starting guess.

The proper rotation R nearest to F maximises tr(RᵀF). For a unit quaternion q that trace is qᵀ K q
with a symmetric 4 × 4 matrix K of the entries of F (Horn 1987, "Closed-form solution of absolute
orientation using unit quaternions"): q is the eigenvector of the largest eigenvalue. This holds
for every F: where it is flattened or inverted, R is still the best proper rotation, and the one of
U diag(1, 1, ±1) Vᵀ. The eigenvector is found by repeated squaring of K plus a shift, which doubles
the power each time, then refined by Newton's method on the rotation.

Where the nearest rotation is not unique (σ₂ = ±σ₃, the sign that of det F) it is one of them.

Matrices are three rows of three scalars, quaternions are (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Sequence

from .arithmetic import (
    Scalar,
    Vector,
    absolute,
    is_single,
    maximum,
    reciprocal_or_zero,
    scale,
    select,
    solve_symmetric,
    sqrt,
    total,
)

Matrix = Sequence[Vector]
"""Three rows."""

SHIFT = 1.0
"""Added to the eigenvalues of K for |F| = 1: those are within √3, the largest at least 1/√3, so
that it stays the largest by absolute value."""

SQUARINGS, SQUARINGS_SINGLE = 15, 12
"""Enough to tell the two largest eigenvalues apart where they differ by a thousandth of |F|; with
fewer, Newton's method would end on the wrong one. More gain nothing in single precision."""

REFINEMENTS = 2
"""Newton steps; their error is squared each time."""

FLAT = 1e-6
"""A pivot of Newton's 3 × 3 matrix, for |F| = 1, below which the rotation is not refined."""


def nearest_rotation(F: Matrix) -> list[list[Scalar]]:
    """R, three rows; one of the nearest rotations where there are several, as for F = 0."""
    return rotation_of(_nearest(F))


def nearest_quaternion(F: Matrix) -> list[Scalar]:
    """The unit quaternion of :func:`nearest_rotation`."""
    return unit(_nearest(F))


def _nearest(F: Matrix) -> list[Scalar]:
    """The same, of a length near one."""
    F = _normalised(F)
    single = is_single(F[0][0])
    q = _principal(_horn(F), SQUARINGS_SINGLE if single else SQUARINGS)
    for _ in range(REFINEMENTS):
        q = _refined(q, F)
    return q


def rotation_of(q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The rotation of a quaternion of any length but zero."""
    w, x, y, z = q
    factor = 2.0 / total([c * c for c in q])
    ws, xs, ys, zs = scale(factor, q)
    return [
        [1.0 - y * ys - z * zs, x * ys - w * zs, x * zs + w * ys],
        [x * ys + w * zs, 1.0 - x * xs - z * zs, y * zs - x * ws],
        [x * zs - w * ys, y * zs + x * ws, 1.0 - x * xs - y * ys],
    ]


def unit(q: Sequence[Scalar]) -> list[Scalar]:
    """q / |q|."""
    return scale(1.0 / sqrt(total([c * c for c in q])), q)


def _normalised(F: Matrix) -> list[list[Scalar]]:
    """F / |F|, or zero; the largest entry first, so that no square leaves the range of numbers."""
    largest = absolute(F[0][0])
    for entry in [*F[0], *F[1], *F[2]][1:]:
        largest = maximum(largest, absolute(entry))
    inverse = reciprocal_or_zero(largest)
    rows = [scale(inverse, row) for row in F]
    square = total([entry * entry for row in rows for entry in row])
    inverse = select(square > 0.5, 1.0 / sqrt(maximum(square, 0.5)), 0.0)
    return [scale(inverse, row) for row in rows]


def _horn(F: Matrix) -> list[list[Scalar]]:
    """(K + SHIFT) / 2 as a lower triangle, tr(R(q)ᵀ F) = qᵀ K q for unit q."""
    (a, b, c), (d, e, f), (g, h, i) = F
    return [
        [0.5 * (SHIFT + a + e + i)],
        [0.5 * (h - f), 0.5 * (SHIFT + a - e - i)],
        [0.5 * (c - g), 0.5 * (b + d), 0.5 * (SHIFT - a + e - i)],
        [0.5 * (d - b), 0.5 * (c + g), 0.5 * (f + h), 0.5 * (SHIFT - a - e + i)],
    ]


def _principal(matrix: list[list[Scalar]], squarings: int) -> list[Scalar]:
    """The eigenvector of the eigenvalue of largest absolute value, by repeated squaring.

    That eigenvalue must lie near one; three squarings then stay within single precision.
    """
    for squaring in range(squarings):
        full = [[matrix[max(i, j)][min(i, j)] for j in range(4)] for i in range(4)]
        matrix = [
            [total([full[i][k] * full[k][j] for k in range(4)]) for j in range(i + 1)]
            for i in range(4)
        ]
        if squaring % 3 == 2:
            inverse = 1.0 / total([matrix[i][i] for i in range(4)])
            matrix = [scale(inverse, row) for row in matrix]
    full = [[matrix[max(i, j)][min(i, j)] for j in range(4)] for i in range(4)]
    column, diagonal = full[0], full[0][0]
    for i in range(1, 4):
        larger = full[i][i] > diagonal
        column = [select(larger, new, old) for new, old in zip(full[i], column, strict=True)]
        diagonal = select(larger, full[i][i], diagonal)
    return unit(column)


def _refined(q: Sequence[Scalar], F: Matrix) -> list[Scalar]:
    """One step of Newton's method for max tr(RᵀF) over R exp(ω×): (tr S - S) ω = axial(S).

    S = RᵀF; its symmetric part is meant where a matrix is.
    """
    R = rotation_of(q)
    S = [[total([R[k][i] * F[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
    hessian = [
        [S[1][1] + S[2][2]],
        [-0.5 * (S[0][1] + S[1][0]), S[0][0] + S[2][2]],
        [-0.5 * (S[0][2] + S[2][0]), -0.5 * (S[1][2] + S[2][1]), S[0][0] + S[1][1]],
    ]
    axial = [S[2][1] - S[1][2], S[0][2] - S[2][0], S[1][0] - S[0][1]]
    x, y, z = (0.5 * turn for turn in solve_symmetric(hessian, axial, FLAT))
    return [
        q[0] - q[1] * x - q[2] * y - q[3] * z,
        q[1] + q[0] * x + q[2] * z - q[3] * y,
        q[2] + q[0] * y + q[3] * x - q[1] * z,
        q[3] + q[0] * z + q[1] * y - q[2] * x,
    ]
