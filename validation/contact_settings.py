# SPDX-License-Identifier: GPL-3.0-or-later
"""The solvers with which cases of contact are simulated: what users get, and fixed counts."""

from __future__ import annotations

import core
from bench.default_settings import SOLVER

AUTOMATIC = "automatic quality"


def fixed(substeps: int) -> str:
    """The name of a setting of so many substeps of one iteration."""
    return f"{substeps} substeps"


def solver(setting: str) -> core.XPBD:
    """XPBD on one thread, by the name of a setting: AUTOMATIC, or one of :func:`fixed`."""
    if setting == AUTOMATIC:
        return core.XPBD(threads=1, **SOLVER)
    return core.XPBD(
        substeps=int(setting.split()[0]),
        implicit_bending=True,
        second_order=True,
        symmetric=True,
        threads=1,
    )
