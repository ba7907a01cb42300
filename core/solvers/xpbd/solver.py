# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD, Algorithm 1 of Macklin, Müller, Chentanez 2016, in small substeps.

A step of dt seconds is divided into substeps of h = dt / substeps; each is Algorithm 1 with the
Lagrange multipliers kept through its iterations. Δt in the paper's equations is a substep's span,
``Solver.span_factor`` times h. One native call covers all substeps. How many substeps and
iterations a step needs can be left to the solver, which looks at how much too long the last one
left the material.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ...contact.interface import finish_substep
from ...layout.layout import Layout
from ...layout.program import Program
from ...native.compiled import native
from ...state import State
from ..common import residual
from ..common.base import Solver, refuse_stitches
from ..common.integration import StepSettings, finish_step, is_new
from ..common.projection import specification
from ..common.report import NONE, BendError, Overstretch
from ..common.second_order import push_out
from ..common.sweep import sweep_all, sweep_back_and_forth
from . import closed_chains, jacobi, warm_start
from .bending.apart import Apart
from .bending.gauge import LARGEST
from .bending.parts import over_span
from .bending.predictor import bend
from .effort import AIM, CAUGHT, Effort, calm, first_effort, next_effort
from .near_pins import near_pins, nothing_near, sweep_near_pins
from .prepared import PreparedXPBD, Programs, SweepRule
from .prescribed import led_of, substeps_ahead
from .quality import gauge_of, measure
from .sliding import sliding_of
from .stiff_bodies import StiffBodies
from .stitches import sew, tear
from .threads import hand_over, tighten
from .unchanged import Description, described_by, is_same
from .warm_start import predict
from .waves import iterations_for, substeps_for
from .welds import closed_of, part_again, seams_of, weld

if TYPE_CHECKING:
    from ...model import Model

Method = Literal["gauss-seidel", "jacobi"]


@native
def run(arrays, contact, settings, programs, rule, team):  # type: ignore[no-untyped-def]
    """Algorithm 1, substep by substep, as one of several threads; see ``Solver.solve``.

    Threads share every batch; its blocks are independent, so the result does not depend on how
    many there are.
    """
    program, warm, near = programs.main, programs.warm, programs.near
    stitches = programs.stitches
    rate = arrays.rows.dtype.type(1.0) / settings.span
    for substep in range(settings.first, settings.substeps):
        if is_new(settings, substep):
            predict(arrays, contact, settings, substep, program, warm, rule, team)
            bend(arrays, programs.bending, settings, substep, program.multipliers, team)
            for iteration in range(settings.iterations):
                tighten(arrays, program, stitches, programs.threads, settings, iteration, team)
                weld(arrays, programs.welds, team)
                if rule.symmetric:
                    sweep_back_and_forth(arrays, program, program.outputs, rate, team)
                else:
                    sweep_all(arrays, program, program.outputs, rate, team)
                sweep_near_pins(arrays, near, program.multipliers, rate, team)
                part_again(arrays, programs.welds, team)
                hand_over(arrays, program, stitches, programs.threads, team)
                sew(arrays, stitches, settings, iteration, team)
                push_out(arrays, contact, settings, iteration, team)
            tear(arrays, program, stitches, settings, team)
        if not finish_substep(contact, arrays, settings, team):
            return substep
    finish_step(arrays, contact, settings, team)
    return settings.substeps


