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
from .constraints.strain import measure_rest_along
from .mesh import Indices, MeshError, Polygons, Positions

if TYPE_CHECKING:
    from .model import Model


LEAST_SIDE = 0.1
"""Of the membrane stiffness: what sides of a quad keep beside its diagonals."""

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
        warp: direction in space along which the threads run in the rest shape; those across it
            are the weft.
        membrane: ``"continuum"``: St Venant–Kirchhoff strain of triangles; ``"springs"``:
            distances along the edges and across quads; ``"automatic"``: springs for quads that
            are nearly rectangles, where they are exact and converge fastest, else the continuum.
    """

    density: float = 0.2
    stretch_compliance: float = 5e-4
    shear_compliance: float = 2e-3
    bend_compliance: float = 1e5
    poisson_ratio: float = 0.2
    stretch_damping: float = 0.0
    shear_damping: float = 0.0
    bend_damping: float = 0.0
    warp: tuple[float, float, float] = (1.0, 0.0, 0.0)
    membrane: Membrane = "automatic"

    def __post_init__(self) -> None:
        if not self.density > 0.0:
            raise MeshError(f"The density must be positive, not {self.density}.")
        if not -1.0 < self.poisson_ratio < 1.0:
            raise MeshError(f"Poisson's ratio must lie between -1 and 1, not {self.poisson_ratio}.")
        if len(self.warp) != 3 or not 0.0 < np.linalg.norm(self.warp) < np.inf:
            raise MeshError(f"The warp must be a direction in space, not {self.warp}.")
        for name, value in vars(self).items():
            if name.endswith(("_compliance", "_damping")) and not 0.0 <= value < np.inf:
                raise MeshError(f"The {name.replace('_', ' ')} can't be {value}.")
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
    springs, continuum = _split(positions, polygons, material)
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
    """Lumped masses, none far below the mean.

    A vertex with next to no area around it (loose, or a corner on a straight edge) would be flung
    about by what holds it.
    """
    lumped = mesh.lumped_masses(count, triangles, masses)
    massive = lumped > 0.0
    if not massive.any():
        raise MeshError(f"All faces of '{name}' have zero area; there is nothing to simulate.")
    return np.maximum(lumped, 0.1 * lumped[massive].mean())


def _split(
    positions: Positions, polygons: Polygons, material: ClothMaterial
) -> tuple[Polygons, Polygons]:
    """The faces that become springs, and those that become a continuum."""
    if material.membrane == "springs":
        return polygons, Polygons({})
    if material.membrane == "continuum" or 4 not in polygons.corners:
        return Polygons({}), polygons
    quads = polygons.corners[4]
    suited = _suits_springs(positions, quads, material)
    springs = {4: quads[suited]} if suited.any() else {}
    others = {size: corners for size, corners in polygons.corners.items() if size != 4}
    if not suited.all():
        others[4] = quads[~suited]
    return Polygons(springs), Polygons(others)


def _suits_springs(
    positions: Positions, quads: Indices, material: ClothMaterial
) -> NDArray[np.bool_]:
    """Whether quads are so near a rectangle, and so near a square, that springs are exact."""
    sides = positions[np.roll(quads, -1, axis=1)] - positions[quads]
    lengths = np.linalg.norm(sides, axis=2)
    product = lengths * np.roll(lengths, -1, axis=1)
    skew = np.abs(np.einsum("qsk,qsk->qs", sides, np.roll(sides, -1, axis=1)))
    right = (skew < 0.15 * product).all(axis=1)
    return right & (_side_stiffness(lengths**2, material) > LEAST_SIDE).all(axis=1)


def _add_continuum(
    model: Model, positions: Positions, polygons: Polygons, material: ClothMaterial, first: int
) -> None:
    """St Venant–Kirchhoff membrane: α = K⁻¹ / area (equation 28, consistent shear entry).

    Shear is that between the threads, which all run along the material's warp.
    """
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
    points = positions[triangles[solid]]
    model.add_constraints(
        "strain",
        triangles[solid] + first,
        rest=measure_rest_along(points, _warp_directions(points, material.warp)),
        compliance=inverse_stiffness / areas[solid, None, None],
        damping=np.tile(damping, (int(solid.sum()), 1)),
    )
    flat = mesh.edges(Polygons({3: triangles[~solid]} if not solid.all() else {}))
    _add_edges(model, positions, flat, np.zeros(len(flat)), material, first)


def _warp_directions(
    points: NDArray[np.float64], warp: tuple[float, float, float]
) -> NDArray[np.float64]:
    """The warp for each triangle; where it pierces the sheet, the next axis in its stead."""
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    direction = np.asarray(warp, np.float64) / np.linalg.norm(warp)
    in_plane = np.linalg.norm(np.cross(normals, direction), axis=1)
    pierces = in_plane < 0.5 * np.linalg.norm(normals, axis=1)
    return np.where(pierces[:, None], np.roll(direction, 1), direction)


def _add_springs(
    model: Model, positions: Positions, polygons: Polygons, material: ClothMaterial, first: int
) -> None:
    """Springs along edges (stretch) and across quads (shear).

    An edge of length L carries a strip of the fabric: stiffness k A / L², A being half the area
    of the quads or the area of the triangles beside it. Two diagonals of stiffness G L² / (2 A)
    resist the shear of a quad of area A; what they add to its stretch stiffness is taken from its
    sides. Exact for squares and equilateral triangles.
    """
    edges = mesh.edges(polygons)
    keys = edges[:, 0] * len(positions) + edges[:, 1]
    carried = np.zeros(len(edges))
    for corners in polygons.corners.values():
        sides = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1), axis=-1)
        place = np.searchsorted(keys, sides[..., 0] * len(positions) + sides[..., 1])
        shares = _side_shares(positions, corners, material)
        carried += np.bincount(place.ravel(), shares.ravel(), minlength=len(edges))
    _add_edges(model, positions, edges, carried, material, first)
    if 4 in polygons.corners:
        _add_diagonals(model, positions, polygons.corners[4], material, first)


def _add_edges(
    model: Model,
    positions: Positions,
    edges: Indices,
    carried: NDArray[np.float64],
    material: ClothMaterial,
    first: int,
) -> None:
    """Springs along edges; one that carries no area holds faces without area together."""
    edges, carried = edges[edges[:, 0] != edges[:, 1]], carried[edges[:, 0] != edges[:, 1]]
    squares = _squared_lengths(positions, edges)
    solid = (carried > 0.0) & (squares > 0.0)
    ratio = np.where(solid, squares / np.where(solid, carried, 1.0), 1.0)
    model.add_constraints(
        "distance",
        edges + first,
        compliance=material.stretch_compliance * ratio,
        damping=material.stretch_damping,
    )


def _add_diagonals(
    model: Model, positions: Positions, quads: Indices, material: ClothMaterial, first: int
) -> None:
    pairs = np.concatenate([quads[:, [0, 2]], quads[:, [1, 3]]])
    squares = _squared_lengths(positions, pairs)
    areas = np.tile(_face_areas(positions, quads), 2)
    solid = (areas > 0.0) & (squares > 0.0)
    model.add_constraints(
        "distance",
        pairs[solid] + first,
        compliance=material.shear_compliance * 2.0 * areas[solid] / squares[solid],
        damping=material.shear_damping,
    )


def _squared_lengths(positions: Positions, pairs: Indices) -> NDArray[np.float64]:
    return np.asarray(np.sum((positions[pairs[:, 1]] - positions[pairs[:, 0]]) ** 2, axis=1))


def _side_shares(
    positions: Positions, corners: Indices, material: ClothMaterial
) -> NDArray[np.float64]:
    """Area [m²] of each face that each of its sides stands for, shape (count, corners).
    """
    areas = np.repeat(_face_areas(positions, corners)[:, None], corners.shape[1], axis=1)
    if corners.shape[1] != 4:
        return areas
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
    squares = _squared_lengths(positions, sides).reshape(-1, 4)
    return np.asarray(0.5 * areas * np.maximum(_side_stiffness(squares, material), LEAST_SIDE))


def _side_stiffness(
    squares: NDArray[np.float64], material: ClothMaterial
) -> NDArray[np.float64]:
    """What sides must add to the diagonals of a quad, over k; shape (count, 4) as the lengths².

    A quad of length a and width b with diagonals of shear stiffness G has C₁₂ = G, and with sides
    of stiffness s along a C₁₁ = s + G a²/b². Young's modulus is k both ways for
    C₁₁ = C₂₂ = (k + √(k² + 4 G²)) / 2.
    """
    if material.shear_compliance == 0.0 or material.stretch_compliance == 0.0:
        return np.ones_like(squares)
    along = squares + np.roll(squares, 2, axis=1)
    across = np.maximum(np.roll(along, 1, axis=1), 1e-6 * along)
    across = np.where(across > 0.0, across, 1.0)
    shear = material.stretch_compliance / material.shear_compliance
    return np.asarray(0.5 * (1.0 + np.hypot(1.0, 2.0 * shear)) - shear * along / across)


def _face_areas(positions: Positions, corners: Indices) -> NDArray[np.float64]:
    fan = [corners[:, [0, k, k + 1]] for k in range(1, corners.shape[1] - 1)]
    return np.sum([mesh.triangle_areas(positions, part) for part in fan], axis=0)


def _add_bending(
    model: Model,
    positions: Positions,
    triangles: Indices,
    areas: NDArray[np.float64],
    material: ClothMaterial,
    first: int,
) -> None:
    """Discrete shells (Grinspun et al. 2003) with the hinge energy ½ D (|e|² / A) (θ - θ₀)².

    A is the area of both triangles. Rolling a grid or a lattice of equilateral triangles to the
    curvature κ, in any direction, then costs ½ D κ² per area, as a plate of the flexural rigidity
    D does.
    """
    corners, sides = mesh.hinges(triangles)
    area = areas[sides].sum(axis=1)
    squared_length = _squared_lengths(positions, corners[:, :2])
    solid = (areas[sides] > 0.0).all(axis=1) & (corners[:, 2] != corners[:, 3])
    model.add_constraints(
        "bending",
        corners[solid] + first,
        compliance=material.bend_compliance * area[solid] / squared_length[solid],
        damping=material.bend_damping,
    )
