# SPDX-License-Identifier: GPL-3.0-or-later
"""How what is inflated over a time comes to be so: slowly at first, and slowly in the end.

What swells at once leaps: a flat cushion of a few millimetres pushes itself off its floor with all
the pressure that it will never have again.
"""

from __future__ import annotations

import numpy as np

from .painted import Painted


def inflated(inflation: Painted, time: float, elapsed: float) -> Painted:
    """The factor of the volume at rest at a moment.

    Of the way from 1 it has gone s² (3 - 2 s), s being the part of the time that has passed.

    Args:
        inflation: the factor in the end, one or of each place, shape (m,).
        time: that it takes [s]; 0: it is all there at the start.
        elapsed: since the start [s].
    """
    if elapsed >= time:
        return inflation
    part = elapsed / time
    return 1.0 + part * part * (3.0 - 2.0 * part) * (inflation - 1.0)


def is_swelling(inflation: Painted, time: float, elapsed: float) -> bool:
    """Whether that factor will be another one later; arguments as of :func:`inflated`."""
    return elapsed < time and bool(np.any(inflation != 1.0))