class XPBD(Solver[PreparedXPBD]):
    """Extended position-based dynamics.

    As it is, each substep is Algorithm 1: every constraint is swept once in each iteration. Five
    things can be switched on, each by itself, none of which changes what the solver converges to:
    ``largest_stretch`` (how many substeps and iterations), ``near_pins`` (some constraints more
    often), ``implicit_bending`` (bending as a whole), ``second_order`` (how particles move) and
    ``symmetric`` (both ways). The add-on always has the last three on, and with Automatic Quality
    all of them.

    Limitations: bending that is swept converges by substeps only, the slower the finer the mesh,
    and ``largest_stretch`` does not look at it. In single precision more than about 400 substeps in
    a frame of 1/24 s let a sheet sink by rounding.

    Args:
        substeps: parts into which a step is divided; more make the material stiffer where it has
            not converged, and are better spent than iterations.
        iterations: sweeps over all constraints in each substep.
        largest_stretch: how much longer than its stiffness allows the material may become, a
            fraction of its length, as far as work can help; see :mod:`.quality`. Each step then
            takes as many substeps and iterations as that needs, and as bending that is solved as a
            whole needs (:mod:`.bending.gauge`), at most those given. Zero: always those given.
        near_pins: sweep what stretches near pinned particles more often, up to 8 times; see
            :mod:`.near_pins`. For the Gauss–Seidel method.
        implicit_bending: solve bending as a whole before each substep's sweeps, so
            that it is as stiff at any resolution; see :mod:`.bending.predictor`. A bend of zero
            compliance is as stiff as double precision can solve. Strands resist twisting then, too.
        second_order: let motion depend little on how long substeps are; see
            :mod:`~core.solvers.common.second_order`. Else they damp it as implicit Euler does.
        method: ``"gauss-seidel"``: one conflict-free batch after the other; ``"jacobi"``: all at
            the same time, slower to converge but independent of any order.
        chebyshev: accelerate Jacobi iterations.
        warm_start: the fraction of each multiplier that is kept from substep to substep; True is 1.
            Helps with many iterations; with a single one 1 is unstable.
        symmetric: sweep what cloth and strands are made of back and forth in each iteration of the
            Gauss–Seidel method, which then can't gain energy in motion of second order; see
            :func:`~core.solvers.common.sweep.sweep_back_and_forth`. Worth nearly two iterations.
        relaxation: factor of each Jacobi correction, between 0 and 2.
        threads: how many share a step; by default as many as pay off. The result is the same.

    Raises:
        ValueError: an option is out of its range, or does not go with another.
    """

    def __init__(
        self,
        *,
        substeps: int = 10,
        iterations: int = 1,
        largest_stretch: float = 0.0,
        near_pins: bool = False,
        implicit_bending: bool = False,
        second_order: bool = False,
        method: Method = "gauss-seidel",
        chebyshev: bool = False,
        warm_start: bool | float = False,
        symmetric: bool = False,
        relaxation: float = 1.0,
        threads: int | None = None,
    ) -> None:
        super().__init__(substeps, iterations, threads, second_order)
        self.largest_stretch = largest_stretch
        self.near_pins = near_pins
        self.implicit_bending = implicit_bending
        self.method = method
        self.chebyshev = chebyshev
        self.warm_start = float(warm_start)
        self.symmetric = symmetric
        self.relaxation = relaxation
        self._check()

    def _check(self) -> None:
        if not 0.0 <= self.largest_stretch < float("inf"):
            raise ValueError("The largest stretch must not be negative.")
        if self.method not in get_args(Method):
            raise ValueError(f"'{self.method}' is no method; there are {get_args(Method)}.")
        if not 0.0 < self.relaxation < 2.0:
            raise ValueError("The relaxation must lie between 0 and 2.")
        if not 0.0 <= self.warm_start <= 1.0:
            raise ValueError("A warm start keeps a part between 0 and 1 of the multipliers.")
        if self.chebyshev and self.method != "jacobi":
            raise ValueError("Chebyshev acceleration needs the method 'jacobi'.")
        if self.near_pins and self.method == "jacobi":
            raise ValueError("The method 'jacobi' sweeps all constraints alike.")

    def prepare(self, model: Model, earlier: PreparedXPBD | None = None) -> PreparedXPBD:
        """The model's constraints laid out for this solver."""
        made_of = self._laid_out_by(model)
        same = earlier is not None and is_same(made_of, earlier.made_of)
        if earlier is not None and same and self._take_over_rests(earlier, model):
            return replace(earlier, version=model.version)
        return self._laid_out(model, made_of, earlier)

    def _laid_out(
        self, model: Model, made_of: Description | None, earlier: PreparedXPBD | None
    ) -> PreparedXPBD:
        if self.method == "jacobi":
            refuse_stitches(model.groups)
        seams = seams_of(model)
        groups = [seams.welded(over_span(group, self.span_factor)) for group in model.groups]
        extra = None
        if self.method == "jacobi":
            extra = partial(jacobi.valences, particle_count=model.particle_count)
        apart = Apart(
            model,
            model.groups,
            implicit=self.implicit_bending,
            twists=True,
            span=self.span_factor,
            extra=extra,
            seams=seams,
            earlier=earlier.apart if earlier else None,
        )
        layout = apart.layout
        warmed = [self.warm_start > 0.0 and each for each in apart.swept]
        warm = layout.program(warm_start.specification, warmed, sums="warm")
        program = self.main_program(layout, apart.swept)
        parts = near_pins(model, groups, apart.slots) if self.near_pins else nothing_near(model)
        prepared = PreparedXPBD(
            model.version,
            layout,
            program,
            apart,
            Programs(
                program,
                warm,
                parts.near,
                apart.predictor,
                apart.stitches,
                seams.welds,
                apart.threads,
            ),
            residual.program_of(layout),
            gauge_of(layout, model),
            model.soft_bodies,
            StiffBodies(layout, model.masses, self.span_factor),
            parts,
            led_of(model.groups, model.masses),
            seams,
            sliding_of(model),
            made_of,
        )
        if earlier is not None:
            prepared.go_on(earlier.lasting())
        return prepared

    def _laid_out_by(self, model: Model) -> Description | None:
        """All that :meth:`prepare` goes by; None of what is always laid out anew: what is sewn,
        soft bodies, and what Jacobi iterations have a memory of.
        """
        sewn = any(group.stitching is not None for group in model.groups)
        if sewn or model.soft_bodies or self.method == "jacobi":
            return None
        options = self.span_factor, self.implicit_bending, self.near_pins, self.warm_start > 0.0
        return [*options, *described_by(model, model.groups)]

    def main_program(self, layout: Layout, swept: Sequence[bool]) -> Program:
        """The sweep of all groups that are swept; a variant of the method may have another."""
        if self.method == "jacobi":
            return layout.program(jacobi.specification, swept, sums="add")
        return layout.program(specification, swept, sums="move", chains=closed_chains.specification)

    def renew(self, prepared: PreparedXPBD, model: Model) -> PreparedXPBD:
        """Other rest states, mostly in the same arrays."""
        kept = self._take_over_rests(prepared, model)
        return prepared if kept else self._laid_out(model, self._laid_out_by(model), prepared)

    def _take_over_rests(self, prepared: PreparedXPBD, model: Model) -> bool:
        """Go on with other rest states in the same arrays; returns whether that can be done."""
        rests = [group.rest for group in model.groups]
        prepared.near_parts.renew(rests)
        return prepared.apart.renew(rests)

    def up_to_date(self, prepared: PreparedXPBD, model: Model) -> PreparedXPBD:
        """Laid out anew where seams have closed."""
        if np.array_equal(closed_of(model.groups), prepared.seams.closed):
            return prepared
        return self.prepare(model, prepared)

    def load_groups(self, prepared: PreparedXPBD, model: Model) -> None:
        """Begin with sums, and with stitches, as groups of the model have them."""
        super().load_groups(prepared, model)
        prepared.programs.stitches.load(model.groups)

    def store_groups(self, prepared: PreparedXPBD, model: Model) -> None:
        """Let these have them as they are now."""
        prepared.programs.stitches.store(model.groups)

    def counts(self, prepared: PreparedXPBD, state: State, dt: float) -> tuple[int, int]:
        """As few substeps and iterations as are needed.

        Soft bodies and pins tell beforehand; what can be stretched is judged by the last step.
        """
        most = Effort(self.substeps, self.iterations)
        of_waves = substeps_for(prepared.soft_bodies, dt)
        prepared.needed = max(of_waves, prepared.stiff_bodies.substeps_for(dt))
        effort, ahead = most, prepared.needed
        if self.largest_stretch > 0.0:
            effort = self._needed(prepared, most)
            ahead = max(ahead, substeps_ahead(prepared.led, state, dt))
        substeps = max(effort.substeps, min(ahead, most.substeps))
        least = iterations_for(prepared.soft_bodies, dt, substeps)
        return substeps, max(effort.iterations, least)

    def _needed(self, prepared: PreparedXPBD, most: Effort) -> Effort:
        last, allowed = prepared.effort, self.largest_stretch
        if last is None:
            return first_effort(most)
        stretched = prepared.plateau.heeded(calm(last, allowed), allowed)
        stretched = prepared.saturation.heeded(stretched, allowed, most)
        bent = prepared.bend_plateau.heeded_error(last.bend_error / LARGEST, last, allowed)
        caught = prepared.caught_plateau.heeded_error(AIM * last.caught / CAUGHT, last, allowed)
        least = prepared.saturation.least_growth
        worst = max(stretched, caught, key=attrgetter("overstretch"))
        lengths = next_effort(worst, allowed, most, least)
        # Bending is solved as a whole, once a substep: iterations over lengths make it no better.
        bends = next_effort(bent, allowed, replace(most, iterations=1), least)
        return max(lengths, bends, key=attrgetter("work"))

    def take_over(self, prepared: PreparedXPBD, earlier: Sequence[PreparedXPBD]) -> None:
        """Begin with the effort of the one that would spend most on the next step."""
        spent = [each.effort for each in earlier if each.effort is not None]
        most, allowed = Effort(self.substeps, self.iterations), self.largest_stretch
        if spent and allowed > 0.0:
            prepared.effort = max(spent, key=lambda each: next_effort(each, allowed, most).work)

    def begin(self, prepared: PreparedXPBD, state: State, span: float) -> None:
        """Decide what this step keeps of λ and of bending, what slides, and what is too stiff."""
        prepared.rule = self._rule(state, span)
        prepared.apart.begin(state, span / self.span_factor)
        prepared.stiff_bodies.begin(span, span / self.span_factor)
        if prepared.sliding is not None:
            state.contact.rub(prepared.sliding.friction_while(prepared.programs.stitches))

    def solve(self, prepared: PreparedXPBD, state: State, settings: StepSettings) -> int:
        """The substeps of Algorithm 1."""
        programs, rule = prepared.programs, prepared.rule
        if self.method == "gauss-seidel":
            return self.run(run, prepared, state, settings, programs, rule)
        memory = self._memory(state, prepared)
        return self.run(jacobi.run, prepared, state, settings, programs, memory, rule)

    def end(self, prepared: PreparedXPBD, state: State) -> None:
        """Measure what is wrong, where the next step depends on it."""
        prepared.overstretch = prepared.bend_errors = None
        left, bent, caught = NONE, 0.0, 0.0
        if self.largest_stretch > 0.0:
            found = self.overstretch(prepared, state)
            left = max(found, key=attrgetter("error"), default=NONE)
            caught = max((each.caught for each in found), default=0.0)
            bent = max((e.error for e in self.bend_errors(prepared, state)), default=0.0)
        prepared.effort = Effort(*prepared.counts, left.error, left.stretch, bent, caught)
        prepared.apart.end(state)

    def overstretch(self, prepared: PreparedXPBD, state: State) -> list[Overstretch]:
        """How much too long everything is; see :mod:`.quality`."""
        if prepared.overstretch is None:
            prepared.overstretch = self._measure(prepared, state)
        return prepared.overstretch

    def bend_errors(self, prepared: PreparedXPBD, state: State) -> list[BendError]:
        """How much of the bending that is solved as a whole is wrong; see :mod:`.bending.gauge`."""
        if prepared.bend_errors is None:
            prepared.bend_errors = prepared.apart.gauge.measure(state)
        return prepared.bend_errors

    def _measure(self, prepared: PreparedXPBD, state: State) -> list[Overstretch]:
        counts = prepared.counts
        found = measure(
            prepared.gauge,
            state,
            counts[0] * state.span / self.span_factor,
            self.largest_stretch or math.inf,
            thorough=prepared.saturation.tries or counts == (self.substeps, self.iterations),
        )
        return [*found, *prepared.programs.stitches.gape(state)]

    def residual(self, prepared: PreparedXPBD, state: State) -> float:
        """The largest movement [m] that a further averaged Jacobi iteration would make."""
        return residual.largest_correction(prepared.correction, state)

    def _rule(self, state: State, span: float) -> SweepRule:
        """How multipliers are found in a step.

        Args:
            span: of a substep [s].
        """
        real = state.real
        ratio = span / state.span if state.span > 0.0 else 0.0
        extent = float(np.abs(state.positions).max(initial=0.0)) if self.chebyshev else 0.0
        return SweepRule(
            real(self.warm_start),
            real(self.warm_start * ratio**2),
            self.symmetric,
            real(self.relaxation),
            self.chebyshev,
            16.0 * float(np.finfo(real).eps) * extent,
        )

    @staticmethod
    def _memory(state: State, prepared: PreparedXPBD) -> jacobi.JacobiArrays:
        if id(state) not in prepared.memory:
            memory = jacobi.new_arrays(state, prepared.program.multipliers)
            if prepared.recalled:
                memory.go_on_from(prepared.recalled)
            prepared.memory, prepared.recalled = {id(state): memory}, {}
        return prepared.memory[id(state)]
