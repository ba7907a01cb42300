# SPDX-License-Identifier: GPL-3.0-or-later
"""A patch of cloth on a slope, which is a collider or a cloth that is pinned everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import naive
import numpy as np
from numpy.typing import NDArray

import core
from bench.contact_meshes import rotation

GRAVITY = 9.81  # m/s²
RATE = 24  # frames a second
SECONDS = 1.0
THICKNESS = 0.002  # m, of all
SIDE, CELLS = 0.2, 8  # m, of the patch

LENGTH, WIDTH, ABOVE = 3.0, 0.6, 0.3  # m, of the slope; how far above the patch it begins

Ground = Literal["collider", "cloth"]


@dataclass(frozen=True)
class Slope:
    """A patch that starts at rest on a slope.

    Attributes:
        ground: what the slope is.
        frictions: Coulomb coefficients of patch and slope; their geometric mean counts.
        tilt: of the slope, as a multiple of the friction angle.
    """

    ground: Ground
    frictions: tuple[float, float]
    tilt: float

    @property
    def friction(self) -> float:
        """The coefficient of both together."""
        return math.sqrt(self.frictions[0] * self.frictions[1])

    @property
    def angle(self) -> float:
        """Of the slope [rad]."""
        return self.tilt * math.atan(self.friction)

    @property
    def acceleration(self) -> float:
        """With which the patch has to slide [m/s²]."""
        pull = math.sin(self.angle) - self.friction * math.cos(self.angle)
        return GRAVITY * max(0.0, pull)

    def slide(self, solver: core.XPBD) -> Slide:
        """Let the patch go for SECONDS."""
        turn = rotation("y", math.degrees(self.angle))  # x points down the slope
        model = core.Model()
        corner = np.array([ABOVE, 0.5 * WIDTH, 0.0])
        own, other = self.frictions
        if self.ground == "collider":
            points, faces = naive.irregular_triangles(30, 6, LENGTH, WIDTH)
            points[:, 2] = 0.0
            model.add_collider(
                (points - corner) @ turn.T, faces, thickness=THICKNESS, friction=other
            )
        else:
            points, faces = naive.quad_grid(30, 6, LENGTH, WIDTH)
            options: dict[str, Any] = {
                "pins": range(len(points)),
                "thickness": THICKNESS,
                "friction": other,
            }
            model.add_cloth((points - corner) @ turn.T, faces, **options)
        points, faces = naive.quad_grid(CELLS, CELLS, SIDE, SIDE)
        # Set off, so that its vertices don't lie on edges.
        points += np.array([-0.5 * SIDE, -0.48 * SIDE, 2.0 * THICKNESS])
        patch = model.add_cloth(points @ turn.T, faces, thickness=THICKNESS, friction=own)
        simulation = core.Simulation(model, solver, (0.0, 0.0, -GRAVITY))
        path = []
        for _ in range(round(SECONDS * RATE)):
            simulation.advance(1.0 / RATE)
            ways = simulation.positions[patch.particles].astype(np.float64) @ turn - points
            path.append(float(ways[:, 0].mean()))
        return Slide(self, np.array([0.0, *path]))


@dataclass(frozen=True)
class Slide:
    """How far the patch has come [m] after each frame, the start included."""

    slope: Slope
    path: NDArray[np.float64]

    @property
    def way(self) -> float:
        """In the end [m]."""
        return float(self.path[-1])

    @property
    def acceleration(self) -> float:
        """Of the parabola that fits best, without the first quarter, in which it settles [m/s²]."""
        begin = len(self.path) // 4
        times = np.arange(begin, len(self.path)) / RATE
        return 2.0 * float(np.polyfit(times, self.path[begin:], 2)[0])

    @property
    def angle_error(self) -> float:
        """Of the friction angle, as the acceleration tells it, relative."""
        angle = self.slope.angle
        friction = math.tan(angle) - self.acceleration / (GRAVITY * math.cos(angle))
        return math.atan(friction) / math.atan(self.slope.friction) - 1.0
