# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solver tells of the step that it has made."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """How a step went.

    Attributes:
        substeps, iterations: that it took; 0 before the first.
        overstretch: how much longer than its stiffness allows the worst object was left, a
            fraction of its length; 0 where the method does not know.
        residual: how far [m] a further iteration would move any particle at most.
    """

    substeps: int
    iterations: int
    overstretch: float
    residual: float
