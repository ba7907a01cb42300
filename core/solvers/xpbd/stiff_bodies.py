# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies that are stiffer, or more viscous, than a sweep can bear are as stiff as it can.

The stable neo-Hookean energy has components that are not zero at rest (:mod:`.neo_hookean`): what
holds the shape there is mostly that their gradients change, and a sweep knows these as they are
where it begins. So that part is an explicit step, of which

    κ = s² / mᵢ Σ m V |gᵢ|²,   s: span of a substep, mᵢ: mass, m V: stiffness of patches around,

is the measure. A free bar that turns keeps its energy up to κ = 2.7 (ν = 0.3) or 1.3 (0.49) at
least; from 5 to 9 on its lightest particles rattle at 30 m/s and more, for ever. Damping makes
constraints stiffer by 1 + β / h: with it κ (1 + β / h) = 90 is calm or nearly so, 180 is not. Where
it is more than the limits below patches get a stiffness, and then a damping, that keep to them.

The corotational energy is zero at rest and knows no such limit, up to κ = 100 at least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...constraints import neo_hookean, patch_volume
from ...layout.group import Group
from ...layout.layout import Layout

Array = NDArray[np.float64]

STIFFEST = 1.25
"""κ at most."""

MOST_DAMPED = 50.0
"""κ (1 + β / h) at most."""


@dataclass
class _Patches:
    """Constraints of a group that can be too stiff.

    Attributes:
        compliances, dampings: places of these among all parameters, shape (count, k) each.
        compliance, damping: as described, the same shapes; damping [s].
        rates: κ / s² [1/s²], shape (count,).
    """

    compliances: NDArray[np.int64]
    dampings: NDArray[np.int64]
    compliance: Array
    damping: Array
    rates: Array

    def limited(self, span: float, h: float) -> tuple[Array, Array]:
        """Compliance and damping in substeps of length h [s]."""
        stiff = span**2 * self.rates
        softer = np.maximum(1.0, stiff / STIFFEST)
        stiff = np.maximum(stiff / softer, MOST_DAMPED * np.finfo(float).tiny)
        longest = h * (MOST_DAMPED / stiff - 1.0)
        return self.compliance * softer[:, None], np.minimum(self.damping, longest[:, None])


class StiffBodies:
    """What of a model can be too stiff.

    Args:
        layout: of its constraints.
        masses: of particles [kg], shape (n,).
        span_factor: span of a substep over its length; the layout's damping is that many times
            what was described.
    """

    def __init__(self, layout: Layout, masses: Array, span_factor: float) -> None:
        self._layout = layout
        self._factor = span_factor
        self._patches = _patches_of(layout, masses, span_factor)
        self._limited = False
        every = [np.empty(0), *(patches.rates for patches in self._patches)]
        damped = [p.rates * p.damping.max(axis=1, initial=0.0) for p in self._patches]
        self._stiffest = float(np.concatenate(every).max(initial=0.0))
        self._most_damped = float(np.concatenate([np.empty(0), *damped]).max(initial=0.0))

    def substeps_for(self, dt: float) -> int:
        """Substeps of a step of dt [s] in which damping needs no limit; 0 where there is none.

        The positive root of s² (rate + rate β / h) = ``MOST_DAMPED``, s being in proportion to h.
        """
        square, linear = self._factor**2 * self._stiffest, self._factor**2 * self._most_damped
        if linear == 0.0:
            return 0
        root = math.sqrt(linear**2 + 4.0 * square * MOST_DAMPED)
        return math.ceil(dt * (linear + root) / (2.0 * MOST_DAMPED))

    def begin(self, span: float, h: float) -> None:
        """Keep to the limits in a step with substeps of length h [s]."""
        square = span**2
        within = square * self._stiffest <= STIFFEST
        within &= square * (self._stiffest + self._most_damped / h) <= MOST_DAMPED
        if within and not self._limited:
            return
        self._limited = not within
        parameters = self._layout.parameters
        for patches in self._patches:
            compliance, damping = patches.limited(span, h)
            parameters[patches.compliances] = compliance
            parameters[patches.dampings] = self._factor * damping


def _patches_of(layout: Layout, masses: Array, span_factor: float) -> list[_Patches]:
    """All constraints that share particles with the energy that has limits."""
    shapes = [each for each in layout.groups if each.constraint in neo_hookean.CONSTRAINTS]
    if not shapes:
        return []
    rates = np.zeros(len(masses))
    for group in shapes:
        np.add.at(rates, group.indices, _stiffness(group))
    free = (masses > 0.0) & (masses < np.inf)
    rates[free] /= masses[free]
    rates[~free] = 0.0
    kinds = neo_hookean.CONSTRAINTS + patch_volume.CONSTRAINTS
    return [
        _with_places(group, rates[group.indices].max(axis=1), places, span_factor)
        for group, places in zip(layout.groups, layout.parameter_places(), strict=True)
        if group.constraint in kinds
    ]


def _stiffness(group: Group) -> Array:
    """m V |g|² at each corner of patches [N/m], shape (count, vertices)."""
    others = group.first_rest[:, : 3 * (group.constraint.vertices - 1)].reshape(
        len(group.rest), -1, 3
    )
    corners = np.concatenate([-others.sum(axis=1, keepdims=True), others], axis=1)
    return np.asarray((corners**2).sum(axis=2) / group.compliance[:, :1])


def _with_places(
    group: Group, rates: Array, places: NDArray[np.int64], span_factor: float
) -> _Patches:
    first = group.constraint.rest_size
    last = first + group.constraint.compliance_size
    dampings = places[:, last : last + group.damping.shape[1] * group.damped]
    return _Patches(
        places[:, first:last],
        dampings,
        group.compliance,
        group.damping[:, : dampings.shape[1]] / span_factor,
        rates,
    )
