# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD, Algorithm 1 of Macklin, Müller, Chentanez 2016, in small substeps.

A step of Δt is divided into substeps of h = Δt / substeps; each is Algorithm 1 with the Lagrange
multipliers kept through its iterations. One native call covers all of them. How many of both a
step needs can be left to the solver, which looks at how much too long the last one left the
material.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...contact import apply_friction, project
from ...layout.program import Layout, Program
from ...native.barrier import new_barrier, wait
from ...native.compiled import native
from ...native.threads import run_on_threads, sensible_threads
from ...state import State
from ..common import residual
from ..common.base import Prepared, check_counts
from ..common.integration import StepSettings, move_particles, start_substep
from ..common.projection import specification
from ..common.sweep import keep_multipliers, share_of, sweep_all
from . import chain_projection, jacobi, warm_start
from .effort import Effort, first_effort, next_effort
from .multirate import (
    Rates,
    as_if_every_substep,
    rates_of,
    soften,
    sweep_due,
    sweeps_of,
    unknown_rates,
)
from .near_pins import NearPins, near_pins, nothing_near, sweep_near_pins
from .overstretch import Gauge, gauge_of, overstretch
from .softness import softness_classes

if TYPE_CHECKING:
    from ...model import Model

Method = Literal["gauss-seidel", "jacobi"]


class SweepSettings(NamedTuple):
    """How multipliers are found, for native code.

    Attributes:
        kept: part of each multiplier with which the next substep starts; 0 is a cold start.
        symmetric: whether every second Gauss–Seidel sweep goes backward.
        relaxation: factor of each Jacobi correction.
        accelerated: whether Jacobi iterations use Chebyshev's weights.
        rounding: corrections [m] below say nothing about convergence, of accelerated iterations.
    """

    kept: Any
    symmetric: bool
    relaxation: Any
    accelerated: bool
    rounding: float


@dataclass
class PreparedXPBD(Prepared):
    """Beside the main sweep those of a warm start and of the residual.

    Attributes:
        gauge: what measures how much too long the material is.
        near: what is swept more often.
        rates: of each part of the layout, by which some are swept less often; see ``periods.py``.
        periods: every how many substeps each batch is swept, and for how many its force acts.
        effort: what was spent on the last step, and how it turned out; None before the first.
        memory: of Jacobi iterations, for the state last stepped.
    """

    warm: Program
    correction: Program
    gauge: Gauge
    near: NearPins
    rates: Rates
    periods: NDArray[np.float64]
    effort: Effort | None = None
    memory: dict[int, jacobi.JacobiArrays] = field(default_factory=dict)

    def take_turns(self, periods: NDArray[np.float64]) -> None:
        """Let the main sweep have constraints for these periods."""
        original = self.correction.parameters
        soften(self.layout, self.program, original, self.periods, periods)
        self.periods = periods


@native
def run(arrays, program, warm, near, turns, contacts, settings, sweeps, barrier, thread, threads):  # type: ignore[no-untyped-def]
    """Algorithm 1, ``settings.substeps`` times, as one of several threads.

    Threads share every batch; its blocks are independent, so the result does not depend on how
    many there are.
    """
    rate = arrays.rows.dtype.type(1.0) / settings.h
    first, last = share_of(arrays.particle_count, thread, threads)
    for substep in range(settings.substeps):
        keep_multipliers(program.multipliers, sweeps.kept, thread, threads)
        start_substep(arrays, contacts, settings, substep, barrier, thread, threads)
        if sweeps.kept > 0.0:
            sweep_all(arrays, warm, rate, False, barrier, thread, threads)
        for iteration in range(settings.iterations):
            backward = sweeps.symmetric and iteration % 2 == 1
            sweep_due(
                arrays, program, turns, substep, settings.substeps, rate, backward, barrier,
                thread, threads,
            )  # fmt: skip
            sweep_near_pins(arrays, near, program.multipliers, rate, barrier, thread, threads)
            project(contacts, arrays.rows, arrays.previous, first, last, thread)
            wait(barrier, threads)
        apply_friction(contacts, arrays.rows, arrays.previous, first, last)
    as_if_every_substep(program, turns, settings.substeps, thread, threads)
    move_particles(arrays, settings, first, last, True, False)


