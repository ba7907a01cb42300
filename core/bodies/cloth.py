# SPDX-License-Identifier: GPL-3.0-or-later
"""From a surface mesh and a fabric in SI units to particles and constraints.

Discretisation turns a compliance of the fabric into the α of each constraint with areas and
lengths of the rest shape, so that refining the mesh keeps the energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..builder import Builder
from ..constraints.bending import measure_rest as measure_angles
from ..errors import ModelError
from ..layout.group import Group, Plastic
from ..mesh import surface
from ..mesh.surface import HINGE_SIDES, Indices, Positions
from ..remembered import remembered
from .cloth_material import ClothMaterial
from .filling import Filling, closed_triangles, fill
from .handle import Body, Touch
from .membrane import add_membrane
from .painted import Painted, check_shapes, mean_compliances, means
from .pins import Pins, add_springs
from .rest_shape import shrunk, stretch_rest
from .thickness import check_thickness
from .warp import Directions, Woven, shares_along


@dataclass(frozen=True)
class Cloth(Body):
    """A handle to a cloth in a model.

    Attributes:
        shape: its rest shape as given [m], shape (n, 3).
        shrinkage: the part of that shape's lengths that is gone at rest, one or shape (n,).
        rest_angle: how much of its angles is one at rest, one or shape (n,).
        weighed: particles at the corners of the triangles that its mass is of, shape (t, 3).
        filling: what is inside of a closed one; None where there is nothing.
    """

    shape: Positions = field(repr=False)
    shrinkage: Painted = field(repr=False)
    rest_angle: Painted
    weighed: Indices = field(repr=False)
    filling: Filling | None = field(repr=False)

    _numbered: ClassVar[tuple[str, ...]] = (*Body._numbered, "weighed")

    @property
    def in_air(self) -> Indices:
        """As its mass is, or one vertex would be blown away faster than the next."""
        return self.weighed


def build_cloth(
    model: Builder,
    name: str,
    start: Positions,
    rest: Positions,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    pins: Pins,
    material: ClothMaterial,
    touch: Touch,
    **particle_options: Any,
) -> Cloth:
    """Add the particles and constraints of a cloth to the model; see ``Model.add_cloth``."""
    check_shapes(name, len(start), vars(material))
    polygons = Woven.like(
        name,
        material.warp,
        surface.face_sizes(faces),
        surface.checked_polygons(name, faces, len(rest)),
    )
    triangles = surface.triangulate(rest, polygons)
    areas = surface.triangle_areas(rest, triangles)
    masses = _masses(name, len(rest), triangles, means(material.density, triangles) * areas)
    amounts = _masses(name, len(rest), triangles, areas)
    closed = None
    if material.volume_compliance is not None:
        closed = closed_triangles(name, rest, triangles)
    positions, longer = shrunk(rest, material.shrinkage)
    areas = surface.triangle_areas(positions, triangles)
    masses[pins.held] = np.inf
    if touch.itself:
        check_thickness(name, positions, triangles, particle_options["thickness"])
    options = particle_options | {"rest_positions": positions, "rest_scale": longer}
    particles = model.add_particles(start, masses, **options)
    first, groups = int(particles[0]), len(model.groups)

    _add_bending(model, positions, triangles, polygons.of_triangles, areas, material, first)
    add_membrane(model, positions, polygons, material, first)
    if np.ndim(longer) > 0:
        of_all = np.concatenate([np.ones(first), longer])
        stretch_rest(model.groups[groups:], model.rest_positions, of_all)
    if material.plasticity > 0.0:
        _let_yield(model.groups[groups:], positions, material, first)
    filling = None if closed is None else fill(model, rest, closed, material, first)
    led = add_springs(model, particles, pins, amounts)

    edges = surface.edges(polygons)
    lengths = np.linalg.norm(positions[edges[:, 1]] - positions[edges[:, 0]], axis=1)
    lengths = lengths * means(longer, edges)
    kept = material.shrinkage, material.rest_angle
    touching = surface.drawn(start, polygons) if touch.as_drawn else triangles
    numbers = pins.vertices, edges + first, lengths, touching + first
    return Cloth(name, particles, led, *numbers, touch, rest, *kept, triangles + first, filling)


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
        raise ModelError(
            f"All faces of '{name}' have zero area, or next to none, so there is nothing to "
            "simulate: give it a size."
        )
    return np.maximum(lumped, 0.1 * lumped[massive].mean())


def _let_yield(
    groups: Sequence[Group], positions: Positions, material: ClothMaterial, first: int
) -> None:
    """Plastic limits: a strain, and of hinges the angle κ A / |e| of a curvature κ."""
    for group in groups:
        if group.constraint.flow is None:
            continue
        limits = np.full(len(group.indices), material.yield_stretch)
        if group.constraint.kind == "bending":
            corners = group.indices - first
            sides = [
                surface.triangle_areas(positions, corners[:, list(side)]) for side in HINGE_SIDES
            ]
            lengths = np.sqrt(surface.squared_lengths(positions, corners[:, :2]))
            limits = material.yield_bend * np.sum(sides, axis=0) / lengths
        group.plastic = Plastic(limits, np.full(len(limits), material.plasticity))


def _add_bending(
    model: Builder,
    positions: Positions,
    triangles: Indices,
    warp: Directions,
    areas: NDArray[np.float64],
    material: ClothMaterial,
    first: int,
) -> None:
    """Discrete shells (Grinspun et al. 2003) with the hinge energy ½ D (|e|² / A) (θ - θ₀)².

    A is the area of both triangles. Rolling a grid or a lattice of equilateral triangles to the
    curvature κ, in any direction, then costs ½ D κ² per area, as a plate of the flexural rigidity
    D does.
    """
    if material.bend_compliance is None:
        return
    pinned = np.isinf(model.masses[first:])
    corners, sides, angles, ratios = _hinges(positions, triangles, areas, pinned)
    model.add_constraints(
        "bending",
        corners + first,
        rest=means(material.rest_angle, corners[:, :2]) * angles,
        compliance=mean_compliances(material.bend_compliance, corners[:, :2])
        * ratios
        / _rigidity_across(positions, corners, warp[sides], material),
        damping=means(material.bend_damping, corners[:, :2]),
    )


@remembered
def _hinges(
    positions: Positions,
    triangles: Indices,
    areas: NDArray[np.float64],
    pinned: NDArray[np.bool_],
) -> tuple[Indices, Indices, NDArray[np.float64], NDArray[np.float64]]:
    """Of all hinges that can bend the corners, shape (h, 4), and both triangles, shape (h, 2); the
    angles [rad], and A / |e|², shape (h,).
    """
    corners, sides = surface.hinges(triangles)
    held = pinned[triangles].all(axis=1)
    area = np.where(held, 0.0, areas)[sides].sum(axis=1)
    squared_length = surface.squared_lengths(positions, corners[:, :2])
    solid = (areas[sides] > 0.0).all(axis=1) & (corners[:, 2] != corners[:, 3]) & (area > 0.0)
    angles = measure_angles(positions[corners[solid]])[:, 0]
    return corners[solid], sides[solid], angles, area[solid] / squared_length[solid]


def _rigidity_across(
    positions: Positions, corners: Indices, warp: NDArray[np.float64], material: ClothMaterial
) -> NDArray[np.float64]:
    """The rigidity across hinges, over that along the warp.

    Of an orthotropic plate whose twisting stiffness is the geometric mean of both rigidities, as
    Huber has it, the one at an angle φ to the warp is (√D₁ cos² φ + √D₂ sin² φ)².

    Args:
        corners: of hinges, shape (count, 4). warp: of both triangles, shape (count, 2, 3).
    """
    if material.weft_bend == 1.0:
        return np.ones(len(corners))
    edges = positions[corners[:, 1]] - positions[corners[:, 0]]
    along = [
        shares_along(positions[corners[:, list(side)]], warp[:, k], edges)
        for k, side in enumerate(HINGE_SIDES)
    ]
    root = 1.0 + (np.sqrt(material.weft_bend) - 1.0) * np.mean(along, axis=0)
    return np.asarray(root**2)
