# SPDX-License-Identifier: GPL-3.0-or-later
"""From tetrahedra and a solid's material in SI units to particles and constraints.

Linear tetrahedra one by one are much too stiff: a beam of three cells across sags by a sixth too
little, and one of rubber by half. So the deformation gradient is averaged over the tetrahedra
around each edge, for the energy of shape, and over those around some edges only, which share no
tetrahedron, for most of what resists changes of volume (:mod:`core.mesh.patches`). The patches
around edges take as much of it as their own stiffness goes with: a volume that is resisted in one
place and a shape in another converge slowly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..checks import spread
from ..constraints.neo_hookean import STIFF_IN_SHAPE, STIFF_IN_VOLUME
from ..errors import ModelError
from ..layout.group import Group, Plastic
from ..mesh.patches import Patches, Patchwork, around_edges, patchwork, without_common_members
from ..mesh.surface import Indices, Positions
from ..mesh.tetrahedra import TetrahedralBody, edges_of, surface_triangles
from .growth import Growing, Growth
from .handle import Body, Lead, Touch
from .painted import check_shapes, means
from .pins import Pins, add_springs, make_pins
from .soft_material import SoftMaterial
from .thickness import check_thickness

Array = NDArray[np.float64]

WITH_SHAPE = 1.5
"""Of μ: how much of Lamé's λ the patches around edges take. With less a sweep leaves more undone,
with more bodies are too stiff where ν is near one half."""

LEFT_OUT = 0.01
"""Of the volume: where waves pass small or stiff cells faster than the rest."""

_KINDS = {"neo-hookean": "neo_hookean", "corotational": "patch_corotational"}

NEXT_TO_NOTHING = 1e-6
"""Of μ: a stiffness that changes nothing."""


@dataclass(frozen=True)
class SoftBody(Body):
    """A handle to a soft body in a model.

    Attributes:
        tetrahedra: corners as particles of the model, shape (m, 4).
        volumes: at rest, of what of them is filled [m³], shape (m,).
        goals: the particles that springs pull its own to, shape (n,); empty without any.
        wave_rate: the fastest that a pressure wave passes a cell [1/s]; see
            :mod:`core.solvers.xpbd.waves`.
        growing: the constraints that :meth:`Simulation.grow` changes.
        growth: what it has grown by, as it was described.
        bonds: what holds loose parts together until it breaks, for ``Simulation.torn``; None where
            they are one body.
    """

    tetrahedra: Indices = field(repr=False)
    volumes: Array = field(repr=False)
    goals: NDArray[np.int64] = field(repr=False)
    wave_rate: float
    growing: list[Growing] = field(repr=False)
    growth: Growth = field(repr=False)
    bonds: Group | None = field(repr=False)

    _numbered: ClassVar[tuple[str, ...]] = (*Body._numbered, "tetrahedra", "goals")

    @property
    def anchors(self) -> NDArray[np.int64]:
        """Those of pins, and of all particles where these have goals."""
        return np.concatenate([super().anchors, self.goals])

    @property
    def leads(self) -> list[Lead]:
        """Those of pinned vertices, and the goals of all."""
        return [*super().leads, Lead(np.arange(len(self.goals)), self.goals, on_surface=False)]

    def wanted(self, positions: Positions) -> tuple[NDArray[np.int64], Positions]:
        """The particles to set targets for, and these, where a shape is the body's goal.

        Args:
            positions: of all vertices of its mesh [m], shape (n, 3).
        """
        return self.goals, positions

    def grown(self, **growth: Any) -> Growth:
        """What its tetrahedra have grown by; see ``Simulation.grow``. Raises ModelError."""
        check_shapes(self.name, len(self.particles), growth)
        corners = self.tetrahedra - self.particles[0]
        return Growth.of(SoftMaterial(**growth), corners)

    def scales(self, growth: Growth) -> Array:
        """By which factor lengths around its particles are longer at rest, shape (n,)."""
        return growth.scales(self.tetrahedra - self.particles[0], len(self.particles))


@dataclass(frozen=True)
class Solid:
    """Tetrahedra and what each is made of.

    Attributes:
        volumes: of what of them is filled [m³], shape (m,).
        mu: Lamé's μ [Pa], shape (m,).
        damping: [s], shape (m,).
        growth: what they have grown by.
    """

    body: TetrahedralBody
    volumes: Array
    mu: Array
    damping: Array
    growth: Growth
    material: SoftMaterial


def build_soft_body(
    model: Builder,
    name: str,
    positions: Positions,
    rest: Positions,
    tetrahedra: ArrayLike,
    fill: ArrayLike,
    pins: Pins,
    material: SoftMaterial,
    touch: Touch,
    **particle_options: Any,
) -> SoftBody:
    """Add the particles and constraints of a soft body to the model; see ``Model.add_soft_body``.

    Args:
        positions, rest: of its vertices as they start and at rest [m], shape (n, 3).
        fill: the part of each tetrahedron that is filled, one or shape (m,): as much of its mass
            and of its stiffness there is.
    """
    check_shapes(name, len(positions), vars(material))
    body = _measured(name, rest, tetrahedra)
    volumes = _filled(name, fill, len(body.tetrahedra)) * body.volumes
    densities = means(material.density, body.tetrahedra)
    masses = body.lumped(densities * volumes)
    wave_rate = _wave_rate(body, means(material.young_modulus, body.tetrahedra) / densities)
    masses[pins.held] = np.inf
    triangles = surface_triangles(body.tetrahedra)
    if touch.itself:
        _check_thickness(name, rest, triangles, particle_options["thickness"])
    growth = Growth.of(material, body.tetrahedra)
    scales = growth.scales(body.tetrahedra, len(rest))
    options = particle_options | {"rest_positions": rest, "rest_scale": scales}
    particles = model.add_particles(positions, masses, **options)
    first = int(particles[0])

    young = means(material.young_modulus, body.tetrahedra)
    damping = means(material.damping, body.tetrahedra)
    solid = Solid(body, volumes, material.shear_share * young, damping, growth, material)
    growing = add_elasticity(model, solid, first)
    amounts = body.lumped(volumes)
    cells = _cells(body)
    led = add_springs(model, particles, pins, amounts, cells)
    goals = np.empty(0, np.int64)
    if material.goal_stiffness is not None:
        every = _goal_pins(name, len(masses), material)
        goals = add_springs(model, particles, every, amounts, cells)

    edges = edges_of(body.tetrahedra)
    lengths = np.linalg.norm(rest[edges[:, 1]] - rest[edges[:, 0]], axis=1)
    return SoftBody(
        name, particles, led, pins.vertices, edges + first, lengths, triangles + first, touch,
        body.tetrahedra + first, volumes, goals, wave_rate * np.sqrt(material.wave_share), growing,
        growth, bonds=None,
    )  # fmt: skip


def add_elasticity(model: Builder, solid: Solid, first: int) -> list[Growing]:
    """The energy of shape around edges, and what is left of λ on patches without common members.

    Args:
        first: the particle of the body's first vertex.
    """
    ratio = solid.material.volume_share
    with_shape = min(ratio, WITH_SHAPE)
    growing = [
        Growing(_add_shape(model, solid, patches, with_shape, first), patches)
        for patches in _patchwork(solid, around_edges(solid.body))
    ]
    if ratio <= WITH_SHAPE:
        return growing
    for patches in _patchwork(solid, without_common_members(solid.body)):
        mu_volumes = patches.sums(solid.mu * solid.volumes)
        group = model.add_constraints(
            f"patch_volume_{patches.size}",
            patches.vertices + first,
            rest=solid.growth.rest(patches),
            compliance=1.0 / ((ratio - with_shape) * mu_volumes),
            damping=patches.means(solid.damping),
        )
        growing.append(Growing(group, patches))
    return growing


def _add_shape(
    model: Builder, solid: Solid, patches: Patchwork, with_shape: float, first: int
) -> Group:
    """The energy of patches that all have as many vertices."""
    count = len(patches.vertices)
    rest = solid.growth.rest(patches)
    mu_volumes = patches.sums(solid.mu * solid.volumes)
    stiffness = np.array([2.0, max(with_shape, NEXT_TO_NOTHING)])
    if solid.material.energy == "neo-hookean":
        stiffness = np.array([STIFF_IN_SHAPE, STIFF_IN_VOLUME + with_shape])
        rest = np.concatenate([rest, np.full((count, 1), 1.0 / stiffness[1])], axis=1)
    kind = _KINDS[solid.material.energy]
    group = model.add_constraints(
        f"{kind}_{patches.size}",
        patches.vertices + first,
        rest=rest,
        compliance=np.eye(2) / (stiffness[:, None] * mu_volumes[:, None, None]),
        damping=patches.means(solid.damping),
    )
    if (rate := solid.material.plasticity) > 0.0:
        limits = means(solid.material.yield_stretch, solid.body.tetrahedra)
        group.plastic = Plastic(patches.means(limits), np.full(count, rate))
    return group


def _patchwork(solid: Solid, patches: Patches) -> Iterator[Patchwork]:
    return patchwork(solid.body, patches, solid.volumes)


def _goal_pins(name: str, count: int, material: SoftMaterial) -> Pins:
    """All vertices as pins that are pulled as strongly as the material says."""
    assert material.goal_stiffness is not None
    every = np.arange(count)
    stiffness = np.broadcast_to(material.goal_stiffness, count)
    return make_pins(name, count, every, stiffness, material.goal_damping)


def _cells(body: TetrahedralBody) -> Indices:
    """A tetrahedron around each vertex, which is the first of it, shape (n, 4)."""
    _, places = np.unique(body.tetrahedra, return_index=True)
    corners = (places[:, None] + np.arange(4)) % 4
    return np.asarray(np.take_along_axis(body.tetrahedra[places // 4], corners, axis=1))


def _measured(name: str, positions: Positions, tetrahedra: ArrayLike) -> TetrahedralBody:
    try:
        return TetrahedralBody.of(positions, tetrahedra)
    except ModelError as problem:
        raise ModelError(f"'{name}' can't be a soft body. {problem}") from problem


def _filled(name: str, fill: ArrayLike, count: int) -> Array:
    """The filled part of each tetrahedron, shape (count,)."""
    parts = spread(f"The filled part of '{name}'", fill, (count,))
    if not np.all((parts > 0.0) & (parts <= 1.0)):
        wrong = parts[~((parts > 0.0) & (parts <= 1.0))][0]
        raise ModelError(
            f"The filled part of a tetrahedron of '{name}' must be above 0 and at most 1, "
            f"unlike {wrong}."
        )
    return parts


def _wave_rate(body: TetrahedralBody, young_over_density: Array) -> float:
    """The fastest rate at which √(E/ρ) passes cells, but for a hundredth of the volume [1/s].

    A cell is the cube whose twelfth part a tetrahedron is, as in the body-centred cubic lattice.
    """
    rates = np.sqrt(young_over_density) / np.cbrt(12.0 * body.volumes)
    order = np.argsort(rates)
    volume = np.cumsum(body.volumes[order])
    return float(rates[order][np.searchsorted(volume, (1.0 - LEFT_OUT) * volume[-1])])


def _check_thickness(
    name: str, positions: Positions, triangles: Indices, thickness: ArrayLike
) -> None:
    """As for cloth, of the surface only."""
    outside, places = np.unique(triangles, return_inverse=True)
    painted = spread(f"The thickness of '{name}'", thickness, (len(positions),))
    check_thickness(name, positions[outside], places.reshape(-1, 3), painted[outside])
