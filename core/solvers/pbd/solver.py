# SPDX-License-Identifier: GPL-3.0-or-later
"""Position-based dynamics, Müller, Heidelberger, Hennix, Ratcliff 2007.

A constraint is projected by Δx = -k' s M⁻¹∇Cᵀ with s = (∇C M⁻¹ ∇Cᵀ)⁻¹ C (equations 6 to 9) and
k' = 1 - (1 - k)^(1/n) (section 3.3), by which n iterations of a constraint alone leave the part
1 - k of its error. Of constraints that share particles, more iterations or shorter steps still make
a stiffer material: what XPBD is for.

Components of a vector constraint have each their k'. With A = ∇C M⁻¹ ∇Cᵀ, its diagonal D and the
diagonal matrix K of k', Δλ = -(A + D (K⁻¹ - 1))⁻¹ C: that of XPBD with the compliance of which each
component alone leaves 1 - k'. It is a descent for any K ≤ 1; -K A⁻¹ C is none where components
depend on each other, and slender triangles oblique to the fabric's threads would fly apart.

Collisions answer in the velocity update: friction and restitution are those of
:mod:`core.contact`. Rayleigh damping of constraints has no place in this method and is left out;
``velocity_damping`` takes energy out instead.

λ is the sum of Δλ over the iterations of a substep, so that x = x̃ + M⁻¹∇Cᵀ λ as for XPBD, and
λ / Δt² is the force by which the constraint acted. It is what the projections did, not what a
material of a given stiffness would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ...constraints import Constraint
from ...contact import apply_friction, project
from ...layout.program import Layout, Program, Slots
from ...native.barrier import new_barrier, wait
from ...native.compiled import native
from ...native.threads import run_on_threads, sensible_threads
from ...state import State
from ...vector.arithmetic import Scalar, Vector, add, solve_symmetric, sqrt
from ...vector.specification import KernelSpecification
from ..common.base import Prepared, check_counts
from ..common.integration import StepSettings, move_particles, place_surroundings
from ..common.projection import moves, parameter_count, weight_matrix
from ..common.residual import largest_correction
from ..common.stiffness import (
    Array,
    Stiffness,
    checked_stiffness,
    given_stiffness,
    material_stiffness,
    per_iteration,
    weights_of,
)
from ..common.sweep import keep_multipliers, share_of, sweep_all
from .velocity_damping import Bodies, bodies_of, damp_velocities

if TYPE_CHECKING:
    from ...model import Model


def movement(
    constraint: Constraint,
    x: Sequence[Vector],
    inverse_mass: Sequence[Scalar],
    rest: Sequence[Scalar],
    k: Sequence[Scalar],
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """The projection of one constraint: Δλ, and Δx of each vertex.

    Args:
        x, inverse_mass, rest: of the constraint.
        k: k', one a component.
    """
    values, gradients = constraint.evaluate(x, rest)
    matrix, least = weight_matrix(constraint, x, rest, gradients, inverse_mass)
    change = softened_change(matrix, values, k, least)
    return change, moves(change, gradients, inverse_mass)


def softened_change(
    matrix: Sequence[Sequence[Scalar]],
    values: Sequence[Scalar],
    k: Sequence[Scalar],
    least: Scalar,
) -> list[Scalar]:
    """Δλ = -(A + D (K⁻¹ - 1))⁻¹ C, with K⁻¹ taken out of it: any k' may be zero.

    Args:
        matrix: A = ∇C M⁻¹ ∇Cᵀ, lower triangle; D is its diagonal.
        values: C.
        k: the diagonal of K.
        least: the pivot below which A is singular.
    """
    if len(values) == 1:
        return [-k[0] * step for step in solve_symmetric(matrix, values, least)]
    roots = [sqrt(each) for each in k]
    softened = [
        [row[j] if i == j else roots[i] * roots[j] * row[j] for j in range(i + 1)]
        for i, row in enumerate(matrix)
    ]
    right = [root * value for root, value in zip(roots, values, strict=True)]
    solution = solve_symmetric(softened, right, least)
    return [-root * step for root, step in zip(roots, solution, strict=True)]


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that projects a constraint; a layout has k' after its parameters."""
    return _kernel(constraint, damped, correction=False)


