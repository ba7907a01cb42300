# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangle meshes that particles stay out of, and the set of all of them in a model."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import CheckpointError, ModelError
from ..lasting import Lasting, array_of, fill
from ..native.threads import MOST_THREADS
from .arrays import allocate, allocate_for_some, arrive, forget, set_out, stand
from .broad_phase import fit_boxes
from .data import Contacts
from .topology import is_flat, tree_order

Points = NDArray[np.float64]

_LASTING_OF_PAIRS = "anchor", "reach", "gone", "count", "triangles", "distances"
"""Fields of a pair: the last frame's."""

RECOVERY_SPEED = 0.5
"""[m/s] at which particles that start inside are led out."""


class Collider:
    """A triangle mesh that particles stay out of; it stands still or is moved from outside.

    Args:
        vertices: [m], shape (v, 3).
        triangles: vertex indices, anticlockwise seen from outside, shape (t, 3). Triangles
            without area are ignored.
        thickness: distance [m] that particles keep, added to their own.
        friction: Coulomb coefficient; a pair takes the geometric mean of both.
        two_sided: particles may be on either side and stay on theirs. Otherwise the normals tell
            the outside, and a closed mesh has an inside that particles are led out of. One that is
            closed but flat, like a plane with a back, is two-sided anyway.
        name: for messages.

    Attributes:
        is_on: whether it keeps anything out. It may be set between frames, as ``thickness`` and
            ``friction``; switched on again it stands at once where its target is.
        rest: the vertices as given. Arrays are laid out by them, whenever that is: what comes of
            that must not depend on when islands are parted, or a simulation goes on.

    Raises:
        ModelError: shapes or indices don't fit, a number is not finite, or one is negative.
    """

    def __init__(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        *,
        thickness: float = 0.02,
        friction: float = 0.5,
        two_sided: bool = False,
        name: str = "collider",
    ) -> None:
        self.name = name
        self.thickness = self._measure("thickness", thickness)
        self.friction = self._measure("friction", friction)
        self.rest = self.vertices = self._points(vertices)
        corners = np.asarray(triangles, np.int64)
        if corners.ndim != 2 or corners.shape[1] != 3 or len(corners) == 0:
            raise ModelError(
                f"Collider '{name}' needs triangles of shape (t, 3), not {corners.shape}."
            )
        if corners.min() < 0 or corners.max() >= len(self.vertices):
            raise ModelError(f"A triangle of collider '{name}' refers to a missing vertex.")
        self.triangles = corners[tree_order(self.vertices, corners)]
        self.two_sided = two_sided or is_flat(self.vertices, self.triangles)
        self.target: Points | None = None
        self.is_on = True

    def set_target(self, vertices: ArrayLike) -> None:
        """Where the vertices are at the end of the next frame [m], shape (v, 3).

        They move there evenly; without a new target the collider then stands still.

        Raises:
            ModelError: the number of vertices changed, or a number is not finite.
        """
        points = self._points(vertices)
        if points.shape != self.vertices.shape:
            raise ModelError(
                f"Collider '{self.name}' has {len(self.vertices)} vertices and can't move to "
                f"{len(points)}; restart the simulation after changing its mesh."
            )
        self.target = points

    def _points(self, vertices: ArrayLike) -> Points:
        points = np.array(vertices, np.float64)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ModelError(
                f"Collider '{self.name}' needs vertices of shape (v, 3), not {points.shape}."
            )
        if not np.isfinite(points).all():
            raise ModelError(
                f"Collider '{self.name}' has a vertex that is not a finite number: delete it, or "
                "mend the modifier or keyframes that move it."
            )
        return points

    def _measure(self, what: str, value: float) -> float:
        if not (np.isfinite(value) and value >= 0):
            raise ModelError(f"The {what} of collider '{self.name}' must not be {value}.")
        return float(value)


