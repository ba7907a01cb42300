# SPDX-License-Identifier: GPL-3.0-or-later
"""Two boxes that close on a sheet, for the tests of contact."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
from numpy.typing import NDArray

import core

FRAME = 1 / 24


class Press:
    """A sheet of 1 m, of so many layers, between a box and one that comes down on it.

    Both are one collider if they are to be ``joined``.
    """

    def __init__(self, layers: int, substeps: int, thickness: float, joined: bool = False) -> None:
        model = core.Model()
        points, faces = naive.quad_grid(25, 25, 1.0, 1.0)
        self.sheet = model.add_cloth(points, faces, thickness=0.002)
        half = 0.5 / layers
        upper, self.triangles = scenes.box((-0.8 * half, -0.3, 0.0), (0.8 * half, 0.3, 0.2))
        self.lower, triangles = upper - (0.0, 0.0, 0.2), self.triangles
        self.moved, self.rest = np.ones((8, 1)), upper
        if joined:
            self.moved, self.rest = np.repeat([[1.0], [0.0]], 8, axis=0), np.r_[upper, self.lower]
            triangles = np.concatenate([triangles, triangles + 8])
        else:
            model.add_collider(self.lower, triangles, thickness=thickness)
        self.collider = model.add_collider(self.at(0.1), triangles, thickness=thickness)
        self.simulation = core.Simulation(model, core.XPBD(substeps=substeps))
        self.simulation.positions[:] = folded(np.asarray(points), 2.0 * half, 0.02)

    def at(self, gap: float) -> NDArray[np.float64]:
        """The vertices of what comes down, so far [m] above the lower box."""
        return np.asarray(self.rest + gap * self.moved * (0.0, 0.0, 1.0))

    def boxes(self) -> list[scenes.Mesh]:
        """Both as they stand."""
        return [(self.lower, self.triangles), (self.collider.vertices[:8], self.triangles)]

    def close(self, gap: float, frames: int) -> NDArray[np.float64]:
        """The 99th percentile of strain after each frame, while the boxes close to this gap."""
        begin, end = self.collider.vertices, self.at(gap)
        found = []
        for part in np.linspace(0.0, 1.0, frames + 1)[1:]:
            self.collider.set_target(begin + part * (end - begin))
            self.simulation.advance(FRAME)
            found.append(np.percentile(self.strain(), 99))
        return np.array(found)

    def strain(self) -> Any:
        ways = np.subtract(*self.simulation.positions[self.sheet.edges.T])
        return np.linalg.norm(ways, axis=1) / self.sheet.rest_lengths - 1.0


def folded(points: NDArray[np.float64], width: float, height: float) -> NDArray[np.float64]:
    """A sheet in zigzag layers of a width, one above the other [m]."""
    layer, along = np.divmod(points[:, 0], width)
    x = np.where(layer % 2 == 0, along, width - along) - 0.5 * width
    z = height * (points[:, 0] / width) + 0.004
    return np.stack([x, points[:, 1] - 0.5, z], axis=1)
