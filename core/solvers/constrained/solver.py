# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained dynamics: all constraints of a substep solved together (GAMES103, lecture 6).

Newton's method on equations 8 and 9 of the XPBD paper, with the paper's two approximations,
K ≈ M and g ≈ 0 (equation 15), leads to the Schur complement

    (∇C M⁻¹ ∇Cᵀ + α̃) Δλ = -C - α̃ λ,    Δx = M⁻¹∇Cᵀ Δλ.

XPBD solves it by a sweep of Gauss–Seidel over the constraints; here it is factored. Compliance may
be zero: one solve leaves an error of second order in the movement, and each further one squares it,
where a sweep carries news by a single constraint. Both find the same multipliers in the end.

GAMES103 solves at the level of velocities, which is the first of these solves with the constraints
of the substep's start; what it leaves adds up as drift. Here the constraints are those of the
predicted positions, renewed for each solve, so that there is none.

K ≈ M leaves out the geometric stiffness, by which a force along a constraint holds its particles
in place across it, too. Where that is large for the time step (a taut rope of fine links at 24
steps a second) particles would tremble more and more. Such parts of the model are found by
:func:`.schur_step.swing` and left to sweeps of XPBD, which never come that far in a substep;
``adaptive`` divides the step instead, so that it does not come to this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...contact.interface import finish_substep, project
from ...lasting import Lasting, fill, named, part_of
from ...layout.layout import Places
from ...layout.program import Program
from ...native.compiled import native, native_part
from ...native.team import SPACING, meet, own_share
from ...state import State
from ..common import projection, residual
from ..common.base import Prepared, Solver, refuse_soft_bodies, refuse_stitches
from ..common.integration import StepSettings, begin_substep, finish_step, is_new
from ..common.sweep import keep_multipliers, sweep_all
from ..xpbd.bending.apart import Apart
from ..xpbd.bending.predictor import bend
from . import schur
from .schur import Schur, SchurMemory
from .schur_layout import build_schur
from .schur_step import (
    LEAST_DAMPING,
    judge_step,
    keep_part,
    restore_part,
    swing,
    try_step,
)

if TYPE_CHECKING:
    from ...model import Model

ATTEMPTS = 6
"""Steps of an iteration at most, each shorter than the one before that failed."""

LARGEST_SWING = 10.0
"""(ω Δt)² up to which solves are trusted; see :func:`core.solvers.constrained.schur_step.swing`."""

CALM_SWING = 0.5
"""The same for steps that are divided as tension asks for."""

MOST_DIVISIONS = 16
"""Substeps at most for each one asked for."""

RESCUE_SWEEPS = 20
"""Of XPBD, for parts of the model that are beyond."""

PRECISION = 4.0
"""Roundings of a position that are in h."""


@dataclass
class PreparedConstrainedDynamics(Prepared):
    """Beside the evaluation of all constraints their linear system and further sweeps.

    Attributes:
        limits: the sweep of inequality constraints.
        xpbd: that of all constraints.
        correction: of the residual.
        apart: what is in S, and what bends as a whole before.
        system: S.
        memory: of S.
    """

    limits: Program
    xpbd: Program
    correction: Program
    apart: Apart
    system: Schur
    memory: SchurMemory

    @property
    def slots(self) -> Places:
        """For each group of the model the places of its multipliers, shape (count, components)."""
        return self.apart.slots

    def lasting(self) -> Lasting:
        """What the next step goes on from."""
        return {
            "damping": self.memory.damping,
            "swings": self.memory.swings,
            **named("bending", self.apart.lasting()),
        }

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what another one has left."""
        fill(self.memory.damping, lasting, "damping")
        fill(self.memory.swings, lasting, "swings")
        self.apart.go_on_from(part_of(lasting, "bending"))


@native_part
def part_range(row_starts, team):  # type: ignore[no-untyped-def]
    """A thread's share of the parts of a system, about as many rows as the others'."""
    parts = len(row_starts) - 1
    begin, end = own_share(row_starts[parts], team)
    first = 0
    while first < parts and row_starts[first] < begin:
        first += 1
    last = first
    while last < parts and row_starts[last] < end:
        last += 1
    return first, last


@native_part
def iterate(arrays, program, system, memory, rate, noise, team):  # type: ignore[no-untyped-def]
    """Solve for all constraints once; h, ∇C and α̃ are in the program's outputs."""
    first, last = part_range(system.row_starts, team)
    memory.pending[first:last] = 1
    meet(team)
    for _ in range(ATTEMPTS):
        sweep_all(arrays, program, program.outputs, rate, team)
        for part in range(first, last):
            if memory.pending[part] == 1:
                try_step(
                    system, memory, arrays.rows, program.outputs, program.multipliers, noise, part
                )
        meet(team)
        sweep_all(arrays, program, program.outputs, rate, team)
        refused = 0
        for part in range(first, last):
            if memory.pending[part] == 1:
                refused += 1 - judge_step(
                    system, memory, arrays.rows, program.outputs, program.multipliers, noise, part
                )
        if total_of(memory.counts, refused, team) == 0:
            break