class ColliderSet:
    """All colliders of a model, merged into the arrays that kernels read.

    Args:
        colliders: the handles; their thickness and friction are read at each frame's start.
        thickness: distance [m] of each particle, shape (n,), added to the collider's.
        friction: Coulomb coefficient of each particle, shape (n,).
        restitution: part of its normal velocity with which each particle bounces, one or shape
            (n,).
        meets: whether each collider and particle can touch, shape (c, n); by default all can.
        threads: most threads that will call the kernels at the same time.

    Attributes:
        contacts: the arrays, for the kernels of ``core.contact``.
    """

    def __init__(
        self,
        colliders: Sequence[Collider],
        thickness: ArrayLike,
        friction: ArrayLike,
        *,
        restitution: ArrayLike = 0.0,
        meets: ArrayLike = True,
        threads: int = MOST_THREADS,
    ) -> None:
        self.colliders = list(colliders)
        meshes = [(collider.rest, collider.triangles) for collider in self.colliders]
        self.contacts: Contacts = allocate(
            meshes,
            np.array(thickness, np.float64),
            np.array(friction, np.float64),
            np.array(np.broadcast_to(restitution, np.shape(friction)), np.float64),
            threads,
        )
        self._meets = np.broadcast_to(np.asarray(meets, np.bool_), self.contacts.pairs.shape)
        self.contacts.free[..., 3][~self._meets] = np.inf
        self.contacts.recovery[0] = RECOVERY_SPEED
        self._settings: list[tuple[float, float, bool, bool]] = []
        self._read_settings()
        for index, collider in enumerate(self.colliders):
            stand(self.contacts, index, collider.vertices)
            fit_boxes(self.contacts, index)

    def for_some(self, particles: NDArray[np.int64], colliders: Sequence[Collider]) -> ColliderSet:
        """The same for some of the particles only, as colliders stand now.

        Args:
            colliders: handles of its own to the same colliders.
        """
        found = copy(self)
        found.colliders = list(colliders)
        found.contacts = allocate_for_some(self.contacts, particles)
        found._meets = self._meets[:, particles]
        for index in range(len(colliders)):
            fit_boxes(found.contacts, index)
        return found

    def begin_frame(self, time_step: float) -> None:
        """Take over the targets for a frame of ``time_step`` seconds."""
        self.contacts.recovery[2] = time_step
        self.contacts.touched[:] = 0
        self.contacts.inside[:] = 0
        self.contacts.opposite[:] = 0
        self.contacts.engaged[:] = 1
        self._read_settings()
        for index, collider in enumerate(self.colliders):
            target = collider.target
            if target is not None and not np.array_equal(target, collider.vertices):
                set_out(self.contacts, index, target)
                fit_boxes(self.contacts, index)

    def end_frame(self) -> None:
        """Colliders are now where their targets were, and stand still."""
        moving = self.contacts.colliders["moving"].tolist()
        for index, collider in enumerate(self.colliders):
            if collider.target is not None:
                collider.vertices, collider.target = collider.target, None
            if moving[index]:
                arrive(self.contacts, index, collider.vertices)
                fit_boxes(self.contacts, index)

    def lasting(self) -> Lasting:
        """Where colliders stand, and what is known of the particles near them.

        Known is what spares looking at all of a collider. That goes by the past of a particle: of
        several triangles that are as near, another one may so be the closest.
        """
        contacts = self.contacts
        pairs = contacts.pairs.ravel()
        known = np.flatnonzero(pairs["count"])
        return {
            "vertices": contacts.meshes.now,
            "free": contacts.free,
            "known": known,
            **{name: pairs[name][known] for name in _LASTING_OF_PAIRS},
        }

    def stand_anew(self) -> None:
        """Stand at once where targets are, or where the last ones were; of particles near them
        nothing is known.
        """
        for index, collider in enumerate(self.colliders):
            self._stand_anew(index, collider)

    def _stand_anew(self, index: int, collider: Collider) -> None:
        if collider.target is not None:
            collider.vertices, collider.target = collider.target, None
        self.contacts.pairs[index]["count"] = 0
        stand(self.contacts, index, collider.vertices)
        forget(self.contacts, index)
        fit_boxes(self.contacts, index)

    def go_on_from(self, lasting: Lasting) -> None:
        """Stand where the same colliders stood, switched on or off as they were.

        Raises CheckpointError.
        """
        contacts = self.contacts
        vertices = array_of(lasting, "vertices", np.float64, contacts.meshes.now.shape)
        for index, collider in enumerate(self.colliders):
            record = contacts.colliders[index]
            collider.vertices = vertices[record.vertex_start : record.vertex_end].copy()
            collider.target = None
            stand(contacts, index, collider.vertices)
            fit_boxes(contacts, index)
        fill(contacts.free, lasting, "free")
        for index, collider in enumerate(self.colliders):
            collider.is_on = not self._was_off(index)
        self._settings = []
        self._read_settings()
        pairs = contacts.pairs.ravel()
        known = array_of(lasting, "known", np.int64, (None,))
        if len(known) and not 0 <= known.min() <= known.max() < len(pairs):
            raise CheckpointError("The checkpoint is of another simulation: of other particles.")
        pairs["count"] = 0
        for name in _LASTING_OF_PAIRS:
            field = pairs[name]
            field[known] = array_of(lasting, name, field.dtype, (len(known), *field.shape[1:]))

    def _read_settings(self) -> None:
        """Take over what may be set between frames, where it has been."""
        settings = [
            (each.thickness, each.friction, each.two_sided, each.is_on) for each in self.colliders
        ]
        if settings == self._settings:
            return
        self._settings = settings
        for index, collider in enumerate(self.colliders):
            record = self.contacts.colliders[index]
            if collider.thickness > record.thickness:
                forget(self.contacts, index)
            record.thickness, record.friction = collider.thickness, collider.friction
            record.two_sided = int(collider.two_sided)
            self._switch(index, collider)

    def _switch(self, index: int, collider: Collider) -> None:
        """Keep out what meets a collider, or let all of it through."""
        radii, meets = self.contacts.free[index, :, 3], self._meets[index]
        if not collider.is_on:
            radii[:] = np.inf
        elif self._was_off(index):
            radii[meets] = 0.0
            self._stand_anew(index, collider)

    def _was_off(self, index: int) -> bool:
        """Whether a collider lets all of what it meets through."""
        radii = self.contacts.free[index, self._meets[index], 3]
        return len(radii) > 0 and bool(np.isinf(radii).all())
