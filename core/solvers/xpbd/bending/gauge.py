# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the bending that was solved before the sweeps these have changed.

λ of a hinge is the moment of the angle that the prediction had (see :mod:`.predictor`); what the
sweeps over lengths and contacts make of it leaves C + α̃ λ (equation 9), an angle [rad]. A table's
edge, say, pushes at one place, which the prediction knows nothing of: the bend there gets wider
than it should by the way that bending spreads in a substep. As λ is in balance with the load, by
virtual work what hangs sinks too far by no more of its way than

    η = Σ |λ (C + α̃ λ)|  /  Σ α̃ λ² .

It falls with the substep. Most angles are wrong to and fro: cloth that hangs over an edge droops
too much by about η / 16 of the length that hangs, and that is the error which is told.

Hinges that are narrower than is usual in an object, as those of a seam, count by how much of that
width they hold: energy is in the narrowest, the more so as contacts push at them, and what they
turn too much can't be seen. One of which all corners touch something is bent as that is; near where
surfaces go through each other they are pulled at until these are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....constraints import Constraint
from ....constraints.bending import wrap
from ....layout.layout import Layout
from ....layout.program import Program
from ....linear.sums import sum_of_products
from ....vector.arithmetic import Scalar, Vector
from ....vector.specification import KernelSpecification
from ...common.projection import kernel_of
from ...common.report import BendError
from ...common.sweep import sweep
from ..quality import PULLED, around

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model
    from ....state import State

DROOP = 0.06
"""Times η: of what hangs over an edge, how much too far its end is down. Measured for silk, cotton,
denim and leather in cells of 3 to 6 mm: 0.03 to 0.08. On a ball it is less, 0.01 to 0.08."""

LARGEST = 0.02
"""The same that Automatic Quality allows; steps aim at less."""

FLAT = 0.15
"""Turn [rad] from end to end below which a sheet counts as if it were bent so much: its middle then
is 2 % of its length off the straight way."""

NARROW = 0.5
"""Of the mean width of an object's hinges, by area. Those of cut squares are wider."""


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that puts out C + α̃ λ of a hinge, and -α̃ λ."""

    def update(
        x: Sequence[Vector],
        _inverse_mass: Sequence[Scalar],
        _previous: Sequence[Vector],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[Scalar], list[Scalar]]:
        (value,), _ = constraint.evaluate(x, parameters[: constraint.rest_size])
        alpha = parameters[constraint.rest_size]
        predicted = -1.0 * alpha * inverse_time_step * inverse_time_step * multipliers[0]
        return [wrap(value - predicted), predicted], list(multipliers)

    return kernel_of(constraint, damped, "bend_error", update, "values", 2)


@dataclass(frozen=True)
class Hinges:
    """Those of an object.

    Attributes:
        corners: particles of each, shape (count, 4).
        places: where their C + α̃ λ and -α̃ λ are put, shape (2, count).
        narrowness: 1, or less where they are narrow in their object, shape (count,).
        stiffness: 1 / α [N m], shape (count,); of rigid ones as much as of the stiffest other.
        least: the sum of θ² / α where the object is as good as flat.
    """

    corners: NDArray[np.int64]
    places: NDArray[np.int64]
    narrowness: NDArray[np.float64]
    stiffness: NDArray[np.float64]
    least: float

    @staticmethod
    def narrowness_of(
        widths: NDArray[np.float64], edges: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Widths [m] over that below which hinges of one object are narrow, at most 1.

        Args:
            widths, edges: of each, shape (count,).
        """
        areas = widths * edges
        usual = float(areas @ widths) / (float(areas.sum()) or 1.0)
        return np.minimum(widths / (NARROW * usual or 1.0), 1.0)

    def error(
        self,
        values: NDArray[np.floating],
        touched: NDArray[np.bool_],
        tangled: NDArray[np.bool_],
    ) -> float:
        """DROOP η, of what the kernels have put out.

        Args:
            touched: particles that touch something, shape (n,),
            tangled: and those near where surfaces go through each other.
        """
        left, bent = (values[place].astype(np.float64) for place in self.places)
        left[touched[self.corners].all(axis=1) | tangled[self.corners].any(axis=1)] = 0.0
        whole = sum_of_products(self.stiffness, bent**2) + self.least
        seen = sum_of_products(self.stiffness, self.narrowness * np.abs(left * bent))
        return DROOP * seen / whole if whole > 0.0 else 0.0


class BendGauge(NamedTuple):
    """What measures how much of the bending of a model is wrong.

    Attributes:
        program: the sweep that measures every hinge that the predictor takes.
        sheets: of the objects that have any.
    """

    program: Program
    sheets: list[Hinges]

    def measure(self, state: State) -> list[BendError]:
        """How much it is of each object after a step."""
        if state.span == 0.0 or not self.sheets:
            return []
        rate = state.rows.dtype.type(1.0 / state.span)
        outputs = self.program.outputs
        sweep(self.program, state.rows, state.previous, outputs, rate)
        touched = state.contact.touched()
        tangled = around(state.contact.tangled, self.sheets, PULLED)
        return [
            BendError(int(each.corners[0, 0]), each.error(outputs, touched, tangled))
            for each in self.sheets
        ]


def bend_gauge_of(layout: Layout, model: Model, taken: Sequence[bool]) -> BendGauge:
    """The gauge for hinges of a model laid out like this.

    Args:
        taken: for each group whether the predictor takes it.
    """
    measured = [
        own and group.constraint.kind == "bending" and len(group.indices) > 0
        for group, own in zip(layout.groups, taken, strict=True)
    ]
    program = layout.program(specification, only=measured)
    places = layout.places([2 if each else 0 for each in measured])
    return BendGauge(
        program,
        [
            _hinges_of(group, where, model)
            for group, where, each in zip(layout.groups, places, measured, strict=True)
            if each
        ],
    )


def _hinges_of(group: Group, places: NDArray[np.int64], model: Model) -> Hinges:
    alpha = group.compliance[:, 0]
    soft = np.isfinite(alpha) & (alpha > 0.0)
    stiffness = np.where(soft, 1.0 / np.where(soft, alpha, 1.0), 0.0)
    stiffness[alpha == 0.0] = stiffness.max(initial=0.0) or 1.0
    own = model.rest_positions[model.together_with(int(group.indices[0, 0]))]
    length = float(np.ptp(own, axis=0).max())
    widths, edges = _sizes(model.rest_positions[group.indices])
    angles = widths * (FLAT / length if length > 0.0 else 0.0)
    return Hinges(
        group.indices,
        np.ascontiguousarray(places.T),
        Hinges.narrowness_of(widths, edges),
        stiffness,
        float(stiffness @ angles**2),
    )


def _sizes(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lengths [m] by which the angles of hinges, shape (count, 4, 3), are curvatures, and those of
    their edges.
    """
    edge = points[:, 1] - points[:, 0]
    squared = np.einsum("ij,ij->i", edge, edge)
    doubled = sum(
        np.linalg.norm(np.cross(edge, points[:, corner] - points[:, 0]), axis=1)
        for corner in (2, 3)
    )
    lengths = np.sqrt(squared)
    return np.asarray(doubled / (3.0 * np.where(lengths > 0.0, lengths, np.inf))), lengths
