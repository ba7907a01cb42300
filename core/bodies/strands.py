# SPDX-License-Identifier: GPL-3.0-or-later
"""From a mesh of edges and the material of a rod in SI units to particles and constraints.

A strand resists being stretched along its edges, and bent and twisted at its vertices.
Discretisation turns a compliance of the rod into the α of each constraint with lengths of the rest
shape, so that refining the mesh keeps the energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..errors import ModelError
from ..layout.group import Twist
from ..mesh.connected import connected
from ..mesh.incidence import grouped
from ..mesh.surface import Indices, Positions
from .handle import Body, Touch
from .painted import Painted, check_shapes, check_values, mean_compliances, means
from .pins import Pins, add_springs
from .strain_limits import StrainLimits, check_limits, limits_of


@dataclass(frozen=True, kw_only=True)
class StrandMaterial:
    """A rod; by default a lock of a hundred human hairs of 70 µm that slide on each other.

    What is :obj:`.Painted` may be an array of one number a vertex.

    Attributes:
        density: line density [kg/m].
        stretch_compliance: reciprocal of the tensile stiffness EA [1/N].
        bend_compliance: reciprocal of the flexural rigidity EI [1/(N·m²)]; None where nothing bends
            back.
        twist_compliance: reciprocal of the torsional rigidity GJ [1/(N·m²)]; None where nothing
            twists back. Of strands that branch, or come back to themselves, nothing does.
        stretch_damping, bend_damping, twist_damping: Rayleigh's stiffness-proportional coefficients
            [s].
        strain_limits: least and most stretch (σmin, σmax) of an edge, 1 being its length at rest;
            None for none.
    """

    density: Painted = 5e-4
    stretch_compliance: Painted = 6.5e-4
    bend_compliance: Painted | None = 2e6
    twist_compliance: Painted | None = None
    stretch_damping: Painted = 0.0
    bend_damping: Painted = 0.0
    twist_damping: Painted = 0.0
    strain_limits: StrainLimits = None

    def __post_init__(self) -> None:
        check_limits(self.strain_limits)
        check_values(vars(self))


class Strands(Body):
    """A handle to strands in a model."""


def build_strands(
    model: Builder,
    name: str,
    positions: Positions,
    edges: ArrayLike,
    pins: Pins,
    material: StrandMaterial,
    touch: Touch,
    **particle_options: Any,
) -> Strands:
    """Add the particles and constraints of strands; see ``Model.add_strands``."""
    count = len(positions)
    check_shapes(name, count, vars(material))
    pairs = _checked_edges(name, count, edges)
    lengths = np.linalg.norm(positions[pairs[:, 1]] - positions[pairs[:, 0]], axis=1)
    masses = _masses(name, count, pairs, means(material.density, pairs) * lengths)
    masses[pins.held] = np.inf
    particles = model.add_particles(positions, masses, **particle_options)
    first = int(particles[0])

    _add_bending(model, positions, pairs, lengths, material, first)
    model.add_constraints(
        "distance",
        pairs + first,
        compliance=mean_compliances(material.stretch_compliance, pairs) * lengths,
        damping=means(material.stretch_damping, pairs),
        order="chains",
    )
    limits = material.strain_limits
    for limited in limits_of("stretch_limit", pairs + first, lengths[:, None], limits):
        model.add_constraints(**limited)
    led = add_springs(model, particles, pins, _masses(name, count, pairs, lengths))
    no_faces = np.zeros((0, 3), np.int64)
    numbers = pairs + first, lengths, no_faces
    return Strands(name, particles, led, pins.vertices, *numbers, touch)


def _checked_edges(name: str, count: int, edges: ArrayLike) -> Indices:
    """Unique edges, shape (e, 2), the smaller vertex first; those from a vertex to itself left out.

    They keep their order, which usually follows the strands and so the memory of particles.
    """
    pairs = np.asarray(edges)
    if pairs.size == 0:
        raise ModelError(f"'{name}' has no edges; strands consist of edges.")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ModelError(
            f"The edges of '{name}' must be whole numbers of shape (e, 2), "
            f"not {pairs.dtype} of shape {pairs.shape}."
        )
    if pairs.min() < 0 or pairs.max() >= count:
        raise ModelError(f"An edge of '{name}' refers to a vertex that doesn't exist.")
    ordered = np.sort(pairs.astype(np.int64), axis=1)
    _, places = np.unique(ordered[:, 0] * count + ordered[:, 1], return_index=True)
    unique = ordered[np.sort(places)]
    return unique[unique[:, 0] != unique[:, 1]]


def _masses(
    name: str, count: int, pairs: Indices, masses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Half of each edge's mass to either end, and no vertex far below the mean.

    A vertex with next to no length around it would be flung about by what holds it.
    """
    lumped = np.bincount(pairs.ravel(), np.repeat(0.5 * masses, 2), minlength=count)
    massive = lumped > 0.0
    if not massive.any():
        raise ModelError(
            f"All edges of '{name}' have zero length, so there is nothing to simulate: give it a "
            "size."
        )
    return np.asarray(np.maximum(lumped, 0.1 * lumped[massive].mean()))


