# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev semi-iterative acceleration, after Wang 2015.

An iteration x ← G x + b whose matrix has its eigenvalues in [-ρ, ρ] converges much faster as

    x_{k+1} = ω_{k+1} (G x_k + b - x_{k-1}) + x_{k-1},    ω₁ = 1, ω₂ = 2 / (2 - ρ²),
    ω_{k+1} = 4 / (4 - ρ² ω_k).

Nobody is asked for ρ: it is estimated from how fast the iteration really was (Hageman & Young
1981, *Applied Iterative Methods*, section 5). A slow mode of eigenvalue μ > ρ falls by the factor
T(μ/ρ)/T(1/ρ) an iteration, from which follows μ.
"""

from __future__ import annotations

from math import cosh, sqrt

from ...native.compiled import native

LARGEST_RADIUS = 0.99995
"""Estimates beyond are no longer told from 1 in single precision."""

GROWTH = 1.25
"""A correction this much larger than the first one tells of divergence: plain iterations go on."""


@native
def next_weight(iteration: int, weight: float, radius: float) -> float:
    """ω of an iteration, counted from 0, from the ω before."""
    if iteration == 0:
        return 1.0
    if iteration == 1:
        return 2.0 / (2.0 - radius * radius)
    return 4.0 / (4.0 - radius * radius * weight)


@native
def renewed_radius(radius: float, factor: float) -> float:
    """The spectral radius that explains an error that fell by ``factor`` an iteration.

    Args:
        radius: the ρ that the iterations were accelerated with, 0 for plain ones.
        factor: |error| after an iteration over that before, averaged over some.
    """
    if radius < 1e-6:
        return min(factor, LARGEST_RADIUS)
    expected = (1.0 - sqrt(1.0 - radius * radius)) / radius
    ratio = factor / expected
    if ratio <= 1.0:
        return radius
    return min(0.5 * radius * (ratio + 1.0 / ratio), LARGEST_RADIUS)


@native
def usable_radius(radius: float, iterations: int) -> float:
    """The largest radius that so few iterations can make use of.

    They shrink errors within the radius by T(1/ρ), which is demanded to be ten at least: beyond,
    the modes that plain iterations would take care of stay.
    """
    return min(radius, 1.0 / cosh(3.0 / iterations))
