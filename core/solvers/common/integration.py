# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of particles through time, the same for all solvers: prediction and velocities."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...contact import begin_substep, note_incoming
from ...native.barrier import wait
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.rows import numbers_of
from .sweep import share_of


@by_address
class StepSettings(NamedTuple):
    """Numbers of one step for native code: length of a substep [s], counts."""

    h: Any
    substeps: int
    iterations: int


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
def move_kinematic(arrays, fraction):  # type: ignore[no-untyped-def]
    """Put kinematic particles at a fraction of their way; at 1 exactly on their targets."""
    for i in range(len(arrays.kinematic)):
        particle = arrays.kinematic[i]
        for k in range(3):
            start, end = arrays.starts[i, k], arrays.targets[i, k]
            way = end if fraction == 1.0 else start + fraction * (end - start)
            arrays.rows[particle, k] = way


@native_part
def start_substep(arrays, contacts, settings, substep, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Line 1 for one thread's particles, and where kinematic particles and colliders are.

    Velocities of the substep before are finished on the way.
    """
    first, last = share_of(arrays.particle_count, thread, threads)
    move_particles(arrays, settings, first, last, substep > 0, True)
    place_surroundings(arrays, contacts, settings, substep, barrier, thread, threads)


@native_part
def place_surroundings(arrays, contacts, settings, substep, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Put kinematic particles and colliders where they are at the end of a substep."""
    first, last = share_of(arrays.particle_count, thread, threads)
    note_incoming(contacts, arrays.velocities, arrays.gained, settings.h, first, last)
    wait(barrier, threads)
    if thread == 0:
        fraction = arrays.rows.dtype.type((substep + 1.0) / settings.substeps)
        move_kinematic(arrays, fraction)
        begin_substep(contacts, substep / settings.substeps, (substep + 1) / settings.substeps)
    wait(barrier, threads)
