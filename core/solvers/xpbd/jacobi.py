# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD with Jacobi iterations: all constraints of an iteration see the same positions.

Taken as they come, corrections of constraints that share a particle overshoot. Here each particle
is split into as many parts as it has constraints (Tonge, Benevolenski, Voroshilov 2012, "Mass
splitting for jitter-free parallel rigid body simulation"): a constraint pushes against its part of
the mass, and x = x̃ + M⁻¹∇Cᵀ λ stays true. By Cauchy's inequality the diagonal then exceeds the
matrix of equation 16, so the iteration converges, with all eigenvalues in [0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constraints import Constraint
from ...contact.interface import finish_substep
from ...lasting import Lasting, fill
from ...layout.group import Group
from ...layout.sums import memberships
from ...native.by_address import by_address
from ...native.compiled import native, native_part
from ...native.rows import PADDING, aligned_rows, numbers_of
from ...native.team import SPACING, meet, own_share
from ...native.threads import MOST_THREADS
from ...state import State
from ...vector.arithmetic import Scalar
from ...vector.specification import KernelSpecification
from ..common.chebyshev import GROWTH, LARGEST_RADIUS, next_weight, renewed_radius, usable_radius
from ..common.integration import finish_step, is_new
from ..common.projection import kernel_of, moves, multiplier_change, parameter_count
from ..common.second_order import push_out
from ..common.sweep import sweep_all
from .bending.predictor import bend
from .warm_start import predict


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that adds Δx to the corrections of each vertex and Δλ to λ.

    A layout has, after the parameters of the constraint, for each vertex the number of constraints
    that it belongs to; see :func:`valences`.
    """
    first = parameter_count(constraint, damped)

    def update(
        x: Sequence[Any],
        inverse_mass: Sequence[Scalar],
        previous: Sequence[Any],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[list[Scalar]], list[Scalar]]:
        change, gradients = multiplier_change(
            constraint, x, inverse_mass, previous, parameters, multipliers, inverse_time_step,
            split=parameters[first:],
        )  # fmt: skip
        rows = [[*step, 0.0] for step in moves(change, gradients, inverse_mass)]
        return rows, [old + step for old, step in zip(multipliers, change, strict=True)]

    return kernel_of(constraint, damped, "jacobi", update, "rows", further=constraint.vertices)


def valences(
    groups: Sequence[Group], swept: Sequence[bool], particle_count: int
) -> list[NDArray[np.float64]]:
    """For each group, how many constraints that are swept each vertex belongs to.

    Args:
        swept: for each group whether it is.

    Returns:
        Of each group shape (count, vertices).
    """
    counts = memberships(list(compress(groups, swept)), particle_count)
    return [counts[group.indices] for group in groups]


@by_address
class JacobiArrays(NamedTuple):
    """What an accelerated iteration remembers.

    Attributes:
        corrections: Δx of the iteration, shape (n + PADDING, 4).
        older_rows: particles an iteration ago, same shape.
        multipliers, older_multipliers: λ before this iteration, and before the last.
        estimate: the spectral radius ρ of the iteration, shape (1,); 0 as long as it is unknown.
        sizes: the largest correction [m] that each thread has seen.
    """

    corrections: NDArray[Any]
    older_rows: NDArray[Any]
    multipliers: NDArray[Any]
    older_multipliers: NDArray[Any]
    estimate: NDArray[np.float64]
    sizes: NDArray[np.float64]

    def lasting(self) -> Lasting:
        """What the next step goes on from; of older rows only their rounding counts."""
        return {"older_rows": self.older_rows, "estimate": self.estimate}

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what another one has left. Raises CheckpointError."""
        fill(self.older_rows, lasting, "older_rows")
        fill(self.estimate, lasting, "estimate")


def new_arrays(state: State, multipliers: NDArray[Any]) -> JacobiArrays:
    """The memory for a state and its multipliers."""
    return JacobiArrays(
        aligned_rows(state.count + PADDING, state.rows.dtype),
        aligned_rows(state.count + PADDING, state.rows.dtype),
        np.zeros_like(multipliers),
        np.zeros_like(multipliers),
        np.zeros(1),
        np.zeros(MOST_THREADS * SPACING),
    )


@native_part
def _accelerate(now, step, older, weight):  # type: ignore[no-untyped-def]
    """x_{k+1} = ω (x_k + step - x_{k-1}) + x_{k-1}."""
    return weight * (now + step - older) + older


@native_part
def _apply_rows(arrays, memory, relaxation, weight, team):  # type: ignore[no-untyped-def]
    """Move a thread's particles by their corrections, of which the largest is noted."""
    first, last = own_share(arrays.particle_count, team)
    x, older = numbers_of(arrays.rows, first, last), numbers_of(memory.older_rows, first, last)
    corrections = numbers_of(memory.corrections, first, last)
    largest = 0.0
    for i in range(len(x)):
        step, now = corrections[i], x[i]
        largest = max(largest, abs(step))
        x[i] = _accelerate(now, relaxation * step, older[i], weight)
        older[i], corrections[i] = now, 0.0
    memory.sizes[team.thread * SPACING] = largest


@native_part
def _apply_multipliers(multipliers, memory, relaxation, weight, team):  # type: ignore[no-untyped-def]
    """The same for a thread's share of λ."""
    first, last = own_share(len(multipliers), team)
    for i in range(first, last):
        now, older = memory.multipliers[i], memory.older_multipliers[i]
        new = _accelerate(now, relaxation * (multipliers[i] - now), older, weight)
        memory.older_multipliers[i] = now
        memory.multipliers[i] = new
        multipliers[i] = new


@native_part
def _start(program, memory, team):  # type: ignore[no-untyped-def]
    """Forget the iterations of the last substep."""
    first, last = own_share(len(program.multipliers), team)
    for i in range(first, last):
        memory.multipliers[i] = program.multipliers[i]
        memory.older_multipliers[i] = program.multipliers[i]
    meet(team)


@native_part
def _largest(sizes, team):  # type: ignore[no-untyped-def]
    largest = 0.0
    for thread in range(team.threads):
        largest = max(largest, sizes[thread * SPACING])
    return largest


@native_part
def iterate(arrays, contact, settings, program, memory, rule, team):  # type: ignore[no-untyped-def]
    """The Jacobi iterations of a substep; returns the spectral radius as it looks now.

    All eigenvalues lie in [0, ρ], so steps are lengthened by 2 / (2 - ρ), which centres them, and
    what is left for Chebyshev is the radius ρ / (2 - ρ). How fast corrections shrink is seen from
    iterations 1, 2, 4, 8, … as far as they are above rounding.
    """
    real = arrays.rows.dtype.type
    rate = real(1.0) / settings.span
    radius = min(memory.estimate[0], LARGEST_RADIUS)
    centred = usable_radius(radius / (2.0 - radius), settings.iterations)
    lengthening = 1.0 + centred if radius > 0.0 else rule.relaxation
    weight, age, start, mark, mark_size, factor = 1.0, 0, 0.0, 1, 0.0, -1.0
    corrections = numbers_of(memory.corrections, 0, len(memory.corrections))
    for iteration in range(settings.iterations):
        sweep_all(arrays, program, corrections, rate, team)
        weight = next_weight(age, weight, centred)
        _apply_rows(arrays, memory, real(lengthening), real(weight), team)
        _apply_multipliers(program.multipliers, memory, real(lengthening), real(weight), team)
        meet(team)
        push_out(arrays, contact, settings, iteration, team)
        size = _largest(memory.sizes, team)
        age += 1
        # Over ever longer stretches, as single iterations shrink corrections unevenly.
        if age == 1:
            start, mark, mark_size = size, 1, size
        elif age == 2 * mark and size > rule.rounding:
            factor = (size / mark_size) ** (1.0 / mark)
            mark, mark_size = age, size
        if radius > 0.0 and size > GROWTH * start:
            # Weights led astray: plain iterations go on, with a smaller radius from here.
            radius, centred, lengthening, age = max(0.0, 2.0 * radius - 1.0), 0.0, 1.0, 0
        # All have read the sizes before the next iteration changes them.
        meet(team)
    # In fewer iterations slow modes can't be told from those that die out at once.
    if not rule.accelerated or mark < 4:
        return radius
    if centred == 0.0:
        return max(radius, renewed_radius(0.0, factor))
    # A lengthened step turns the eigenvalue μ into 1 - lengthening (1 - μ): back from there.
    return max(radius, 1.0 - (1.0 - renewed_radius(centred, factor)) / lengthening)


@native
def run(arrays, contact, settings, programs, memory, rule, team):  # type: ignore[no-untyped-def]
    """The substeps of a step by Jacobi iterations, as one of several threads."""
    program, warm = programs.main, programs.warm
    for substep in range(settings.first, settings.substeps):
        if is_new(settings, substep):
            predict(arrays, contact, settings, substep, program, warm, rule, team)
            bend(arrays, programs.bending, settings, substep, program.multipliers, team)
            _start(program, memory, team)
            radius = iterate(arrays, contact, settings, program, memory, rule, team)
            if team.thread == 0:
                memory.estimate[0] = radius
        if not finish_substep(contact, arrays, settings, team):
            return substep
    finish_step(arrays, contact, settings, team)
    return settings.substeps
