# SPDX-License-Identifier: GPL-3.0-or-later
"""What constraints on patches of tetrahedra have in common: one deformation gradient F.

F is the mean of those of the tetrahedra (:mod:`core.mesh.patches`). What depends on it alone has
the gradient P g at each corner, P being its derivative with respect to F.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..mesh.patches import MOST
from ..mesh.simplices import inverses
from ..vector.arithmetic import (
    SMALLEST,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    scale,
    select,
    sqrt,
    subtract,
    total,
)
from .base import Constraint

FLATTEST = 1e-2
"""Stretch below which something yields no faster than there."""

SIZES = range(4, MOST + 1)
"""Vertices of a patch: from a single tetrahedron's on."""


def deformation_gradient(x: Sequence[Vector], rest: Sequence[Scalar]) -> list[list[Scalar]]:
    """F = Σ x ⊗ g, three rows; ``rest`` begins with g of all corners but the first [1/m].

    All g add up to zero.
    """
    edges = [subtract(corner, x[0]) for corner in x[1:]]
    return [
        [total([edge[i] * rest[3 * k + j] for k, edge in enumerate(edges)]) for j in range(3)]
        for i in range(3)
    ]


def cofactor(F: Sequence[Vector]) -> tuple[list[list[Scalar]], Scalar]:
    """∂J/∂F, and J = det F."""
    H = [cross(F[1], F[2]), cross(F[2], F[0]), cross(F[0], F[1])]
    return H, dot(F[0], H[0])


def norm_and_direction(P: Sequence[Vector]) -> tuple[Scalar, list[list[Scalar]]]:
    """Frobenius' norm ‖P‖, and P / ‖P‖; zeros where ‖P‖² has no finite reciprocal."""
    square = contracted(P, P)
    measurable = square > SMALLEST
    inverse = select(measurable, 1.0 / sqrt(select(measurable, square, 1.0)), 0.0)
    return square * inverse, [scale(inverse, row) for row in P]


def at_corners(
    P: Sequence[Vector], x: Sequence[Vector], rest: Sequence[Scalar]
) -> list[list[Scalar]]:
    """P g at each corner: the gradient of what changes by P : δF."""
    others = [[dot(row, g) for row in P] for g in _other_corners(len(x), rest)]
    return [scale(-1.0, _sum(others)), *others]


def weighted_squares(rest: Sequence[Scalar], inverse_mass: Sequence[Scalar]) -> list[list[Scalar]]:
    """Σ w g gᵀ, symmetric, of the corners' inverse masses w."""
    others = _other_corners(len(inverse_mass), rest)
    # The sign of g is lost.
    corners = [_sum(others), *others]
    weighted = [scale(w, g) for w, g in zip(inverse_mass, corners, strict=True)]
    pairs = list(zip(weighted, corners, strict=True))
    lower = [[total([p[i] * g[j] for p, g in pairs]) for j in range(i + 1)] for i in range(3)]
    return [[lower[max(i, j)][min(i, j)] for j in range(3)] for i in range(3)]


def contracted(P: Sequence[Vector], Q: Sequence[Vector]) -> Scalar:
    """P : Q."""
    return total([dot(p, q) for p, q in zip(P, Q, strict=True)])


def measure_gradients(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """g of all corners but the first [1/m], shape (count, 3 (k - 1)), from shape (count, k, 3).

    Of patches whose tetrahedra nobody knows: F is then the one that fits all vertices best. That of
    four vertices is their tetrahedron's.

    Raises:
        ModelError: the vertices of one lie in a plane.
    """
    away = points - points.mean(axis=1, keepdims=True)
    squares = np.einsum("pki,pkj->pij", away, away)
    flat = np.flatnonzero(np.linalg.det(squares) == 0.0)
    if len(flat):
        raise ModelError(f"Patch {flat[0]} is flat ({len(flat)} in all).")
    return np.asarray((away[:, 1:] @ inverses(squares)).reshape(len(points), -1))


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where g has become A g of g before, A g of g now; what else there is as it is now."""
    was, is_, new = (_gradients_of(each) for each in (rest, before, now))
    change = np.linalg.solve(is_.transpose(0, 2, 1) @ is_, is_.transpose(0, 2, 1) @ was)
    result = now.copy()
    result[:, : 3 * new.shape[1]] = (new @ change).reshape(len(now), -1)
    return result


def flow(
    rest: NDArray[np.float64],
    points: NDArray[np.float64],
    limit: NDArray[np.float64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Of the logarithmic strain without its change of volume a share of what is beyond a limit.

    The equivalent strain of von Mises, √⅔ ‖ε‖, is the logarithm of how much longer a bar is pulled
    that keeps its volume. What yields keeps it, too, as its strain has no trace.
    """
    gradients = _gradients_of(rest)
    deformation = (points[:, 1:] - points[:, :1]).transpose(0, 2, 1) @ gradients
    squares, axes = np.linalg.eigh(deformation.transpose(0, 2, 1) @ deformation)
    strain = 0.5 * np.log(np.maximum(squares, FLATTEST**2))
    strain -= strain.mean(axis=1, keepdims=True)
    equivalent = np.sqrt(2.0 / 3.0) * np.linalg.norm(strain, axis=1)
    most = np.log1p(limit)
    yields = np.flatnonzero(equivalent > most)
    lost = share[yields] * (1.0 - most[yields] / equivalent[yields])
    factors = np.exp(-lost[:, None] * strain[yields])
    change = (axes[yields] * factors[:, None]) @ axes[yields].transpose(0, 2, 1)
    result = rest.copy()
    columns = 3 * gradients.shape[1]
    result[yields, :columns] = (gradients[yields] @ change).reshape(len(yields), columns)
    return result


def _gradients_of(rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """g of all corners but the first, shape (count, k - 1, 3)."""
    return rest[:, : rest.shape[1] // 3 * 3].reshape(len(rest), -1, 3)


def of_each_size(kind: str, **parts: Any) -> tuple[Constraint, ...]:
    """A constraint type for each number of vertices that a patch may have."""
    return tuple(
        Constraint(
            kind=f"{kind}_{size}",
            vertices=size,
            only_xpbd=True,
            carry=carry,
            flow=flow,
            **_sized(parts, size),
        )
        for size in SIZES
    )


def _sized(parts: dict[str, Any], size: int) -> dict[str, Any]:
    """The rest state holds g, and so many more numbers as ``rest_size`` says."""
    return parts | {"rest_size": 3 * (size - 1) + parts["rest_size"]}


def _other_corners(count: int, rest: Sequence[Scalar]) -> list[Vector]:
    """g of all corners but the first."""
    return [rest[3 * k : 3 * k + 3] for k in range(count - 1)]


def _sum(vectors: Sequence[Vector]) -> Vector:
    result = vectors[0]
    for vector in vectors[1:]:
        result = add(result, vector)
    return result
