# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD, Algorithm 1 of Macklin, Müller, Chentanez 2016, in small substeps.

A step of Δt is divided into substeps of h = Δt / substeps; each is Algorithm 1 with the Lagrange
multipliers kept through its iterations. One native call covers all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..compiled import native, native_part
from ..contact import apply_friction, begin_substep, project
from ..program import (
    ADDRESS,
    BLOCKS,
    COMPONENTS,
    LANES,
    MULTIPLIERS,
    OFFSETS,
    PARAMETERS,
    VALUES,
    VERTICES,
    Program,
    Slots,
    build,
)
from ..state import State
from ..threads import run_on_threads, sensible_threads
from ..vector.barrier import new_barrier, wait
from ..vector.call import call_kernel
from .projection import specification

if TYPE_CHECKING:
    from ..model import Model


class StepSettings(NamedTuple):
    """Numbers of one step for native code: length of a substep [s], counts."""

    h: Any
    substeps: int
    iterations: int


@native_part
def share_of(count, thread, threads):  # type: ignore[no-untyped-def]
    """First and last of a thread's part of ``count`` things."""
    return count * thread // threads, count * (thread + 1) // threads


@native_part
def move_particles(arrays, settings, first, last, finish, start):  # type: ignore[no-untyped-def]
    """Finish a substep and start the next, in one pass over a thread's particles.

    Line 16: vⁿ⁺¹ = (xⁿ⁺¹ - xⁿ) / h, written as ṽ + (xⁿ⁺¹ - x̃) / h, which is the same but not
    rounded to multiples of the smallest position step over h: in single precision those exceed g h
    for small substeps. Line 1: x̃ = xⁿ + h vⁿ + h² M⁻¹ f for particles that are free to move.

    The same for every number of every row, whatever it means, so that LLVM makes vectors of it.
    """
    part = slice(4 * first, 4 * last)
    x, previous = arrays.rows.reshape(-1)[part], arrays.previous.reshape(-1)[part]
    velocity = arrays.velocities.reshape(-1)[part]
    kept, gained = arrays.kept.reshape(-1)[part], arrays.gained.reshape(-1)[part]
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
def forget_multipliers(multipliers, thread, threads):  # type: ignore[no-untyped-def]
    """Line 4: λ₀ = 0, for one thread's share."""
    first, last = share_of(len(multipliers), thread, threads)
    for i in range(first, last):
        multipliers[i] = 0.0


@native_part
def project_share(arrays, program, batch, rate, thread, threads):  # type: ignore[no-untyped-def]
    """Lines 6 to 11 for one thread's blocks of a batch.

    A batch in given order has blocks of one constraint that wait for each other: the first thread
    sweeps them all.
    """
    row = program.batches[batch]
    first, last = share_of(row[BLOCKS], thread, threads)
    if row[LANES] == 1:
        first, last = (0, row[BLOCKS]) if thread == 0 else (0, 0)
    call_kernel(
        row[ADDRESS],
        arrays.rows,
        arrays.previous,
        program.offsets[row[OFFSETS] + first * row[LANES] * row[VERTICES] :],
        program.parameters[row[PARAMETERS] + first * row[LANES] * row[VALUES] :],
        program.multipliers[row[MULTIPLIERS] + first * row[LANES] * row[COMPONENTS] :],
        rate,
        last - first,
    )


@native
def run(arrays, program, contacts, settings, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Algorithm 1, ``settings.substeps`` times, as one of several threads.

    Threads share every batch; its blocks are independent, so the result does not depend on how
    many there are.
    """
    real = arrays.rows.dtype.type
    rate = real(1.0) / settings.h
    first, last = share_of(arrays.particle_count, thread, threads)
    for substep in range(settings.substeps):
        move_particles(arrays, settings, first, last, substep > 0, True)
        forget_multipliers(program.multipliers, thread, threads)
        wait(barrier, threads)
        if thread == 0:
            fraction = real((substep + 1.0) / settings.substeps)
            move_kinematic(arrays, fraction)
            begin_substep(contacts, substep / settings.substeps, (substep + 1) / settings.substeps)
        wait(barrier, threads)
        for _ in range(settings.iterations):
            for batch in range(len(program.batches)):
                project_share(arrays, program, batch, rate, thread, threads)
                wait(barrier, threads)
            project(contacts, arrays.rows, arrays.previous, first, last, thread)
            wait(barrier, threads)
        apply_friction(contacts, arrays.rows, arrays.previous, first, last)
    move_particles(arrays, settings, first, last, True, False)


class XPBD:
    """Extended position-based dynamics by Gauss–Seidel over coloured batches.

    Args:
        substeps: parts into which a step is divided; more make the material stiffer where it has
            not converged, and are better spent than iterations.
        iterations: sweeps over all constraints in each substep.
        threads: how many share a step; by default as many as pay off. The result is the same.
    """

    def __init__(
        self, *, substeps: int = 10, iterations: int = 1, threads: int | None = None
    ) -> None:
        if substeps < 1 or iterations < 1:
            raise ValueError("Substeps and iterations must be at least 1.")
        if threads is not None and threads < 1:
            raise ValueError("A step needs at least one thread.")
        self.substeps = substeps
        self.iterations = iterations
        self.threads = threads

    def program(self, model: Model) -> tuple[Program, Slots]:
        """The model's constraints laid out for this solver; see ``core.program.build``."""
        return build(model.groups, model.particle_count, model.dtype, specification)

    def step(
        self,
        model: Model,
        state: State,
        dt: float,
        *,
        program: Program | None = None,
        gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Advance the state by dt [s]; kinematic particles end on ``state.targets``."""
        if program is None:
            program, _ = self.program(model)
        real = state.rows.dtype.type
        h = real(dt / self.substeps)
        settings = StepSettings(h, self.substeps, self.iterations)
        threads = self.threads or sensible_threads(program)
        contacts = state.colliders.contacts
        state.begin_step(float(h), gravity)
        state.colliders.begin_frame(dt)
        run_on_threads(threads, run, state.arrays, program, contacts, settings, new_barrier())
        state.colliders.end_frame()
