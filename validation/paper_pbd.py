# SPDX-License-Identifier: GPL-3.0-or-later
"""PBD as the XPBD paper plots it."""

from __future__ import annotations

import core


def paper_pbd(k: float, *, iterations: int, substeps: int = 1, threads: int = 1) -> core.PBD:
    """Return PBD whose every iteration takes the part k of a constraint's error (equation 1).

    ``core.PBD`` corrects k for the number of iterations (Müller et al. 2007); the paper's figures
    show what it is without that.
    """
    whole = 1.0 - (1.0 - k) ** iterations
    return core.PBD(substeps=substeps, iterations=iterations, stiffness=whole, threads=threads)
