# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a chain at once: equation 10 for links that meet only at their ends.

The matrix ∇C M⁻¹ ∇Cᵀ + α̃ of a chain (equation 16) is tridiagonal: two links couple through the
one particle that they share. LDLᵀ in one pass along the chain and one back (Thomas' algorithm; for
rods Deul et al. 2018, "Direct position-based solver for stiff rods") solves it exactly, so that
tension gets from one end to the other in a single iteration however fine the mesh is.

Equation 10 has K = M - Σ λ ∇²C, for which the paper takes M alone. The rest is the tension's
resistance to being pushed aside, its geometric stiffness. Waves that run across a thread under
tension T with a speed of √(T ℓ / m) would have to take more than a substep from link to link
without it, so that finer meshes needed smaller substeps; with it they need not. Across a straight
chain K is M and -λ/ℓ times the Laplacian of the chain, tridiagonal too; along it K is M. Its
elimination shares the pass back, and a last pass along moves the particles.

Written on scalars; :mod:`core.vector.chain` runs it on W chains at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..constraints import Constraint
from ..vector.chain import ChainSpecification
from ..vector.lanes import (
    Scalar,
    Vector,
    add,
    dot,
    maximum,
    reciprocal_or_zero,
    scale,
    subtract,
)
from .projection import ROUNDING, linearised, parameter_count

AHEAD = 5
"""Numbers handed on along the chain: ∇C of the last link at the shared particle, 1/D and y."""

KEPT = 8
"""Numbers that this leaves for the way back: ∇C, coupling, 1/D, y, inverse mass and length."""

BACK = 10
"""Numbers handed back: Δλ, coupling, ∇CᵀΔλ, -λ/ℓ, and the step across, constant and share."""

RELEASED = 7
"""Numbers that this leaves for the last pass: the step along, and the step across as above."""


def eliminate(
    constraint: Constraint,
    x: Sequence[Vector],
    inverse_mass: Sequence[Scalar],
    previous: Sequence[Vector],
    parameters: Sequence[Scalar],
    multiplier: Scalar,
    inverse_time_step: Scalar,
    carried: Sequence[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    """One link on the way along: a row of L D Lᵀ, and of L y = -h.

    Args:
        x, inverse_mass, previous: the particles at both ends; see ``projection.project``.
        parameters: rest state, compliance, and with damping its time [s].
        multiplier: λ.
        carried: what the link before handed on; zeros for the first.

    Returns:
        What the next link needs, and what the way back needs.
    """
    (residual,), (gradient,), ((compliance,),) = linearised(
        constraint, x, previous, parameters, [multiplier], inverse_time_step
    )
    near, far = gradient
    shared, inverse_before, y_before = carried[:3], carried[3], carried[4]
    coupling = inverse_mass[0] * dot(shared, near)
    ends = [w * dot(g, g) for w, g in zip(inverse_mass, gradient, strict=True)]
    diagonal = ends[0] + ends[1] + compliance
    factor = coupling * inverse_before
    inverse = reciprocal_or_zero(diagonal - factor * coupling, ROUNDING * diagonal)
    y = -1.0 * residual - factor * y_before
    length = dot(far, subtract(x[1], x[0]))
    return [*far, inverse, y], [*far, coupling, inverse, y, inverse_mass[1], length]


def substitute(
    kept: Sequence[Scalar], multiplier: Scalar, carried: Sequence[Scalar]
) -> tuple[Scalar, list[Scalar], list[Scalar]]:
    """One link on the way back: D Lᵀ Δλ = y, and a row of K for the particle at its far end.

    Args:
        kept: of :func:`eliminate`.
        multiplier: λ.
        carried: what the link after handed back; zeros for the last.

    Returns:
        The new λ, what the link before needs, and what moving the far particle needs.
    """
    far, (coupling, inverse, y, inverse_mass, length) = kept[:3], kept[3:]
    change = inverse * (y - carried[1] * carried[0])
    updated = multiplier + change
    pull = scale(change, far)
    tension = maximum(-1.0 * updated, 0.0) * reciprocal_or_zero(length)
    force = add(pull, carried[2:5])
    along = scale(dot(far, force), far)
    across = subtract(force, along)
    step, share = _row_across(inverse_mass, across, tension, carried[5:])
    handed = [change, coupling, *scale(-1.0, pull), tension, *step, share]
    return updated, handed, [*scale(inverse_mass, along), *step, share]


def release(inverse_mass: Scalar, carried: Sequence[Scalar]) -> list[Scalar]:
    """What moving a chain's first particle needs: no link is before it.

    Args:
        carried: what the first link handed back.
    """
    step, share = _row_across(inverse_mass, [0.0, 0.0, 0.0], 0.0, carried[5:])
    return [*scale(inverse_mass, carried[2:5]), *step, share]


def _row_across(
    inverse_mass: Scalar, force: Vector, tension: Scalar, after: Sequence[Scalar]
) -> tuple[list[Scalar], Scalar]:
    """A particle's step across the chain, as a constant and a share of that of the one before.

    Elimination of K Δx = ∇CᵀΔλ from the chain's end, its row times M⁻¹.

    Args:
        force: the part of ∇CᵀΔλ across the chain.
        tension: -λ/ℓ of the link before.
        after: -λ/ℓ of the link after, and the row of the particle after.
    """
    tension_after, step_after, share_after = after[0], after[1:4], after[4]
    held = 1.0 + inverse_mass * (tension + tension_after * (1.0 - share_after))
    factor = inverse_mass / held
    pulled = add(force, scale(tension_after, step_after))
    return scale(factor, pulled), factor * tension


def move(
    x: Vector, released: Sequence[Scalar], step_before: Vector
) -> tuple[list[Scalar], list[Scalar]]:
    """The place of a particle, and its step across the chain.

    Args:
        released: of :func:`substitute`, or of :func:`release`.
        step_before: of the particle before; zeros for the first.
    """
    step = add(released[3:6], scale(released[6], step_before))
    return add(add(x, released[:3]), step), step


@cache
def specification(constraint: Constraint, damped: bool) -> ChainSpecification:
    """The kernel that projects chains of this constraint type."""
    return ChainSpecification(
        name=f"chain_{constraint.kind}{'_damped' if damped else ''}",
        eliminate=lambda *arguments: eliminate(constraint, *arguments),
        substitute=substitute,
        release=release,
        move=move,
        parameters=parameter_count(constraint, damped),
        ahead=AHEAD,
        kept=KEPT,
        back=BACK,
        released=RELEASED,
        reads_previous=damped,
    )
