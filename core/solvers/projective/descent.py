# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of projective dynamics, x ← x - s B⁻¹ ∇E(x), in native code.

    E(x) = ½ ‖x - x̃‖²_M / h² + Σ ½ Cᵀ α⁻¹ C,    x̃ = xⁿ + h vⁿ + h² M⁻¹ f

B is the constant matrix A, or its diagonal (Jacobi). Where B bounds the curvature of E, as it does
for springs and co-rotational tetrahedra, s = 1 never overshoots. Elsewhere the slopes of E along a
step tell, at its start and at its end, which cost nothing but the gradient that the next iteration
needs: as long as E rises at the end nearly as much as it fell at the start, the step goes back to
where the secant of the slope has its zero (the approximate condition of Wolfe in Hager, Zhang 2005,
equation 2.6). This holds for damping forces too, which have no energy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...contact.interface import finish_substep, project, weigh
from ...native.by_address import by_address
from ...native.compiled import native, native_part
from ...native.rows import PADDING, aligned_rows, numbers_of
from ...native.team import meet, own_share
from ..common.integration import begin_substep, finish_step, is_new
from ..common.sweep import sweep_all
from .pace import judged_pace, next_pace

CHUNK = 512
"""Particles whose contributions to a sum are added up first, whatever the number of threads."""

OVERSHOOT = 0.9
"""Of the slope that a step began with, in the other direction: beyond, E may have grown."""

BACKTRACKS = 6
"""Shorter steps that an iteration tries at most."""

SHORTEST = 0.1
"""Of a step: it is not cut down further at once."""

START, END, ENERGY = range(3)
"""Columns of the sums: by how much E falls along the last movement, per movement, at both ends of
it; and E."""


@by_address
class DescentArrays(NamedTuple):
    """What the iteration works with.

    Attributes:
        forces: -∇E [N] and in the fourth column the particle's share of the elastic energy [J],
            shape (n + PADDING, 4).
        direction: with a matrix A⁻¹ times these [m], same shape.
        older: where particles were an iteration ago [m], same shape.
        inertia: M / h² [N/m] in three columns, 1 in the fourth for particles that can move, same
            shape.
        inverse: D⁻¹ of Jacobi's iteration, 1 with a matrix, 0 for what can't move, same shape.
        sums: of each chunk of particles, shape (chunks, 3).
    """

    forces: NDArray[Any]
    direction: NDArray[Any]
    older: NDArray[Any]
    inertia: NDArray[Any]
    inverse: NDArray[Any]
    sums: NDArray[np.float64]


