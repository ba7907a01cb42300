# SPDX-License-Identifier: GPL-3.0-or-later
"""The seed's interpolation of rotations by its own formulas, slow, for comparison with core's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from core.mesh.tetrahedra import TetrahedralBody
from core.solvers.corotational.held_matrix import HeldMatrix, element_products
from core.solvers.corotational.interpolated_rotations import QUATERNIONS, sample_elements
from core.solvers.corotational.rotation_step import ElementRotations
from core.vector.elements import ElementKernel

Array = NDArray[np.float64]

LEAST_WEIGHT = 1e-9
"""Below, equation 9 would divide by zero."""


@dataclass(frozen=True)
class SeedInterpolation:
    """A local step: all samples blended for every other element.

    Attributes:
        fraction: part of the elements that are sampled, as in core.
        weights: the harmonic functions of equation 8 (linear finite elements, one at the vertices
            of a sample), or their reciprocals as equation 9 has it.
        pivot: the sample whose quaternion gives the others their sign: the first of all as in
            equation 7, or that of the element's largest weight.
    """

    fraction: float
    weights: Literal["harmonic", "reciprocal"]
    pivot: Literal["first", "largest"]

    def bind(self, body: TetrahedralBody, dtype: DTypeLike) -> ElementRotations:
        """See ``core.solvers.corotational.rotation_step.LocalStep``."""
        return _Bound(self, body, dtype)


class _Bound:
    def __init__(self, step: SeedInterpolation, body: TetrahedralBody, dtype: DTypeLike) -> None:
        samples = sample_elements(body, round(step.fraction * len(body.tetrahedra)))
        self._weights = vertex_weights(body, samples)
        if step.weights == "reciprocal":
            self._weights = 1.0 / np.maximum(self._weights, LEAST_WEIGHT)
            self._weights /= self._weights.sum(axis=1, keepdims=True)
        self._weights[samples] = np.eye(len(samples))
        self._pivots = np.argmax(self._weights, axis=1)
        if step.pivot == "first":
            self._pivots[:] = 0
        rest = body.inverse_edges[samples].reshape(-1, 9)
        self._sampled = ElementKernel(QUATERNIONS, body.tetrahedra[samples], rest, dtype)
        self._columns = np.zeros((len(body.tetrahedra), 3, 3), dtype)
        self.outputs = self._columns.reshape(-1)
        self.places = 9 * np.arange(len(body.tetrahedra))
        self.stride = 1

    def update(self, rows: NDArray[Any]) -> None:
        self._sampled.run(rows)
        quaternions = self._sampled.values
        products = quaternions @ quaternions.T
        signs = np.where(products < 0.0, -1.0, 1.0)
        blended = (self._weights * signs[self._pivots]) @ quaternions
        self._columns[:] = _rotations_of(blended).transpose(0, 2, 1)


def vertex_weights(body: TetrahedralBody, samples: NDArray[np.int64]) -> Array:
    """Equation 8 and the means over elements, shape (m, l); shared vertices in equal parts."""
    u = np.zeros((len(body.positions), len(samples)))
    np.add.at(u, (body.tetrahedra[samples], np.arange(len(samples))[:, None]), 1.0)
    sharing = u.sum(axis=1)
    held = sharing > 0.0
    u[held] /= sharing[held, None]
    matrix = HeldMatrix(element_products(body, body.volumes), held)
    u[matrix.free] = matrix.solve(matrix.right_side(np.zeros_like(u), u))
    return np.asarray(u[body.tetrahedra].mean(axis=1))


def _rotations_of(quaternions: NDArray[Any]) -> NDArray[Any]:
    """Of quaternions (x, y, z, w) that need not be units, shape (m, 4) → (m, 3, 3)."""
    w = quaternions[:, 3]
    zero, (x, y, z) = np.zeros_like(w), quaternions[:, :3].T
    across = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    square = np.maximum(np.sum(quaternions**2, axis=1), 1e-30)[:, None, None]
    return np.asarray(np.eye(3) + 2.0 * (w[:, None, None] * across + across @ across) / square)
