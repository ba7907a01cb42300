# SPDX-License-Identifier: GPL-3.0-or-later
"""Why bounds are what they are, in words that several cases share."""

from __future__ import annotations

import numpy as np


def seen(percent: float, size: float, of: str) -> str:
    """What is seen without measuring: a part of a size [m]."""
    return f"what the eye sees: {percent:g}% is {percent * size:.2g} cm of {of} of {size:g} m"


def rounding(steps: int, size: float) -> str:
    """What double precision leaves after so many steps of numbers of a size [m]."""
    precision = float(np.finfo(np.float64).eps)
    return f"rounding: {steps:,} steps, in each a few times {precision:.1g} of {size:g} m"
