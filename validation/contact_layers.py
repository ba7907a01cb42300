# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth in layers: stacks on a floor, a strip that is folded over, pleats narrower than thick."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import core
from bench import contact_run, contact_scenes
from bench.contact_meshes import bent, moved, plane, rectangle, rotation
from bench.default_settings import DRAG

from .fabrics import fabric_options

Array = NDArray[np.float64]

RATE = 24  # frames a second
COTTON = fabric_options("cotton") | {"drag": DRAG}
SMALLER = 0.9
"""Each sheet of a stack is that much smaller than the one beneath, so that nothing hangs over."""


def stack(cells: int, layers: int, thickness: float, solver: core.XPBD) -> Array:
    """Mean height of each layer [m] of a stack that fell onto a floor of the same thickness.

    Args:
        cells: along a side of each sheet; the lowest is 0.3 m wide.
    """
    model, cloths = core.Model(), []
    model.add_collider(*plane(2.0), thickness=thickness)
    for layer in range(layers):
        size = 0.3 * SMALLER**layer
        sheet = rectangle(cells + 1, cells + 1, size, size)
        points = sheet.positions @ rotation("z", 5.0 * layer).T
        height = 2.0 * thickness * 1.5 * (layer + 1)
        cloths.append(
            model.add_cloth(moved(points, z=height), sheet.triangles, thickness=thickness, **COTTON)
        )
    simulation = core.Simulation(model, solver)
    for _ in range(2 * RATE):
        simulation.advance(1.0 / RATE)
    return np.array([simulation.positions[cloth.particles, 2].mean() for cloth in cloths])


@dataclass(frozen=True)
class Fold:
    """A strip of cotton, laid in a wide turn on a floor, whose upper part falls onto the lower.

    Attributes:
        cells: along the strip.
        length: [m]; it is a quarter as wide.
        thickness: of cloth and floor [m].
        below: how much of the strip lies on the floor at the start [m].
        gap: between both layers at the start [m].
    """

    cells: int
    length: float = 0.32
    thickness: float = 0.002
    below: float = 0.16
    gap: float = 0.03

    def points(self, solver: core.XPBD) -> Array:
        """The vertices [m] two seconds later, row by row, shape (cells / 4 + 1, cells + 1, 3)."""
        columns, rows = self.cells + 1, self.cells // 4 + 1
        sheet = rectangle(columns, rows, self.length, 0.25 * self.length)
        flat = moved(sheet.positions, x=0.5 * self.length, z=2.0 * self.thickness)
        turn = [(self.below, 0.0), (0.5 * math.pi * self.gap, 2.0 / self.gap)]
        model = core.Model()
        model.add_collider(*plane(2.0), thickness=self.thickness)
        model.add_cloth(flat, sheet.triangles, thickness=self.thickness, **COTTON)
        simulation = core.Simulation(model, solver)
        level = sheet._replace(positions=flat * (1.0, 1.0, 0.0))
        simulation.positions[:] = moved(bent(level, turn), z=2.0 * self.thickness)
        for _ in range(2 * RATE):
            simulation.advance(1.0 / RATE)
        return simulation.positions.astype(np.float64).reshape(rows, columns, 3)

    def figures(self, points: Array) -> tuple[float, float, float]:
        """How high the upper layer lies, how much of the strip it covers, how high the turn is [m].

        The upper layer is looked at from two gaps behind the turn on.
        """
        turn = points[..., 0].max(axis=1)
        upper = points[:, points.shape[1] // 2 :]
        flat = upper[..., 0] < (turn - 2.0 * self.gap)[:, None]
        covered = float((turn - points[:, -1, 0]).mean())
        return float(upper[..., 2][flat].mean()), covered, float(points[..., 2].max(axis=1).mean())


def pleats_in_peace(solver: core.XPBD, thickness: float) -> float:
    """The farthest that pleats move in a second [m], without gravity and pins.

    Layers of the pleats are nearer to each other at rest than their thicknesses add up to.
    """
    scene = contact_scenes.make("pleats", n=48, frames=RATE)
    cloth = dataclasses.replace(scene.cloths[0], thickness=thickness, pins=np.empty(0, np.int64))
    scene = dataclasses.replace(scene, cloths=(cloth,), gravity=(0.0, 0.0, 0.0))
    simulation = contact_run.build(scene, solver)
    farthest = 0.0
    for positions, _ in contact_run.steps(scene, simulation):
        ways = np.linalg.norm(positions - scene.start_positions, axis=1)
        farthest = max(farthest, float(ways.max()))
    return farthest
