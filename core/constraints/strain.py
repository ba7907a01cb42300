# SPDX-License-Identifier: GPL-3.0-or-later
"""Green strain of a triangle in its material plane: C = (ε_x, ε_y, ε_xy).

Equations 27 and 28 of the XPBD paper (Macklin et al. 2016): with the block compliance
α = K⁻¹ / area, K the membrane stiffness, the energy ½ Cᵀ α⁻¹ C is that of St Venant–Kirchhoff.
ε_xy is the tensor component, for which the consistent third diagonal entry of an isotropic K
is 4μ (the paper prints 2μ).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..mesh.simplices import content_and_width, inverses
from ..vector.arithmetic import Scalar, Vector, add, dot, scale, sqrt, subtract, total
from .base import Constraint, Gradients, Values

FLATTEST = 1e-4
"""Least square of a stretch that yields."""


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the inverse, row by row, of the 2 × 2 matrix of the material edges [1/m]."""
    along_x, along_y = deformation_gradient(x, rest)
    strain = [
        0.5 * (dot(along_x, along_x) - 1.0),
        0.5 * (dot(along_y, along_y) - 1.0),
        0.5 * dot(along_x, along_y),
    ]
    shear = [
        add(scale(0.5 * rest[0], along_y), scale(0.5 * rest[1], along_x)),
        add(scale(0.5 * rest[2], along_y), scale(0.5 * rest[3], along_x)),
    ]
    gradients = [
        balanced(scale(rest[0], along_x), scale(rest[2], along_x)),
        balanced(scale(rest[1], along_y), scale(rest[3], along_y)),
        balanced(*shear),
    ]
    return strain, gradients


def deformation_gradient(
    x: Sequence[Vector], rest: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """The columns of F: what becomes of the material axes; ``rest`` begins as for strain."""
    edge_a, edge_b = subtract(x[1], x[0]), subtract(x[2], x[0])
    along_x = add(scale(rest[0], edge_a), scale(rest[2], edge_b))
    along_y = add(scale(rest[1], edge_a), scale(rest[3], edge_b))
    return along_x, along_y


def products(
    x: Sequence[Vector], rest: Sequence[Scalar], inverse_mass: Sequence[Scalar]
) -> list[list[Scalar]]:
    """At each vertex ∇C is G r with r of the rest shape and G = (F₁, 0), (0, F₂), (F₂, F₁) / 2.

    So Σ w (Gᵢ r) · (Gⱼ r) = tr Gᵢ A Gⱼᵀ with A = Σ w r rᵀ.
    """
    along_x, along_y = deformation_gradient(x, rest)
    xx, xy, yy = dot(along_x, along_x), dot(along_x, along_y), dot(along_y, along_y)
    r = [[-1.0 * (rest[0] + rest[2]), -1.0 * (rest[1] + rest[3])], rest[:2], rest[2:4]]
    a, b, c = (
        total([w * p[i] * p[j] for w, p in zip(inverse_mass, r, strict=True)])
        for i, j in ((0, 0), (0, 1), (1, 1))
    )
    return [
        [a * xx],
        [b * xy, c * yy],
        [0.5 * (a * xy + b * xx), 0.5 * (b * yy + c * xy), 0.25 * (a * yy + 2.0 * b * xy + c * xx)],
    ]


def balanced(second: list[Scalar], third: list[Scalar]) -> list[list[Scalar]]:
    """Gradients at the three corners: translations change nothing, so they add up to zero."""
    return [scale(-1.0, add(second, third)), second, third]


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse material edges [1/m], shape (count, 4), of triangles, shape (count, 3, 3).

    The material x axis lies along the first edge. Triangles must have an area.
    """
    return measure_rest_along(points, points[:, 1] - points[:, 0])


def measure_rest_along(
    points: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """As :func:`measure_rest` with the material x axis along directions, shape (count, 3).

    They are projected into the triangles and must not be perpendicular to them.
    """
    edges = np.stack([points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]], axis=2)
    normal = _unit(np.cross(edges[:, :, 0], edges[:, :, 1]))
    across = _unit(np.cross(normal, directions))
    axes = np.stack([np.cross(across, normal), across], axis=1)
    return inverses(axes @ edges).reshape(-1, 4)


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Dm⁻¹ U⁻¹ U₀ with the stretch U of F = Q U now and U₀ before: axes turn with triangles."""
    matrix = rest.reshape(-1, 2, 2)
    stretches = [_stretch_of(points, matrix) for points in (now, before)]
    return np.asarray((matrix @ inverses(stretches[0]) @ stretches[1]).reshape(-1, 4))


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """By the same change of the material's own shape, P of Dm⁻¹ P."""
    rest, before, now = (each.reshape(-1, 2, 2) for each in (rest, before, now))
    return np.asarray((now @ np.linalg.solve(before, rest)).reshape(-1, 4))


def flow(
    rest: NDArray[np.float64],
    points: NDArray[np.float64],
    limit: NDArray[np.float64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Dm⁻¹ V Σ Vᵀ: of each principal stretch what is beyond the limit, to the power of a share."""
    matrix = rest.reshape(-1, 2, 2)
    edges = np.stack([points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]], axis=2)
    gradient = edges @ matrix
    squares, axes = np.linalg.eigh(gradient.transpose(0, 2, 1) @ gradient)
    stretches = np.sqrt(np.maximum(squares, FLATTEST))
    limit, share = limit[:, None], share[:, None]
    beyond = np.clip(stretches, 1.0 / (1.0 + limit), 1.0 + limit) / stretches
    change = (axes * (beyond**share)[:, None]) @ axes.transpose(0, 2, 1)
    return np.asarray((matrix @ change).reshape(-1, 4))


def _stretch_of(points: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """U = √FᵀF of triangles, in closed form, shape (count, 2, 2)."""
    edges = np.stack([points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]], axis=2)
    gradient = edges @ matrix
    square = gradient.transpose(0, 2, 1) @ gradient
    area = np.sqrt(np.maximum(np.linalg.det(square), 0.0))[:, None, None]
    trace = np.trace(square, axis1=1, axis2=2)[:, None, None]
    return np.asarray((square + area * np.eye(2)) / np.sqrt(trace + 2.0 * area))


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None])


def stretch(values: Values, _rest: Sequence[Scalar]) -> Scalar:
    """The larger principal strain: the larger eigenvalue of the strain tensor."""
    x, y, shear = values
    half = 0.5 * (x - y)
    return 0.5 * (x + y) + sqrt(half * half + shear * shear)


def sizes(rest: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Area and least height of triangles."""
    return content_and_width(rest.reshape(-1, 2, 2))


CONSTRAINT = Constraint(
    kind="strain",
    vertices=3,
    components=3,
    rest_size=4,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=20,
    stretch=stretch,
    sizes=sizes,
    products=products,
    reshape=reshape,
    carry=carry,
    flow=flow,
)
