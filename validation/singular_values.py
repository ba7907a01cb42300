# SPDX-License-Identifier: GPL-3.0-or-later
"""The seed's own local step: a singular value decomposition for every element.

Done in two ways, so that it is not the slowness of one that makes others look fast: LAPACK through
numpy, whole arrays at once, and one-sided Jacobi rotations in compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from core.mesh.tetrahedra import TetrahedralBody
from core.solvers.corotational.rotation_step import ElementRotations

SWEEPS = 5
"""Of Jacobi's method; as a rule four leave rounding only."""


@dataclass(frozen=True)
class SingularValueRotations:
    """A local step: R = U diag(1, 1, ±1) Vᵀ of every element."""

    method: Literal["lapack", "jacobi"]

    def bind(self, body: TetrahedralBody, dtype: DTypeLike) -> ElementRotations:
        """See ``core.solvers.corotational.rotation_step.LocalStep``."""
        return _Bound(body, self.method, dtype)


class _Bound:
    def __init__(self, body: TetrahedralBody, method: str, dtype: DTypeLike) -> None:
        self._corners = body.tetrahedra
        self._rest = body.inverse_edges.astype(dtype)
        self._lapack = method == "lapack"
        self._columns = np.zeros((len(body.tetrahedra), 3, 3), dtype)
        self.outputs = self._columns.reshape(-1)
        self.places = 9 * np.arange(len(body.tetrahedra))
        self.stride = 1

    def update(self, rows: NDArray[Any]) -> None:
        if not self._lapack:
            jacobi_rotations(rows, self._corners, self._rest, self._columns)
            return
        corners = rows[self._corners, :3]
        F = (corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1) @ self._rest
        U, _, V = np.linalg.svd(F)
        U[:, :, 2] *= np.sign(np.linalg.det(U @ V))[:, None]
        self._columns[:] = (U @ V).transpose(0, 2, 1)


@numba.njit(nogil=True, error_model="numpy")
def jacobi_rotations(rows, corners, rest, columns):  # type: ignore[no-untyped-def]
    """Rotations of all elements, their columns in ``columns[element]``.

    Columns of B = F V are made orthogonal by rotations V; the two longest give U, whose third
    column is their cross product, so that R = U Vᵀ is proper.
    """
    B, V = np.empty((3, 3), rest.dtype), np.empty((3, 3), rest.dtype)
    small = np.finfo(rest.dtype).eps
    U, lengths = np.empty((3, 3), rest.dtype), np.empty(3, rest.dtype)
    for element in range(len(corners)):
        first = corners[element, 0]
        for i in range(3):
            for j in range(3):
                V[i, j] = 1.0 if i == j else 0.0
                B[i, j] = 0.0
                for k in range(3):
                    edge = rows[corners[element, k + 1], i] - rows[first, i]
                    B[i, j] += edge * rest[element, k, j]
        for _ in range(SWEEPS):
            _orthogonalise(B, V, 0, 1, small)
            _orthogonalise(B, V, 0, 2, small)
            _orthogonalise(B, V, 1, 2, small)
        for j in range(3):
            lengths[j] = B[0, j] * B[0, j] + B[1, j] * B[1, j] + B[2, j] * B[2, j]
        # The shortest column and the two that follow it: an even order, so that V stays proper.
        c = 0
        for j in range(1, 3):
            if lengths[j] < lengths[c]:
                c = j
        a, b = (c + 1) % 3, (c + 2) % 3
        for i in range(3):
            U[i, a] = B[i, a] / np.sqrt(lengths[a])
            U[i, b] = B[i, b] / np.sqrt(lengths[b])
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            U[i, c] = U[j, a] * U[k, b] - U[k, a] * U[j, b]
        for j in range(3):
            for i in range(3):
                columns[element, j, i] = U[i, 0] * V[j, 0] + U[i, 1] * V[j, 1] + U[i, 2] * V[j, 2]


@numba.njit(nogil=True, error_model="numpy")
def _orthogonalise(B, V, p, q, small):  # type: ignore[no-untyped-def]
    """Rotate two columns of B, and of V, unless those of B are perpendicular already."""
    alpha = beta = gamma = B.dtype.type(0.0)
    for i in range(3):
        alpha += B[i, p] * B[i, p]
        beta += B[i, q] * B[i, q]
        gamma += B[i, p] * B[i, q]
    if gamma * gamma <= small * small * alpha * beta:
        return
    zeta = (beta - alpha) / (2.0 * gamma)
    tangent = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
    if zeta < 0.0:
        tangent = -tangent
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for i in range(3):
        left, right = B[i, p], B[i, q]
        B[i, p] = cosine * left - sine * right
        B[i, q] = sine * left + cosine * right
        left, right = V[i, p], V[i, q]
        V[i, p] = cosine * left - sine * right
        V[i, q] = sine * left + cosine * right
