# SPDX-License-Identifier: GPL-3.0-or-later
"""Cusick's drape test: a disc of cloth hangs over a smaller plate, and casts a shadow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bent_sheets import FRAME, GRAVITY, Kind, disc, fabric
from numpy.typing import NDArray

import core

RADIUS, PLATE = 0.15, 0.09  # m
DRAG, SECONDS = 3.0, 6.0  # 1/s, s: what brings it to rest
LOBES, START = 6, 0.02  # how it starts to fold, and how fast [m/s]
PIXELS = 900  # across the shadow


@dataclass(frozen=True)
class Drape:
    """A disc that has come to rest.

    Attributes:
        points, triangles: as it hangs.
        coefficient: shadow of the part that hangs over, beside its area [%].
        folds: the strongest wave of the height of its rim.
        speed: 99th percentile of the way in the last frame [m/s].
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    coefficient: float
    folds: int
    speed: float
    simulation: core.Simulation


def drape(name: str, kind: Kind, cells: int, solver: core.XPBD, dtype: Any = np.float32) -> Drape:
    """A disc of a fabric, with so many cells along its diameter, that hangs over a plate."""
    points, faces = disc(kind, cells, RADIUS)
    away, around = np.linalg.norm(points, axis=1), np.arctan2(points[:, 1], points[:, 0])
    held = away < PLATE
    model = core.Model(dtype)
    model.add_cloth(
        points, faces, pins=np.flatnonzero(held), drag=DRAG, self_collision=False, **fabric(name)
    )
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
    simulation.velocities[:, 2] = np.where(held, 0.0, START * np.cos(LOBES * around + 0.3))
    for _ in range(round(SECONDS / FRAME)):
        before = simulation.positions.copy()
        simulation.advance(FRAME)
    found = np.asarray(simulation.positions, np.float64)
    triangles = (
        faces if faces.shape[1] == 3 else np.concatenate([faces[:, :3], faces[:, [0, 2, 3]]])
    )
    rim = away > RADIUS * (1.0 - 1e-9)
    return Drape(
        found,
        triangles,
        _coefficient(found, triangles),
        _folds(around[rim], found[rim, 2]),
        float(np.percentile(np.linalg.norm(found - before, axis=1), 99)) / FRAME,
        simulation,
    )


def _coefficient(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> float:
    plate = np.pi * PLATE**2
    return 100.0 * (_shadow(points, triangles) - plate) / (np.pi * RADIUS**2 - plate)


def _shadow(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> float:
    """Area [m²] that is covered as seen from above, in pixels."""
    covered = np.zeros((PIXELS, PIXELS), np.bool_)
    scale = PIXELS / (2.1 * RADIUS)
    for a, b, c in (points[:, :2] * scale + 0.5 * PIXELS)[triangles]:
        low = np.floor(np.minimum(np.minimum(a, b), c)).astype(int)
        high = np.ceil(np.maximum(np.maximum(a, b), c)).astype(int) + 1
        x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
        sides = [
            (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
            for p, q in ((a, b), (b, c), (c, a))
        ]
        inside = np.all([s >= 0.0 for s in sides], axis=0) | np.all(
            [s <= 0.0 for s in sides], axis=0
        )
        covered[low[1] : high[1], low[0] : high[0]] |= inside
    return float(covered.sum()) / scale**2


def _folds(around: NDArray[np.float64], heights: NDArray[np.float64]) -> int:
    order = np.argsort(around)
    angles = np.linspace(-np.pi, np.pi, 256, endpoint=False)
    even = np.interp(angles, around[order], heights[order], period=2.0 * np.pi)
    return 1 + int(np.argmax(np.abs(np.fft.rfft(even))[1:40]))
