# SPDX-License-Identifier: GPL-3.0-or-later
"""C of every constraint type, straight from its definition, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def distance(points: Array, rest: Array) -> Array:
    """|x₁ - x₀| - L."""
    return np.array([np.linalg.norm(points[1] - points[0]) - rest[0]])


def attachment(points: Array, rest: Array) -> Array:
    """|x₁ - x₀| - L, L being 0 for a spring to a target."""
    return distance(points, rest)


def bending(points: Array, rest: Array) -> Array:
    """The angle by which the second triangle is folded about the edge x₀ x₁, from flat."""
    axis = (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])
    arms = [arm - axis * (axis @ arm) for arm in points[2:] - points[0]]
    a, b = (arm / np.linalg.norm(arm) for arm in arms)
    angle = np.arctan2(np.cross(-a, b) @ axis, -a @ b) - rest[0]
    return np.array([(angle + np.pi) % (2 * np.pi) - np.pi])


def strain(points: Array, rest: Array) -> Array:
    """Green's strain ½ (FᵀF - 1), as (ε_x, ε_y, ε_xy)."""
    edges = np.stack([points[1] - points[0], points[2] - points[0]], axis=1)
    F = edges @ np.array(rest).reshape(2, 2)
    green = 0.5 * (F.T @ F - np.eye(2))
    return np.array([green[0, 0], green[1, 1], green[0, 1]])


def bimodular_distance(points: Array, rest: Array) -> Array:
    """|x₁ - x₀| - L, times √ρ where that is negative."""
    value = distance(points, rest)
    return np.where(value < 0.0, np.sqrt(rest[1]), 1.0) * value


def bimodular_strain(points: Array, rest: Array) -> Array:
    """L⁻¹ e and ε_xy, of the one of four S = L Lᵀ that goes with the signs of the stresses."""
    x, y, shear = strain(points, rest[:4])
    poisson, ratio, softer = rest[4:]
    e = np.array([x, ratio * y])
    for a in (1.0, softer):
        for b in (1.0, softer):
            S = np.array([[a, -poisson], [-poisson, b]])
            stress = np.linalg.solve(S, e)
            if np.array_equal(stress < 0.0, np.array([a, b]) > 1.0) or softer == 1.0:
                return np.array([*np.linalg.solve(np.linalg.cholesky(S), e), shear])
    raise AssertionError("Stresses on a boundary, rounded.")


def angle(points: Array, rest: Array) -> Array:
    """The angle by which a strand turns at its middle point, from straight on."""
    before, after = points[1] - points[0], points[2] - points[1]
    return np.array([np.arctan2(np.linalg.norm(np.cross(before, after)), before @ after) - rest[0]])


def stitch(points: Array, rest: Array) -> Array:
    """|x₁ - x₀| - L, L being what is left of the thread."""
    return distance(points, rest)


def stretch_limit(points: Array, rest: Array) -> Array:
    """How far the length is outside of its limits."""
    length = np.linalg.norm(points[1] - points[0])
    return np.array([length - np.clip(length, rest[1] * rest[0], rest[2] * rest[0])])


def strain_limit(points: Array, rest: Array) -> Array:
    """How far the singular values of F are outside of their limits, the larger one first."""
    edges = np.stack([points[1] - points[0], points[2] - points[0]], axis=1)
    values = np.linalg.svd(edges @ np.array(rest[:4]).reshape(2, 2), compute_uv=False)
    return np.asarray(values - np.clip(values, rest[4], rest[5]))


def volume(points: Array, rest: Array) -> Array:
    """The signed volume of the tetrahedron of a triangle and the origin."""
    return np.array([np.dot(points[0], np.cross(points[1], points[2])) / 6.0 - rest[0]])


def nearest_rotation(F: Array) -> Array:
    """The proper rotation R with the largest tr(RᵀF), by singular values."""
    U, _, V = np.linalg.svd(F)
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ V))]) @ V


def corotational(points: Array, rest: Array) -> Array:
    """‖F - R‖ of a tetrahedron."""
    F = (points[1:] - points[0]).T @ np.array(rest).reshape(3, 3)
    return np.array([np.linalg.norm(F - nearest_rotation(F))])


def deformation_gradient(points: Array, rest: Array) -> Array:
    """Σ x ⊗ g of a patch; ``rest`` begins with g of all corners but the first."""
    others = np.array(rest[: 3 * len(points) - 3]).reshape(-1, 3)
    return points.T @ np.concatenate([-others.sum(axis=0, keepdims=True), others])


def neo_hookean(points: Array, rest: Array) -> Array:
    """I / √(I + 1), I = tr FᵀF, and J - 1 - μ/l."""
    F = deformation_gradient(points, rest)
    return np.array([np.sum(F**2) / np.sqrt(np.sum(F**2) + 1.0), np.linalg.det(F) - 1.0 - rest[-1]])


def patch_corotational(points: Array, rest: Array) -> Array:
    """‖F - R‖ and J - 1."""
    F = deformation_gradient(points, rest)
    return np.array([np.linalg.norm(F - nearest_rotation(F)), np.linalg.det(F) - 1.0])


def patch_volume(points: Array, rest: Array) -> Array:
    """J - 1."""
    return np.array([np.linalg.det(deformation_gradient(points, rest)) - 1.0])


def tie(points: Array, rest: Array) -> Array:
    """Σ w x."""
    return np.array(rest) @ points


PATCHES = {
    f"{function.__name__}_{size}": function
    for function in (neo_hookean, patch_corotational, patch_volume)
    for size in range(4, 9)
}

FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "angle": angle,
    "attachment": attachment,
    "bimodular_distance": bimodular_distance,
    "bimodular_strain": bimodular_strain,
    "corotational": corotational,
    "distance": distance,
    "bending": bending,
    "strain": strain,
    "strain_limit": strain_limit,
    "stitch": stitch,
    "stretch_limit": stretch_limit,
    "tie_1": tie,
    "tie_3": tie,
    "volume": volume,
    **PATCHES,
}


def differentiate(function: Callable[[Array], Array], points: Array, step: float = 1e-6) -> Array:
    """∇C by central differences, shape (m, k, 3)."""
    columns = []
    for place in np.ndindex(*points.shape):
        ahead, behind = points.copy(), points.copy()
        ahead[place] += step
        behind[place] -= step
        columns.append((function(ahead) - function(behind)) / (2.0 * step))
    return np.stack(columns, axis=-1).reshape(-1, *points.shape)
