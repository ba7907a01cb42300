# SPDX-License-Identifier: GPL-3.0-or-later
"""The forces in a cloth, per metre of a cut through it, from where its vertices are.

They are the stresses of its material, and so those that constraints exert where they are solved:
λ / Δt² of a spring is that of the strip that it stands for. What limits, contact, damping and
plasticity add or take is no part of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..constraints import bimodular_strain
from ..constraints.strain import measure_rest_along
from ..errors import ModelError
from ..mesh import surface
from ..mesh.surface import Indices, Polygons, Positions
from .cloth_material import ClothMaterial
from .membrane import compliance_of
from .painted import means
from .rest_shape import shrunk
from .warp import Woven, in_plane

Numbers = NDArray[np.float64]


class Tension(NamedTuple):
    """Forces [N] per metre of the cloth at rest, at each of n vertices, shape (n,) each.

    Attributes:
        largest: tension in the direction in which it is largest, 0 where nothing is pulled.
        warp, weft: along the yarns; negative where they are pushed together.
    """

    largest: Numbers
    warp: Numbers
    weft: Numbers


def tension_of(
    name: str,
    positions: Positions,
    rest: Positions,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    material: ClothMaterial,
) -> Tension:
    """The tension at the vertices of a cloth: means of the triangles around them, by area.

    Args:
        name: of the cloth. positions, rest: now and at rest [m], shape (n, 3).

    Raises:
        ModelError: the material does not stretch or shear at all, so that there is no telling.
    """
    if np.any(np.equal(material.stretch_compliance, 0.0)) or np.any(
        np.equal(material.shear_compliance, 0.0)
    ):
        raise ModelError(
            f"The forces in '{name}' can't be told from its shape, as its stretch or shear "
            "compliance is zero."
        )
    woven = Woven.like(name, material.warp, surface.face_sizes(faces), Polygons.of(faces))
    shape, longer = shrunk(rest, material.shrinkage)
    triangles = surface.triangulate(shape, woven)
    areas = surface.triangle_areas(shape, triangles)
    solid = areas > 0.0
    triangles, areas = triangles[solid], areas[solid]
    points = shape[triangles]
    edges = measure_rest_along(points, in_plane(points, woven.of_triangles[solid]))
    edges = edges / means(longer, triangles)[:, None]
    now = positions[triangles]
    sides = np.stack([now[:, 1] - now[:, 0], now[:, 2] - now[:, 0]], axis=2)
    gradient = sides @ edges.reshape(-1, 2, 2)
    forces = _forces(gradient, _stress(gradient, triangles, material))
    return Tension(*(_at_vertices(each, triangles, areas, len(shape)) for each in forces))


def _stress(gradient: Numbers, triangles: Indices, material: ClothMaterial) -> Numbers:
    """Second Piola–Kirchhoff stress S = K ε of triangles [N/m], shape (count, 2, 2)."""
    green = 0.5 * (np.swapaxes(gradient, 1, 2) @ gradient - np.eye(2))
    strain = np.stack([green[:, 0, 0], green[:, 1, 1], green[:, 0, 1]], axis=1)
    compliance = compliance_of(triangles, material)
    if material.is_bimodular:
        ratio = np.sqrt(material.weft_stretch)
        softer = 1.0 / means(material.compression, triangles)
        factors = bimodular_strain.softness(
            strain[:, 0], ratio * strain[:, 1], material.poisson_ratio, softer, np.where
        )
        compliance[:, [0, 1], [0, 1]] *= np.stack(factors, axis=1)
    # ε_xy stands for both shear strains: half of what works on it is S_xy.
    warp, weft, both = np.moveaxis(np.linalg.solve(compliance, strain[:, :, None])[:, :, 0], 1, 0)
    return np.stack([warp, 0.5 * both, 0.5 * both, weft], axis=1).reshape(-1, 2, 2)


def _forces(gradient: Numbers, stress: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Largest tension, and that along both yarns, of what F S is across cuts at rest."""
    values, directions = np.linalg.eigh(stress)
    pulled = np.einsum("tij,tj->ti", gradient, directions[:, :, 1])
    largest = np.maximum(values[:, 1], 0.0) * np.linalg.norm(pulled, axis=1)
    across = gradient @ stress
    along = [
        np.einsum("ti,ti->t", gradient[:, :, k], across[:, :, k])
        / np.maximum(np.linalg.norm(gradient[:, :, k], axis=1), 1e-12)
        for k in range(2)
    ]
    return largest, along[0], along[1]


def _at_vertices(values: Numbers, triangles: Indices, areas: Numbers, count: int) -> Numbers:
    """Means over the triangles around each vertex by area; 0 where there are none."""
    sums, weights = (
        np.bincount(triangles.ravel(), np.repeat(each, 3), minlength=count)
        for each in (values * areas, areas)
    )
    return np.asarray(sums / np.where(weights > 0.0, weights, 1.0))
