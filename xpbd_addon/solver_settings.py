# SPDX-License-Identifier: GPL-3.0-or-later
"""The solvers that a scene can choose, and how `core` makes them.

`SOLVERS` is the one table: the menu, its tooltips, the counts that a solver starts with and the
settings that it alone has all come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import SceneError

if TYPE_CHECKING:
    from ..core.solvers.base import Solver


@dataclass(frozen=True)
class SolverEntry:
    """A solver.

    Attributes:
        identifier: value of ``Scene.xpbd.solver``.
        description: when to choose it.
        factory: name in `core`.
        substeps, iterations: with which it looks right.
        options: further properties of ``Scene.xpbd`` that it takes, by the same names.
        fixed: further arguments that nobody needs to change.
        volume: whether it can fill a closed surface.
    """

    identifier: str
    label: str
    description: str
    factory: str
    substeps: int
    iterations: int
    options: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    volume: bool = True


SOLVERS = (
    SolverEntry(
        "XPBD",
        "XPBD",
        "Extended position based dynamics: fast, stable, real stiffness at any number of "
        "iterations. Choose this unless you know better",
        "XPBD",
        160,
        1,
        ("warm_start",),
    ),
    SolverEntry(
        "PROJECTIVE_DYNAMICS",
        "Projective Dynamics",
        "Solves the whole object at once in few large steps. Choose it for a small object that "
        "must be very even and calm, without compliance of 0; swallows more movement than XPBD",
        "ProjectiveDynamics",
        4,
        10,
        fixed=(("chebyshev", True),),
        volume=False,
    ),
    SolverEntry(
        "PBD",
        "PBD",
        "Position based dynamics of 2007, whose stiffness grows with substeps and iterations. "
        "Choose it to match the look of older simulations, and for its damping, which leaves "
        "falling and turning as they are",
        "PBD",
        160,
        1,
        ("velocity_damping",),
    ),
    SolverEntry(
        "CONSTRAINED_DYNAMICS",
        "Constrained Dynamics",
        "Solves all constraints of a substep together and exactly, down to a compliance of 0. "
        "Choose it for chains, ropes, nets and strands that must not stretch at all; too slow "
        "for sheets of more than some hundred vertices",
        "ConstrainedDynamics",
        10,
        2,
        fixed=(("adaptive", True),),
        volume=False,
    ),
)

ITEMS = [(entry.identifier, entry.label, entry.description) for entry in SOLVERS]


def entry_of(identifier: str) -> SolverEntry:
    """The solver of that name."""
    return next(entry for entry in SOLVERS if entry.identifier == identifier)


def options_of(settings: Any) -> dict[str, Any]:
    """The keyword arguments of the solver that ``Scene.xpbd`` has chosen."""
    names = ("substeps", "iterations", *entry_of(settings.solver).options)
    return {name: getattr(settings, name) for name in names}


def check_volume(settings: Any, name: str) -> None:
    """Raise SceneError where the scene's solver can't fill the object of that name."""
    entry = entry_of(settings.solver)
    if not entry.volume:
        able = " or ".join(other.label for other in SOLVERS if other.volume)
        raise SceneError(
            f"'{name}' has a Volume, which {entry.label} can't simulate: choose {able} as Solver, "
            "or switch Volume off"
        )


def make(identifier: str, options: dict[str, Any]) -> Solver:
    """The solver of `core`."""
    from .. import core

    entry = entry_of(identifier)
    solver: Solver = getattr(core, entry.factory)(**options, **dict(entry.fixed))
    return solver


def suit_counts(settings: Any, before: str) -> None:
    """After the solver was changed: its own counts, unless the user has chosen others."""
    old, new = entry_of(before), entry_of(settings.solver)
    if (settings.substeps, settings.iterations) == (old.substeps, old.iterations):
        settings.substeps, settings.iterations = new.substeps, new.iterations
