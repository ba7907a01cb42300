# SPDX-License-Identifier: GPL-3.0-or-later
"""What all solvers have in common: the frame around their substeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...errors import ModelError
from ...forces.uniform import Vector
from ...lasting import Lasting
from ...layout.group import Group
from ...layout.layout import Layout, Places
from ...layout.program import Program, sensible_threads
from ...native.threads import MOST_THREADS, free_cores, run_on_threads
from ...state import State
from .integration import StepSettings
from .report import BendError, Overstretch
from .second_order import SPAN

if TYPE_CHECKING:
    from ...model import Model


@dataclass
class Prepared:
    """A model laid out for a solver, made once and used for every step.

    Attributes:
        version: of the model when it was laid out.
        layout: its constraints in blocks.
        program: their main sweep; ``program.multipliers`` holds λ of the last substep.
        counts: substeps and iterations of the last step.
        needed: substeps that its soft bodies needed, as far as the method knows.
        threads: how many share a step, whatever the solver says; None: it decides.
        sharing: how many share the one at hand, to its end.
    """

    version: int
    layout: Layout
    program: Program
    counts: tuple[int, int] = field(default=(0, 0), kw_only=True)
    needed: int = field(default=0, kw_only=True)
    threads: int | None = field(default=None, kw_only=True)
    sharing: int = field(default=1, kw_only=True)

    @property
    def slots(self) -> Places:
        """For each group the places of its multipliers, shape (count, components)."""
        return self.layout.slots

    @property
    def swept(self) -> int:
        """Constraints of the main sweep, with unused lanes."""
        batches = self.program.batches
        return int(batches["blocks"] @ batches["lanes"])

    def lasting(self) -> Lasting:
        """What the next step goes on from beside the state; see :mod:`core.lasting`.

        The same names and shapes in every step.
        """
        return {}

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what another one, of the same model, has left. Raises CheckpointError."""

    def go_on(self, lasting: Lasting) -> None:
        """Go on as far as it fits from what another one has left, maybe with other materials."""
        own = self.lasting()
        fits = {
            name: array
            for name, array in lasting.items()
            if name in own and (own[name].shape, own[name].dtype) == (array.shape, array.dtype)
        }
        self.go_on_from({**own, **fits})


P = TypeVar("P", bound=Prepared)


def refuse_stitches(groups: Sequence[Group]) -> None:
    """Raise ModelError where something is sewn, for a method that can't."""
    if any(group.stitching is not None for group in groups):
        raise ModelError(
            "Only XPBD, by Gauss–Seidel sweeps, can sew: choose that solver, or leave out what is "
            "sewn or stitched."
        )


