# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a surface is when the nodes of its cage have moved.

Linear weights are what forces and contact go by: they keep momentum. They show the tetrahedra's
facets; Phong deformation (James 2020, "Phong deformation: a better C0 interpolant for embedded
deformation") hardly does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...native.compiled import native
from ..tetrahedra import TetrahedralBody
from .cage import Cage

Numbers = NDArray[np.float64]


def carried(cage: Cage, nodes: NDArray[np.floating]) -> Numbers:
    """The surface by linear weights.

    Args:
        cage: around it.
        nodes: where the cage's nodes are [m], shape (m, 3).

    Returns:
        Positions of the surface's vertices [m], shape (n, 3).
    """
    result = np.empty((len(cage.corners), 3))
    _carry(np.ascontiguousarray(nodes, np.float64), cage.corners, cage.weights, result)
    return result


@native
def _carry(nodes, corners, weights, result):  # type: ignore[no-untyped-def]
    for vertex in range(len(corners)):
        for k in range(3):
            total = 0.0
            for corner in range(4):
                total += weights[vertex, corner] * nodes[corners[vertex, corner], k]
            result[vertex, k] = total


class SmoothCarrier:
    """The surface by Phong deformation, for display.

    Args:
        cage: around the surface, at rest.
        most: how far [m] a vertex is shown beside where linear weights put it, which is where it
            touches what is around: one or shape (n,).

    Equation 6 of James 2020 is x(X) = ½ Σ b x + ½ Σ b (x + F (X - X̄)) over the corners x of the
    tetrahedron, at rest X̄; F is the mean deformation gradient of the tetrahedra around a corner,
    by how much of them is filled. What moves as a linear function does, moves exactly.
    """

    def __init__(self, cage: Cage, most: ArrayLike = np.inf) -> None:
        self._cage = cage
        rest = TetrahedralBody.of(cage.positions, cage.tetrahedra)
        filled = np.repeat(cage.volumes, 4)
        around = np.bincount(cage.tetrahedra.ravel(), filled, len(cage.positions))
        # Of each corner of a tetrahedron: how much its F counts in the mean there.
        self._shares = (filled / around[cage.tetrahedra.ravel()]).reshape(-1, 4)
        # A vertex without faces is not where its weights say: the rest of the way counts in full.
        off = cage.surface - carried(cage, cage.positions)
        away = cage.surface[:, None] - cage.positions[cage.corners] + off[:, None]
        self._away = 0.5 * away
        self._most = np.asarray(most, np.float64) + np.linalg.norm(off, axis=1)
        self._gradients = np.ascontiguousarray(rest.gradients)

    def carried(self, nodes: NDArray[np.floating]) -> Numbers:
        """Positions of the surface's vertices [m], shape (n, 3), for nodes at (m, 3) [m]."""
        cage, now = self._cage, np.ascontiguousarray(nodes, np.float64)
        mean = np.zeros((len(now), 3, 3))
        _average(now, cage.tetrahedra, self._gradients, self._shares, mean)
        beside = np.zeros((len(cage.surface), 3))
        _turn(mean, self._away, cage.corners, cage.weights, beside)
        far = np.maximum(np.linalg.norm(beside, axis=1), np.finfo(np.float64).tiny)
        return carried(cage, now) + np.minimum(1.0, self._most / far)[:, None] * beside


@native
def _average(nodes, tetrahedra, gradients, shares, mean):  # type: ignore[no-untyped-def]
    """Add the deformation gradient F = Σ x ⊗ g of each tetrahedron to those of its corners."""
    for t in range(len(tetrahedra)):
        for i in range(3):
            for j in range(3):
                total = 0.0
                for corner in range(4):
                    total += nodes[tetrahedra[t, corner], i] * gradients[t, corner, j]
                for corner in range(4):
                    mean[tetrahedra[t, corner], i, j] += shares[t, corner] * total


@native
def _turn(mean, away, corners, weights, result):  # type: ignore[no-untyped-def]
    """Add Σ b F times half the way from the corner, at rest, to each vertex."""
    for vertex in range(len(corners)):
        for corner in range(4):
            node, weight = corners[vertex, corner], weights[vertex, corner]
            for i in range(3):
                for j in range(3):
                    result[vertex, i] += weight * mean[node, i, j] * away[vertex, corner, j]
