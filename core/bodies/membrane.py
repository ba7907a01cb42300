# SPDX-License-Identifier: GPL-3.0-or-later
"""How a sheet resists being stretched and sheared: a continuum of triangles, or springs.

Both turn the compliances of a fabric [m/N] into the α of each constraint with areas and lengths of
the rest shape. What that makes is remembered, whatever else of the fabric changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..builder import Builder, Described
from ..constraints import bimodular_strain
from ..constraints.strain import measure_rest as inverse_edges
from ..constraints.strain import measure_rest_along
from ..mesh import surface
from ..mesh.quads import pair_into_quads
from ..mesh.simplices import inverses
from ..mesh.surface import Indices, Polygons, Positions
from ..remembered import remembered
from .cloth_material import ClothMaterial
from .edge_springs import split_stiffness
from .painted import mean_compliances, means
from .strain_limits import limits_of
from .warp import STRAIGHT, Directions, Woven, in_plane, shares_along

MATTERS = (
    "stretch_compliance", "compression", "shear_compliance", "poisson_ratio", "stretch_damping",
    "shear_damping", "warp", "weft_stretch", "membrane", "strain_limits",
)  # fmt: skip
"""What of a fabric this goes by."""

LEAST_SIDE = 0.1
"""Of the membrane stiffness: what sides of a quad keep beside its diagonals."""


def add_membrane(
    model: Builder, positions: Positions, polygons: Woven, material: ClothMaterial, first: int
) -> None:
    """Add the constraints of all faces; vertex i is the particle ``first`` + i."""
    for described in _membrane(positions, polygons, material.only(*MATTERS)):
        model.add_constraints(**described | {"indices": described["indices"] + first})


@remembered
def _membrane(positions: Positions, polygons: Woven, material: ClothMaterial) -> list[Described]:
    """The constraints of all faces, between vertices."""
    springs, continuum = _split(positions, polygons, material)
    found = []
    if continuum.corners:
        found += _continuum(positions, continuum, material)
    if springs.corners:
        found += _springs(positions, springs, material)
    return found


def _split(positions: Positions, faces: Woven, material: ClothMaterial) -> tuple[Woven, Woven]:
    """The faces that become springs, and those that become a continuum."""
    if material.membrane == "springs":
        return faces, Woven({}, {})
    if material.membrane == "continuum":
        return Woven({}, {}), faces
    quads, triangles = (faces.corners.get(size, np.empty((0, size), np.int64)) for size in (4, 3))
    warp, of_triangles = (faces.warp.get(size, np.empty((0, 3))) for size in (4, 3))
    suited = _suits_springs(positions, quads, warp, material)
    joined, pairs = pair_into_quads(positions, triangles)
    restored = np.logical_and(
        *(_suits_springs(positions, joined, of_triangles[half], material) for half in pairs.T)
    )
    gone = pairs[restored].ravel()
    springs = {4: np.concatenate([quads[suited], joined[restored]])}
    spring_warp = {4: np.concatenate([warp[suited], of_triangles[pairs[restored, 0]]])}
    others = faces.corners | {4: quads[~suited], 3: np.delete(triangles, gone, axis=0)}
    other_warp = faces.warp | {4: warp[~suited], 3: np.delete(of_triangles, gone, axis=0)}
    return _without_empty(springs, spring_warp), _without_empty(others, other_warp)


def _without_empty(corners: dict[int, Indices], warp: dict[int, Directions]) -> Woven:
    return Woven({size: faces for size, faces in corners.items() if len(faces)}, warp)


def _suits_springs(
    positions: Positions, quads: Indices, warp: Directions, material: ClothMaterial
) -> NDArray[np.bool_]:
    """Whether quads are so near a rectangle, and so near a square, that springs are exact.

    Springs are yarns along the sides: where others are asked for, these must be the same.
    """
    sides = positions[np.roll(quads, -1, axis=1)] - positions[quads]
    lengths = np.linalg.norm(sides, axis=2)
    product = lengths * np.roll(lengths, -1, axis=1)
    skew = np.abs(np.einsum("qsk,qsk->qs", sides, np.roll(sides, -1, axis=1)))
    suited = (skew < 0.15 * product).all(axis=1)
    if material.has_directions:
        along = shares_along(positions[quads[:, :3]], warp, sides[:, 0])
        suited &= np.minimum(along, 1.0 - along) < STRAIGHT**2
    yarns = _yarns(positions, quads, warp, material)
    pulled, pushed = _side_stiffness(quads, lengths**2, material, yarns)
    least = LEAST_SIDE * means(material.compression, quads)[:, None]
    return suited & ((pulled > LEAST_SIDE) & (pushed > least)).all(axis=1)


def _yarns(
    positions: Positions, faces: Indices, warp: Directions, material: ClothMaterial
) -> NDArray[np.float64]:
    """The stiffness of the fabric along the sides of faces, over that along the warp, (count, k).

    That of the weft across the warp, and a part of both between.
    """
    if material.weft_stretch == 1.0:
        return np.ones(faces.shape)
    sides = positions[np.roll(faces, -1, axis=1)] - positions[faces]
    along = shares_along(positions[faces[:, :3]], warp, sides)
    return 1.0 + (material.weft_stretch - 1.0) * (1.0 - along)


def _continuum(positions: Positions, polygons: Woven, material: ClothMaterial) -> list[Described]:
    """St Venant–Kirchhoff membrane: α = K⁻¹ / area (equation 28, consistent shear entry).

    Shear is that between the yarns: warp yarns all run along the material's warp.
    """
    triangles = surface.triangulate(positions, polygons)
    areas = surface.triangle_areas(positions, triangles)
    solid = areas > 0.0
    compliance = compliance_of(triangles[solid], material)
    stretch_damping = means(material.stretch_damping, triangles[solid])
    shear_damping = means(material.shear_damping, triangles[solid])
    points = positions[triangles[solid]]
    rest = measure_rest_along(points, in_plane(points, polygons.of_triangles[solid]))
    kind = "strain"
    if material.is_bimodular:
        kind = "bimodular_strain"
        rest, compliance = _bimodular(rest, triangles[solid], material)
    found = []
    if len(points) and _takes_braces(material):
        springs, left = split_stiffness(_material_sides(rest), compliance)
        compliance = inverses(left)
        found.append(_braces(positions, triangles[solid], springs * areas[solid, None], material))
    strain = {
        "kind": kind,
        "indices": triangles[solid],
        "rest": rest,
        "compliance": compliance / areas[solid, None, None],
        "damping": np.stack([stretch_damping, stretch_damping, shear_damping], axis=1),
    }
    shapes, limits = inverse_edges(points), material.strain_limits
    limited = limits_of("strain_limit", triangles[solid], shapes, limits)
    flat = surface.edges(Polygons({3: triangles[~solid]} if not solid.all() else {}))
    return [*found, strain, *limited, *_edges(positions, flat, np.zeros(len(flat)), material)]


def compliance_of(triangles: Indices, material: ClothMaterial) -> NDArray[np.float64]:
    """K⁻¹ of the fabric for (ε_x, ε_y, ε_xy) in each triangle [m/N], shape (count, 3, 3)."""
    stretch = mean_compliances(material.stretch_compliance, triangles)
    compliance = np.zeros((len(triangles), 3, 3))
    compliance[:, 0, 0] = stretch
    compliance[:, 1, 1] = stretch / material.weft_stretch
    sideways = -material.poisson_ratio * stretch / np.sqrt(material.weft_stretch)
    compliance[:, [0, 1], [1, 0]] = sideways[:, None]
    compliance[:, 2, 2] = 0.25 * mean_compliances(material.shear_compliance, triangles)
    return compliance


def _bimodular(
    rest: NDArray[np.float64], triangles: Indices, material: ClothMaterial
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rest state of yarns that are softer when pushed, and their K⁻¹ [m/N], (count, 3, 3)."""
    softer = 1.0 / means(material.compression, triangles)
    ratio = float(np.sqrt(material.weft_stretch))
    yarns = bimodular_strain.material(len(rest), material.poisson_ratio, ratio, softer)
    stretch = mean_compliances(material.stretch_compliance, triangles)
    shear = 0.25 * mean_compliances(material.shear_compliance, triangles)
    diagonal = np.stack([stretch, stretch, shear], axis=1)
    return np.concatenate([rest, yarns], axis=1), diagonal[:, :, None] * np.eye(3)


