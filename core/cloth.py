# SPDX-License-Identifier: GPL-3.0-or-later
"""From a surface mesh and a fabric in SI units to particles and constraints.

Discretisation turns a compliance of the fabric into the α of each constraint with areas and
lengths of the rest shape, so that refining the mesh keeps the energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import mesh
from .mesh import Indices, MeshError, Polygons, Positions

if TYPE_CHECKING:
    from .model import Model


Membrane = Literal["automatic", "continuum", "springs"]


@dataclass(frozen=True, kw_only=True)
class ClothMaterial:
    """A fabric.

    Attributes:
        density: areal density [kg/m²].
        stretch_compliance: reciprocal of the membrane stiffness [m/N].
        shear_compliance: reciprocal of the shear stiffness [m/N].
        bend_compliance: reciprocal of the flexural rigidity [1/(N·m)].
        poisson_ratio: how much stretching one way narrows the other, of the continuum membrane.
        stretch_damping, shear_damping, bend_damping: Rayleigh's stiffness-proportional
            coefficients [s].
        membrane: ``"continuum"``: St Venant–Kirchhoff strain of triangles; ``"springs"``:
            distances along the edges and across quads; ``"automatic"``: springs for quads, where
            they are exact and converge fastest, the continuum for all other faces.
    """

    density: float = 0.2
    stretch_compliance: float = 5e-4
    shear_compliance: float = 2e-3
    bend_compliance: float = 1e5
    poisson_ratio: float = 0.2
    stretch_damping: float = 0.0
    shear_damping: float = 0.0
    bend_damping: float = 0.0
    membrane: Membrane = "automatic"

    def __post_init__(self) -> None:
        if not self.density > 0.0:
            raise MeshError(f"The density must be positive, not {self.density}.")
        if not -1.0 < self.poisson_ratio < 1.0:
            raise MeshError(f"Poisson's ratio must lie between -1 and 1, not {self.poisson_ratio}.")
        for name, value in vars(self).items():
            if name.endswith(("_compliance", "_damping")) and not value >= 0.0:
                raise MeshError(f"The {name.replace('_', ' ')} can't be negative ({value}).")
        if self.membrane not in get_args(Membrane):
            raise MeshError(f"'{self.membrane}' is no membrane; there are {get_args(Membrane)}.")


@dataclass(frozen=True)
class Cloth:
    """A handle to a cloth in a model.

    Attributes:
        particles: the particle of each vertex, shape (n,).
        pins: pinned particles, shape (p,).
        edges: pairs of particles, shape (e, 2), and their rest_lengths [m], shape (e,).
    """

    name: str
    particles: NDArray[np.int64]
    pins: NDArray[np.int64]
    edges: Indices
    rest_lengths: NDArray[np.float64] = field(repr=False)


def build_cloth(
    model: Model,
    name: str,
    positions: Positions,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    pins: ArrayLike | None,
    material: ClothMaterial,
    **particle_options: Any,
) -> Cloth:
    """Add the particles and constraints of a cloth to the model; see ``Model.add_cloth``."""
    polygons = _checked_polygons(name, positions, faces)
    triangles = mesh.triangulate(positions, polygons)
    areas = mesh.triangle_areas(positions, triangles)
    pinned = _checked_pins(name, len(positions), pins)
    masses = _masses(name, len(positions), triangles, material.density * areas)
    masses[pinned] = np.inf
    particles = model.add_particles(positions, masses, **particle_options)
    first = int(particles[0])

    _add_bending(model, positions, triangles, areas, material, first)
    springs, continuum = _split(polygons, material.membrane)
    if continuum.corners:
        _add_continuum(model, positions, continuum, material, first)
    if springs.corners:
        _add_springs(model, positions, springs, material, first)

    edges = mesh.edges(polygons)
    lengths = np.linalg.norm(positions[edges[:, 1]] - positions[edges[:, 0]], axis=1)
    return Cloth(name, particles, particles[pinned], edges + first, lengths)


def _checked_polygons(
    name: str, positions: Positions, faces: Sequence[Sequence[int]] | NDArray[np.integer]
) -> Polygons:
    polygons = Polygons.of(faces)
    if not polygons.corners:
        raise MeshError(f"'{name}' has no faces; cloth needs a surface.")
    for size, corners in polygons.corners.items():
        if size < 3:
            raise MeshError(f"'{name}' has a face of {size} corners; a face needs three or more.")
        if corners.min() < 0 or corners.max() >= len(positions):
            raise MeshError(f"A face of '{name}' refers to a vertex that doesn't exist.")
    return polygons


def _checked_pins(name: str, count: int, pins: ArrayLike | None) -> NDArray[np.int64]:
    pinned = np.unique(np.asarray([] if pins is None else pins, np.int64))
    if len(pinned) and not 0 <= pinned[0] <= pinned[-1] < count:
        raise MeshError(f"A pin of '{name}' refers to a vertex that doesn't exist.")
    return pinned


def _masses(
    name: str, count: int, triangles: Indices, masses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Lumped masses; a vertex without area gets the mean of the others, so that it can move."""
    lumped = mesh.lumped_masses(count, triangles, masses)
    massive = lumped > 0.0
    if not massive.any():
        raise MeshError(f"All faces of '{name}' have zero area; there is nothing to simulate.")
    lumped[~massive] = lumped[massive].mean()
    return lumped


