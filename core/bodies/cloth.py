# SPDX-License-Identifier: GPL-3.0-or-later
"""From a surface mesh and a fabric in SI units to particles and constraints.

Discretisation turns a compliance of the fabric into the α of each constraint with areas and
lengths of the rest shape, so that refining the mesh keeps the energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import pins_of
from ..constraints.volume import check as check_volume
from ..constraints.volume import measure_rest as measure_volume
from ..mesh import surface
from ..mesh.surface import Indices, MeshError, Polygons, Positions
from .handle import Body
from .membrane import Membrane, add_membrane
from .strain_limits import StrainLimits, check_limits

if TYPE_CHECKING:
    from ..model import Model


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
            are nearly rectangles (also those cut into two triangles), where they are exact and
            converge fastest; else the continuum, which leaves what it can to springs along edges.
        strain_limits: least and most stretch (σmin, σmax), 1 being the length at rest, beyond
            which springs or triangles never get; None for none.
        volume_compliance: of the gas in a closed surface [m³/Pa], 0 for a liquid; None where there
            is nothing inside.
        inflation: volume of the gas without pressure, over that of the rest shape.
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
    strain_limits: StrainLimits = None
    volume_compliance: float | None = None
    inflation: float = 1.0

    def __post_init__(self) -> None:
        if not self.density > 0.0:
            raise MeshError(f"The density must be positive, not {self.density}.")
        if not -1.0 < self.poisson_ratio < 1.0:
            raise MeshError(f"Poisson's ratio must lie between -1 and 1, not {self.poisson_ratio}.")
        if np.shape(self.warp) != (3,) or not 0.0 < np.linalg.norm(self.warp) < np.inf:
            raise MeshError(f"The warp must be a direction in space, not {self.warp}.")
        for name, value in vars(self).items():
            measured = value is not None and name.endswith(("_compliance", "_damping", "inflation"))
            if measured and not 0.0 <= value < np.inf:
                raise MeshError(f"The {name.replace('_', ' ')} can't be {value}.")
        check_limits(self.strain_limits)
        if self.membrane not in get_args(Membrane):
            raise MeshError(f"'{self.membrane}' is no membrane; there are {get_args(Membrane)}.")


class Cloth(Body):
    """A handle to a cloth in a model."""


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
    triangles = surface.triangulate(positions, polygons)
    areas = surface.triangle_areas(positions, triangles)
    closed = None
    if material.volume_compliance is not None:
        closed = _closed_triangles(name, positions, triangles)
    pinned = pins_of(name, len(positions), pins)
    masses = _masses(name, len(positions), triangles, material.density * areas)
    masses[pinned] = np.inf
    particles = model.add_particles(positions, masses, **particle_options)
    first = int(particles[0])

    _add_bending(model, positions, triangles, areas, material, first)
    add_membrane(model, positions, polygons, material, first)
    if closed is not None:
        _add_volume(model, positions, closed, material, first)

    edges = surface.edges(polygons)
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


def _closed_triangles(name: str, positions: Positions, triangles: Indices) -> Indices:
    """The triangles around a volume; those of fewer than three vertices enclose nothing."""
    ordered = np.sort(triangles, axis=1)
    proper = triangles[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
    try:
        check_volume(proper, positions[proper])
    except MeshError as problem:
        raise MeshError(f"'{name}' can't be filled. {problem}") from problem
    return proper


def _add_volume(
    model: Model, positions: Positions, closed: Indices, material: ClothMaterial, first: int
) -> None:
    """A gas or liquid inside: p = (V₀ - V) / α."""
    volume = measure_volume(positions[closed] - positions.mean(axis=0)).sum()
    model.add_constraints(
        "volume",
        closed + first,
        rest=material.inflation * volume,
        compliance=0.0 if material.volume_compliance is None else material.volume_compliance,
    )


def _masses(
    name: str, count: int, triangles: Indices, masses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Lumped masses, none far below the mean.

    A vertex with next to no area around it (loose, or a corner on a straight edge) would be flung
    about by what holds it.
    """
    lumped = surface.lumped_masses(count, triangles, masses)
    massive = lumped > 0.0
    if not massive.any():
        raise MeshError(f"All faces of '{name}' have zero area; there is nothing to simulate.")
    return np.maximum(lumped, 0.1 * lumped[massive].mean())


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
    corners, sides = surface.hinges(triangles)
    area = areas[sides].sum(axis=1)
    squared_length = surface.squared_lengths(positions, corners[:, :2])
    solid = (areas[sides] > 0.0).all(axis=1) & (corners[:, 2] != corners[:, 3])
    model.add_constraints(
        "bending",
        corners[solid] + first,
        compliance=material.bend_compliance * area[solid] / squared_length[solid],
        damping=material.bend_damping,
    )
