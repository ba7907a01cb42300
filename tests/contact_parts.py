# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the native code of contact, to be called by tests: from Python only wholes can be."""

from __future__ import annotations

from core.contact import broad_phase, response, restitution
from core.contact import closest_point as closest
from core.native.compiled import native


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
    response.apply_friction(contacts, positions, previous, led_out, first, last)


@native
def note_incoming(contacts, velocities, gained, settings, first, last):  # type: ignore[no-untyped-def]
    restitution.note_incoming(contacts, velocities, gained, settings, first, last)