@native_part
def total_of(counts, count, team):  # type: ignore[no-untyped-def]
    """The sum of what all threads have counted."""
    meet(team)
    counts[team.thread * SPACING] = count
    meet(team)
    total = 0
    for other in range(team.threads):
        total += counts[other * SPACING]
    return total


@native_part
def rescue(arrays, contact, settings, programs, system, memory, team):  # type: ignore[no-untyped-def]
    """Sweep over the parts in which the linear solves led astray, by XPBD from x̃ on.

    That is where the tension is too high for the substep, as where constraints contradict each
    other: no linear solve of them all is of any use then, whereas sweeps stay calm.
    """
    program, _, xpbd = programs
    real = arrays.rows.dtype.type
    first, last = part_range(system.row_starts, team)
    unruly = 0
    for part in range(first, last):
        found = swing(system, arrays.rows, program.outputs, program.multipliers, part)
        calm = found <= LARGEST_SWING
        memory.pending[part] = 0 if calm else 1
        unruly += memory.pending[part]
        squared = (found if calm else LARGEST_SWING) / settings.h**2
        memory.swings[part] = max(memory.swings[part], squared)
    if total_of(memory.counts, unruly, team) == 0:
        return
    # Calm parts are put back as they are afterwards: sweeps go over all.
    for part in range(first, last):
        if memory.pending[part] == 0:
            keep_part(system, memory, arrays.rows, program.multipliers, memory.positions, part)
        else:
            memory.multipliers[system.row_starts[part] : system.row_starts[part + 1]] = 0.0
            restore_part(system, memory, arrays.rows, program.multipliers, memory.predicted, part)
    meet(team)
    for _ in range(RESCUE_SWEEPS):
        sweep_all(arrays, xpbd, xpbd.outputs, real(1.0) / settings.h, team)
        project(contact, arrays, team)
    for part in range(first, last):
        if memory.pending[part] == 0:
            restore_part(system, memory, arrays.rows, program.multipliers, memory.positions, part)
    meet(team)


@native
def run(arrays, contact, settings, programs, bending, system, memory, noise, team):  # type: ignore[no-untyped-def]
    """The substeps of a step, as one of several threads; see ``Solver.solve``.

    Args:
        programs: what evaluates all constraints, sweeps over the limits, sweeps over all.
    """
    program, limits, _ = programs
    rate = arrays.rows.dtype.type(1.0) / settings.h
    first_part, last_part = part_range(system.row_starts, team)
    if not settings.resumed:
        memory.swings[first_part:last_part] = 0.0
    for substep in range(settings.first, settings.substeps):
        if is_new(settings, substep):
            keep_multipliers(program.multipliers, 0.0, team)
            begin_substep(arrays, contact, settings, substep, False, team)
            meet(team)
            bend(arrays, bending, settings, substep, program.multipliers, team)
            memory.worst[first_part:last_part] = 0.0
            for part in range(first_part, last_part):
                keep_part(system, memory, arrays.rows, program.multipliers, memory.predicted, part)
            for _ in range(settings.iterations):
                iterate(arrays, program, system, memory, rate, noise, team)
                meet(team)
                sweep_all(arrays, limits, limits.outputs, rate, team)
                project(contact, arrays, team)
            rescue(arrays, contact, settings, programs, system, memory, team)
        if not finish_substep(contact, arrays, settings, team):
            return substep
    finish_step(arrays, contact, settings, team)
    return settings.substeps


