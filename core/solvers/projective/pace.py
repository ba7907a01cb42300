# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev's weights for descents, and when to do without them.

With A all eigenvalues of the iteration lie in [0, ρ]. For Chebyshev's weights, which are made for
[-ρ, ρ], steps are lengthened by 2 / (2 - ρ): that centres them, and the radius becomes ρ / (2 - ρ).

Weights carry particles on in the direction in which they went. Where cloth is compressed, or B does
not bound the curvature, that leads astray. Plain iterations go first, which take away what is
violent; then Chebyshev's polynomials T promise that after k iterations E is above its minimum by at
most 1 / T_k(1/ρ)² of what it was. Where it is higher above the least E so far, particles have been
led astray: they go back, plain iterations take over, each time for twice as long, and the weights
begin anew.
"""

from __future__ import annotations

from math import acosh, cosh
from typing import NamedTuple

from ...native.compiled import native
from ..common.chebyshev import next_weight, usable_radius

ROUNDING = 1e-5
"""Of E: what single precision leaves of it."""

LONGEST_DELAY, DELAYED = 8, 5
"""Plain iterations before the first with weights: at most so many, and one in so many of all."""


class Pace(NamedTuple):
    """How far an iteration goes.

    Attributes:
        radius: the spectral radius of Chebyshev's weights; 0 for plain iterations.
        length: factor of each step that has a weight.
        weight: ω of the last iteration.
        age: iterations since the weights began; negative before.
        delay: plain iterations that the weights waited for.
        first, least: E when the weights began, and the least since [J].
    """

    radius: float
    length: float
    weight: float
    age: int
    delay: int
    first: float
    least: float


@native
def first_pace(radius: float, centred: bool, iterations: int) -> Pace:
    """The pace before the first iteration.

    Args:
        radius: the spectral radius ρ of the iteration; 0 for plain iterations.
        centred: whether all eigenvalues lie in [0, ρ], not in [-ρ, ρ].
        iterations: how many there will be.
    """
    delay = min(LONGEST_DELAY, max(1, iterations // DELAYED))
    inner, length = radius, 1.0
    if centred:
        inner = radius / (2.0 - radius)
        length = 1.0 + inner
    if radius > 0.0:
        inner = usable_radius(inner, max(1, iterations - delay))
    return Pace(inner, length, 1.0, -delay, delay, 0.0, 0.0)


@native
def next_pace(pace: Pace) -> Pace:
    """The pace of the next iteration."""
    weight = next_weight(pace.age, pace.weight, pace.radius) if pace.age > 0 else 1.0
    return Pace(pace.radius, pace.length, weight, pace.age + 1, pace.delay, pace.first, pace.least)


@native
def judged_pace(pace: Pace, energy: float) -> Pace:
    """The pace after an iteration that has led to this E; of age -delay if it led astray."""
    length, age, delay, first, least = pace.length, pace.age, pace.delay, pace.first, pace.least
    if age <= 0:
        first = least = energy
    elif pace.radius > 0.0:
        promised = 1.0 / cosh(min(age * acosh(1.0 / pace.radius), 300.0))
        if energy <= (1.0 + ROUNDING) * least + promised * promised * first:
            least = min(least, energy)
        else:
            delay = 2 * delay
            length, age = 1.0, -delay
    return Pace(pace.radius, length, pace.weight, age, delay, first, least)