def _takes_braces(material: ClothMaterial) -> bool:
    """Whether springs can carry a part: of finite stiffness, damped the same in all directions.

    What is pushed together has no part that is as stiff pulled as pushed.
    """
    return (
        material.membrane == "automatic"
        and not material.is_bimodular
        and bool(np.min(material.stretch_compliance) > 0.0)
        and bool(np.min(material.shear_compliance) > 0.0)
        and bool(np.all(np.equal(material.stretch_damping, material.shear_damping)))
    )


def _material_sides(rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sides of triangles in their material frame [m], shape (count, 3, 2), from ``rest``."""
    first, last = np.moveaxis(inverses(rest.reshape(-1, 2, 2)), 2, 0)
    return np.stack([first, last - first, -last], axis=1)


def _braces(
    positions: Positions,
    triangles: Indices,
    stiffness: NDArray[np.float64],
    material: ClothMaterial,
) -> Described:
    """Springs along the sides of triangles, ``stiffness`` [N·m] times strain² / 2 their energy."""
    edges, carried = _sums_over_sides(len(positions), {3: triangles}, {3: stiffness})
    return {
        "kind": "distance",
        "indices": edges,
        "compliance": surface.squared_lengths(positions, edges) / carried,
        "damping": means(material.stretch_damping, edges),
        "order": "chains",
    }


def _sums_over_sides(
    count: int, polygons: dict[int, Indices], shares: dict[int, NDArray[np.float64]]
) -> tuple[Indices, NDArray[np.float64]]:
    """The edges of faces, and the sum of the shares, one a side of each face, that meet in each."""
    edges = surface.edges(Polygons(polygons))
    keys = edges[:, 0] * count + edges[:, 1]
    sums = np.zeros(len(edges))
    for size, corners in polygons.items():
        sides = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1), axis=-1)
        place = np.searchsorted(keys, sides[..., 0] * count + sides[..., 1])
        sums += np.bincount(place.ravel(), shares[size].ravel(), minlength=len(edges))
    return edges, sums


def _springs(positions: Positions, polygons: Woven, material: ClothMaterial) -> list[Described]:
    """Springs along edges (stretch) and across quads (shear).

    An edge of length L carries a strip of the fabric: stiffness k A / L², A being half the area
    of the quads or the area of the triangles beside it. Two diagonals of stiffness G L² / (2 A)
    resist the shear of a quad of area A; what they add to its stretch stiffness is taken from its
    sides. Exact for squares and equilateral triangles.
    """
    shares = {
        size: _side_shares(positions, corners, polygons.warp[size], material)
        for size, corners in polygons.corners.items()
    }
    found = []
    if 4 in polygons.corners:
        found += _diagonals(positions, polygons.corners[4], material)
    (edges, pulled), (_, pushed) = (
        _sums_over_sides(
            len(positions), polygons.corners, {size: share[k] for size, share in shares.items()}
        )
        for k in range(2)
    )
    return found + _edges(positions, edges, pulled, material, pushed)


def _edges(
    positions: Positions,
    edges: Indices,
    carried: NDArray[np.float64],
    material: ClothMaterial,
    pushed: NDArray[np.float64] | None = None,
) -> list[Described]:
    """Springs along edges; one that carries no area holds faces without area together.

    Args:
        carried: area [m²] that each stands for. pushed: the same where it is pushed together.
    """
    proper = edges[:, 0] != edges[:, 1]
    pushed = carried[proper] if pushed is None else pushed[proper]
    edges, carried = edges[proper], carried[proper]
    squares = surface.squared_lengths(positions, edges)
    solid = (carried > 0.0) & (squares > 0.0)
    ratio = np.where(solid, squares / np.where(solid, carried, 1.0), 1.0)
    lengths = np.sqrt(squares)[:, None]
    kind, rest = "distance", None
    if material.is_bimodular:
        softer = np.where(solid, pushed / np.where(solid, carried, 1.0), 1.0)
        kind, rest = "bimodular_distance", np.column_stack([lengths, softer])
    springs = {
        "kind": kind,
        "indices": edges,
        "rest": rest,
        "compliance": mean_compliances(material.stretch_compliance, edges) * ratio,
        "damping": means(material.stretch_damping, edges),
        "order": "chains",
    }
    return [springs, *limits_of("stretch_limit", edges, lengths, material.strain_limits)]


def _diagonals(positions: Positions, quads: Indices, material: ClothMaterial) -> list[Described]:
    pairs = np.concatenate([quads[:, [0, 2]], quads[:, [1, 3]]])
    squares = surface.squared_lengths(positions, pairs)
    areas = np.tile(_face_areas(positions, quads), 2)
    shear = np.tile(mean_compliances(material.shear_compliance, quads), 2)
    solid = (areas > 0.0) & (squares > 0.0)
    springs = {
        "kind": "distance",
        "indices": pairs[solid],
        "compliance": shear[solid] * 2.0 * areas[solid] / squares[solid],
        "damping": means(material.shear_damping, pairs[solid]),
        "order": "chains",
    }
    lengths = np.sqrt(squares[solid])[:, None]
    return [springs, *limits_of("stretch_limit", pairs[solid], lengths, material.strain_limits)]


def _side_shares(
    positions: Positions, corners: Indices, warp: Directions, material: ClothMaterial
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Area [m²] of each face that each of its sides stands for, pulled and pushed, (count, k).

    Of a yarn that is as stiff as the warp is when it is pulled.
    """
    yarns = _yarns(positions, corners, warp, material)
    pushed = means(material.compression, corners)[:, None]
    areas = np.repeat(_face_areas(positions, corners)[:, None], corners.shape[1], axis=1)
    if corners.shape[1] != 4:
        return areas * yarns, areas * yarns * pushed
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
    squares = surface.squared_lengths(positions, sides).reshape(-1, 4)
    needed = _side_stiffness(corners, squares, material, yarns)
    own = 0.5 * areas * yarns
    return own * np.maximum(needed[0], LEAST_SIDE), own * np.maximum(needed[1], LEAST_SIDE * pushed)


def _side_stiffness(
    quads: Indices,
    squares: NDArray[np.float64],
    material: ClothMaterial,
    yarns: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What sides must add to the diagonals of a quad, over their yarns' k; (count, 4) as lengths².

    A quad of length a and width b with diagonals of shear stiffness G has C₁₂ = G, and with sides
    of stiffness s along a C₁₁ = s + G a²/b². Young's moduli are k₁ and k₂, and ρ k₁ and ρ k₂ when
    pushed, as what is pulled one way is pushed the other, for C₁₁ / k₁ = C₂₂ / k₂ =
    (1 + √(1 + 4 G² / (ρ k₁ k₂))) / 2, and ρ times as much pushed.

    Returns:
        pulled, and pushed.
    """
    stretch_compliance = mean_compliances(material.stretch_compliance, quads)
    shear_compliance = mean_compliances(material.shear_compliance, quads)
    pushed = means(material.compression, quads)[:, None]
    rigid = ((stretch_compliance == 0.0) | (shear_compliance == 0.0))[:, None]
    along = squares + np.roll(squares, 2, axis=1)
    across = np.maximum(np.roll(along, 1, axis=1), 1e-6 * along)
    across = np.where(across > 0.0, across, 1.0)
    shear = stretch_compliance[:, None] / np.where(rigid, 1.0, shear_compliance[:, None])
    mean = shear / np.sqrt(pushed * yarns * np.roll(yarns, 1, axis=1))
    together = 0.5 * (1.0 + np.hypot(1.0, 2.0 * mean))
    diagonals = shear / yarns * along / across
    return (
        np.where(rigid, 1.0, together - diagonals),
        np.where(rigid, pushed, pushed * together - diagonals),
    )


def _face_areas(positions: Positions, corners: Indices) -> NDArray[np.float64]:
    fan = [corners[:, [0, k, k + 1]] for k in range(1, corners.shape[1] - 1)]
    return np.sum([surface.triangle_areas(positions, part) for part in fan], axis=0)
