# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings with which the extension starts; the sheet checks them against it."""

from typing import Any

SOLVER: dict[str, Any] = {
    "substeps": 400,
    "iterations": 8,
    "largest_stretch": 0.03,
    "near_pins": True,
    "implicit_bending": True,
    "second_order": True,
    "symmetric": True,
}
"""Of ``core.XPBD``: with a largest stretch the numbers of substeps and iterations are the most."""

DRAG = 0.5  # 1/s
FRAME = 1 / 24  # s


def described() -> str:
    """Return the solver's settings in words."""
    counts = f"{SOLVER['substeps']} substeps of {SOLVER['iterations']} iterations"
    if not SOLVER.get("largest_stretch"):
        return counts
    return f"automatic quality of {100 * SOLVER['largest_stretch']:g}% with at most {counts}"
