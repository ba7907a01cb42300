# SPDX-License-Identifier: GPL-3.0-or-later
"""The stiffness k of PBD's constraints (Müller et al. 2007, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...constraints import REGISTRY, Constraint
from ...layout.group import Group

Array = NDArray[np.float64]

Stiffness = float | Mapping[str, float] | None
"""k of all constraints, k by kind, or (also for kinds that are not named) that of the material."""


def checked_stiffness(stiffness: Stiffness) -> Stiffness:
    """The stiffness, or a ValueError: k outside [0, 1], a kind that does not exist."""
    named = stiffness if isinstance(stiffness, Mapping) else {}
    for kind in named:
        if kind not in REGISTRY:
            known = ", ".join(sorted(REGISTRY))
            raise ValueError(f"There is no constraint kind '{kind}'; there are: {known}.")
    for k in named.values() if isinstance(stiffness, Mapping) else [stiffness]:
        if k is not None and not 0.0 <= k <= 1.0:
            raise ValueError(f"A stiffness lies between 0 and 1, unlike {k}.")
    return dict(named) if isinstance(stiffness, Mapping) else stiffness


def given_stiffness(stiffness: Stiffness, constraint: Constraint) -> float | None:
    """The k that a kind of constraints is given, if any; limits hold whatever is asked for."""
    if constraint.inequality:
        return 1.0
    return stiffness.get(constraint.kind) if isinstance(stiffness, Mapping) else stiffness


def material_stiffness(group: Group, weights: Array, time_step: float) -> Array:
    """k = w / (w + α̃), the part of C that the first iteration of XPBD takes away.

    Args:
        weights: of :func:`.weights_of`.
        time_step: of a substep [s], in α̃ = α / Δt².

    Returns:
        Of each component, shape (count, components).
    """
    diagonal = [i * (i + 3) // 2 for i in range(group.constraint.components)]
    compliance = group.compliance[:, diagonal] / time_step**2
    whole = weights + compliance
    return np.asarray(np.where(whole > 0.0, weights / np.where(whole > 0.0, whole, 1.0), 1.0))


def per_iteration(k: Array, iterations: int) -> Array:
    """k' = 1 - (1 - k)^(1/n): n iterations of a constraint leave the part 1 - k of its error."""
    return np.asarray(1.0 - (1.0 - k) ** (1.0 / iterations))
