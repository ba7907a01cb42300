# SPDX-License-Identifier: GPL-3.0-or-later
"""How many substeps soft bodies need, known before the first.

A sweep hands a force on by about a cell. Where a substep is longer than a pressure wave takes
through a cell, the solver's own speed of a cell a substep takes the place of the wave's, and the
body is as soft as that: the error is a function of c h / dx nearly alone, c = √((λ + 2 μ) / ρ), dx
the edge of the lattice's cube, whatever the material and the shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...bodies.soft_body import SoftBody

CELLS = 0.75
"""That a wave may pass in a substep. With motion of second order a beam then sags by at most 1% too
far, and what is squeezed by half at ν = 0.49 loses 0.7% too much of its volume; both go with the
square of this number, and with implicit Euler they are twice as much."""


BONDED = 1.7
"""Times as many substeps let loose parts that are stitched to each other move as one, as each is
solved before the stitches: with 1.2 (without damping) to 1.5 times as many they swing up."""


def substeps_for(bodies: Iterable[SoftBody], dt: float) -> int:
    """The substeps of a step of dt [s] in which no wave gets too far; 0 without soft bodies."""
    return max((math.ceil(_rate(body) * dt / CELLS) for body in bodies), default=0)


def _rate(body: SoftBody) -> float:
    return body.wave_rate * (1.0 if body.bonds is None else BONDED)


def iterations_for(bodies: Iterable[SoftBody], dt: float, substeps: int) -> int:
    """The iterations with which parts that are stitched together are stable in so few substeps."""
    bonded = [body for body in bodies if body.bonds is not None]
    return 1 if substeps >= substeps_for(bonded, dt) else 2
