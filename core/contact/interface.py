# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact as solvers see it, whatever touches what.

A step calls :meth:`Contact.begin_frame` before and :meth:`Contact.end_frame` after; in between each
of its threads calls, in every substep,

- :func:`begin_substep` once particles are predicted: moves colliders, finds what may touch,
- :func:`project` after each iteration of the method: nothing comes closer than it may,
- :func:`weigh`, of methods that press what touches together anew in each iteration,
- :func:`finish_substep`: restitution and friction.

All threads of a team call all of them, and have met before each, so that contacts between moving
particles can be solved together, colour by colour. Which contacts there are is found while the step
runs. Native code can't ask for memory, so :func:`begin_substep` says whether there was enough for
all; where not, the step stops there, before anything is solved, :meth:`Contact.grow` makes room,
and the step goes on in the same substep.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.team import meet, own_share
from . import response
from .collider import ColliderSet
from .data import Contacts
from .restitution import note_incoming

NEEDED, HELD = range(2)
"""Places in ``ContactArrays.room``: contacts found in a substep, and those there is memory for."""


@by_address
class ContactArrays(NamedTuple):
    """What native code sees.

    Attributes:
        colliders: particles against colliders, for which there is always room.
        room: how many contacts born in a substep there are, and can be, shape (2,).
    """

    colliders: Contacts
    room: NDArray[np.int64]


class Contact:
    """What keeps the bodies of a model apart.

    Args:
        colliders: what particles don't enter.

    Attributes:
        arrays: for native code; others after :meth:`begin_frame` and :meth:`grow`.
    """

    def __init__(self, colliders: ColliderSet) -> None:
        self.colliders = colliders
        self.arrays = ContactArrays(colliders.contacts, np.zeros(2, np.int64))

    def begin_frame(self, time_step: float) -> None:
        """Take over the targets of colliders for a frame of ``time_step`` seconds."""
        self.colliders.begin_frame(time_step)

    def grow(self) -> None:
        """Make room for as many contacts as a substep needed."""
        self.arrays.room[HELD] = self.arrays.room[NEEDED]

    def touched(self) -> NDArray[np.bool_]:
        """Which particles something has pushed in the frame begun last, shape (n,).

        Whatever keeps bodies apart tells of it here: a length between two of them may be as it is
        because of what they touch.
        """
        return self.arrays.colliders.touched != 0

    def end_frame(self) -> None:
        """Colliders are now where their targets were, and stand still."""
        self.colliders.end_frame()


@native_part
def begin_substep(
    contact: ContactArrays, arrays: Any, settings: Any, substep: int, team: Any
) -> Any:
    """Put colliders where they are at the end of a substep, and find what may touch.

    Args:
        arrays: of the state, particles predicted.
        settings: ``StepSettings``.

    Returns:
        Whether there is room for all contacts.
    """
    first, last = own_share(arrays.particle_count, team)
    note_incoming(contact.colliders, arrays.velocities, arrays.gained, settings.h, first, last)
    if team.thread == 0:
        response.move_colliders(
            contact.colliders, substep / settings.substeps, (substep + 1) / settings.substeps
        )
    meet(team)
    return contact.room[NEEDED] <= contact.room[HELD]


@native_part
def project(contact: ContactArrays, arrays: Any, team: Any) -> None:
    """Push apart what is too close."""
    first, last = own_share(arrays.particle_count, team)
    response.project(contact.colliders, arrays.rows, arrays.previous, first, last, team.thread)
    meet(team)


@native_part
def weigh(contact: ContactArrays, arrays: Any, forces: Any, h: Any, team: Any) -> None:
    """Take for the push that friction goes by h² M⁻¹ times the force that a contact withstands.

    Args:
        forces: [N] that press particles into what they touch, shape (n or more, 4).
        h: length of the substep [s].
    """
    first, last = own_share(arrays.particle_count, team)
    response.weigh(contact.colliders, arrays.rows, forces, h, first, last)


@native_part
def finish_substep(contact: ContactArrays, arrays: Any, team: Any) -> None:
    """Restitution and friction of what has touched in this substep."""
    first, last = own_share(arrays.particle_count, team)
    response.apply_friction(contact.colliders, arrays.rows, arrays.previous, first, last)