def _split(polygons: Polygons, membrane: Membrane) -> tuple[Polygons, Polygons]:
    """The faces that become springs, and those that become a continuum."""
    if membrane == "springs":
        return polygons, Polygons({})
    quads = {4} if membrane == "automatic" else set()
    return (
        Polygons({k: corners for k, corners in polygons.corners.items() if k in quads}),
        Polygons({k: corners for k, corners in polygons.corners.items() if k not in quads}),
    )


def _add_continuum(
    model: Model, positions: Positions, polygons: Polygons, material: ClothMaterial, first: int
) -> None:
    """St Venant–Kirchhoff membrane: α = K⁻¹ / area (equation 28, consistent shear entry)."""
    triangles = mesh.triangulate(positions, polygons)
    areas = mesh.triangle_areas(positions, triangles)
    solid = areas > 0.0
    stretch, poisson = material.stretch_compliance, material.poisson_ratio
    inverse_stiffness = np.array(
        [
            [stretch, -poisson * stretch, 0.0],
            [-poisson * stretch, stretch, 0.0],
            [0.0, 0.0, 0.25 * material.shear_compliance],
        ]
    )
    damping = [material.stretch_damping, material.stretch_damping, material.shear_damping]
    model.add_constraints(
        "strain",
        triangles[solid] + first,
        compliance=inverse_stiffness / areas[solid, None, None],
        damping=np.tile(damping, (int(solid.sum()), 1)),
    )


def _add_springs(
    model: Model, positions: Positions, polygons: Polygons, material: ClothMaterial, first: int
) -> None:
    """Springs along edges (stretch) and across quads (shear).

    An edge of length L carries a strip of the fabric: stiffness k A / L², A being half the area
    of the quads or the area of the triangles beside it. Two diagonals of stiffness 2 G A / L²
    resist the shear of a quad of area A; what they add to its stretch stiffness is taken from the
    edges. Exact for squares and equilateral triangles.
    """
    edges = mesh.edges(polygons)
    keys = edges[:, 0] * len(positions) + edges[:, 1]
    carried = np.zeros(len(edges))
    for size, corners in polygons.corners.items():
        areas = _face_areas(positions, corners)
        sides = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1), axis=-1)
        place = np.searchsorted(keys, sides[..., 0] * len(positions) + sides[..., 1])
        share = _edge_share(material) * areas if size == 4 else areas
        carried += np.bincount(place.ravel(), np.repeat(share, size), minlength=len(edges))
    damping = material.stretch_damping
    _add_spring_group(
        model, positions, edges, carried, material.stretch_compliance, damping, first
    )
    if 4 in polygons.corners:
        quads = polygons.corners[4]
        diagonals = np.concatenate([quads[:, [0, 2]], quads[:, [1, 3]]])
        areas = np.tile(2.0 * _face_areas(positions, quads), 2)
        damping = material.shear_damping
        _add_spring_group(
            model, positions, diagonals, areas, material.shear_compliance, damping, first
        )


def _face_areas(positions: Positions, corners: Indices) -> NDArray[np.float64]:
    fan = [corners[:, [0, k, k + 1]] for k in range(1, corners.shape[1] - 1)]
    return np.sum([mesh.triangle_areas(positions, part) for part in fan], axis=0)


def _edge_share(material: ClothMaterial) -> float:
    """Part of a quad's area with which its edges count, so that pulling it meets k.

    Edges of stiffness e k and diagonals of shear stiffness G make C₁₁ = e k + G and C₁₂ = G;
    e follows from Young's modulus C₁₁ - C₁₂² / C₁₁ = k. Two edges share each direction.
    """
    if material.shear_compliance == 0.0 or material.stretch_compliance == 0.0:
        return 0.5
    ratio = material.stretch_compliance / material.shear_compliance
    return 0.25 * (1.0 - 2.0 * ratio + float(np.hypot(1.0, 2.0 * ratio)))


def _add_spring_group(
    model: Model,
    positions: Positions,
    pairs: Indices,
    areas: NDArray[np.float64],
    compliance: float,
    damping: float,
    first: int,
) -> None:
    lengths = np.linalg.norm(positions[pairs[:, 1]] - positions[pairs[:, 0]], axis=1)
    solid = areas > 0.0
    model.add_constraints(
        "distance",
        pairs[solid] + first,
        compliance=compliance * lengths[solid] ** 2 / areas[solid],
        damping=damping,
    )


def _add_bending(
    model: Model,
    positions: Positions,
    triangles: Indices,
    areas: NDArray[np.float64],
    material: ClothMaterial,
    first: int,
) -> None:
    """Discrete shells (Grinspun et al. 2003) with the hinge energy ½ D (3 |e|² / A) (θ - θ₀)².

    A is the area of both triangles: the mean curvature energy of Bergou et al. 2006, "A quadratic
    bending model for inextensible surfaces", for the flexural rigidity D.
    """
    corners, sides = mesh.hinges(triangles)
    area = areas[sides].sum(axis=1)
    squared_length = np.sum((positions[corners[:, 1]] - positions[corners[:, 0]]) ** 2, axis=1)
    solid = (areas[sides] > 0.0).all(axis=1)
    model.add_constraints(
        "bending",
        corners[solid] + first,
        compliance=material.bend_compliance * area[solid] / (3.0 * squared_length[solid]),
        damping=material.bend_damping,
    )