class ConstrainedDynamics(Solver[PreparedConstrainedDynamics]):
    """Constraints that hold, by solving for all of them at the same time.

    For chains, ropes, strands and nets, where constraints shall not give way at all or news has
    far to go. A solve costs the square of a mesh's width for each constraint: cloth of more than a
    few hundred vertices is better left to XPBD.

    More constraints than freedoms (a grid with diagonals, a rope pinned at both ends and too
    short) are solved as far as they go; see :mod:`core.solvers.constrained.schur_step`.

    Args:
        substeps: parts into which a step is divided.
        iterations: solves in each substep.
        implicit_bending: solve bending as a whole before each substep's constraints, so that it is
            as stiff at any resolution; see :mod:`core.solvers.xpbd.bending.predictor`. Else it is a
            constraint like others, which takes small substeps where wires are fine.
        adaptive: take more substeps than asked for, up to 16 times as many, where constraints pull
            so hard that particles would tremble between them: a taut rope of fine links is a
            string of high pitch. Decided by the tension of the step before.
        threads: how many share a step; by default as many as pay off. The result is the same. Parts
            of the model that don't hang together are solved at the same time.

    Raises:
        ValueError: a count is not positive.
    """

    def __init__(
        self,
        *,
        substeps: int = 1,
        iterations: int = 2,
        adaptive: bool = False,
        implicit_bending: bool = False,
        threads: int | None = None,
    ) -> None:
        super().__init__(substeps, iterations, threads)
        self.adaptive = adaptive
        self.implicit_bending = implicit_bending

    def prepare(
        self, model: Model, earlier: PreparedConstrainedDynamics | None = None
    ) -> PreparedConstrainedDynamics:
        """The model's constraints laid out and ordered.

        Raises:
            ModelError: the mesh is too wide to be solved, or has constraints that are sums over it,
                or there is a soft body.
        """
        refuse_soft_bodies(model, "Constrained dynamics")
        refuse_stitches(model.groups)
        known = earlier.apart if earlier else None
        apart = Apart(model, model.groups, implicit=self.implicit_bending, earlier=known)
        layout, swept = apart.layout, apart.swept
        inequalities = [group.constraint.inequality for group in layout.groups]
        program = layout.program(schur.specification, only=swept)
        system = build_schur(layout, swept, model.rest_positions, model.masses)
        prepared = PreparedConstrainedDynamics(
            model.version,
            layout,
            program,
            layout.program(projection.specification, only=inequalities),
            layout.program(projection.specification, only=swept),
            residual.program_of(layout),
            apart,
            system,
            schur.new_memory(system, layout.dtype, LEAST_DAMPING),
        )
        if earlier is not None:
            prepared.go_on(earlier.lasting())
        return prepared

    def counts(
        self, prepared: PreparedConstrainedDynamics, _state: State, dt: float
    ) -> tuple[int, int]:
        """With ``adaptive`` as many substeps as the tension of the last step asks for."""
        if not self.adaptive:
            return self.substeps, self.iterations
        largest = prepared.memory.swings.max(initial=0.0)
        needed = np.ceil(dt * np.sqrt(largest / CALM_SWING))
        substeps = min(max(self.substeps, needed), MOST_DIVISIONS * self.substeps)
        return int(substeps), self.iterations

    def begin(self, prepared: PreparedConstrainedDynamics, state: State, span: float) -> None:
        """Get what bends ready."""
        prepared.apart.begin(state, span)

    def solve(
        self, prepared: PreparedConstrainedDynamics, state: State, settings: StepSettings
    ) -> int:
        """The substeps, in each some solves of all constraints."""
        programs = (prepared.program, prepared.limits, prepared.xpbd)
        noise = PRECISION * float(np.finfo(state.real).eps)
        bending = prepared.apart.predictor
        return self.run(
            run,
            prepared,
            state,
            settings,
            programs,
            bending,
            prepared.system,
            prepared.memory,
            noise,
        )

    def end(self, prepared: PreparedConstrainedDynamics, state: State) -> None:
        """Note where what bends has come."""
        prepared.apart.end(state)

    def residual(self, prepared: PreparedConstrainedDynamics, state: State) -> float:
        """The largest movement [m] that a further averaged Jacobi iteration would make."""
        return residual.largest_correction(prepared.correction, state)

    def sensible_threads(self, prepared: PreparedConstrainedDynamics) -> int:
        """At most one for each part of the model."""
        parts = len(prepared.system.row_starts) - 1
        return max(1, min(parts, super().sensible_threads(prepared)))