class XPBD:
    """Extended position-based dynamics.

    Args:
        substeps: parts into which a step is divided; more make the material stiffer where it has
            not converged, and are better spent than iterations.
        iterations: sweeps over all constraints in each substep.
        largest_stretch: how much longer than its stiffness allows the material may become, a part
            of its length. Each step then takes as many substeps and iterations as that needs, at
            most those given, and pinned vertices get further sweeps. Zero: always those given.
        method: ``"gauss-seidel"``: one conflict-free batch after the other; ``"jacobi"``: all at
            the same time, slower to converge but independent of any order.
        chebyshev: accelerate Jacobi iterations.
        warm_start: the part of each multiplier that is kept from substep to substep; True is 1.
            Helps with many iterations; with a single one 1 is unstable.
        symmetric: let every second Gauss–Seidel sweep go backward.
        relaxation: factor of each Jacobi correction, between 0 and 2.
        threads: how many share a step; by default as many as pay off. The result is the same.

    Raises:
        ValueError: an option is out of its range, or does not go with the method.
    """

    def __init__(
        self,
        *,
        substeps: int = 10,
        iterations: int = 1,
        largest_stretch: float = 0.0,
        method: Method = "gauss-seidel",
        chebyshev: bool = False,
        warm_start: bool | float = False,
        symmetric: bool = False,
        relaxation: float = 1.0,
        threads: int | None = None,
    ) -> None:
        check_counts(substeps, iterations, threads)
        if not 0.0 <= largest_stretch < float("inf"):
            raise ValueError("The largest stretch must not be negative.")
        if method not in get_args(Method):
            raise ValueError(f"'{method}' is no method; there are {get_args(Method)}.")
        if not 0.0 < relaxation < 2.0:
            raise ValueError("The relaxation must lie between 0 and 2.")
        if not 0.0 <= warm_start <= 1.0:
            raise ValueError("A warm start keeps a part between 0 and 1 of the multipliers.")
        if chebyshev and method != "jacobi":
            raise ValueError("Chebyshev acceleration needs the method 'jacobi'.")
        self.substeps = substeps
        self.iterations = iterations
        self.largest_stretch = largest_stretch
        self.method = method
        self.chebyshev = chebyshev
        self.warm_start = float(warm_start)
        self.symmetric = symmetric
        self.relaxation = relaxation
        self.threads = threads

    def prepare(self, model: Model) -> PreparedXPBD:
        """The model's constraints laid out for this solver."""
        groups, count = model.groups, model.particle_count
        extra = jacobi.valences(groups, count) if self.method == "jacobi" else None
        uneven = self.largest_stretch > 0.0 and self.method == "gauss-seidel"
        classes = None
        if uneven and self.warm_start == 0.0:
            classes = softness_classes(groups, model.positions, model.masses)
        layout = Layout(groups, count, model.dtype, extra, classes)
        rates = unknown_rates(len(layout.parts))
        if classes is not None:
            rates = rates_of(layout.parts, model.positions, model.masses)
        program = self._main_program(layout)
        if np.isfinite(rates.stiffness).any():
            program = program._replace(parameters=program.parameters.copy())
        return PreparedXPBD(
            layout,
            program,
            layout.program(
                warm_start.specification, [self.warm_start > 0.0] * len(groups), sums="warm"
            ),
            residual.program_of(layout),
            gauge_of(layout),
            near_pins(model, layout) if uneven else nothing_near(model, layout),
            rates,
            np.ones(len(layout.owners)),
        )

    def _main_program(self, layout: Layout) -> Program:
        if self.method == "jacobi":
            return layout.program(jacobi.specification, sums="add")
        return layout.program(specification, sums="move", chains=chain_projection.specification)

    def step(
        self,
        model: Model,
        state: State,
        dt: float,
        *,
        prepared: PreparedXPBD | None = None,
        gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Advance the state by dt [s]; kinematic particles end on ``state.targets``."""
        prepared = prepared or self.prepare(model)
        real = state.rows.dtype.type
        effort = self._effort(prepared)
        h = real(dt / effort.substeps)
        sweeps = self._sweeps(state, float(h))
        state.begin_step(float(h), gravity)
        state.colliders.begin_frame(dt)
        programs = (prepared.program, prepared.warm)
        others = (
            state.colliders.contacts,
            StepSettings(h, effort.substeps, effort.iterations),
            sweeps,
            new_barrier(),
        )
        threads = self.threads or sensible_threads(prepared.program)
        if self.method == "jacobi":
            memory = self._memory(state, prepared, threads)
            run_on_threads(threads, jacobi.run, state.arrays, *programs, memory, *others)
        else:
            by_part = sweeps_of(prepared.rates, effort.substeps, float(h))
            turns = by_part[prepared.layout.part_numbers]
            prepared.take_turns(effort.substeps / turns)
            run_on_threads(threads, run, state.arrays, *programs, prepared.near, turns, *others)
        state.colliders.end_frame()
        error = overstretch(prepared.gauge, state) if self.largest_stretch > 0.0 else 0.0
        prepared.effort = replace(effort, overstretch=error)

    def residual(self, model: Model, state: State, prepared: PreparedXPBD) -> float:
        """The largest movement [m] that a further averaged Jacobi iteration would make."""
        return residual.largest_correction(prepared.correction, state)

    def _effort(self, prepared: PreparedXPBD) -> Effort:
        most = Effort(self.substeps, self.iterations)
        if self.largest_stretch == 0.0:
            return most
        if prepared.effort is None:
            return first_effort(most)
        return next_effort(prepared.effort, self.largest_stretch, most)

    def _sweeps(self, state: State, h: float) -> SweepSettings:
        """λ is a force times h², so that with another h another part of it is kept."""
        real = state.rows.dtype.type
        ratio = h / state.time_step if state.time_step > 0.0 else 0.0
        extent = float(np.abs(state.positions).max(initial=0.0)) if self.chebyshev else 0.0
        return SweepSettings(
            real(self.warm_start * ratio**2),
            self.symmetric,
            real(self.relaxation),
            self.chebyshev,
            16.0 * float(np.finfo(real).eps) * extent,
        )

    @staticmethod
    def _memory(state: State, prepared: PreparedXPBD, threads: int) -> jacobi.JacobiArrays:
        if id(state) not in prepared.memory:
            multipliers = prepared.program.multipliers
            prepared.memory = {id(state): jacobi.new_arrays(state, multipliers, threads)}
        return prepared.memory[id(state)]
