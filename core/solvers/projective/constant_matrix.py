# SPDX-License-Identifier: GPL-3.0-or-later
"""The constant matrix of projective dynamics: A = M / h² + a stiffness that acts on x, y, z alike.

Bouaziz et al. 2014, "Projective dynamics", section 3. For a spring the local and the global step
together are x ← x - A⁻¹ ∇E with the graph Laplacian weighted by k in A (Liu, Bouaziz, Kavan 2017,
"Quasi-Newton methods for real-time simulation of hyperelastic materials", section 4). For any
other constraint ∇Cᵀ α⁻¹ ∇C takes its place, at the start positions, each 3 × 3 block replaced by
its trace times the identity: for hinges that is the quadratic bending of Bergou et al. 2006, for
strain a membrane's Laplacian. Types whose gradient vanishes at rest give ``coefficients``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...constraints import Constraint
from ...errors import ModelError
from ...layout.group import Group
from ...linear import SymmetricMatrix, SymmetricPattern
from ...native.rows import aligned_rows
from ...vector.arithmetic import Scalar, Vector
from ...vector.elements import ElementKernel
from ...vector.specification import KernelSpecification, measuring

Numbers = NDArray[np.float64]

LEAST_COMPLIANCE = 1e-12
"""Of a block's largest eigenvalue: with less a constraint counts as infinitely stiff."""


@dataclass(frozen=True)
class _Elements:
    """Matrices of the constraints of a group: particles (count, q), weights (count, q, q)."""

    corners: NDArray[np.int64]
    elastic: Numbers
    viscous: Numbers


