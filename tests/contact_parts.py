# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the native code of contact, to be called by tests: from Python only wholes can be."""

from __future__ import annotations

from typing import Any, NamedTuple

from core.contact import broad_phase, response, restitution
from core.contact import closest_point as closest
from core.native.compiled import native


class Moved(NamedTuple):
    """What contact sees of a state's arrays."""

    rows: Any
    previous: Any
    velocities: Any
    accelerations: Any
    free_ways: Any


class Settings(NamedTuple):
    """And of a step's settings."""

    h: float
    second_order: bool


@native
def closest_point(p, corners):  # type: ignore[no-untyped-def]
    return closest.closest_point(p, corners)


@native
def find_closest(contacts, positions, collider, first, count, thread):  # type: ignore[no-untyped-def]
    broad_phase.find_closest(contacts, positions, collider, first, count, thread)


@native
def begin_substep(contacts, first, last):  # type: ignore[no-untyped-def]
    response.begin_substep(contacts, first, last)


@native
def move_colliders(contacts, fraction0, fraction1):  # type: ignore[no-untyped-def]
    response.move_colliders(contacts, fraction0, fraction1)


@native
def project(contacts, positions, previous, first, last, thread):  # type: ignore[no-untyped-def]
    response.project(contacts, positions, previous, first, last, thread)


@native
def apply_friction(contacts, positions, previous, led_out, first, last):  # type: ignore[no-untyped-def]
    arrays = Moved(positions, previous, previous, previous, previous)
    response.apply_friction(contacts, arrays, Settings(1.0, False), led_out, first, last)


@native
def note_incoming(contacts, velocities, gained, settings, first, last):  # type: ignore[no-untyped-def]
    restitution.note_incoming(contacts, velocities, gained, settings, first, last)