@cache
def correction_specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel for :func:`.residual.largest_correction`."""
    return _kernel(constraint, damped, correction=True)


def _kernel(constraint: Constraint, damped: bool, correction: bool) -> KernelSpecification:
    first, size = parameter_count(constraint, damped), constraint.components

    def update(
        x: Sequence[Vector],
        inverse_mass: Sequence[Scalar],
        _previous: Sequence[Vector],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        _inverse_time_step: Scalar,
    ) -> tuple[list[list[Scalar]], list[Scalar]]:
        rest, k = parameters[: constraint.rest_size], parameters[first : first + size]
        change, moves = movement(constraint, x, inverse_mass, rest, k)
        if correction:
            return [[*move, 1.0] for move in moves], list(multipliers)
        moved = [add(position, move) for position, move in zip(x, moves, strict=True)]
        return moved, [old + step for old, step in zip(multipliers, change, strict=True)]

    return KernelSpecification(
        name=f"pbd_{'correction_' if correction else ''}{constraint.kind}"
        f"{'_damped' if damped else ''}",
        update=update,
        vertices=constraint.vertices,
        parameters=first + size,
        components=size,
        reads_previous=False,
        writes="rows" if correction else "positions",
    )


@dataclass
class PreparedPBD(Prepared):
    """Beside the main sweep that of the residual, and what k' is made of.

    Attributes:
        bodies: for the damping of velocities.
        weights: ∇C M⁻¹ ∇Cᵀ of each group, None where k is given.
        places: where k' stands among the parameters.
        time_step: of the substep [s] for which k' was computed.
    """

    correction: Program
    bodies: Bodies
    weights: list[Array | None]
    places: Slots
    time_step: float = 0.0


@native
def run(arrays, program, contacts, bodies, settings, damping, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Lines 4 to 17 of the algorithm, ``settings.substeps`` times, as one of several threads."""
    rate = arrays.rows.dtype.type(1.0) / settings.h
    first, last = share_of(arrays.particle_count, thread, threads)
    for substep in range(settings.substeps):
        keep_multipliers(program.multipliers, 0.0, thread, threads)
        finished = substep == 0
        if damping > 0.0:
            move_particles(arrays, settings, first, last, not finished, False)
            wait(barrier, threads)
            damp_velocities(arrays, bodies, damping, thread, threads)
            wait(barrier, threads)
            finished = True
        move_particles(arrays, settings, first, last, not finished, True)
        place_surroundings(arrays, contacts, settings, substep, barrier, thread, threads)
        for _ in range(settings.iterations):
            sweep_all(arrays, program, rate, False, barrier, thread, threads)
            project(contacts, arrays.rows, arrays.previous, first, last, thread)
            wait(barrier, threads)
        apply_friction(contacts, arrays.rows, arrays.previous, first, last)
    move_particles(arrays, settings, first, last, True, False)


class PBD:
    """Position-based dynamics.

    Args:
        substeps: parts into which a step is divided.
        iterations: sweeps over all constraints in each substep.
        stiffness: k of the constraints: one, or by kind, between 0 and 1. By default, and for
            kinds that are not named, that which takes away as much of a constraint's error as the
            first iteration of XPBD, so that materials keep their order.
        velocity_damping: the part of each motion that is not the motion of a rigid body which a
            step takes away, between 0 and 1, however many substeps there are.
        threads: how many share a step; by default as many as pay off. The result is the same.

    Raises:
        ValueError: an option is out of its range, or a kind does not exist.
    """

    def __init__(
        self,
        *,
        substeps: int = 10,
        iterations: int = 1,
        stiffness: Stiffness = None,
        velocity_damping: float = 0.0,
        threads: int | None = None,
    ) -> None:
        check_counts(substeps, iterations, threads)
        if not 0.0 <= velocity_damping <= 1.0:
            raise ValueError("The velocity damping must lie between 0 and 1.")
        self.substeps = substeps
        self.iterations = iterations
        self.stiffness = checked_stiffness(stiffness)
        self.velocity_damping = velocity_damping
        self.threads = threads

    def prepare(self, model: Model) -> PreparedPBD:
        """The model's constraints laid out for this solver."""
        sizes = [group.constraint.components for group in model.groups]
        counts = [parameter_count(group.constraint, group.damped) for group in model.groups]
        unset = [np.zeros((len(g.indices), m)) for g, m in zip(model.groups, sizes, strict=True)]
        layout = Layout(model.groups, model.particle_count, model.dtype, unset)
        all_places = layout.places([a + b for a, b in zip(counts, sizes, strict=True)])
        return PreparedPBD(
            layout,
            layout.program(specification, sums="move"),
            layout.program(correction_specification, sums="correct"),
            bodies_of(model.groups, model.masses),
            [
                weights_of(group, model.positions, model.masses)
                if given_stiffness(self.stiffness, group.constraint) is None
                else None
                for group in model.groups
            ],
            [places[:, count:] for places, count in zip(all_places, counts, strict=True)],
        )

    def step(
        self,
        model: Model,
        state: State,
        dt: float,
        *,
        prepared: PreparedPBD | None = None,
        gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Advance the state by dt [s]; kinematic particles end on ``state.targets``."""
        prepared = prepared or self.prepare(model)
        h = state.rows.dtype.type(dt / self.substeps)
        self._set_stiffness(prepared, float(h))
        state.begin_step(float(h), gravity)
        state.colliders.begin_frame(dt)
        run_on_threads(
            self.threads or sensible_threads(prepared.program),
            run,
            state.arrays,
            prepared.program,
            state.colliders.contacts,
            prepared.bodies,
            StepSettings(h, self.substeps, self.iterations),
            1.0 - (1.0 - self.velocity_damping) ** (1.0 / self.substeps),
            new_barrier(),
        )
        state.colliders.end_frame()

    def residual(self, model: Model, state: State, prepared: PreparedPBD) -> float:
        """The largest movement [m] that a further averaged Jacobi iteration would make.

        It is no measure of convergence where k < 1: PBD goes on until C = 0.
        """
        return largest_correction(prepared.correction, state)

    def _set_stiffness(self, prepared: PreparedPBD, h: float) -> None:
        """Put k' where kernels read it; with another substep a material has another k."""
        if prepared.time_step == h:
            return
        layout, program = prepared.layout, prepared.program
        for number, group in enumerate(layout.groups):
            k, weights = given_stiffness(self.stiffness, group.constraint), prepared.weights[number]
            found = material_stiffness(group, weights, h) if weights is not None else np.array(k)
            corrected = per_iteration(found, self.iterations)
            if group.constraint.summed:
                # Without compliance and damping.
                program.sums.numbers[layout.numbers[number]] = (0.0, 0.0, corrected.item())
            else:
                program.parameters[prepared.places[number]] = corrected
        prepared.time_step = h