def _add_bending(
    model: Builder,
    positions: Positions,
    pairs: Indices,
    lengths: NDArray[np.float64],
    material: StrandMaterial,
    first: int,
) -> None:
    """Discrete elastic rods (Bergou et al. 2008): the energy ½ B θ² / l̄ of each turning angle θ.

    l̄ is half the length of both edges, as the rod of the flexural rigidity B = EI, bent to the
    curvature θ / l̄, has ½ B κ² per length. An edge between two pins is clamped and can't bend: it
    adds nothing to l̄.
    """
    if material.bend_compliance is None:
        return
    solid = lengths > 0.0
    joints, sides = bends(positions, pairs[solid])
    clamped = np.isinf(model.masses[pairs[solid] + first]).all(axis=1)
    flexible = np.where(clamped, 0.0, lengths[solid])[sides].sum(axis=1)
    bending = flexible > 0.0
    middles = joints[bending, 1:2]
    widths = 0.5 * flexible[bending]
    group = model.add_constraints(
        "angle",
        joints[bending] + first,
        compliance=mean_compliances(material.bend_compliance, middles) * widths,
        damping=means(material.bend_damping, middles),
    )
    if material.twist_compliance is not None:
        compliance = mean_compliances(material.twist_compliance, middles) * widths
        plain = unbranched(pairs, len(positions))[middles[:, 0]]
        group.twist = Twist(
            np.where(plain, compliance, np.inf), means(material.twist_damping, middles)
        )


def unbranched(edges: Indices, count: int) -> NDArray[np.bool_]:
    """Which vertices are of strands that neither branch nor come back to themselves, shape (n,).

    Args:
        edges: unique pairs of vertices, shape (e, 2).
        count: of vertices.
    """
    parts = connected([edges], np.ones(count, bool))
    degrees = np.bincount(edges.ravel(), minlength=count)
    vertices = np.bincount(parts, minlength=count)
    plain = np.bincount(parts[edges[:, 0]], minlength=count) < vertices
    plain[parts[degrees > 2]] = False
    return np.asarray(plain[parts])


def bends(positions: Positions, edges: Indices) -> tuple[Indices, Indices]:
    """Where edges meet and resist bending.

    Two edges at a vertex bend against each other. Where more meet, each bends against the one that
    goes on most nearly straight from it: the cords of a net go on through its knots, and a twig
    keeps its angle to its branch.

    Args:
        positions: rest shape [m], shape (n, 3).
        edges: unique pairs of vertices apart from each other, shape (e, 2).

    Returns:
        Previous, middle and next vertex of each bend, shape (b, 3), and its edges, shape (b, 2).
    """
    middles = edges.ravel()
    starts, order = grouped(middles, np.arange(len(middles)), len(positions))
    degrees = np.diff(starts)
    found = [np.empty((0, 2), np.int64)]
    for degree in np.unique(degrees[degrees >= 2]):
        vertices = np.flatnonzero(degrees == degree)
        ends = order[starts[vertices][:, None] + np.arange(degree)]
        found.append(_straightest_pairs(positions, edges, ends))
    pairs = np.concatenate(found)
    pairs = pairs[np.argsort(middles[pairs[:, 0]], kind="stable")]
    others = edges[:, ::-1].ravel()
    joints = np.stack([others[pairs[:, 0]], middles[pairs[:, 0]], others[pairs[:, 1]]], axis=1)
    return joints, pairs // 2


def _straightest_pairs(positions: Positions, edges: Indices, ends: Indices) -> Indices:
    """Pairs of edge ends, shape (p, 2), of vertices at which as many edges end.

    Args:
        ends: edge ends at each vertex, shape (v, degree): 2 · edge + (0 or 1).
    """
    degree = ends.shape[1]
    if degree == 2:
        return ends
    away = positions[edges[:, ::-1].ravel()[ends]] - positions[edges.ravel()[ends]]
    away /= np.linalg.norm(away, axis=2)[:, :, None]
    chosen = []
    for place in range(degree):
        cosines = np.einsum("vdk,vk->vd", away, away[:, place])
        cosines[:, place] = np.inf
        partner = ends[np.arange(len(ends)), np.argmin(cosines, axis=1)]
        chosen.append(np.stack([ends[:, place], partner], axis=1))
    return np.unique(np.sort(np.concatenate(chosen), axis=1), axis=0)
