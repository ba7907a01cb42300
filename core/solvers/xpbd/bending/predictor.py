# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending as a linearly implicit force in the prediction, apart from the sweeps.

Gauss–Seidel hands a moment on from one bend to the next, no farther, so that what is swept once a
substep gets the softer the finer the mesh. The energy of bending is nearly a quadratic form with a
constant matrix, ½ Σ |C x - b₀|² / α, one number for x, y and z alike (Bergou et al. 2006, "A
quadratic bending model for inextensible surfaces"): it can be solved exactly in every substep,

    (M + h (h + β) Cᵀ α⁻¹ C) d = -h² Cᵀ α⁻¹ (C x̃ - b₀) - h β Cᵀ α⁻¹ C (x̃ - p),    p = x̃ + d,

before the sweeps over what holds lengths, which change little of it (Baraff, Witkin 1998 for the
implicit force). d sums up to no momentum, as C of a translation is zero.

β is the damping time, and p on the right where the last substep's solve left the particles, not
where its sweeps did. So what these have bent is damped too, one substep later. Else it would be
unbent no faster than β allows, however short the substep: what a push at one place spoils would be
larger by 1 + β / h, and cloth would rest in teeth of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ....lasting import Lasting, array_of, fill, named, part_of
from ....layout.layout import Layout
from ....layout.program import Program
from ....native.by_address import by_address
from ....native.compiled import native_part
from ...common.sweep import sweep_all
from . import hinge_multipliers
from .parts import Part
from .rod_step import bend_rods
from .rods import Rods, bends_of, rods_of
from .rows_of_bends import find_rows
from .sheet_step import SheetArrays, bend_sheets
from .twisted_rods import TwistedRods, twisted_rods_of, twisted_rows
from .twisted_step import bend_twisted_rods
from .web_step import bend_webs
from .webs import Webs, laid_out, webs_in

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model
    from ....state import State

SHARP, FOLDED = 0.7, 2.6
"""Angles [rad] at rest above which a bend is swept, and one that resists twisting."""


@by_address
class Predictor(NamedTuple):
    """All bending of a model that is not swept, for native code.

    Attributes:
        rods: that of strands.
        twisted: that of strands which resist twisting.
        webs: that of strands where they branch, or come back to themselves.
        sheets: that of cloth.
        hinges: the sweep that notes λ of cloth.
        left: where the last step left all particles that bending is carried along with.
    """

    rods: Rods
    twisted: TwistedRods
    webs: Webs
    sheets: SheetArrays
    hinges: Program
    left: NDArray[Any]

    def lasting(self) -> Lasting:
        """What is carried along from step to step, but for the sheets'."""
        return {
            "left": self.left,
            **named("rods", self.rods.lasting()),
            **named("webs", self.webs.rods.lasting()),
            "arranged": self._arranged(),
        }

    def go_on_from(self, lasting: Lasting) -> None:
        """Carry on what the same one has carried along. Raises CheckpointError.

        With other pins rods may lie in another order: nothing is known of them then.
        """
        arranged = self._arranged()
        if not np.array_equal(array_of(lasting, "arranged", np.int64, (2,)), arranged):
            return
        fill(self.left, lasting, "left")
        self.rods.go_on_from(part_of(lasting, "rods"))
        self.webs.rods.go_on_from(part_of(lasting, "webs"))

    def _arranged(self) -> NDArray[np.int64]:
        """What tells in which order rods and webs lie."""
        found = [crc32(each.particles.tobytes()) for each in (self.rods, self.webs.rods)]
        return np.array(found, np.int64)

    def recall(self, state: State) -> None:
        """Go on with what was carried along in the last step, if it was this state's."""
        self.twisted.recall(state)
        known = np.array_equal(self.left, state.positions)
        self.rods.carried[0] = self.webs.rods.carried[0] = known
        if not known:
            self.sheets.begin_anew(state.positions)

    def keep(self, state: State) -> None:
        """Note where a step ends."""
        self.twisted.keep(state)
        if self.rods.lasts or self.webs.rods.lasts or len(self.sheets.damping) > 0:
            self.left[:] = state.positions


def parted(groups: Sequence[Group]) -> tuple[list[Part], list[bool]]:
    """Part from each group what the predictor takes.

    A bend that is sharp at rest it leaves to the sweeps: C x would rather be mended by shortening
    both edges than by turning them. Not so where strands resist twisting, and lengths are solved
    together with bends.

    Returns:
        The parts, and for each whether the predictor takes it.
    """
    found: list[tuple[Part, bool]] = []
    for number, group in enumerate(groups):
        smooth = _is_smooth(group)
        if smooth.all() or not smooth.any():
            found.append((Part(group, number), bool(smooth.any())))
        else:
            found.append((Part.where(smooth, group, number), True))
            found.append((Part.where(~smooth, group, number), False))
    return [part for part, _ in found], [taken for _, taken in found]


def _is_smooth(group: Group) -> NDArray[np.bool_]:
    """Which constraints of a group the predictor takes, shape (count,)."""
    if group.constraint.kind != "angle":
        return np.full(len(group.indices), group.constraint.kind == "bending")
    angles, twist = np.abs(group.rest[:, 0]), group.twist
    twists = np.isfinite(twist.compliance) if twist else np.zeros(len(angles), np.bool_)
    return np.asarray(angles <= np.where(twists, FOLDED, SHARP))


def predictor_of(
    model: Model, layout: Layout, taken: Sequence[bool], sheets: SheetArrays
) -> Predictor:
    """The predictor for some groups of a layout.

    Args:
        taken: for each group whether the predictor takes it.
        sheets: those of the kind ``"bending"`` among them.
    """
    kinds = [group.constraint.kind if own else "" for group, own in zip(layout.groups, taken)]
    angles = [number for number, kind in enumerate(kinds) if kind == "angle"]
    slots = [layout.slots[each] for each in angles]
    bends = bends_of(model, [layout.groups[each] for each in angles], slots)
    rows = find_rows(bends.corners, bends.numbers[:, 4], model.particle_count)
    webs, single = webs_in(model, rows)
    twists = twisted_rows(model, bends, rows, single)
    hinged = [kind == "bending" for kind in kinds]
    return Predictor(
        rods_of(model, bends, rows, single[~twists]),
        twisted_rods_of(model, layout, bends, rows, single[twists]),
        laid_out(model, bends, rows, webs),
        sheets,
        layout.program(hinge_multipliers.specification, hinged, sums="correct"),
        np.full((model.particle_count, 3), np.nan, model.dtype),
    )


@native_part
def bend(arrays, predictor, settings, substep, multipliers, team):  # type: ignore[no-untyped-def]
    """Let predicted particles feel bending, as one of several threads.

    After the last substep λ is that of equation 9, by which forces and the residual are read.
    """
    bend_rods(arrays, predictor.rods, settings, substep, multipliers, team)
    bend_twisted_rods(arrays, predictor.twisted, settings, substep, multipliers, team)
    bend_webs(arrays, predictor.webs, settings, substep, multipliers, team)
    bend_sheets(arrays, predictor.sheets, settings, team)
    if substep == settings.substeps - 1:
        rate = arrays.rows.dtype.type(1.0) / settings.span
        sweep_all(arrays, predictor.hinges, predictor.hinges.outputs, rate, team)
