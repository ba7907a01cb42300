# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact as solvers see it, whatever touches what.

A step calls :meth:`Contact.begin_frame` before and :meth:`Contact.end_frame` after; in between each
of its threads calls, in every substep,

- :func:`begin_substep` once particles are predicted: moves colliders,
- :func:`project` after each iteration of the method: particles stay out of colliders,
- :func:`weigh`, of methods that press what touches together anew in each iteration,
- :func:`finish_substep`: surfaces stay apart; restitution and friction,

and :func:`finish_step` after the last one.

All threads of a team call all of them, and have met before each. Which surfaces touch is found
while the step runs. Native code can't ask for memory, so :func:`finish_substep` says whether there
was enough for all; where not, the step stops there, :meth:`Contact.grow` gets more, and the step
goes on at the same place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..lasting import Lasting, fill
from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.team import meet, own_share
from . import response
from .carried import Carried, carry_share
from .carried_friction import rub_carried
from .collider import ColliderSet
from .data import BY_BODY, BY_COLLIDER, Contacts
from .hand_on import Pressed, forget_pushes, hand_on, pressed_of, share_forces, sum_pushes
from .restitution import is_bouncing, note_incoming
from .surface.memory import SurfaceArrays
from .surface.step import (
    begin_rub,
    end_rub,
    find,
    is_proving,
    is_stale,
    note_start,
    prove,
    push_apart,
)
from .surface.surface import Surface


@by_address
class ContactArrays(NamedTuple):
    """What native code sees.

    Attributes:
        colliders: particles against colliders, for which there is always memory.
        surface: what can touch each other; without memory for pairs where nothing can.
        carried: particles that others carry,
        pressed: and what colliders do to them.
    """

    colliders: Contacts
    surface: SurfaceArrays
    carried: Carried
    pressed: Pressed


_OF_TRIANGLES = "wedged", "sides"
"""What lasts of particles and is told by triangles of colliders."""