class ConstantMatrix:
    """A of a model, for any time step.

    Args:
        groups: the constraints with an energy.
        positions: at the start [m], shape (n, 3).
        masses: [kg], shape (n,); rows of infinite ones, and of none, are those of the identity.
        owner_of: what a particle belongs to, for whoever is told of it.

    Raises:
        ModelError: a constraint has no finite energy, or is a sum over all elements of a group.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        positions: Numbers,
        masses: Numbers,
        owner_of: Callable[[int], str],
    ) -> None:
        self._free = np.isfinite(masses) & (masses > 0.0)
        self._masses = np.where(self._free, masses, 0.0)
        count = len(masses)
        rows, columns = [np.arange(count)], [np.arange(count)]
        elastic, viscous = [np.where(self._free, 0.0, 1.0)], [np.zeros(count)]
        for group in groups:
            _refuse_sum(group, owner_of)
            elements = _elements_of(group, positions, owner_of)
            row = np.repeat(elements.corners, elements.corners.shape[1], axis=1).ravel()
            column = np.tile(elements.corners, (1, elements.corners.shape[1])).ravel()
            kept = self._free[row] & self._free[column]
            rows.append(row[kept])
            columns.append(column[kept])
            elastic.append(elements.elastic.ravel()[kept])
            viscous.append(elements.viscous.ravel()[kept])
        self._pattern = SymmetricPattern(np.concatenate(rows), np.concatenate(columns), count)
        self._elastic = self._pattern.sum(np.concatenate(elastic))
        self._viscous = self._pattern.sum(np.concatenate(viscous))
        inertia = np.concatenate([self._masses, np.zeros(sum(map(len, rows)) - count)])
        self._inertia = self._pattern.sum(inertia)

    def matrix(self, h: float) -> SymmetricMatrix:
        """A for substeps of h [s], in N/m."""
        data = self._inertia / h**2 + self._elastic + self._viscous / h
        return SymmetricMatrix(self._pattern, data)

    def inertia(self, h: float) -> Numbers:
        """M / h² [N/m], shape (n,); zero for particles of infinite mass."""
        return np.asarray(self._masses / h**2)

    def radius(self, h: float, bound: Numbers) -> float:
        """The spectral radius of x ← x - B⁻¹∇E, where ``bound`` ≥ the eigenvalues of B, (n,).

        The slowest modes are those that no constraint holds, such as the folds of slack cloth:
        there the curvature of E is M / h² alone, so 1 - M / (h² B) is what is left of an error.
        In compression, where E is not convex, the radius can be larger.
        """
        share = self.inertia(h)[self._free] / bound[self._free]
        return 1.0 - float(share.min(initial=1.0))


def jacobi_diagonal(matrix: SymmetricMatrix, inertia: Numbers) -> Numbers:
    """D for Jacobi's iteration, shape (n,).

    The diagonal of A where it dominates; else half the sum of |A_uv| over a row and the inertia:
    then 2 D - A is positive definite (Gershgorin), without which the iteration diverges.
    """
    return np.asarray(np.maximum(matrix.diagonal(), 0.5 * (row_sums(matrix) + inertia)))


def row_sums(matrix: SymmetricMatrix) -> Numbers:
    """Σ |A_uv| of each row, shape (n,)."""
    rows = np.repeat(np.arange(matrix.size), np.diff(matrix.pattern.indptr))
    sums = np.bincount(rows, weights=np.abs(matrix.data), minlength=matrix.size)
    return np.asarray(sums, np.float64)


def _refuse_sum(group: Group, owner_of: Callable[[int], str]) -> None:
    """Every particle of a sum acts on every other: its matrix would be full."""
    if group.constraint.summed:
        raise ModelError(
            f"'{owner_of(int(group.indices[0, 0]))}' has '{group.constraint.kind}' constraints, "
            "which join all particles of a surface. Projective dynamics can't take them: use XPBD."
        )


def _elements_of(group: Group, positions: Numbers, owner_of: Callable[[int], str]) -> _Elements:
    constraint, points = group.constraint, positions[group.indices]
    stiffness = _stiffness_of(group, owner_of)
    if constraint.coefficients is not None:
        rows = constraint.coefficients(points, group.rest)
        elastic = np.einsum("c,cqu,cqv->cuv", stiffness[:, 0, 0], rows, rows)
        viscous = elastic * group.damping.max(axis=1, initial=0.0)[:, None, None]
        return _Elements(group.indices, elastic, viscous)
    gradients = _gradients(group, positions)
    damped = 0.5 * stiffness * (group.damping[:, None, :] + group.damping[:, :, None])
    elastic, viscous = (
        np.einsum("cij,ciuk,cjvk->cuv", factor, gradients, gradients, optimize=True)
        for factor in (stiffness, damped)
    )
    return _Elements(group.indices, elastic, viscous)


def _stiffness_of(group: Group, owner_of: Callable[[int], str]) -> Numbers:
    """α⁻¹, shape (count, components, components)."""
    size = group.constraint.components
    compliance = np.empty((len(group.indices), size, size))
    rows, columns = np.tril_indices(size)
    compliance[:, rows, columns] = compliance[:, columns, rows] = group.compliance
    eigenvalues = np.linalg.eigvalsh(compliance)
    rigid = np.flatnonzero(eigenvalues[:, 0] <= LEAST_COMPLIANCE * eigenvalues[:, -1])
    if len(rigid):
        raise ModelError(
            f"'{owner_of(int(group.indices[rigid[0], 0]))}' has a compliance of zero "
            f"('{group.constraint.kind}', {len(rigid)} in all). Projective dynamics needs a finite "
            "stiffness: give it a compliance, or use XPBD or constrained dynamics."
        )
    return np.asarray(np.linalg.inv(compliance), np.float64)


def _gradients(group: Group, positions: Numbers) -> Numbers:
    """∇C, shape (count, components, vertices, 3)."""
    constraint = group.constraint
    if len(group.indices) == 0:
        return np.empty((0, constraint.components, constraint.vertices, 3))
    kernel = ElementKernel(_gradient_kernel(constraint), group.indices, group.rest, np.float64)
    rows = aligned_rows(len(positions), np.float64)
    rows[:, :3] = positions
    kernel.run(rows)
    return kernel.values.reshape(-1, constraint.components, constraint.vertices, 3)


@cache
def _gradient_kernel(constraint: Constraint) -> KernelSpecification:
    """The kernel that puts out ∇C."""

    def gradient(
        x: Sequence[Vector], _inverse_mass: Sequence[Scalar], rest: Sequence[Scalar]
    ) -> list[Scalar]:
        _, gradients = constraint.evaluate(x, rest)
        return [number for row in gradients for vector in row for number in vector]

    return measuring(
        f"gradients_{constraint.kind}",
        gradient,
        vertices=constraint.vertices,
        parameters=constraint.rest_size,
        outputs=3 * constraint.components * constraint.vertices,
    )
