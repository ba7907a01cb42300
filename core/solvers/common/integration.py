# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of particles through time, the same for all solvers: prediction and velocities."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...contact import interface
from ...forces import outside
from ...forces.pulls import pull_particles
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.rows import numbers_of
from ...native.team import meet, own_share
from ...vector.extent import extent
from .second_order import move_particles_smoothly

TOGETHER = 256
"""Particles that are moved before they are pushed: what a processor core has close at hand."""


@by_address
class StepSettings(NamedTuple):
    """Numbers of one step for native code.

    Attributes:
        h: length of a substep [s].
        substeps, iterations: counts.
        span: [s], by whose square a force over the mass moves a particle: h, or h / √2 in motion
            of second order.
        second_order: whether particles move as in :mod:`.second_order`.
        first: the substep to begin with, 0 unless the step was interrupted.
        resumed: whether all of it has been done but for what surfaces do to each other.
    """

    h: Any
    substeps: int
    iterations: int
    span: Any
    second_order: bool
    first: int = 0
    resumed: bool = False


@native_part
def move_particles(arrays, settings, first, last, finish, start):  # type: ignore[no-untyped-def]
    """Finish a substep and start the next, in one pass over a thread's particles.

    Line 16: vⁿ⁺¹ = (xⁿ⁺¹ - xⁿ) / h, written as ṽ + (xⁿ⁺¹ - x̃) / h, which is the same but not
    rounded to multiples of the smallest position step over h: in single precision those exceed g h
    for small substeps. Line 1: x̃ = xⁿ + h vⁿ + h² M⁻¹ f for particles that are free to move.

    The same for every number of every row, whatever it means, so that LLVM makes vectors of it.
    """
    x, previous = numbers_of(arrays.rows, first, last), numbers_of(arrays.previous, first, last)
    velocity = numbers_of(arrays.velocities, first, last)
    kept, gained = numbers_of(arrays.kept, first, last), numbers_of(arrays.gained, first, last)
    h = settings.h
    rate = x.dtype.type(1.0) / h
    for i in range(len(x)):
        v = velocity[i]
        if finish:
            drift = (previous[i] + h * v) - previous[i]
            v += ((x[i] - previous[i]) - drift) * rate
        if start:
            v = kept[i] * v + gained[i]
            previous[i] = x[i]
            x[i] += h * v
        velocity[i] = v


@native_part
def _move(arrays, contact, settings, first, last, finish, start):  # type: ignore[no-untyped-def]
    """As the method moves particles."""
    if settings.second_order:
        pushed = interface.may_push(contact)
        move_particles_smoothly(arrays, settings.h, first, last, finish, start, pushed)
    else:
        move_particles(arrays, settings, first, last, finish, start)


@native_part
def _move_and_push(arrays, contact, settings, first, last, finish):  # type: ignore[no-untyped-def]
    """Start a substep in which something acts from outside, some particles after the other."""
    for begin in range(first, last, TOGETHER):
        end = min(begin + TOGETHER, last)
        _move(arrays, contact, settings, begin, end, finish, True)
        outside.push_particles(arrays.outside, arrays, settings, begin, end)


@native_part
def note_reach(arrays, first, last, team):  # type: ignore[no-untyped-def]
    """Extend a thread's box to where its particles were when the substep began."""
    reached, thread = arrays.reached, team.thread
    corners = extent(arrays.previous, first, last)
    for k in range(3):
        reached[thread, 0, k] = min(reached[thread, 0, k], corners[k])
        reached[thread, 1, k] = max(reached[thread, 1, k], corners[3 + k])


@native_part
def move_kinematic(arrays, fraction):  # type: ignore[no-untyped-def]
    """Put kinematic particles at a fraction of their way; at 1 exactly on their targets."""
    for i in range(len(arrays.kinematic)):
        particle = arrays.kinematic[i]
        for k in range(3):
            start, end = arrays.starts[i, k], arrays.targets[i, k]
            way = end if fraction == 1.0 else start + fraction * (end - start)
            arrays.rows[particle, k] = way


@native_part
def begin_substep(arrays, contact, settings, substep, finished, team):  # type: ignore[no-untyped-def]
    """Line 1, and where kinematic particles and colliders are.

    Args:
        finished: whether the velocities of the substep before are known already; else they are
            found on the way.
    """
    first, last = own_share(arrays.particle_count, team)
    finish = substep > 0 and not finished
    if len(arrays.outside.bodies) > 0:
        if substep % outside.substeps_held(settings.h) == 0:
            meet(team)
            outside.look_around(arrays.outside, arrays, first, last)
            meet(team)
        _move_and_push(arrays, contact, settings, first, last, finish)
    else:
        _move(arrays, contact, settings, first, last, finish, True)
    if len(arrays.pulls.particles) > 0:
        pull_particles(arrays.pulls, arrays, settings, substep, first, last)
    if len(arrays.reached) > 0:
        note_reach(arrays, first, last, team)
    meet(team)
    if team.thread == 0:
        move_kinematic(arrays, arrays.rows.dtype.type((substep + 1.0) / settings.substeps))
    interface.begin_substep(contact, arrays, settings, substep, team)


@native_part
def is_new(settings, substep):  # type: ignore[no-untyped-def]
    """Whether a substep is to be begun; else contact lacked memory at its end, and is all there is
    left to do.
    """
    return substep > settings.first or not settings.resumed


@native_part
def finish_step(arrays, contact, settings, team):  # type: ignore[no-untyped-def]
    """The velocities of the last substep."""
    first, last = own_share(arrays.particle_count, team)
    _move(arrays, contact, settings, first, last, True, False)
    interface.finish_step(contact, arrays, team)
