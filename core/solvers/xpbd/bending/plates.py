# SPDX-License-Identifier: GPL-3.0-or-later
"""The bending of sheets as a quadratic energy, from the hinges of a model.

Hinges give the curvature of each triangle, as Oñate, Zárate 2000, "Rotation-free triangular plate
and shell elements": κ = Σ lᵢ θᵢ nᵢ nᵢᵀ / (A + Aᵢ) over its edges, with the in-plane normals nᵢ and
the areas Aᵢ of the neighbours. ½ D A κ:κ is right on any mesh, where the energy of hinges one by
one is not: it leaves a strip of squares a fifth too soft, however fine.

Where the sheet is shallow θᵢ is the length of the vector b = Σ cⱼ xⱼ over the four corners, and
2 sin θᵢ/2 where it is not (Bergou et al. 2006, "A quadratic bending model for inextensible
surfaces"): the energy has a constant matrix, the same for x, y and z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....layout.group import Group
from ....linear.compressed import Compressed, from_entries, product, transposed

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


STIFFEST = 1e12
"""Σ c² / (m α) [1/s²] of the stiffest hinge that single precision can solve with."""


SHARPEST = 0.1
"""Least cos² θ₀/2 by which a hinge that is sharp at rest is made stiffer, as 2 sin θ/2 grows more
slowly than θ there."""


class Plates(NamedTuple):
    """The energy ½ xᵀ K x - xᵀ G b₀ of all sheets of a model, of n particles and h hinges.

    Attributes:
        corners: of each hinge, shape (h, 4).
        coefficients: c of each, such that b = Σ c x [1/m], shape (h, 4).
        rest: angles at rest [rad], shape (h,).
        damping: of each hinge [s], shape (h,).
        stiffness: K [N/m], shape (n, n).
        moments: G [N], from a rest vector b₀ of each hinge to forces, shape (n, h).
    """

    corners: Indices
    coefficients: Numbers
    rest: Numbers
    damping: Numbers
    stiffness: Compressed
    moments: Compressed


def plates_of(groups: Sequence[Group], positions: Numbers, masses: Numbers) -> Plates:
    """The plates that groups of hinges describe.

    Args:
        groups: of the kind ``"bending"``.
        positions: at rest [m], shape (n, 3).
        masses: infinite for pinned particles, shape (n,).
    """
    corners = np.concatenate([np.empty((0, 4), np.int64), *(g.indices for g in groups)])
    rest = np.concatenate([np.empty(0), *(g.rest[:, 0] for g in groups)])
    damping = np.concatenate([np.empty(0), *(g.damping[:, 0] for g in groups)])
    coefficients = hinge_coefficients(positions[corners])
    compliance = np.concatenate([np.empty(0), *(g.compliance[:, 0] for g in groups)])
    compliance = compliance * np.maximum(np.cos(0.5 * rest) ** 2, SHARPEST)
    lightest = np.max(1.0 / masses[corners], axis=1, initial=0.0)
    freedom = lightest * np.sum(coefficients**2, axis=1)
    compliance = np.maximum(compliance, freedom / STIFFEST)
    count = len(corners)
    hinges = from_entries(
        np.repeat(np.arange(count), 4), corners.ravel(), coefficients.ravel(), (count, len(masses))
    )
    curvature = _curvature(corners, compliance, positions, np.isinf(masses))
    rows = product(curvature, hinges)
    columns = transposed(rows)
    return Plates(
        corners, coefficients, rest, damping, product(columns, rows), product(columns, curvature)
    )


def hinge_coefficients(points: Numbers) -> Numbers:
    """c of hinges with corners at rest, shape (h, 4, 3), unfolded flat → (h, 4) [1/m].

    Zero where a triangle is degenerate.
    """
    edge = points[:, 1] - points[:, 0]
    length = np.linalg.norm(edge, axis=1)
    along = edge / np.where(length > 0.0, length, 1.0)[:, None]
    heights, shares = [], []
    for apex in (points[:, 2], points[:, 3]):
        way = np.einsum("hk,hk->h", apex - points[:, 0], along)
        heights.append(np.linalg.norm(apex - points[:, 0] - way[:, None] * along, axis=1))
        shares.append(way / np.where(length > 0.0, length, 1.0))
    proper = (np.min(heights, axis=0) > 0.0) & (length > 0.0)
    a, b = (1.0 / np.where(proper, height, np.inf) for height in heights)
    start = (1.0 - shares[0]) * a + (1.0 - shares[1]) * b
    return np.stack([start, shares[0] * a + shares[1] * b, -a, -b], axis=1)


def _curvature(
    corners: Indices, compliance: Numbers, positions: Numbers, pinned: NDArray[np.bool_]
) -> Compressed:
    """From hinges to √(D A) κ of triangles, three rows each.

    A hinge knows its two triangles, and D = (A + A') / α l². A triangle that is pinned does not
    bend, and takes no part in the bend at its edges: A := 0.
    """
    sides = np.concatenate([corners[:, [0, 1, 2]], corners[:, [1, 0, 3]]])
    keys = np.sort(sides, axis=1) @ np.array([len(positions) ** 2, len(positions), 1])
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    triangles, count = sides[first], len(corners)
    number = number.reshape(2, count)
    a, b, c = positions[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    double = np.linalg.norm(normal, axis=1)
    area = np.where(pinned[triangles].all(axis=1), 0.0, 0.5 * double)
    normal /= np.where(double > 0.0, double, 1.0)[:, None]
    along = _unit(b - a)
    across = np.cross(normal, along)
    edge = _unit(positions[corners[:, 1]] - positions[corners[:, 0]])
    both = area[number].sum(axis=0) * compliance
    entries = []
    for own in number:
        weight = np.sqrt(np.where(both > 0.0, area[own] / np.where(both > 0.0, both, 1.0), 0.0))
        outward = np.cross(edge, normal[own])
        x = np.einsum("hk,hk->h", outward, along[own])
        y = np.einsum("hk,hk->h", outward, across[own])
        entries.append(weight[:, None] * np.stack([x * x, np.sqrt(2.0) * x * y, y * y], axis=1))
    rows = (3 * number[:, :, None] + np.arange(3)).ravel()
    columns = np.repeat(np.tile(np.arange(count), 2), 3)
    return from_entries(rows, columns, np.concatenate(entries).ravel(), (3 * len(triangles), count))


def _unit(vectors: Numbers) -> Numbers:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0.0, length, 1.0)
