# SPDX-License-Identifier: GPL-3.0-or-later
"""What all solvers have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ...layout.program import MOST_THREADS, Layout, Program, Slots
from ...state import State

if TYPE_CHECKING:
    from ...model import Model


@dataclass
class Prepared:
    """A model laid out for a solver, made once and used for every step.

    Attributes:
        layout: its constraints in blocks.
        program: their main sweep; ``program.multipliers`` holds λ of the last substep.
    """

    layout: Layout
    program: Program

    @property
    def slots(self) -> Slots:
        """For each group the places of its multipliers, shape (count, components)."""
        return self.layout.slots


class Solver(Protocol):
    """A method that advances a state of a model."""

    def prepare(self, model: Model) -> Any:
        """Lay the model out; raises ModelError for a constraint that the method can't take."""

    def step(
        self,
        model: Model,
        state: State,
        dt: float,
        *,
        prepared: Any = None,
        gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Advance the state by dt [s]; kinematic particles end on ``state.targets``."""

    def residual(self, model: Model, state: State, prepared: Any) -> float:
        """The largest movement [m] that a further iteration would make."""


def check_counts(substeps: int, iterations: int, threads: int | None = None) -> None:
    """Raise ValueError where a count is not positive, or threads are too many."""
    if substeps < 1 or iterations < 1:
        raise ValueError("Substeps and iterations must be at least 1.")
    if threads is not None and threads < 1:
        raise ValueError("A step needs at least one thread.")
    if threads is not None and threads > MOST_THREADS:
        raise ValueError(f"A step can be shared by at most {MOST_THREADS} threads.")
