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

from ....layout.program import Program
from ....native.by_address import by_address
from ....native.compiled import native_part
from ...common.sweep import sweep_all
from .rod_step import bend_rods
from .rods import Rods
from .sheet_step import SheetArrays, bend_sheets

if TYPE_CHECKING:
    from ....layout.group import Group

KINDS = ("angle", "bending")


@by_address
class Predictor(NamedTuple):
    """All bending of a model that is not swept, for native code.

    Attributes:
        rods: that of strands,
        sheets: and that of cloth.
        hinges: the sweep that notes λ of cloth.
    """

    rods: Rods
    sheets: SheetArrays
    hinges: Program


def takes(group: Group) -> bool:
    """Whether a predictor can take the place of sweeps over a group."""
    return group.constraint.kind in KINDS


def of_kind(kind: str, groups: Sequence[Group], taken: Sequence[bool]) -> list[int]:
    """Numbers of the groups of a kind that the predictor takes."""
    return [k for k, group in enumerate(groups) if taken[k] and group.constraint.kind == kind]


@native_part
def bend(arrays, predictor, settings, substep, multipliers, team):  # type: ignore[no-untyped-def]
    """Let predicted particles feel bending, as one of several threads.

    After the last substep λ is that of equation 9, by which forces and the residual are read.
    """
    bend_rods(arrays, predictor.rods, settings, substep, multipliers, team)
    bend_sheets(arrays, predictor.sheets, settings.h, substep, team)
    if substep == settings.substeps - 1:
        rate = arrays.rows.dtype.type(1.0) / settings.h
        sweep_all(arrays, predictor.hinges, predictor.hinges.outputs, rate, False, team)