def new_arrays(count: int, dtype: DTypeLike) -> DescentArrays:
    """Memory for ``count`` particles."""
    forces, direction, older, inertia, inverse = (
        aligned_rows(count + PADDING, dtype) for _ in range(5)
    )
    sums = np.zeros((-(-count // CHUNK), 3))
    return DescentArrays(forces, direction, older, inertia, inverse, sums)


@native_part
def particle_range(arrays, work, team):  # type: ignore[no-untyped-def]
    """A thread's particles: whole chunks."""
    first, last = own_share(len(work.sums), team)
    return first * CHUNK, min(last * CHUNK, arrays.particle_count)


@native_part
def total_of(sums, column):  # type: ignore[no-untyped-def]
    """The sum over all chunks, always in the same order."""
    total = 0.0
    for chunk in range(len(sums)):
        total += sums[chunk, column]
    return total


@native_part
def _copy(source, target, first, last):  # type: ignore[no-untyped-def]
    """Rows [first, last) of one array to another."""
    old, new = numbers_of(source, first, last), numbers_of(target, first, last)
    for i in range(len(new)):
        new[i] = old[i]


@native_part
def _leave(arrays, work, first, last):  # type: ignore[no-untyped-def]
    """Forget the forces of a chunk; returns what they did along the last movement."""
    zero = arrays.rows.dtype.type(0.0)
    work_done = zero
    for i in range(first, last):
        for k in range(3):
            work_done += work.forces[i, k] * (arrays.rows[i, k] - work.older[i, k])
            work.forces[i, k] = zero
        work.forces[i, 3] = zero
    return work_done


@native_part
def _add_inertia(arrays, work, settings, first, last):  # type: ignore[no-untyped-def]
    """Turn a chunk's elastic forces into -∇E.

    Returns what it does along the last movement, and the chunk's part of E.

    x - x̃ is written as (x - xⁿ) - h v, which keeps its digits in single precision.
    """
    zero, half = arrays.rows.dtype.type(0.0), arrays.rows.dtype.type(0.5)
    work_done, energy = zero, zero
    for i in range(first, last):
        energy += work.forces[i, 3]
        for k in range(3):
            now, before = arrays.rows[i, k], arrays.previous[i, k]
            drift = (before + settings.h * arrays.velocities[i, k]) - before
            away = (now - before) - drift
            inertia = work.inertia[i, k] * away
            force = work.inertia[i, 3] * work.forces[i, k] - inertia
            work.forces[i, k] = force
            work_done += force * (now - work.older[i, k])
            energy += half * inertia * away
    return work_done, energy


@native_part
def _gradient(arrays, settings, program, work, team):  # type: ignore[no-untyped-def]
    """-∇E and λ where the particles are; the padding particles' forces are never read."""
    first, last = particle_range(arrays, work, team)
    # The slope at the last movement's start is that of the forces before: they are replaced now.
    for start in range(first, last, CHUNK):
        work.sums[start // CHUNK, START] = _leave(arrays, work, start, min(start + CHUNK, last))
    meet(team)
    rate = arrays.rows.dtype.type(1.0) / settings.h
    forces = numbers_of(work.forces, 0, len(work.forces))
    sweep_all(arrays, program, forces, rate, team)
    for start in range(first, last, CHUNK):
        end = min(start + CHUNK, last)
        work_done, energy = _add_inertia(arrays, work, settings, start, end)
        work.sums[start // CHUNK, END] = work_done
        work.sums[start // CHUNK, ENERGY] = energy
    meet(team)


@native_part
def _move(arrays, work, directions, factors, pace, first, last):  # type: ignore[no-untyped-def]
    """x_{k+1} = ω (x_k + s d - x_{k-1}) + x_{k-1} with d = factors · directions, or directions."""
    real = arrays.rows.dtype.type
    x, older = numbers_of(arrays.rows, first, last), numbers_of(work.older, first, last)
    direction, factor = numbers_of(directions, first, last), numbers_of(factors, first, last)
    weight, length = real(pace.weight), real(pace.length if pace.age > 0 else 1.0)
    for i in range(len(x)):
        now, before = x[i], older[i]
        x[i] = weight * ((now - before) + length * factor[i] * direction[i]) + before
        older[i] = now


@native_part
def _go_back(arrays, work, scale, first, last):  # type: ignore[no-untyped-def]
    """To a part of the last movement."""
    x, older = numbers_of(arrays.rows, first, last), numbers_of(work.older, first, last)
    for i in range(len(x)):
        x[i] = older[i] + scale * (x[i] - older[i])


@native_part
def _evaluate(arrays, contact, settings, program, work, pace, team):  # type: ignore[no-untyped-def]
    """-∇E after a movement, shortened or taken back where it went too far; the pace from here."""
    first, last = particle_range(arrays, work, team)
    _gradient(arrays, settings, program, work, team)
    start = total_of(work.sums, START)
    # Along a movement with Chebyshev's weight E may well rise: there the slopes say nothing.
    simple = pace.radius == 0.0 or pace.age <= 1
    for _ in range(BACKTRACKS if simple and start > 0.0 else 0):
        end = total_of(work.sums, END)
        # All have read the sums before the next gradient changes them.
        meet(team)
        if not end < -OVERSHOOT * start:
            break
        # The secant of the slope has its zero here; the slope along less of a movement is less.
        scale = max(SHORTEST, start / (start - end))
        start *= scale
        _go_back(arrays, work, arrays.rows.dtype.type(scale), first, last)
        meet(team)
        project(contact, arrays, team)
        _gradient(arrays, settings, program, work, team)
    pace = judged_pace(pace, total_of(work.sums, ENERGY))
    meet(team)
    if pace.age == -pace.delay:
        # Led astray: plain iterations go on from where this one began.
        _copy(work.older, arrays.rows, first, last)
        _gradient(arrays, settings, program, work, team)
    return pace


@native
def begin(arrays, contact, settings, program, work, substep, team):  # type: ignore[no-untyped-def]
    """Predict the particles of a substep and find -∇E there."""
    begin_substep(arrays, contact, settings, substep, False, team)
    project(contact, arrays, team)
    first, last = particle_range(arrays, work, team)
    _copy(arrays.rows, work.older, first, last)
    _gradient(arrays, settings, program, work, team)


@native
def advance(arrays, contact, settings, program, work, pace, jacobi, team):  # type: ignore[no-untyped-def]
    """One iteration: along the direction, out of the colliders, and -∇E there."""
    first, last = particle_range(arrays, work, team)
    pace = next_pace(pace)
    if jacobi:
        _move(arrays, work, work.forces, work.inverse, pace, first, last)
    else:
        _move(arrays, work, work.direction, work.inverse, pace, first, last)
    meet(team)
    project(contact, arrays, team)
    return _evaluate(arrays, contact, settings, program, work, pace, team)


@native
def take_forces(work, right):  # type: ignore[no-untyped-def]
    """Copy -∇E into an array of shape (n, 3) in double precision, as solvers want it."""
    for i in range(len(right)):
        for k in range(3):
            right[i, k] = work.forces[i, k]


@native
def give_direction(work, solution):  # type: ignore[no-untyped-def]
    """Copy A⁻¹ times these back."""
    for i in range(len(solution)):
        for k in range(3):
            work.direction[i, k] = solution[i, k]


@native
def finish(arrays, contact, settings, limits, work, substep, team):  # type: ignore[no-untyped-def]
    """What comes after the iterations: limits, contact, friction, and at the end velocities.

    Returns:
        Whether contact had enough memory.
    """
    if is_new(settings, substep):
        _limit(arrays, contact, settings, limits, work, team)
    if not finish_substep(contact, arrays, settings, team):
        return False
    meet(team)
    if substep == settings.substeps - 1:
        finish_step(arrays, contact, settings, team)
    return True


@native_part
def _limit(arrays, contact, settings, limits, work, team):  # type: ignore[no-untyped-def]
    """Limits hold; ``work.direction`` keeps the movement of the last iteration."""
    first, last = particle_range(arrays, work, team)
    x, older = numbers_of(arrays.rows, first, last), numbers_of(work.older, first, last)
    moved = numbers_of(work.direction, first, last)
    for i in range(len(x)):
        moved[i] = x[i] - older[i]
    meet(team)
    weigh(contact, arrays, work.forces, settings.h, team)
    if len(limits.batches) > 0:
        rate = arrays.rows.dtype.type(1.0) / settings.h
        for _ in range(settings.iterations):
            sweep_all(arrays, limits, limits.outputs, rate, team)
            project(contact, arrays, team)


@native
def run_jacobi(arrays, contact, settings, program, limits, work, start, team):  # type: ignore[no-untyped-def]
    """The substeps of a step by Jacobi iterations, as one of several threads."""
    for substep in range(settings.first, settings.substeps):
        pace = start
        if is_new(settings, substep):
            begin(arrays, contact, settings, program, work, substep, team)
            for _ in range(settings.iterations):
                pace = advance(arrays, contact, settings, program, work, pace, True, team)
        if not finish(arrays, contact, settings, limits, work, substep, team):
            return substep
    return settings.substeps