class Contact:
    """What keeps the bodies of a model apart.

    Args:
        colliders: what particles don't enter.
        surface: what can touch each other.

    Attributes:
        arrays: for native code; others after :meth:`grow`.
        tangled: which particles were where surfaces went through each other when the frame ended
            last began, shape (n,).
        squeezed: which particles have no room, shape (n,).
    """

    def __init__(self, colliders: ColliderSet, surface: Surface) -> None:
        self.colliders = colliders
        self.surface = surface
        self.pressed = pressed_of(surface.carried)
        self.arrays = self._arrays()
        self.tangled = np.zeros(len(colliders.contacts.thickness), np.bool_)
        self.squeezed = np.zeros(len(colliders.contacts.thickness), np.bool_)

    def remembered(self) -> Lasting:
        """What is known of particles from frame to frame: whether they have no room, whether
        colliders leave them less than their thicknesses, and between which triangles of a single
        one.
        """
        contacts = self.arrays.colliders
        return {"squeezed": self.squeezed, "wedged": contacts.wedged, "sides": contacts.sides}

    def lasting(self) -> Lasting:
        """What of particles the next frame goes on from; colliders have their own."""
        told = {"touched": self.arrays.colliders.touched, "tangled": self.tangled}
        return told | dict(self.remembered())

    def go_on_from(self, lasting: Lasting, changed: bool = False) -> None:
        """Go on from what another one of the same particles has left.

        Args:
            changed: whether colliders may be others.

        Raises:
            CheckpointError: it is of other particles.
        """
        for name, values in self.lasting().items():
            if not (changed and name in _OF_TRIANGLES):
                fill(values, lasting, name)

    def _arrays(self) -> ContactArrays:
        surface = self.surface
        return ContactArrays(self.colliders.contacts, surface.arrays, surface.carried, self.pressed)

    def begin_frame(self, dt: float) -> None:
        """Take over the targets of colliders for a frame of ``dt`` seconds."""
        self.colliders.begin_frame(dt)
        self.surface.begin_frame()

    def rub(self, friction: NDArray[np.float64]) -> None:
        """Let particles have other Coulomb coefficients from the next frame on, shape (n,)."""
        self.colliders.contacts.friction[:] = friction
        self.surface.shape.friction[: len(friction)] = friction

    def share_among(self, threads: int) -> None:
        """Get ready for so many threads."""
        if self.surface.share_among(threads):
            self.arrays = self._arrays()

    def grow(self) -> None:
        """Have memory for as many contacts as a substep needed."""
        self.surface.grow()
        self.arrays = self._arrays()

    def touched(self) -> NDArray[np.bool_]:
        """Which particles a collider has pushed in the frame begun last, or were where surfaces
        went through each other, shape (n,).

        A length between two of them may be as it is because of what they touch. Where bodies touch
        each other more substeps do help, see :meth:`touched_by_bodies`.
        """
        return self._pushed(BY_COLLIDER) | self.tangled

    def touched_by_bodies(self) -> NDArray[np.bool_]:
        """Which particles another body or their own has pushed in that frame, shape (n,)."""
        return self._pushed(BY_BODY)

    def _pushed(self, pusher: int) -> NDArray[np.bool_]:
        return np.asarray(self.arrays.colliders.touched & pusher != 0)

    def crossing_faces(self, rows: NDArray[Any], count: int) -> NDArray[np.int64]:
        """The corners of all pairs of faces that go through each other, shape (k, 2, 3).

        Args:
            rows: of the state.
            count: of particles among them; behind them are vertices of colliders.
        """
        colliders = self.colliders.contacts.meshes.now
        rows[self.surface.first_collider : self.surface.vertex_count, :3] = colliders
        return self.surface.crossing_pieces(rows, count)

    def end_frame(self) -> None:
        """Colliders are now where their targets were, and stand still."""
        self.colliders.end_frame()
        # Noted now: whoever asks for crossings has others looked for.
        self.tangled[:] = False
        self.tangled[self.surface.tangled()] = True
        self.squeezed = self.surface.squeezed(self.squeezed)


@native_part
def may_push(contact: ContactArrays) -> bool:
    """Whether there is anything that could be touched."""
    return len(contact.colliders.colliders) > 0 or len(contact.surface.pairs.vertices) > 0


@native_part
def begin_substep(
    contact: ContactArrays, arrays: Any, settings: Any, substep: int, team: Any
) -> None:
    """Put colliders where they are at the end of a substep, and carried particles where others are.

    Args:
        arrays: of the state, particles predicted.
        settings: ``StepSettings``.
    """
    if len(contact.carried.particles) > 0:
        meet(team)
        carry_share(contact.carried, arrays.rows, team)
        carry_share(contact.carried, arrays.previous, team)
        if is_bouncing(contact.colliders):
            carry_share(contact.carried, arrays.velocities, team)
        forget_pushes(contact.carried, contact.pressed, team)
        meet(team)
    first, last = own_share(arrays.particle_count, team)
    note_incoming(contact.colliders, arrays.velocities, arrays.gained, settings, first, last)
    response.begin_substep(contact.colliders, first, last)
    if team.thread == 0:
        response.move_colliders(
            contact.colliders, substep / settings.substeps, (substep + 1) / settings.substeps
        )
    if len(contact.surface.pairs.vertices) > 0:
        meet(team)
        note_start(contact.surface, contact.colliders, arrays, substep == 0, team)
    meet(team)


@native_part
def project(contact: ContactArrays, arrays: Any, team: Any) -> None:
    """Push apart what is too close. Carried particles start where their corners put them."""
    carried, rows, previous = contact.carried, arrays.rows, arrays.previous
    if len(contact.colliders.colliders) == 0:
        return
    if len(carried.particles) > 0:
        carry_share(carried, rows, team)
        meet(team)
    first, last = own_share(arrays.particle_count, team)
    response.project(contact.colliders, rows, previous, first, last, team.thread)
    meet(team)
    if len(carried.particles) > 0 and hand_on(
        contact.colliders, carried, contact.pressed, rows, previous, team
    ):
        carry_share(carried, previous, team)
        meet(team)