class Solver(ABC, Generic[P]):
    """A method that advances a state of a model.

    A method has a ``prepare`` that lays the model out, a ``solve`` that goes through the substeps
    of a step, and a ``residual``. Where it needs them it has ``counts``, ``begin`` and ``end``.

    Args:
        substeps: parts into which a step is divided.
        iterations: in each substep.
        threads: how many share a step; None: as many as pay off.
        second_order: whether particles move as in :mod:`.second_order`; else as by implicit Euler.

    Raises:
        ValueError: a count is not positive, or threads are too many.
    """

    def __init__(
        self,
        substeps: int,
        iterations: int,
        threads: int | None = None,
        second_order: bool = False,
    ) -> None:
        if substeps < 1 or iterations < 1:
            raise ValueError("Substeps and iterations must be at least 1.")
        if threads is not None and threads < 1:
            raise ValueError("A step needs at least one thread.")
        if threads is not None and threads > MOST_THREADS:
            raise ValueError(f"A step can be shared by at most {MOST_THREADS} threads.")
        self.substeps = substeps
        self.iterations = iterations
        self.threads = threads
        self.second_order = second_order

    def step(
        self,
        model: Model,
        state: State,
        dt: float,
        *,
        prepared: P | None = None,
        gravity: Vector = (0.0, 0.0, 0.0),
    ) -> None:
        """Advance the state by dt [s]; kinematic particles end on ``state.targets``.

        Args:
            prepared: of :meth:`prepare` for this model; made anew for each step without.
            gravity: [m/s²].

        Raises:
            ModelError: the model has changed since it was prepared.
        """
        prepared = prepared or self.prepare(model)
        model.check(prepared.version)
        self.load_groups(prepared, model)
        prepared.counts = self.counts(prepared, state, dt)
        substeps, iterations = prepared.counts
        h, real = dt / substeps, state.real
        span = self.span_factor * h
        settings = StepSettings(real(h), substeps, iterations, real(span), self.second_order)
        self.begin(prepared, state, float(settings.span))
        state.begin_step(float(settings.span))
        state.accelerate(gravity, float(settings.h) * self.span_factor**2)
        given = prepared.threads or self.threads
        prepared.sharing = given or free_cores.of(self.sensible_threads(prepared))
        state.contact.share_among(prepared.sharing)
        state.contact.begin_frame(dt)
        while (done := self.solve(prepared, state, settings)) < substeps:
            state.contact.grow()
            settings = settings._replace(first=done, resumed=True)
        state.contact.end_frame()
        self.end(prepared, state)

    @property
    def span_factor(self) -> float:
        """Span of a substep over its length h: a force over the mass moves a particle by span²."""
        return SPAN if self.second_order else 1.0

    @abstractmethod
    def prepare(self, model: Model, earlier: P | None = None) -> P:
        """Lay the model out; raises ModelError for a constraint that the method can't take.

        Args:
            earlier: of the last step, of the same model with other materials: what has not changed
                may be taken from it, and what carries on from step to step.
        """

    @abstractmethod
    def solve(self, prepared: P, state: State, settings: StepSettings) -> int:
        """Go through the substeps from ``settings.first`` on.

        Returns:
            How many substeps of the step are done: all, or those before one in which contact
            lacked memory.
        """

    @abstractmethod
    def residual(self, prepared: P, state: State) -> float:
        """How far [m] a further iteration would move any particle at most."""

    def counts(self, _prepared: P, _state: State, _dt: float) -> tuple[int, int]:
        """The substeps and iterations of the next step."""
        return self.substeps, self.iterations

    def begin(self, prepared: P, state: State, span: float) -> None:
        """Get ready for a step; the state still knows of the last one.

        Args:
            span: of a substep [s].
        """

    def end(self, prepared: P, state: State) -> None:
        """Look back at a step."""

    def renew(self, prepared: P, model: Model) -> P:
        """Go on with other rest states of the model's groups, as of the same constraints."""
        return self.prepare(model, prepared)

    def up_to_date(self, prepared: P, _model: Model) -> P:
        """As it is laid out for the next step, where that depends on how the last one ended."""
        return prepared

    def load_groups(self, prepared: P, model: Model) -> None:
        """Load from the model's groups what changes in steps, such as stitches that have torn."""
        prepared.layout.sums.load(model.groups)

    def store_groups(self, prepared: P, model: Model) -> None:
        """Store that back in the model's groups."""

    def take_over(self, prepared: P, earlier: Sequence[P]) -> None:
        """Go on with what was learnt of the last step, by parts or a whole that it was made by."""

    def overstretch(self, prepared: P, state: State) -> list[Overstretch]:
        """How much too long everything is, as far as the method knows."""
        return []

    def bend_errors(self, prepared: P, state: State) -> list[BendError]:
        """How much of the bending of sheets is wrong, as far as the method knows."""
        return []

    def run(self, function: Any, prepared: P, state: State, *arguments: Any) -> int:
        """Call native code on as many threads as share a step; see :meth:`solve`.

        Args:
            function: ``(state's arrays, contact's arrays, *arguments, team)``.
        """
        memory = state.arrays, state.contact.arrays
        done = run_on_threads(prepared.sharing, function, *memory, *arguments)
        if done is None:
            raise TypeError(f"{function.__name__} must return how many substeps are done.")
        return int(done)

    def sensible_threads(self, prepared: P) -> int:
        """How many threads pay off."""
        return sensible_threads(prepared.program)


def refuse_soft_bodies(model: Model, method: str) -> None:
    """Raise ModelError where a model has constraints that only XPBD takes."""
    for group in model.groups:
        if group.constraint.only_xpbd and len(group.indices):
            owner = model.owner_of(int(group.indices[0, 0]))
            raise ModelError(f"{method} can't simulate '{owner}', a soft body: use XPBD.")
