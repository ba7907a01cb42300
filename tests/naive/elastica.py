# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rod or a strip hangs that is clamped level at one end: the elastica."""

from __future__ import annotations

import math

import numpy as np

from .functions import Array

STEPS = 400


def elastica_drop(rigidity: float, weight: float, length: float, curvature: float = 0.0) -> float:
    """How far the tip of a clamped rod is below its clamp [m].

    B (θ' - κ₀)' = -w (L - s) cos θ with θ downward, from the tip, where there is no moment, by the
    method of Runge and Kutta; the slope of the tip is the one with which the clamp is level.

    Args:
        rigidity: B [N·m²].
        weight: w [N/m].
        curvature: κ₀ at rest [1/m], downward.
    """
    low, high = -0.1, math.pi
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        level = _from_the_tip(middle, rigidity, weight, length, curvature)[0] <= 0.0
        low, high = (middle, high) if level else (low, middle)
    return float(_from_the_tip(low, rigidity, weight, length, curvature)[2])


def _from_the_tip(
    angle: float, rigidity: float, weight: float, length: float, curvature: float
) -> Array:
    """θ, θ' and the drop at the clamp, for a slope of the tip."""
    step = length / STEPS

    def slope(state: Array, along: float) -> Array:
        held = weight * along * math.cos(state[0]) / rigidity
        return np.array([-state[1], held, math.sin(state[0])])

    state = np.array([angle, curvature, 0.0])
    for i in range(STEPS):
        here = i * step
        first = slope(state, here)
        second = slope(state + 0.5 * step * first, here + 0.5 * step)
        third = slope(state + 0.5 * step * second, here + 0.5 * step)
        fourth = slope(state + step * third, here + step)
        state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
    return state
