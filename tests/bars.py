# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars of tetrahedra along z, held at both ends, and what is done to the ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.mesh.tetrahedra import TetrahedralBody, box_of_tetrahedra

Points = np.ndarray


@dataclass(frozen=True)
class Bar:
    """A bar from z = 0 to ``length`` [m], the middle of its cross-section at x = y = 0."""

    body: TetrahedralBody
    length: float

    @staticmethod
    def of(cells: tuple[int, int, int], size: tuple[float, float, float]) -> Bar:
        positions, tetrahedra = box_of_tetrahedra(cells, size)
        middle = (0.5 * size[0], 0.5 * size[1], 0.0)
        return Bar(TetrahedralBody.of(positions - middle, tetrahedra), size[2])

    @property
    def ends(self) -> np.ndarray:
        """The vertices of both ends."""
        z = self.body.positions[:, 2]
        return np.flatnonzero((z == 0.0) | (z == self.length))

    def twisted(self, degrees: float) -> Points:
        """All vertices, evenly twisted about z."""
        x, y, z = self.body.positions.T
        angle = np.deg2rad(degrees) * z / self.length
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.stack([cosine * x - sine * y, sine * x + cosine * y, z], axis=1)

    def bent(self, degrees: float) -> Points:
        """All vertices, with the axis on a circle in the xz plane."""
        x, y, z = self.body.positions.T
        angle = np.deg2rad(degrees) * z / self.length
        radius = self.length / np.deg2rad(degrees)
        return np.stack(
            [radius - (radius - x) * np.cos(angle), y, (radius - x) * np.sin(angle)], axis=1
        )


def paper_bar() -> Bar:
    """The bar of the paper on interpolated rotations: 5 × 5 × 19 cells, 2,375 tetrahedra."""
    return Bar.of((5, 5, 19), (1.0, 1.0, 3.8))
