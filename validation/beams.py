# SPDX-License-Identifier: GPL-3.0-or-later
"""The cantilever of the XPBD paper's section 6.3: triangles of St Venant–Kirchhoff material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
from numpy.typing import NDArray

import core
from core.constraints import strain

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Beam:
    """A plate in the plane y = 0, clamped at x = 0, under gravity along -z.

    Attributes:
        length, height: [m].
        cells: along and across; each is two triangles, the diagonals in turn.
        young_modulus: E [N/m] of the plate.
        poisson_ratio: ν.
        density: [kg/m²].
        shear_entry: the third diagonal entry of equation 28 over μ: 4 goes with the tensor shear
            strain ε_xy, 2 is printed in the paper.
    """

    length: float = 4.0
    height: float = 1.0
    cells: tuple[int, int] = (16, 4)
    young_modulus: float = 1e3
    poisson_ratio: float = 0.3
    density: float = 1.0
    shear_entry: float = 4.0

    @property
    def lame(self) -> tuple[float, float]:
        """Lamé's λ and μ [N/m]."""
        E, nu = self.young_modulus, self.poisson_ratio
        return E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))

    @property
    def stiffness(self) -> Array:
        """K of equation 28 [N/m]."""
        lame, mu = self.lame
        K = lame * np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
        return K + mu * np.diag([2.0, 2.0, self.shear_entry])

    @property
    def positions(self) -> Array:
        """Vertices at rest [m], shape (n, 3), column after column from the clamp."""
        along, across = (
            np.linspace(0.0, size, count + 1)
            for size, count in zip((self.length, self.height), self.cells)
        )
        x, z = np.meshgrid(along, across, indexing="ij")
        return np.column_stack([x.ravel(), np.zeros(x.size), z.ravel()])

    @property
    def triangles(self) -> NDArray[np.int64]:
        """Shape (m, 3)."""
        cut = []
        for i, j in np.ndindex(*self.cells):
            a = i * (self.cells[1] + 1) + j
            b, c, d = a + self.cells[1] + 1, a + self.cells[1] + 2, a + 1
            cut += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
        return np.array(cut)

    @property
    def tip(self) -> int:
        """The vertex in the middle of the free end."""
        return self.cells[0] * (self.cells[1] + 1) + self.cells[1] // 2

    def model(self) -> core.Model:
        """The beam in double precision, as one group of strain constraints."""
        corners = self.positions[self.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = 0.5 * np.linalg.norm(normals, axis=1)
        masses = np.zeros(len(self.positions))
        np.add.at(masses, self.triangles, self.density * areas[:, None] / 3.0)
        masses[: self.cells[1] + 1] = np.inf
        model = core.Model(np.float64)
        model.add_particles(self.positions, masses)
        along = np.tile([1.0, 0.0, 0.0], (len(areas), 1))
        model.add_constraints(
            "strain",
            self.triangles,
            rest=strain.measure_rest_along(corners, along),
            compliance=np.linalg.inv(self.stiffness) / areas[:, None, None],
        )
        return model


def references_of(model: core.Model) -> list[Any]:
    """A model's constraints for tests/naive, group after group in the order added."""
    return [
        naive.from_registry(
            group.constraint,
            group.indices[i],
            group.rest[i],
            naive.block_of(group.compliance[i]),
            group.damping[i],
        )
        for group in model.groups
        for i in range(len(group.indices))
    ]
