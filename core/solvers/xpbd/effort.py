# SPDX-License-Identifier: GPL-3.0-or-later
"""How many substeps and iterations a step needs, chosen from how the last one turned out."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEAST = 20
"""Substeps below which fast movement and contact become coarse, however little is stretched."""

AIM = 0.5
"""Of the stretch allowed: what a step aims at, as the next one may need more."""

MOST_GROWTH, LEAST_GROWTH = 2.0, 0.95
"""Of the work from step to step; saving faster, it would time and again do too little."""


@dataclass(frozen=True)
class Effort:
    """What is spent on a step.

    Attributes:
        substeps, iterations: counts.
        overstretch: what is left after it, a fraction of the rest length; see ``overstretch.py``.
    """

    substeps: int
    iterations: int
    overstretch: float = 0.0


def first_effort(most: Effort) -> Effort:
    """What to begin with, before anything has been measured."""
    return Effort(min(most.substeps, 2 * LEAST), 1)


def next_effort(last: Effort, allowed: float, most: Effort) -> Effort:
    """What the next step needs.

    The overstretch falls with the square of the number of substeps and with that of iterations.
    Substeps are better spent (Macklin et al. 2019, "Small steps in physics simulation"); iterations
    make up for those that are not allowed.

    Args:
        last: the step before, with what it left.
        allowed: stretch allowed.
        most: the limits.
    """
    spent = last.substeps * math.sqrt(last.iterations)
    growth = math.sqrt(last.overstretch / (AIM * allowed))
    wanted = spent * min(max(growth, LEAST_GROWTH), MOST_GROWTH)
    substeps = min(math.ceil(max(wanted, LEAST)), most.substeps)
    iterations = (math.floor if wanted < spent else round)((wanted / substeps) ** 2)
    return Effort(substeps, min(max(iterations, 1), most.iterations))
