# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a closed chain at once, of which the last link meets the first one again.

Cut open, what goes around a tight sleeve would be pulled together along the chain by each solve,
and all that it is too short be left to the one link at the cut. Its matrix is that of a
chain (:mod:`.chain_projection`) but for an entry q that couples the last link with the first. The
elimination fills up the last row: qᵢ = -cᵢ qᵢ₋₁ / Dᵢ₋₁, cᵢ being the coupling of link i with the
one before, and

    D = d - Σ qᵢ² / Dᵢ,    y = -h - Σ qᵢ yᵢ / Dᵢ    of the last link,
    Δλᵢ = (yᵢ - qᵢ Δλ) / Dᵢ - …                       of all others,

Δλ being that of the last link, with which the way back begins. Its geometric stiffness ends where
the chain does: what is pushed aside there is moved from both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ...constraints import Constraint
from ...vector.arithmetic import Scalar, Vector, dot, reciprocal_or_zero, select
from ...vector.specification import ChainSpecification, Link
from ..common.projection import ROUNDING
from . import chain_projection as chain

AHEAD = chain.AHEAD + 4
"""Numbers handed on along it: those of a chain, q, both sums, and 1 before the first link."""

KEPT = chain.KEPT + 1
"""Numbers that this leaves for the way back: those of a chain, and q."""

BACK = chain.BACK + 2
"""Numbers handed back: those of a chain, Δλ of the last link, and 1 behind it."""

COUPLING, FREE = 3, 5
"""Places of the coupling and of y among what is kept of a link."""

SHARE, WAITS = 6, 2.0
"""Place of a particle's share of the step before among what is released, and what is there, where
shares are less than 1, for what waits at the first particle."""


def begin(constraint: Constraint, last: Link) -> list[Scalar]:
    """What the first link is handed: ∇C of the last one at the particle that they share."""
    _, gradient, _ = chain.linearised_link(constraint, last)
    return [*gradient[1], 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def eliminate(
    constraint: Constraint, link: Link, carried: Sequence[Scalar], sewn: bool = False
) -> tuple[list[Scalar], list[Scalar]]:
    """As :func:`.chain_projection.eliminate`, and the last row's q.

    What waits at the first particle, so that chains of several lengths end together, has no ∇C: it
    hands on what it was handed, here and on the way back.
    """
    handed, kept = chain.eliminate(constraint, link, carried[: chain.AHEAD], sewn)
    inverse, q, first = carried[3], carried[5], carried[8]
    coupling, far = kept[COUPLING], kept[:3]
    kept[COUPLING] = (1.0 - first) * coupling
    own = coupling * (first - inverse * q)
    found = [*handed, own, *_sums(carried, q), 0.0]
    return _chosen(dot(far, far) > 0.0, found, carried), [*kept, own]


def close(constraint: Constraint, last: Link, carried: Sequence[Scalar]) -> list[Scalar]:
    """The last link: its row, which q has filled up, and what is kept of it."""
    residual, gradient, compliance = chain.linearised_link(constraint, last)
    far = gradient[1]
    coupling, diagonal = chain.row_of(last, gradient, compliance, carried[:3])
    squares, products = _sums(carried, carried[5] + coupling)
    inverse = reciprocal_or_zero(diagonal - squares, ROUNDING * diagonal)
    y = -1.0 * residual - products
    length = chain.length_of(last, far)
    return [*far, coupling, inverse, y, last.inverse_mass[1], length, 0.0]


def _sums(carried: Sequence[Scalar], q: Scalar) -> list[Scalar]:
    """Σ q² / D and Σ q y / D with the link before, of which q is the entry in the last row."""
    inverse, y, squares, products = carried[3], carried[4], carried[6], carried[7]
    return [squares + q * q * inverse, products + q * y * inverse]


def substitute(
    kept: Sequence[Scalar], multiplier: Scalar, carried: Sequence[Scalar]
) -> tuple[Scalar, list[Scalar], list[Scalar]]:
    """As :func:`.chain_projection.substitute`, less q Δλ of the last link, which comes first."""
    last, begun = carried[chain.BACK :]
    of_chain = list(kept[: chain.KEPT])
    of_chain[FREE] = kept[FREE] - kept[chain.KEPT] * last
    updated, handed, released = chain.substitute(of_chain, multiplier, carried[: chain.BACK])
    handed = [*handed, last + (1.0 - begun) * handed[0], 1.0]
    is_link = dot(kept[:3], kept[:3]) > 0.0
    nothing = [0.0] * SHARE + [WAITS]
    return updated, _chosen(is_link, handed, carried), _chosen(is_link, released, nothing)


def _chosen(condition: Any, some: Sequence[Scalar], others: Sequence[Scalar]) -> list[Scalar]:
    return [select(condition, one, other) for one, other in zip(some, others, strict=True)]


def release(inverse_mass: Scalar, carried: Sequence[Scalar]) -> list[Scalar]:
    """As :func:`.chain_projection.release`."""
    return chain.release(inverse_mass, carried[: chain.BACK])


def move(
    x: Vector, released: Sequence[Scalar], step_before: Vector
) -> tuple[list[Scalar], list[Scalar]]:
    """As :func:`.chain_projection.move`; where something waits at the first one it moves once."""
    moved, step = chain.move(x, released, step_before)
    waits = released[SHARE] > 1.0
    return _chosen(waits, x, moved), _chosen(waits, step_before, step)


@cache
def specification(
    constraint: Constraint, damped: bool, closed: bool, sewn: bool = False
) -> ChainSpecification:
    """The kernel that projects chains of this constraint type, closed ones or with ends."""
    with_ends = chain.specification(constraint, damped, sewn)
    if not closed:
        return with_ends
    return replace(
        with_ends,
        name=f"closed_{with_ends.name}",
        eliminate=partial(eliminate, constraint, sewn=sewn),
        substitute=substitute,
        release=release,
        move=move,
        ahead=AHEAD,
        kept=KEPT,
        back=BACK,
        begin=partial(begin, constraint),
        close=partial(close, constraint),
    )
