# SPDX-License-Identifier: GPL-3.0-or-later
"""The solvers that a scene can choose, and how `core` makes them.

`SOLVERS` is the one table: the menu, its tooltips, the counts that a solver starts with, whether it
can choose them itself, and the settings that it alone has all come from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import SceneError

if TYPE_CHECKING:
    from ...core.solvers.common.base import Solver


@dataclass(frozen=True)
class SolverEntry:
    """A solver.

    Attributes:
        identifier: value of ``Scene.xpbd.solver``.
        description: when to choose it.
        factory: name in `core`.
        substeps, iterations: with which it looks right.
        most: substeps and iterations of which Automatic Quality may choose for each frame; None
            where the solver always takes the same.
        options: further properties of ``Scene.xpbd`` that it takes, by the same names.
        fixed: further arguments that nobody needs to change.
        lacks: what it can't simulate, of the keys of ``REFUSALS``.
    """

    identifier: str
    label: str
    description: str
    factory: str
    substeps: int
    iterations: int
    most: tuple[int, int] | None = None
    options: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    lacks: tuple[str, ...] = ()

    def counts(self, automatic: bool) -> tuple[int, int]:
        """The substeps and iterations to begin with; with Automatic Quality the limits."""
        return self.most if automatic and self.most else (self.substeps, self.iterations)


SOLVERS = (
    SolverEntry(
        "XPBD",
        "Standard",
        "XPBD, extended position based dynamics: fast, stable, real stiffness at any number of "
        "iterations. Choose this unless you know better",
        "XPBD",
        160,
        1,
        most=(400, 8),
        options=("warm_start",),
        fixed=(("implicit_bending", True), ("second_order", True), ("symmetric", True)),
    ),
    SolverEntry(
        "PROJECTIVE_DYNAMICS",
        "Calm",
        "Projective dynamics: solves the whole object at once in larger steps. Choose it for small "
        "cloth that must be very even and calm, without compliance of 0; swallows more movement "
        "than Standard. Not for strands",
        "ProjectiveDynamics",
        40,
        4,
        fixed=(("chebyshev", True),),
        lacks=("volume", "strands", "soft body", "sewing"),
    ),
    SolverEntry(
        "PBD",
        "Classic",
        "PBD, position based dynamics of 2007, whose stiffness grows with substeps and iterations. "
        "Choose it to match the look of older simulations, and for its damping, which leaves "
        "falling and turning as they are",
        "PBD",
        160,
        1,
        options=("velocity_damping",),
        lacks=("soft body", "sewing", "compression"),
    ),
    SolverEntry(
        "CONSTRAINED_DYNAMICS",
        "Unstretchable",
        "Constrained dynamics: solves all constraints of a substep together and exactly, down to a "
        "compliance of 0. Choose it for chains, ropes, nets and strands that must not stretch at "
        "all; too slow for sheets of more than some hundred vertices",
        "ConstrainedDynamics",
        10,
        2,
        fixed=(("adaptive", True), ("implicit_bending", True)),
        lacks=("volume", "soft body", "sewing"),
    ),
)

REFUSALS = {
    "volume": "has a Volume, which {solver} can't simulate: choose {able} as Solver, or switch "
    "Volume off",
    "soft body": "is a soft body, which {solver} can't simulate: choose {able} as Solver",
    "strands": "is made of strands, along which {solver} is too slow to carry a pull: choose "
    "another Solver ({able})",
    "compression": "is softer when it is pushed together, which {solver} can't simulate: choose "
    "{able} as Solver, or set Compression to 1",
    "sewing": "is sewn or stitched, which {solver} can't simulate: choose {able} as Solver, or "
    "switch Sewing and Stitches off",
}
"""What is said of an object that needs what the solver lacks."""

COUNTS = ("substeps", "iterations")
ITEMS = [(entry.identifier, entry.label, entry.description) for entry in SOLVERS]


def entry_of(identifier: str) -> SolverEntry:
    """The solver of that name."""
    return next(entry for entry in SOLVERS if entry.identifier == identifier)


def is_automatic(settings: Any) -> bool:
    """Whether the solver of ``Scene.xpbd`` chooses its substeps and iterations itself."""
    return entry_of(settings.solver).most is not None and settings.automatic


def options_of(settings: Any) -> dict[str, Any]:
    """The keyword arguments of the solver that ``Scene.xpbd`` has chosen.

    Automatic Quality spends where it tells: more on what holds pins.
    """
    names = (*COUNTS, *entry_of(settings.solver).options)
    options = {name: getattr(settings, name) for name in names}
    if is_automatic(settings):
        options["largest_stretch"] = 0.01 * settings.largest_stretch
        options["near_pins"] = True
    return options


def check(settings: Any, name: str, needs: Iterable[str]) -> None:
    """Raise SceneError where the scene's solver can't simulate the object of that name.

    Args:
        needs: what the object needs, of the keys of ``REFUSALS``.
    """
    entry = entry_of(settings.solver)
    for need in needs:
        if need in entry.lacks:
            *able, last = (other.label for other in SOLVERS if need not in other.lacks)
            others = f"{', '.join(able)} or {last}" if able else last
            raise SceneError(f"'{name}' " + REFUSALS[need].format(solver=entry.label, able=others))


def make(identifier: str, options: dict[str, Any]) -> Solver[Any]:
    """The solver of `core`."""
    from ... import core

    entry = entry_of(identifier)
    solver: Solver[Any] = getattr(core, entry.factory)(**options, **dict(entry.fixed))
    return solver


def suit_counts(settings: Any) -> None:
    """The counts that go with the settings, but those that the user has chosen."""
    counts = entry_of(settings.solver).counts(settings.automatic)
    for name, before, now in zip(COUNTS, settings.suited_counts, counts, strict=True):
        if getattr(settings, name) == before:
            setattr(settings, name, now)
    settings.suited_counts = counts
