# SPDX-License-Identifier: GPL-3.0-or-later
"""What XPBD needs of a model, laid out for its sweeps, and what it remembers between steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ...lasting import Lasting, fill, named, part_of
from ...layout.layout import Places
from ...layout.program import Program
from ...native.by_address import by_address
from ..common.base import Prepared
from ..common.report import BendError, Overstretch
from . import jacobi
from .bending.apart import Apart
from .bending.predictor import Predictor
from .effort import CAUGHT_CLIMB, Effort, Plateau, Saturation, effort_of, lasting_of
from .near_pins import NearParts, NearPins
from .prescribed import Led
from .quality import Gauge
from .sliding import Sliding
from .stiff_bodies import StiffBodies
from .stitches import Stitches
from .threads import Threads
from .unchanged import Description
from .welds import Seams, Welds

if TYPE_CHECKING:
    from ...bodies.soft_body import SoftBody


class SweepRule(NamedTuple):
    """How multipliers are found, for native code.

    Attributes:
        kept: fraction of each multiplier with which the next substep starts; 0 is a cold start.
        first: the same for the first substep of a step, as λ is a force times h², and the step
            before may have had another h.
        symmetric: whether Gauss–Seidel sweeps go back and forth.
        relaxation: factor of each Jacobi correction.
        accelerated: whether Jacobi iterations use Chebyshev's weights.
        rounding: corrections [m] below say nothing about convergence, of accelerated iterations.
    """

    kept: Any
    first: Any
    symmetric: bool
    relaxation: Any
    accelerated: bool
    rounding: float


@by_address
class Programs(NamedTuple):
    """What is swept in a substep.

    Attributes:
        main: all constraints but those of ``bending``.
        warm: moves particles by the multipliers that they start with.
        near: constraints near pins, once more.
        bending: what is solved before the sweeps instead.
        stitches: what of the constraints is sewn, and may tear.
        welds: what of that holds for ever.
        threads: and what else of it is a link of a chain.
    """

    main: Program
    warm: Program
    near: NearPins
    bending: Predictor
    stitches: Stitches
    welds: Welds
    threads: Threads


@dataclass
class PreparedXPBD(Prepared):
    """What a step needs beside the main sweep.

    Attributes:
        apart: what is swept, and what bends as a whole.
        programs: all that is swept in a substep.
        correction: the sweep that measures the residual.
        gauge: what measures how much too long the material is.
        soft_bodies: that waves go through.
        stiff_bodies: what of them can be too stiff.
        near_parts: the constraints near pins, and which these are.
        led: pins, and the width of what they hold.
        seams: that are welded.
        sliding: what slides freely while it is sewn; None where nothing is.
        made_of: what all this was laid out by; None where that is not told.
        effort: what was spent on the last step, and how it turned out; None before the first.
        overstretch: how it turned out for each kind of constraint of each object; None where
            nobody has asked yet.
        bend_errors: how much of the bending of sheets is wrong; None likewise.
        saturation: what has been learnt from steps that took all that is allowed.
        plateau: what has been learnt from steps that more work did not make better.
        bend_plateau: the same of bending, caught_plateau: and of what is caught on something.
        memory: of Jacobi iterations, for the state last stepped.
        recalled: what lasts of such a memory, for the state that is stepped next.
        rule: how multipliers are found in this step; None before the first.
    """

    apart: Apart
    programs: Programs
    correction: Program
    gauge: Gauge
    soft_bodies: list[SoftBody]
    stiff_bodies: StiffBodies
    near_parts: NearParts
    led: Led
    seams: Seams
    sliding: Sliding | None
    made_of: Description | None
    effort: Effort | None = None
    overstretch: list[Overstretch] | None = None
    bend_errors: list[BendError] | None = None
    saturation: Saturation = field(default_factory=Saturation)
    plateau: Plateau = field(default_factory=Plateau)
    bend_plateau: Plateau = field(default_factory=lambda: Plateau(most=math.inf))
    caught_plateau: Plateau = field(default_factory=lambda: Plateau(math.inf, CAUGHT_CLIMB))
    memory: dict[int, jacobi.JacobiArrays] = field(default_factory=dict)
    recalled: Lasting = field(default_factory=dict)
    rule: SweepRule | None = None

    @property
    def slots(self) -> Places:
        """For each group of the model the places of its multipliers, shape (count, components)."""
        return self.apart.slots

    def lasting(self) -> Lasting:
        """What the next step goes on from."""
        found = {
            "effort": lasting_of(self.effort),
            **named("saturation", self.saturation.lasting()),
            **named("plateau", self.plateau.lasting()),
            **named("bend_plateau", self.bend_plateau.lasting()),
            **named("caught_plateau", self.caught_plateau.lasting()),
            **named("bending", self.apart.lasting()),
        }
        if len(self.programs.warm.batches) > 0:
            found["multipliers"] = self.program.multipliers
        for memory in self.memory.values():
            found |= named("jacobi", memory.lasting())
        return found

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what another one has left."""
        self.effort = effort_of(lasting, "effort")
        self.saturation.go_on_from(part_of(lasting, "saturation"))
        self.plateau.go_on_from(part_of(lasting, "plateau"))
        self.bend_plateau.go_on_from(part_of(lasting, "bend_plateau"))
        self.caught_plateau.go_on_from(part_of(lasting, "caught_plateau"))
        self.apart.go_on_from(part_of(lasting, "bending"))
        if len(self.programs.warm.batches) > 0:
            fill(self.program.multipliers, lasting, "multipliers")
        self.recalled = part_of(lasting, "jacobi")
