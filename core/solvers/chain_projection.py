# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a chain at once: equation 16 for links that meet only at their ends.

The matrix ∇C M⁻¹ ∇Cᵀ + α̃ of a chain is tridiagonal: two links couple through the one particle
that they share. LDLᵀ in one pass along the chain and one back (Thomas' algorithm; for rods Deul et
al. 2018, "Direct position-based solver for stiff rods") solves it exactly, so that tension gets
from one end to the other in a single iteration however fine the mesh is.

A link that is moved as a whole stays as long as it is: ∇C at its start is -∇C at its end.

Written on scalars; :mod:`core.vector.chain` runs it on W chains at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..constraints import Constraint
from ..vector.chain import ChainSpecification
from ..vector.lanes import Scalar, Vector, add, dot, reciprocal_or_zero, scale, subtract, total
from .projection import ROUNDING, linearised, parameter_count

CARRIED = 5
"""Numbers that elimination hands on: ∇C of the last link at the shared particle, 1/D and y."""

KEPT = 6
"""Numbers that elimination leaves for the way back: ∇C at the link's end, coupling, 1/D and y."""

COUPLING = 3
"""Place of the coupling among them."""


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
    shared, inverse_before, y_before = carried[:3], carried[3], carried[4]
    at_end = gradient[1]
    coupling = -inverse_mass[0] * dot(shared, at_end)
    diagonal = total(inverse_mass) * dot(at_end, at_end) + compliance
    factor = coupling * inverse_before
    inverse = reciprocal_or_zero(diagonal - factor * coupling, ROUNDING * diagonal)
    y = -1.0 * residual - factor * y_before
    return [*at_end, inverse, y], [*at_end, coupling, inverse, y]


def substitute(
    kept: Sequence[Scalar], change_after: Scalar, coupling_after: Scalar
) -> tuple[Scalar, list[Scalar]]:
    """One link on the way back: D Lᵀ Δλ = y.

    Args:
        kept: of :func:`eliminate`.
        change_after, coupling_after: Δλ and coupling of the link after; zeros for the last.

    Returns:
        Δλ, and ∇Cᵀ Δλ at the link's end.
    """
    inverse, y = kept[4], kept[5]
    change = inverse * (y - coupling_after * change_after)
    return change, scale(change, kept[:3])


def move(x: Vector, inverse_mass: Scalar, before: Vector, after: Vector) -> list[Scalar]:
    """Equation 17 for a particle between two links, of which ∇Cᵀ Δλ at their ends is given."""
    return add(x, scale(inverse_mass, subtract(before, after)))


@cache
def specification(constraint: Constraint, damped: bool) -> ChainSpecification:
    """The kernel that projects chains of this constraint type."""
    return ChainSpecification(
        name=f"chain_{constraint.kind}{'_damped' if damped else ''}",
        eliminate=lambda *arguments: eliminate(constraint, *arguments),
        substitute=substitute,
        move=move,
        parameters=parameter_count(constraint, damped),
        carried=CARRIED,
        kept=KEPT,
        coupling=COUPLING,
        reads_previous=damped,
    )
