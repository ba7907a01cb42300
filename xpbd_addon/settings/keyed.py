# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings may change over time, and what of a simulation each of them changes.

Several properties may be views of one value: all of them can be keyed.
"""

from __future__ import annotations

from .constraints import CONSTRAINTS, SHOWN
from .materials import CONSTANTS
from .painted import PAINTED
from .solvers import COUNTS


def _arguments() -> dict[str, str]:
    """The argument of `core` that each property of ``Object.xpbd`` becomes a part of."""
    alike = ("thickness", "inflation", "volume_compliance", "pin_stiffness", "pin_damping")
    found = {name: name for name in (*alike, *(constant.name for constant in CONSTANTS))}
    found |= dict.fromkeys(("stretch_limit", "compression_limit"), "strain_limits")
    found |= dict.fromkeys(
        ("density", "areal_density", "volume_density", "line_density"), "density"
    )
    found |= {"sewing_force_max": "sewing_force", "stitch_strength": "stitch_strength"}
    found |= {f"use_{name}": name for name in ("self_collision", "body_collision")}
    for entry in CONSTRAINTS:
        found |= dict.fromkeys((entry.compliance, entry.stiffness), entry.argument)
        found[entry.damping] = entry.damping_argument
    for quantity in PAINTED:
        found |= dict.fromkeys((quantity.least_name, quantity.most_name), quantity.argument)
    return found


ARGUMENTS = _arguments()

SOLVER_OPTIONS = (*COUNTS, "largest_stretch", "time_scale")
"""Properties of ``Scene.xpbd`` that may change over time."""


def argument_of(name: str) -> str | None:
    """What a property of ``Object.xpbd`` changes; None for one that can't change over time."""
    return ARGUMENTS.get(name.removesuffix(SHOWN))


def in_words(argument: str) -> str:
    """What panels call it, more or less."""
    return argument.replace("_compliance", " stiffness").replace("_", " ")
