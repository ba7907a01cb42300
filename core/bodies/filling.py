# SPDX-License-Identifier: GPL-3.0-or-later
"""What fills the closed surface of a cloth: a gas or liquid, p = (V₀ - V) / α."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..builder import Builder
from ..constraints.volume import check, measure_rest
from ..errors import ModelError
from ..layout.group import Group
from ..mesh.surface import Indices, Positions
from .cloth_material import ClothMaterial
from .inflation import inflated, is_swelling


@dataclass(frozen=True)
class Filling:
    """A constraint on the volume inside, and how its rest state comes about.

    Attributes:
        group: the constraint, as the model has it.
        volume: of the rest shape [m³].
        inflation: V₀ over that in the end.
        time: that this takes from the start [s].
    """

    group: Group
    volume: float
    inflation: float
    time: float

    def is_swelling(self, elapsed: float) -> bool:
        """Whether V₀ will be another one than some seconds after the start."""
        return is_swelling(self.inflation, self.time, elapsed)

    def rest(self, elapsed: float) -> NDArray[np.float64]:
        """Each triangle's share of V₀ then [m³], shape (t, 1)."""
        whole = inflated(self.inflation, self.time, elapsed) * self.volume
        return np.full(self.group.rest.shape, whole / max(1, len(self.group.rest)))


def closed_triangles(name: str, positions: Positions, triangles: Indices) -> Indices:
    """The triangles around a volume; those of fewer than three vertices enclose nothing.

    Raises:
        ModelError: they don't close a surface, or turn their front inwards; names the body.
    """
    ordered = np.sort(triangles, axis=1)
    proper = triangles[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
    try:
        check(proper, positions[proper])
    except ModelError as problem:
        raise ModelError(f"'{name}' can't be filled. {problem}") from problem
    return proper


def fill(
    model: Builder, positions: Positions, closed: Indices, material: ClothMaterial, first: int
) -> Filling:
    """Fill a closed surface.

    Args:
        positions: of its rest shape [m], shape (n, 3).
        closed: its triangles, shape (t, 3), whose vertex 0 is the particle ``first``.
        material: with a volume compliance.
    """
    volume = float(measure_rest(positions[closed] - positions.mean(axis=0)).sum())
    assert material.volume_compliance is not None
    group = model.add_constraints(
        "volume",
        closed + first,
        rest=material.inflation * volume,
        compliance=material.volume_compliance,
    )
    return Filling(group, volume, material.inflation, material.inflation_time)