@native_part
def weigh(contact: ContactArrays, arrays: Any, forces: Any, h: Any, team: Any) -> None:
    """Set the push that bounds friction to h² M⁻¹ times the force that presses particles.

    Args:
        forces: [N] that press particles into what they touch, shape (n or more, 4).
        h: length of the substep [s].
    """
    carried, pressed = contact.carried, contact.pressed
    if len(carried.particles) > 0:
        if team.thread == 0:
            share_forces(carried, pressed, forces)
        meet(team)
    first, last = own_share(arrays.particle_count, team)
    response.weigh(contact.colliders, arrays.rows, forces, h, first, last)
    if len(carried.particles) > 0:
        meet(team)
        sum_pushes(contact.colliders, carried, pressed, team)
        meet(team)


@native_part
def finish_substep(contact: ContactArrays, arrays: Any, settings: Any, team: Any) -> Any:
    """Keep surfaces apart; restitution and friction of what has touched in this substep.

    Returns:
        Whether there was memory for all pairs. Where not, it goes on when it is called again.
    """
    surfaces = len(contact.surface.pairs.vertices) > 0
    if not (surfaces and is_proving(contact.surface)):
        if not _settle(contact, arrays, settings, surfaces, team):
            return False
        if surfaces:
            meet(team)
    if surfaces:
        return prove(contact.surface, arrays.rows, arrays.previous, arrays.particle_count, team)
    return True


@native_part
def _settle(contact: ContactArrays, arrays: Any, settings: Any, surfaces: bool, team: Any) -> Any:
    """Push surfaces apart; restitution and friction.

    Args:
        surfaces: whether there are any.

    Returns:
        Whether there was memory for all pairs. Where not, nothing has been done.
    """
    carried = contact.carried
    if len(carried.particles) > 0:
        carry_share(carried, arrays.rows, team)
        meet(team)
    if surfaces:
        recovery = contact.colliders.recovery[0] * settings.h
        surface, rows, count = contact.surface, arrays.rows, arrays.particle_count
        touched = contact.colliders.touched
        free = len(contact.colliders.colliders) == 0 and len(arrays.kinematic) == 0
        known = False
        while not known:
            if not find(surface, rows, count, recovery, team):
                return False
            known = push_apart(surface, arrays, settings, recovery, touched, free, team)
            if not (known or is_stale(surface)):
                return False
    engaged = contact.colliders.engaged
    first, last = own_share(arrays.particle_count, team)
    if surfaces:
        begin_rub(contact.surface, arrays.rows, engaged, first, last)
    _rub(contact, arrays, settings, first, last, team)
    if surfaces:
        end_rub(contact.surface, arrays.rows, engaged, first, last, team.thread)
    return True


@native_part
def _rub(
    contact: ContactArrays, arrays: Any, settings: Any, first: int, last: int, team: Any
) -> None:
    """Restitution and friction on colliders of particles [first, last)."""
    colliders, carried = contact.colliders, contact.carried
    led_out = contact.surface.motion.led_out
    if len(carried.particles) > 0 and len(colliders.colliders) > 0:
        # One thread moves what others have noted.
        meet(team)
        if rub_carried(colliders, carried, contact.pressed, arrays, settings, led_out, team):
            carry_share(carried, arrays.rows, team)
            meet(team)
    response.apply_friction(colliders, arrays, settings, led_out, first, last)


@native_part
def finish_step(contact: ContactArrays, arrays: Any, team: Any) -> None:
    """Let carried particles have the velocities of where others carry them."""
    if len(contact.carried.particles) > 0:
        meet(team)
        carry_share(contact.carried, arrays.velocities, team)
        carry_share(contact.carried, arrays.accelerations, team)
