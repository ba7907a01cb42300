# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a model that is stepped by itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contact import Collider
from ..earlier import Earlier
from ..forces.uniform import Vector
from ..lasting import Lasting, named, part_of
from ..native.threads import MOST_THREADS
from ..solvers.common.base import Prepared, Solver
from ..solvers.common.report import BendError, Overstretch
from ..state import State
from .failures import check_finite, check_led_out, solvable
from .part import Parts


class Island:
    """Some of a model's particles, with the constraints between them and all colliders.

    Args:
        parts: of the model, and the state of the whole.
        particles: some of them, shape (n,), ascending; None: all, which step the state itself.
        solver: that steps it.
        earlier: the same island with other materials and pins.
        was: which particles of its model those of the whole were.

    Attributes:
        prepared: the part laid out for the solver.
    """

    def __init__(
        self,
        parts: Parts,
        state: State,
        particles: NDArray[np.int64] | None,
        solver: Solver[Any],
        earlier: Island | None = None,
        was: Earlier | None = None,
    ) -> None:
        self.model = parts.whole
        self.state = self._whole = state
        self.particles = np.arange(state.count) if particles is None else particles
        if particles is not None:
            self.model = parts.model_of(particles)
            standing = state.contact.colliders
            self.state = self.model.state(standing.for_some(particles, self.model.colliders))
            self.state.watch(MOST_THREADS)
            if earlier is not None and was is not None:
                self.state.follow(earlier.state, was.of_part(particles, earlier.particles))
        self._parts = parts
        self._of_whole = parts.bodies_of(self.particles)
        self._groups = parts.groups_of(self.particles)
        kinematic = self.particles[self.state.kinematic]
        self._led = np.searchsorted(state.kinematic, kinematic)
        self._solver = solver
        known = None if earlier is None else earlier.prepared
        self.prepared: Prepared = solver.prepare(self.model, known)

    @property
    def work(self) -> int:
        """What a step costs, in constraints that are swept."""
        return max(1, prod(self.prepared.counts)) * self.prepared.swept

    def begin(self, colliders: Sequence[Collider]) -> None:
        """Start where the whole stands, with colliders as they are."""
        self._follow()
        whole, own = self._whole, self.state
        own.velocities[:] = whole.velocities[self.particles]
        own.accelerations[:] = whole.accelerations[self.particles]
        if len(own.frames):
            own.frames[:] = whole.frames[self.particles]
        known = whole.contact.remembered()
        for name, values in own.contact.remembered().items():
            values[:] = known[name][self.particles]
        for number, body in enumerate(self._of_whole):
            if body in whole.outside.given:
                own.outside.surround(number, whole.outside.given[body])
        own.pulls.follow(whole.pulls, self.particles)
        own.targets[:] = whole.targets[self._led]
        self._share(colliders)

    def _share(self, colliders: Sequence[Collider]) -> None:
        """Let its colliders be where those of the whole are, and go where these do."""
        for collider, given in zip(self.model.colliders, colliders, strict=True):
            vars(collider).update(vars(given))

    def renew(self) -> None:
        """Go on with the rest states that the model has now."""
        rest = self._parts.whole.contact_rest[self.particles]
        self.state.contact.surface.follow_rest(rest)
        self.prepared = self._solver.renew(self.prepared, self.model)

    def store_groups(self) -> None:
        """Let groups of the model have the rest states with which the step ended."""
        self._solver.store_groups(self.prepared, self.model)

    def _follow(self) -> None:
        self.state.positions[:] = self._whole.positions[self.particles]

    def step(self, dt: float, gravity: Vector) -> None:
        """Advance by dt [s].

        Raises:
            SimulationError: a position is not a finite number any more, equations can't be solved,
                or a collider tears apart what is inside of it; names the object.
        """
        self.prepared = self._solver.up_to_date(self.prepared, self.model)
        with solvable(self.model):
            self._solver.step(self.model, self.state, dt, prepared=self.prepared, gravity=gravity)
        check_finite(self.model, self.state)
        check_led_out(self.model, self.state)

    def reached(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Corners [m] of the box that its particles kept from others in the step."""
        thickness = self.state.contact.colliders.contacts.thickness.max(initial=0.0)
        low, high = self.state.box()
        return low - thickness, high + thickness

    def end(self) -> None:
        """Put the whole where the island has come."""
        self.store_groups()
        self._whole.positions[self.particles] = self.state.positions
        self._whole.velocities[self.particles] = self.state.velocities
        self._whole.accelerations[self.particles] = self.state.accelerations
        if len(self.state.frames):
            self._whole.frames[self.particles] = self.state.frames
        known = self.state.contact.remembered()
        for name, values in self._whole.contact.remembered().items():
            values[self.particles] = known[name]
        touched = self._whole.contact.arrays.colliders.touched
        touched[self.particles] = self.state.contact.arrays.colliders.touched
        self._whole.contact.tangled[self.particles] = self.state.contact.tangled

    def lasting(self) -> Lasting:
        """What its next frame goes on from, beside the whole."""
        found = dict(named("solver", self.prepared.lasting()))
        if self.state is not self._whole:
            found |= named("state", self.state.lasting())
            found |= named("colliders", self.state.contact.colliders.lasting())
        return found

    def go_on_from(self, lasting: Lasting, changed: bool = False) -> None:
        """Go on from what the same island has left.

        Args:
            changed: whether materials, pins, colliders or the solver may be others: what does not
                fit is left.

        Raises:
            CheckpointError: it is of another model.
        """
        of_solver = part_of(lasting, "solver")
        if changed:
            self.prepared.go_on(of_solver)
        else:
            self.prepared.go_on_from(of_solver)
        if self.state is not self._whole:
            self.state.go_on_from(part_of(lasting, "state"), changed)
            if changed:
                self._share(self._parts.whole.colliders)
                self.state.contact.colliders.stand_anew()
            else:
                self.state.contact.colliders.go_on_from(part_of(lasting, "colliders"))

    def overstretch(self) -> list[Overstretch]:
        """How much too long everything is, told of the particles of the whole."""
        self._follow()
        return [
            each._replace(
                particle=int(self.particles[each.particle]),
                held_apart=self.particles[each.held_apart],
            )
            for each in self._solver.overstretch(self.prepared, self.state)
        ]

    def bend_errors(self) -> list[BendError]:
        """How much of the bending of sheets is wrong, told of the particles of the whole."""
        self._follow()
        return [
            each._replace(particle=int(self.particles[each.particle]))
            for each in self._solver.bend_errors(self.prepared, self.state)
        ]

    def owner_of(self, particle: int) -> str:
        """Name of the body that a particle of the whole belongs to, or of the particle itself."""
        body = self.model.body_of(int(np.searchsorted(self.particles, particle)))
        return body.name if body else f"particle {particle}"

    def residual(self) -> float:
        """How far [m] a further iteration would move any of its particles at most."""
        self._follow()
        return self._solver.residual(self.prepared, self.state)

    def forces(self, chosen: Sequence[int]) -> dict[int, NDArray[Any]]:
        """|λ| / Δt² of constraints of the last substep.

        Args:
            chosen: numbers of groups of the whole.

        Returns:
            By these numbers, of those groups that are the island's.
        """
        multipliers, step = self.prepared.program.multipliers, self.state.span
        found = {}
        for group, slots in zip(self._groups, self.prepared.slots, strict=True):
            if group in chosen:
                sizes = np.linalg.norm(multipliers[slots], axis=1)
                found[group] = sizes / step**2 if step > 0.0 else np.zeros_like(sizes)
        return found
