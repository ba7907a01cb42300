# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a chain at once: equation 12 for links that meet only at their ends.

The matrix ∇C M⁻¹ ∇Cᵀ + α̃ of a chain (equation 16) is tridiagonal: two links couple through the
one particle that they share. LDLᵀ in one pass along the chain and one back (Thomas' algorithm; for
rods Deul et al. 2018, "Direct position-based solver for stiff rods") solves it exactly, so that
tension gets from one end to the other in a single iteration however fine the mesh is.

Equation 12 has K = M - Σ λ ∇²C, for which the paper takes M alone. The rest is the tension's
resistance to being pushed aside, its geometric stiffness. Waves that run across a chain under
tension T with a speed of √(T ℓ / m) would have to take more than a substep from link to link
without it, so that finer meshes needed smaller substeps; with it they need not. Across a straight
chain K is M and -λ/ℓ times the Laplacian of the chain, tridiagonal too; along it K is M. Its
elimination shares the pass back, and a last pass along moves the particles.

Where the last link meets the first one again see :mod:`.closed_chains`.

Written on scalars; :mod:`core.vector.chain` runs it on W chains at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from ...constraints import Constraint
from ...vector.arithmetic import (
    Scalar,
    Vector,
    absolute,
    add,
    dot,
    length_and_direction,
    maximum,
    reciprocal_or_zero,
    scale,
    select,
    subtract,
)
from ...vector.specification import ChainSpecification, Link
from ..common.projection import ROUNDING, linearised, parameter_count

AHEAD = 5
"""Numbers handed on along the chain: ∇C of the last link at the shared particle, 1/D and y."""

KEPT = 8
"""Numbers that this leaves for the way back: ∇C, coupling, 1/D, y, inverse mass and length."""

BACK = 9
"""Numbers handed back: Δλ, coupling, ∇CᵀΔλ, and what holds the particle across the chain."""

RELEASED = 7
"""Numbers that this leaves for the last pass: the steps along and across, and a share."""

NO_LENGTH = 1e-20
"""Rest length [m] of links that are stitches, and closed."""

SHORTEST = 1e-18
"""Length [m] of links without any; its reciprocal times an inverse mass stays finite."""


def eliminate(
    constraint: Constraint, link: Link, carried: Sequence[Scalar], sewn: bool = False
) -> tuple[list[Scalar], list[Scalar]]:
    """One link on the way along: a row of L D Lᵀ, and of L y = -h.

    Args:
        carried: what the link before handed on; zeros for the first.

    Returns:
        What the next link needs, and what the way back needs.
    """
    residual, gradient, compliance = linearised_link(constraint, link)
    if sewn:
        residual, gradient = along_chain(link, residual, gradient, carried[:3])
    far = gradient[1]
    inverse_before, y_before = carried[3], carried[4]
    coupling, diagonal = row_of(link, gradient, compliance, carried[:3])
    factor = coupling * inverse_before
    inverse = reciprocal_or_zero(diagonal - factor * coupling, ROUNDING * diagonal)
    y = -1.0 * residual - factor * y_before
    kept = [*far, coupling, inverse, y, link.inverse_mass[1], length_of(link, far)]
    return [*far, inverse, y], kept


def linearised_link(constraint: Constraint, link: Link) -> tuple[Scalar, Sequence[Vector], Scalar]:
    """C + α̃ λ, ∇C at both ends, and α̃ of a link; see ``projection.linearised``."""
    (residual,), (gradient,), ((compliance,),) = linearised(
        constraint,
        link.x,
        link.previous,
        link.parameters,
        [link.multiplier],
        link.inverse_time_step,
    )
    return residual, gradient, compliance


def along_chain(
    link: Link, residual: Scalar, gradient: Sequence[Vector], before: Vector
) -> tuple[Scalar, Sequence[Vector]]:
    """C and ∇C of a link that is to have no length along the link before, of others their own.

    Args:
        before: ∇C of the link before, at the particle that both share.
    """
    rest = link.parameters[0]
    _, direction = length_and_direction(before)
    closed = absolute(rest - NO_LENGTH) < 0.5 * NO_LENGTH
    gap = dot(direction, subtract(link.x[1], link.x[0]))
    towards = [select(closed, a, b) for a, b in zip(direction, gradient[1], strict=True)]
    away = [select(closed, -1.0 * a, b) for a, b in zip(direction, gradient[0], strict=True)]
    return select(closed, gap, residual), [away, towards]


def row_of(
    link: Link, gradient: Sequence[Vector], compliance: Scalar, shared: Vector
) -> tuple[Scalar, Scalar]:
    """A link's row of ∇C M⁻¹ ∇Cᵀ + α̃: what couples it with the link before, and its diagonal.

    Args:
        gradient: ∇C at both ends.
        shared: of the link before, at the particle that both share.
    """
    ends = [w * dot(g, g) for w, g in zip(link.inverse_mass, gradient, strict=True)]
    return link.inverse_mass[0] * dot(shared, gradient[0]), ends[0] + ends[1] + compliance


def length_of(link: Link, far: Vector) -> Scalar:
    """ℓ of a link [m], along its ∇C at the far end."""
    return maximum(dot(far, subtract(link.x[1], link.x[0])), SHORTEST)


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
    change_after, coupling_after, pull_after, held = (
        carried[0], carried[1], carried[2:5], carried[5:]
    )  # fmt: skip
    change = inverse * (y - coupling_after * change_after)
    updated = multiplier + change
    pull = scale(change, far)
    force = add(pull, pull_after)
    along = scale(dot(far, force), far)
    across, share, handed = _row_across(
        inverse_mass, subtract(force, along), maximum(-1.0 * updated, 0.0), length, held
    )
    released = [*scale(inverse_mass, along), *across, share]
    return updated, [change, coupling, *scale(-1.0, pull), *handed], released


def release(inverse_mass: Scalar, carried: Sequence[Scalar]) -> list[Scalar]:
    """What moving a chain's first particle needs: no link is before it.

    Args:
        carried: what the first link handed back.
    """
    across, share, _ = _row_across(inverse_mass, [0.0, 0.0, 0.0], 0.0, 1.0, carried[5:])
    return [*scale(inverse_mass, carried[2:5]), *across, share]


def _row_across(
    inverse_mass: Scalar, force: Vector, tension: Scalar, length: Scalar, held: Sequence[Scalar]
) -> tuple[list[Scalar], Scalar, list[Scalar]]:
    """A particle's row of K Δx = ∇CᵀΔλ across the chain, eliminated from the chain's end.

    Seen from a particle the rest of the chain is a spring that is pulled.

    Args:
        force: the part of ∇CᵀΔλ across the chain.
        tension, length: -λ and ℓ of the link before.
        held: stiffness of the rest of the chain, and the force that pulls it.

    Returns:
        The particle's step without that of the one before, of which it takes a share, this share,
        and by what the one before is held.
    """
    stiffness, pulled = held[0], add(force, held[1:])
    inverse = 1.0 / (length + inverse_mass * (tension + length * stiffness))
    share = inverse_mass * tension * inverse
    handed = [tension * (1.0 + inverse_mass * stiffness) * inverse, *scale(share, pulled)]
    return scale(inverse_mass * length * inverse, pulled), share, handed


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
def specification(constraint: Constraint, damped: bool, sewn: bool = False) -> ChainSpecification:
    """The kernel that projects chains of this constraint type."""
    return ChainSpecification(
        name=f"{'sewn_' if sewn else ''}chain_{constraint.kind}{'_damped' if damped else ''}",
        eliminate=partial(eliminate, constraint, sewn=sewn),
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
