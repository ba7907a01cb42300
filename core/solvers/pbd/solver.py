# SPDX-License-Identifier: GPL-3.0-or-later
"""Position-based dynamics, Müller, Heidelberger, Hennix, Ratcliff 2007.

A constraint is projected by Δx = -k' s M⁻¹∇Cᵀ with s = (∇C M⁻¹ ∇Cᵀ)⁻¹ C (equations 6 to 9) and
k' = 1 - (1 - k)^(1/n) (section 3.3), by which n iterations of a constraint alone leave the part
1 - k of its error. Of constraints that share particles, more iterations or shorter steps still make
a stiffer material: what XPBD is for.

Components of a vector constraint have each their k'. With A = ∇C M⁻¹ ∇Cᵀ, its diagonal D and the
diagonal matrix K of k', Δλ = -(A + D (K⁻¹ - 1))⁻¹ C: that of XPBD with the compliance of which each
component alone leaves 1 - k'. It is a descent for any K ≤ 1; -K A⁻¹ C is none where components
depend on each other, and slender triangles oblique to the fabric's yarns would fly apart.

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
from ...constraints.base import Gradients
from ...contact.interface import finish_substep, project
from ...layout.layout import Layout, Places
from ...layout.program import Program
from ...native.compiled import native
from ...native.team import meet
from ...state import State
from ...vector.arithmetic import Scalar, Vector, add, solve_symmetric, sqrt
from ...vector.specification import KernelSpecification, Writes
from ..common.base import Prepared, Solver, refuse_soft_bodies, refuse_stitches
from ..common.integration import StepSettings, begin_substep, finish_step, is_new
from ..common.projection import kernel_of, moves, parameter_count, weight_matrix
from ..common.residual import corrections, largest_correction
from ..common.sweep import keep_multipliers, lead_sums, sweep_all
from ..common.weights import Array, weights_of
from .stiffness import (
    Stiffness,
    checked_stiffness,
    given_stiffness,
    material_stiffness,
    per_iteration,
)
from .velocity_damping import Bodies, bodies_of, damp_velocities

if TYPE_CHECKING:
    from ...model import Model


def multiplier_change(
    constraint: Constraint,
    x: Sequence[Vector],
    inverse_mass: Sequence[Scalar],
    rest: Sequence[Scalar],
    k: Sequence[Scalar],
) -> tuple[list[Scalar], Gradients]:
    """The projection of one constraint: Δλ, and its ∇C.

    Args:
        x, inverse_mass, rest: of the constraint.
        k: k', one a component.
    """
    values, gradients = constraint.evaluate(x, rest)
    matrix, least = weight_matrix(constraint, x, rest, gradients, inverse_mass)
    return softened_change(matrix, values, k, least), gradients


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
        change, gradients = multiplier_change(constraint, x, inverse_mass, rest, k)
        if correction:
            return corrections(change, gradients, inverse_mass), list(multipliers)
        steps = moves(change, gradients, inverse_mass)
        moved = [add(position, step) for position, step in zip(x, steps, strict=True)]
        return moved, [old + step for old, step in zip(multipliers, change, strict=True)]

    purpose = "pbd_correction" if correction else "pbd"
    writes: Writes = "rows" if correction else "positions"
    return kernel_of(
        constraint, damped, purpose, update, writes, further=size, reads_previous=False
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
    places: Places
    time_step: float = 0.0


@native
def run(arrays, contact, settings, program, bodies, damping, team):  # type: ignore[no-untyped-def]
    """Lines 4 to 17 of the algorithm, substep by substep; see ``Solver.solve``."""
    rate = arrays.rows.dtype.type(1.0) / settings.h
    for substep in range(settings.first, settings.substeps):
        damped = damping > 0.0
        if is_new(settings, substep):
            keep_multipliers(program.multipliers, 0.0, team)
            lead_sums(program.sums, settings, substep, team)
            if damped and substep > 0:
                finish_step(arrays, contact, settings, team)
            if damped:
                meet(team)
                damp_velocities(arrays, bodies, damping, team)
                meet(team)
            begin_substep(arrays, contact, settings, substep, damped, team)
            for _ in range(settings.iterations):
                sweep_all(arrays, program, program.outputs, rate, team)
                project(contact, arrays, team)
        if not finish_substep(contact, arrays, settings, team):
            return substep
    finish_step(arrays, contact, settings, team)
    return settings.substeps


class PBD(Solver[PreparedPBD]):
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
        super().__init__(substeps, iterations, threads)
        if not 0.0 <= velocity_damping <= 1.0:
            raise ValueError("The velocity damping must lie between 0 and 1.")
        self.stiffness = checked_stiffness(stiffness)
        self.velocity_damping = velocity_damping

    def prepare(self, model: Model, _earlier: PreparedPBD | None = None) -> PreparedPBD:
        """The model's constraints laid out for this solver.

        Raises:
            ModelError: there is a soft body, which the method can't take.
        """
        refuse_soft_bodies(model, "PBD")
        refuse_stitches(model.groups)
        sizes = [group.constraint.components for group in model.groups]
        counts = [parameter_count(group.constraint, group.damped) for group in model.groups]
        unset = [np.zeros((len(g.indices), m)) for g, m in zip(model.groups, sizes, strict=True)]
        layout = Layout(model.groups, model.particle_count, model.dtype, unset)
        all_places = layout.places([a + b for a, b in zip(counts, sizes, strict=True)])
        return PreparedPBD(
            model.version,
            layout,
            layout.program(specification, sums="move"),
            layout.program(correction_specification, sums="correct"),
            bodies_of(model.groups, model.masses),
            [
                weights_of(group, model.rest_positions, model.masses)
                if given_stiffness(self.stiffness, group.constraint) is None
                else None
                for group in model.groups
            ],
            [places[:, count:] for places, count in zip(all_places, counts, strict=True)],
        )

    def begin(self, prepared: PreparedPBD, _state: State, span: float) -> None:
        """Put k' where kernels read it; with another substep a material has another k."""
        if prepared.time_step == span:
            return
        layout, program = prepared.layout, prepared.program
        for number, group in enumerate(layout.groups):
            k, weights = given_stiffness(self.stiffness, group.constraint), prepared.weights[number]
            found = material_stiffness(group, weights, span) if weights is not None else np.array(k)
            corrected = per_iteration(found, self.iterations)
            if group.constraint.summed:
                record = program.sums.groups[layout.summed[number]]
                record.compliance, record.damping, record.stiffness = 0.0, 0.0, corrected.item()
            else:
                program.parameters[prepared.places[number]] = corrected
        prepared.time_step = span

    def solve(self, prepared: PreparedPBD, state: State, settings: StepSettings) -> int:
        """The substeps of the algorithm."""
        damping = 1.0 - (1.0 - self.velocity_damping) ** (1.0 / self.substeps)
        program, bodies = prepared.program, prepared.bodies
        return self.run(run, prepared, state, settings, program, bodies, damping)

    def residual(self, prepared: PreparedPBD, state: State) -> float:
        """The largest movement [m] that a further averaged Jacobi iteration would make.

        It is no measure of convergence where k < 1: PBD goes on until C = 0.
        """
        return largest_correction(prepared.correction, state)
