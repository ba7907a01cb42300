# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity and still air, the same for all of a body."""

from __future__ import annotations

import numpy as np

from ..state import State

Vector = tuple[float, float, float]


def accelerate(state: State, gravity: Vector, h: float) -> None:
    """What is left of each velocity before a substep is predicted, and what is added.

    Still air slows particles down by the rate c [1/s], implicitly: v ← (v + h g) / (1 + h c).

    Args:
        state: whose step has begun; ``kept`` and ``gained`` are filled.
        gravity: g [m/s²].
        h: for how long [s] both act before a substep.
    """
    if state.accelerated == (h, gravity):
        return
    state.accelerated = (h, gravity)
    free = state.rows[: state.count, 3] > 0.0
    kept = np.where(free, 1.0 / (1.0 + h * state.drag), 0.0)
    for axis, pull in enumerate(gravity):
        state.kept[: state.count, axis] = kept
        state.gained[: state.count, axis] = kept * (h * pull)
