# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of what is simulated: particles, constraints between them, colliders."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .bodies.cloth import Cloth, build_cloth
from .bodies.cloth_material import ClothMaterial
from .bodies.embedded import build_embedded
from .bodies.handle import Body, Touch, renumbered
from .bodies.meetings import AnyPart, Part, meetings, number_of
from .bodies.pins import make_pins
from .bodies.rest_shape import rest_shape_of
from .bodies.skin import Skin, build_skin, carriage_of
from .bodies.soft_body import SoftBody, build_soft_body
from .bodies.soft_material import SoftMaterial
from .bodies.stitches import make_stitches, sewn_together, tapered
from .bodies.strands import StrandMaterial, Strands, build_strands
from .checks import finite, not_negative, spread
from .contact import Collider, ColliderSet, Contact
from .contact.surface.surface import Surface
from .errors import ModelError
from .forces.outside import Outside
from .layout.group import Group, Order, make_group
from .state import State

_OF_PARTICLES = (
    "_positions", "_rest_positions", "_velocities", "_masses", "_thickness", "_friction",
    "_restitution", "_drag",
)  # fmt: skip


class Model:
    """Particles, constraints and colliders; filled once, then simulated.

    Args:
        dtype: ``np.float32`` (fast, default) or ``np.float64`` (for measurements).
    """

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise ValueError(f"A model computes in float32 or float64, not in {self.dtype}.")
        self.cloths: list[Cloth] = []
        self.strands: list[Strands] = []
        self.soft_bodies: list[SoftBody] = []
        self.skins: list[Skin] = []
        self.colliders: list[Collider] = []
        self.groups: list[Group] = []
        self.version = 0
        self._ignored: list[tuple[Body, Part]] = []
        self._positions = np.empty((0, 3))
        self._rest_positions = np.empty((0, 3))
        self._velocities = np.empty((0, 3))
        self._masses = np.empty(0)
        self._thickness = np.empty(0)
        self._friction = np.empty(0)
        self._restitution = np.empty(0)
        self._drag = np.empty(0)

    @property
    def particle_count(self) -> int:
        """Number of particles n."""
        return len(self._positions)

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions at the start [m], shape (n, 3)."""
        return self._positions

    @property
    def rest_positions(self) -> NDArray[np.float64]:
        """Where particles are in the rest shape of their body [m], shape (n, 3)."""
        return self._rest_positions

    @property
    def masses(self) -> NDArray[np.float64]:
        """Masses [kg], shape (n,); infinite for kinematic particles, zero for carried ones."""
        return self._masses

    def add_particles(
        self,
        positions: ArrayLike,
        masses: ArrayLike,
        velocities: ArrayLike = 0.0,
        *,
        rest_positions: ArrayLike | None = None,
        thickness: ArrayLike = 0.005,
        friction: ArrayLike = 0.5,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
    ) -> NDArray[np.int64]:
        """Add particles.

        Args:
            positions: [m], shape (k, 3).
            masses: [kg], one or shape (k,); ``np.inf`` makes a particle kinematic: it moves only
                where it is told to.
            velocities: [m/s], one or shape (k, 3).
            rest_positions: in the rest shape [m], by which constraints are measured, shape (k, 3);
                by default where they are.
            thickness: distance [m] kept from colliders and other bodies, added to theirs.
            friction: Coulomb coefficient of the particles' own.
            restitution: part e of the normal velocity with which they bounce off colliders,
                between 0 and 1.
            drag: rate [1/s] at which still air slows them down. Like the three before, one or
                shape (k,).

        Returns:
            Their indices, shape (k,).

        Raises:
            ModelError: shapes don't fit, a value is not a number, or a mass is not positive.
        """
        points = finite("Positions", positions, columns=3)
        count = len(points)
        if not np.all(np.asarray(masses, np.float64) > 0.0):
            raise ModelError("Masses must be positive (infinite for a fixed particle).")
        weights = spread("Masses", masses, (count,))
        speeds = spread("Velocities", velocities, (count, 3))
        shape = points
        if rest_positions is not None:
            shape = finite("Rest positions", rest_positions, columns=3)
        if len(shape) != count:
            raise ModelError(f"There are {len(shape)} rest positions for {count} particles.")
        return self._append(
            points,
            shape,
            weights,
            speeds,
            thickness=thickness,
            friction=friction,
            restitution=restitution,
            drag=drag,
        )

    def add_carried(
        self,
        corners: NDArray[np.int64],
        weights: NDArray[np.float64],
        *,
        thickness: ArrayLike = 0.005,
        friction: ArrayLike = 0.5,
        restitution: ArrayLike = 0.0,
    ) -> NDArray[np.int64]:
        """Add particles that are where others put them, for :meth:`add_skin`.

        Args:
            corners: particles that carry each, shape (k, 4).
            weights: of these, shape (k, 4).
            thickness, friction, restitution: as in :meth:`add_particles`.

        Returns:
            Their indices, shape (k,).
        """
        points, speeds = (
            np.einsum("nk,nkd->nd", weights, values[corners])
            for values in (self._positions, self._velocities)
        )
        return self._append(
            points,
            points,
            np.zeros(len(points)),
            speeds,
            thickness=thickness,
            friction=friction,
            restitution=restitution,
            drag=0.0,
        )

    def _append(
        self,
        points: NDArray[np.float64],
        shape: NDArray[np.float64],
        masses: NDArray[np.float64],
        velocities: NDArray[np.float64],
        **properties: ArrayLike,
    ) -> NDArray[np.int64]:
        """Add particles that differ in nothing but their numbers; see :meth:`add_particles`."""
        count = len(points)
        options = {
            name: not_negative(f"The {name}", spread(f"The {name}", value, (count,)))
            for name, value in properties.items()
        }
        bouncy = options["restitution"]
        if np.any(bouncy > 1.0):
            raise ModelError(f"The restitution must lie between 0 and 1, unlike {bouncy.max()}.")
        first = self.particle_count
        self._positions = np.concatenate([self._positions, points])
        self._rest_positions = np.concatenate([self._rest_positions, shape])
        self._velocities = np.concatenate([self._velocities, velocities])
        self._masses = np.concatenate([self._masses, masses])
        for name, values in options.items():
            setattr(self, f"_{name}", np.concatenate([getattr(self, f"_{name}"), values]))
        self.version += 1
        return np.arange(first, first + count)

    def add_constraints(
        self,
        kind: str,
        indices: ArrayLike,
        *,
        rest: ArrayLike | None = None,
        compliance: ArrayLike = 0.0,
        damping: ArrayLike = 0.0,
        order: Order = "colors",
    ) -> Group:
        """Add constraints of one kind between particles.

        Args:
            kind: a key of ``core.constraints.REGISTRY``: ``"distance"``, ``"bending"``, …
            indices: particles, shape (m, vertices).
            rest: rest state, shape (m,) or (m, rest_size); by default that of the rest shape.
            compliance: α of each constraint in the paper's units: one number, shape (m,), and for
                vector constraints of c components also (m, c, c).
            damping: Rayleigh's stiffness-proportional coefficient [s]: one, shape (m,), or
                (m, c); components that the compliance couples need the same.
            order: sweep by colours, or one after the other in the order given, or (distances
                only) solve the links of each straight chain together: far stiffer on fine meshes.

        Returns:
            The group; ``Simulation.forces`` accepts it as well as a kind.

        Raises:
            ModelError: an unknown kind, an index out of range, shapes that don't fit.
        """
        group = make_group(
            kind,
            indices,
            self._rest_positions,
            rest=rest,
            compliance=compliance,
            damping=damping,
            order=order,
        )
        self.groups.append(group)
        self.version += 1
        return group

    def add_cloth(
        self,
        positions: ArrayLike,
        faces: Sequence[Sequence[int]] | NDArray[np.integer],
        *,
        pins: ArrayLike | None = None,
        pin_stiffness: ArrayLike = np.inf,
        pin_damping: ArrayLike = 0.0,
        rest_positions: ArrayLike | None = None,
        velocities: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        thickness: ArrayLike = 0.005,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "cloth",
        **material: Any,
    ) -> Cloth:
        """Add a surface mesh as cloth.

        Args:
            positions: where it starts [m], shape (n, 3).
            faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
            pins: vertices that follow targets instead of moving freely, shape (p,).
            pin_stiffness: of the springs that pull them [N/m, for each m² of the cloth], one
                or shape (p,): the same at any resolution. Infinite: they are exactly there.
            pin_damping: of these springs [s], Rayleigh's coefficient, one or shape (p,).
            rest_positions: its rest shape [m], shape (n, 3); by default as it starts.
            velocities, friction, thickness, restitution, drag: as in :meth:`add_particles`.
            self_collision: whether it is kept apart from itself: by the sum of the thicknesses, or
                less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call it.
            **material: fields of :class:`core.bodies.cloth.ClothMaterial`: ``density``,
                ``stretch_compliance``, ``shear_compliance``, ``bend_compliance``, …, many of which
                may be arrays of one number a vertex.

        Returns:
            A handle with ``particles``, ``edges``, ``rest_lengths``, and ``pins``, which targets
            are set for.

        Raises:
            ModelError: the mesh can't be simulated; the message says why.
        """
        points = finite(f"Positions of '{name}'", positions, columns=3)
        cloth = build_cloth(
            self,
            name,
            points,
            rest_shape_of(name, points, rest_positions),
            faces,
            make_pins(name, len(points), pins, pin_stiffness, pin_damping),
            ClothMaterial(**material),
            Touch(self_collision, body_collision),
            velocities=velocities,
            friction=friction,
            thickness=thickness,
            restitution=restitution,
            drag=drag,
        )
        self.cloths.append(cloth)
        return cloth

    def add_strands(
        self,
        positions: ArrayLike,
        edges: ArrayLike,
        *,
        pins: ArrayLike | None = None,
        pin_stiffness: ArrayLike = np.inf,
        pin_damping: ArrayLike = 0.0,
        velocities: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        thickness: ArrayLike = 0.005,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "strands",
        **material: Any,
    ) -> Strands:
        """Add a mesh of edges as strands: hair, yarns, ropes, wires, nets.

        Args:
            positions: rest shape [m], shape (n, 3).
            edges: pairs of vertices, shape (e, 2); branches and loops are welcome.
            pins: vertices that follow targets instead of moving freely; two in a row at an end
                hold its direction too, shape (p,).
            pin_stiffness, pin_damping: as in :meth:`add_cloth`, the stiffness for each metre.
            velocities, friction, thickness, restitution, drag: as in :meth:`add_particles`.
            self_collision: whether it is kept apart from itself: by the sum of the thicknesses, or
                less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call them.
            **material: fields of :class:`core.bodies.strands.StrandMaterial`: ``density``,
                ``stretch_compliance``, ``bend_compliance``, …

        Returns:
            A handle with ``particles``, ``edges``, ``rest_lengths``, and ``pins``, which targets
            are set for.

        Raises:
            ModelError: the mesh can't be simulated; the message says why.
        """
        points = finite(f"Positions of '{name}'", positions, columns=3)
        strands = build_strands(
            self,
            name,
            points,
            edges,
            make_pins(name, len(points), pins, pin_stiffness, pin_damping),
            StrandMaterial(**material),
            Touch(self_collision, body_collision),
            velocities=velocities,
            friction=friction,
            thickness=thickness,
            restitution=restitution,
            drag=drag,
        )
        self.strands.append(strands)
        return strands

    def add_soft_body(
        self,
        positions: ArrayLike,
        faces: Sequence[Sequence[int]] | NDArray[np.integer] | None = None,
        *,
        tetrahedra: ArrayLike | None = None,
        fill: ArrayLike = 1.0,
        cell_size: float | None = None,
        pins: ArrayLike | None = None,
        pin_stiffness: ArrayLike = np.inf,
        pin_damping: ArrayLike = 0.0,
        velocities: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        thickness: ArrayLike = 0.005,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "soft body",
        **material: Any,
    ) -> SoftBody:
        """Add what is inside of a surface as a soft body.

        Args:
            positions: rest shape [m], shape (n, 3).
            faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
            tetrahedra: in place of faces, corners of tetrahedra of positive volume that are taken
                as they are, shape (m, 4).
            fill: of these the part of each that is filled, above 0 and at most 1, one or shape
                (m,): it has so much of its mass and stiffness.
            cell_size: edge of a cell of the cage that is simulated [m]; by default a 16th of the
                longest side.
            pins: vertices of the surface that follow targets instead of moving freely, and lead the
                faces between them, shape (p,).
            pin_stiffness: of the springs that pull these [N/m, for each m² of faces; for each m³ of
                tetrahedra], one or shape (p,). Infinite: as stiff as matters beside a cell.
            pin_damping: as in :meth:`add_cloth`.
            velocities, friction, thickness, restitution, drag: as in :meth:`add_particles`.
            self_collision: whether its surface is kept apart from itself: by the sum of the
                thicknesses, or less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call it.
            **material: fields of :class:`core.bodies.soft_material.SoftMaterial`: ``density``,
                ``young_modulus``, ``poisson_ratio``, …, many of which may be arrays of one number a
                vertex.

        Returns:
            A handle with ``tetrahedra``, ``volumes``, ``particles``, which are the nodes of the
            ``cage`` of a surface, and ``pins``, which targets are set for. ``Simulation.surface``
            shows where the surface is.

        Raises:
            ModelError: the mesh can't be simulated; the message says why.
        """
        if (faces is None) == (tetrahedra is None):
            raise ModelError(f"'{name}' needs either the faces around it, or its tetrahedra.")
        points = finite(f"Positions of '{name}'", positions, columns=3)
        led = make_pins(name, len(points), pins, pin_stiffness, pin_damping)
        touch = Touch(self_collision, body_collision)
        moving = {"velocities": velocities, "drag": drag}
        of_surface = {"friction": friction, "thickness": thickness, "restitution": restitution}
        if tetrahedra is not None:
            options = moving | of_surface
            solid = SoftMaterial(**material)
            body = build_soft_body(
                self, name, points, tetrahedra, fill, led, solid, touch, **options
            )
            self.soft_bodies.append(body)
            return body
        assert faces is not None
        inside = build_embedded(self, name, points, faces, cell_size, led, material, **moving)
        self.soft_bodies.append(inside)
        cage = inside.cage
        self.skins.append(
            build_skin(
                self, name, inside.particles, cage.corners, cage.weights, faces, touch, **of_surface
            )
        )
        return inside

    def add_skin(
        self,
        cage: ArrayLike,
        corners: ArrayLike,
        weights: ArrayLike,
        faces: Sequence[Sequence[int]] | NDArray[np.integer],
        *,
        thickness: ArrayLike = 0.005,
        friction: ArrayLike = 0.5,
        restitution: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "skin",
    ) -> Skin:
        """Add a surface that particles carry, and which touches in their place.

        Args:
            cage: all particles of what carries it, which then touch nothing themselves, shape (c,).
            corners: four of these, by their number in ``cage``, for each vertex, shape (n, 4).
            weights: of the corners, none negative and 1 in all, shape (n, 4). A vertex is at the
                weighted mean of its corners.
            faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
            thickness, friction, restitution: as in :meth:`add_particles`.
            self_collision: whether it is kept apart from itself: by the sum of the thicknesses, or
                less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call it.

        Returns:
            A handle with ``particles``, ``edges``, ``rest_lengths``.

        Raises:
            ModelError: it can't be carried like that; the message says why.
        """
        skin = build_skin(
            self,
            name,
            cage,
            corners,
            weights,
            faces,
            Touch(self_collision, body_collision),
            thickness=thickness,
            friction=friction,
            restitution=restitution,
        )
        self.skins.append(skin)
        return skin

    def add_collider(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        *,
        thickness: float = 0.02,
        friction: float = 0.5,
        two_sided: bool = False,
        name: str = "collider",
    ) -> Collider:
        """Add a triangle mesh that particles don't enter; see :class:`core.contact.Collider`."""
        collider = Collider(
            vertices,
            triangles,
            thickness=thickness,
            friction=friction,
            two_sided=two_sided,
            name=name,
        )
        self.colliders.append(collider)
        self.version += 1
        return collider

    def add_stitches(
        self,
        pairs: ArrayLike,
        *,
        strength: ArrayLike = np.inf,
        sewing_force: ArrayLike = np.inf,
        sewing_time: float = 0.0,
    ) -> Group:
        """Sew particles together, two by two, and hold them there.

        What is sewn together does not keep itself apart at its seams. For XPBD.

        Args:
            pairs: of particles, shape (m, 2).
            strength: force [N] for each metre of the seam at which stitches tear, one or shape
                (m,). Infinite: they never do. Each holds half of the edges of the seam that end in
                it; one that is by itself, half of the edges around it.
            sewing_force: greatest force [N] with which each pulls and holds, one or shape (m,).
            sewing_time: [s], in which those that are apart are drawn together evenly.

        Returns:
            The group, for ``Simulation.forces`` and ``Simulation.torn``.

        Raises:
            ModelError: a particle does not exist or is sewn to itself, or a number is negative.
        """
        group = make_stitches(
            pairs,
            self._positions,
            self._rest_positions,
            [body.edges for body in self.bodies],
            strength=strength,
            sewing_force=sewing_force,
            sewing_time=sewing_time,
        )
        self.groups.append(group)
        self.version += 1
        return group

    def ignore_contact(self, body: Body, other: Part) -> None:
        """Let a body and another one, or a collider, go through each other.

        Args:
            body: what :meth:`add_cloth`, :meth:`add_strands` or :meth:`add_soft_body` has returned;
                of one that carries a skin, that goes through.
            other: the same, or what :meth:`add_collider` has returned.

        Raises:
            ModelError: one of them is not in the model, or both are the same body, which
                ``self_collision`` is for.
        """
        number_of(body, self.bodies)
        number_of(other, [*self.bodies, *self.colliders])
        if other is body:
            raise ModelError(
                f"'{body.name}' goes through itself if it is added with self_collision=False."
            )
        self._ignored.append((body, other))
        self.version += 1

    def check(self, version: int) -> None:
        """Raise ModelError where something was added since it was of some version."""
        if version != self.version:
            raise ModelError(
                "The model has changed since the simulation was made, which does not know of it: "
                "make the simulation when the model is complete."
            )

    def part(self, particles: NDArray[np.int64]) -> Model:
        """A model of some particles only, of bodies and groups that are theirs as a whole.

        Args:
            particles: ascending, shape (k,); the model's i-th is the particle ``particles[i]``.

        Returns:
            With handles of its own, those of colliders among them.
        """
        part = Model(self.dtype)
        for values in _OF_PARTICLES:
            setattr(part, values, getattr(self, values)[particles])
        numbers = np.full(self.particle_count, -1)
        numbers[particles] = np.arange(len(particles))
        part.cloths = renumbered(self.cloths, numbers)
        part.strands = renumbered(self.strands, numbers)
        part.soft_bodies = renumbered(self.soft_bodies, numbers)
        part.skins = renumbered(self.skins, numbers)
        part.groups = [self.groups[g].renumbered(numbers) for g in self.groups_of(particles)]
        part.colliders = [copy(each) for each in self.colliders]
        kept = [body for body in self.bodies if numbers[body.particles[0]] >= 0]
        own = [*kept, *self.colliders], [*part.bodies, *part.colliders]
        counterparts: dict[int, Any] = {id(each): its for each, its in zip(*own, strict=True)}
        part._ignored = [
            (counterparts[id(one)], counterparts[id(other)])
            for one, other in self._ignored
            if id(one) in counterparts and id(other) in counterparts
        ]
        return part

    def groups_of(self, particles: NDArray[np.int64]) -> list[int]:
        """Numbers of the groups of some particles; what is empty counts as the first particle's."""
        firsts = [int(group.indices.flat[0]) if group.indices.size else 0 for group in self.groups]
        return np.flatnonzero(np.isin(firsts, particles)).tolist()

    def state(self, colliders: ColliderSet | None = None) -> State:
        """The state at rest, from which a simulation starts.

        Args:
            colliders: where they stand; by default where they did when they were added.
        """
        ignored = [(self.touching(one), self.touching(other)) for one, other in self._ignored]
        meets = meetings(self.bodies, self.colliders, ignored)
        colliders = colliders or ColliderSet(
            self.colliders,
            self._thickness,
            self._friction,
            restitution=self._restitution,
            meets=self._meets_colliders(meets),
        )
        return State(
            self._positions,
            self._velocities,
            self._masses,
            self._drag,
            Contact(colliders, self._surface(meets, colliders.contacts.inside)),
            Outside(
                self.particle_count,
                [(body.particles, body.in_air) for body in self.bodies],
                2.0 * self._thickness,
                self.dtype,
            ),
            self.dtype,
            twists=any(group.twist is not None for group in self.groups),
        )

    @property
    def bodies(self) -> list[Body]:
        """All cloths, strands, soft bodies and skins."""
        return [*self.cloths, *self.strands, *self.soft_bodies, *self.skins]

    def touching(self, part: AnyPart) -> AnyPart | Skin:
        """What of a body or collider touches: its skin where it carries one, else itself."""
        for skin in self.skins:
            if isinstance(part, Body) and np.isin(part.particles[0], skin.cage):
                return skin
        return part

    def _meets_colliders(self, meets: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each collider and particle can touch, shape (c, n)."""
        found = np.ones((len(self.colliders), self.particle_count), np.bool_)
        for number, body in enumerate(self.bodies):
            found[:, body.anchors] = False
            found[:, body.particles] = meets[len(self.bodies) :, number, None]
        for skin in self.skins:
            found[:, skin.cage] = False
        return found

    def _surface(self, meets: NDArray[np.bool_], inside: NDArray[np.uint8]) -> Surface:
        """What of the bodies and colliders can touch."""
        sewn = sewn_together(self.groups, self.particle_count)
        edges = [body.edges for body in self.bodies]
        return Surface(
            [body.pieces[: None if self.touching(body) is body else 0] for body in self.bodies],
            self.colliders,
            meets,
            self._rest_positions,
            tapered(self._thickness, self._rest_positions, edges, sewn),
            self._friction,
            inside,
            carriage_of(self.skins),
            sewn,
            self.dtype,
        )

    def owner_of(self, particle: int) -> str:
        """Name of the body that a particle belongs to, or of the particle itself."""
        body = next((body for body in self.bodies if body.owns(particle)), None)
        return body.name if body else f"particle {particle}"

    def together_with(self, particle: int) -> NDArray[np.int64]:
        """The particles of its body; of one that belongs to none, all that belong to none."""
        loose = np.ones(self.particle_count, bool)
        for body in self.bodies:
            if body.owns(particle):
                return body.particles
            loose[body.particles] = False
        return np.flatnonzero(loose)
