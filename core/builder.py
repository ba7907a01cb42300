# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles, constraints between them and colliders: all that a solver knows of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .checks import finite, not_negative, spread
from .contact import Collider
from .contact.carried import carried_rest
from .errors import ModelError
from .layout.group import Group, Order, make_group

Described = dict[str, Any]
"""Arguments of :meth:`Builder.add_constraints`."""


class Builder:
    """What bodies are made of; see :class:`core.Model`, which is one.

    Attributes:
        colliders, groups: all that were added.
        version: how often something was added.
        positions, velocities: of the particles at the start [m], [m/s], shape (n, 3).
        rest_positions: where they are in the rest shape of their body [m], shape (n, 3).
        contact_rest: where they are at rest for contact, which follows when rest shapes change, as
            rows of x, y, z [m] and the factor by which lengths around are longer, shape (n, 4).
        masses: [kg], shape (n,); infinite for kinematic particles, zero for carried ones.
        thickness, friction, restitution, drag: as in :meth:`add_particles`, shape (n,).
    """

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise ValueError(f"A model computes in float32 or float64, not in {self.dtype}.")
        self.colliders: list[Collider] = []
        self.groups: list[Group] = []
        self.version = 0
        self.positions = np.empty((0, 3))
        self.velocities = np.empty((0, 3))
        self.rest_positions = np.empty((0, 3))
        self.contact_rest = np.empty((0, 4))
        self.masses = np.empty(0)
        self.thickness = np.empty(0)
        self.friction = np.empty(0)
        self.restitution = np.empty(0)
        self.drag = np.empty(0)
        self._rooms: dict[str, tuple[NDArray[np.float64], int]] = {}

    @property
    def particle_count(self) -> int:
        """Number of particles n."""
        return len(self.positions)

    def add_particles(
        self,
        positions: ArrayLike,
        masses: ArrayLike,
        velocities: ArrayLike = 0.0,
        *,
        rest_positions: ArrayLike | None = None,
        rest_scale: ArrayLike = 1.0,
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
            rest_scale: by which factor lengths around them are longer at rest than there, one or
                shape (k,): what is near at rest keeps less than its thickness.
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
        scale = not_negative("The rest scale", spread("The rest scale", rest_scale, (count,)))
        return self._append(
            points,
            shape,
            np.column_stack([shape, scale]),
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
        points, shape, speeds = (
            np.einsum("nk,nkd->nd", weights, values[corners])
            for values in (self.positions, self.rest_positions, self.velocities)
        )
        return self._append(
            points,
            shape,
            carried_rest(self.contact_rest, corners, weights),
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
        contact_rest: NDArray[np.float64],
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
        options |= {"positions": points, "rest_positions": shape, "masses": masses}
        options |= {"velocities": velocities, "contact_rest": contact_rest}
        for name, values in options.items():
            setattr(self, name, self._longer(name, values))
        self.version += 1
        return np.arange(first, first + count)

    def _longer(self, name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """One of the arrays with values behind its own, in memory that has room for more.

        So many small bodies are not copied anew for each that is added.
        """
        own, (room, filled) = getattr(self, name), self._rooms.get(name, (values, -1))
        count = len(own) + len(values)
        # What is filled further belongs to a copy of this model.
        if own.base is not room or filled != len(own) or len(room) < count:
            room = np.zeros((2 * count, *values.shape[1:]))
            room[: len(own)] = own
        room[len(own) : count] = values
        self._rooms[name] = room, count
        return room[:count]

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
            self.rest_positions,
            rest=rest,
            compliance=compliance,
            damping=damping,
            order=order,
        )
        self.groups.append(group)
        self.version += 1
        return group

    def groups_of(self, particles: NDArray[np.int64]) -> list[int]:
        """Numbers of the groups of some particles; what is empty counts as the first particle's."""
        return np.flatnonzero(np.isin(self.group_places, particles)).tolist()

    @property
    def group_places(self) -> list[int]:
        """A particle of each group; of what is empty the first one."""
        return [int(group.indices.flat[0]) if group.indices.size else 0 for group in self.groups]

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

    def check(self, version: int) -> None:
        """Raise ModelError where something was added since it was of some version."""
        if version != self.version:
            raise ModelError(
                "The model has changed since the simulation was made, which does not know of it: "
                "make the simulation when the model is complete."
            )
