# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending as a linearly implicit force in the prediction, apart from the sweeps.

Gauss–Seidel hands a moment on from one bend to the next, no farther, so that what is swept once a
substep gets the softer the finer the mesh. The energy of bending is nearly a quadratic form with a
constant matrix, ½ Σ |C x - b₀|² / α, one number for x, y and z alike (Bergou et al. 2006, "A
quadratic bending model for inextensible surfaces"): it can be solved exactly in every substep,

    (M + h (h + β) Cᵀ α⁻¹ C) d = -h² Cᵀ α⁻¹ (C x̃ - b₀) - h β Cᵀ α⁻¹ C (x̃ - xⁿ),    x̃ ← x̃ + d,

before the sweeps over what holds lengths, which change little of it (Baraff, Witkin 1998 for the
implicit force). β is the damping time. d sums up to no momentum, as C of a translation is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ....layout.layout import Places
from ....native.by_address import by_address
from ....native.compiled import native_part
from .rod_step import bend_rods
from .rods import Rods, rods_of

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model

KINDS = ("angle",)


@by_address
class Predictor(NamedTuple):
    """All bending of a model that is not swept, for native code.

    Attributes:
        rods: that of strands.
    """

    rods: Rods


def takes(group: Group) -> bool:
    """Whether a predictor can take the place of sweeps over a group."""
    return group.constraint.kind in KINDS


def predictor_of(model: Model, slots: Places, taken: Sequence[bool]) -> Predictor:
    """The predictor for some of a model's groups.

    Args:
        slots: for each group the places of its multipliers, shape (count, components).
        taken: for each group whether the predictor takes it.
    """
    groups = enumerate(model.groups)
    angles = [k for k, group in groups if taken[k] and group.constraint.kind == "angle"]
    return Predictor(rods_of(model, angles, slots))


@native_part
def bend(arrays, predictor, settings, substep, multipliers, team):  # type: ignore[no-untyped-def]
    """Let predicted particles feel bending, as one of several threads.

    After the last substep λ is that of equation 9, by which forces and the residual are read.
    """
    bend_rods(arrays, predictor.rods, settings, substep, multipliers, team)
