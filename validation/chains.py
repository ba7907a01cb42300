# SPDX-License-Identifier: GPL-3.0-or-later
"""The hanging chain of the XPBD paper's section 6.2, by the core and by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
from numpy.typing import NDArray

import core
from core.constraints import REGISTRY

Array = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)  # m/s²


@dataclass(frozen=True)
class Motion:
    """What a chain did: per frame the support's force [N] (frames,) and all positions [m]."""

    forces: Array
    positions: Array


@dataclass(frozen=True)
class Chain:
    """Particles in a straight line from a fixed one, let go at rest.

    Attributes:
        particles: their number, the fixed one included.
        spacing: [m].
        mass: of each [kg].
        compliance: α of each link [m/N].
        degrees: below the horizontal.
    """

    particles: int = 20
    spacing: float = 0.1
    mass: float = 1.0
    compliance: float = 1e-8
    degrees: float = 0.0

    @property
    def start(self) -> Array:
        """Positions at the start [m], shape (particles, 3)."""
        along, angle = self.spacing * np.arange(self.particles), np.radians(self.degrees)
        zero = np.zeros(self.particles)
        return np.stack([along * np.cos(angle), zero, -along * np.sin(angle)], axis=1)

    @property
    def links(self) -> NDArray[np.int64]:
        """Pairs of particles from the support down, shape (particles - 1, 2)."""
        return np.stack([np.arange(self.particles - 1), np.arange(1, self.particles)], axis=1)

    def model(self) -> core.Model:
        """The chain in double precision, its links swept from the support down."""
        model = core.Model(np.float64)
        model.add_particles(self.start, [np.inf] + [self.mass] * (self.particles - 1))
        model.add_constraints(
            "distance", self.links, rest=self.spacing, compliance=self.compliance, order="given"
        )
        return model

    def simulated(self, solver: Any, dt: float, frames: int) -> Motion:
        """Let it fall by a solver of the core."""
        simulation = core.Simulation(self.model(), solver, gravity=GRAVITY)
        forces, positions = [], []
        for _ in range(frames):
            simulation.advance(dt)
            forces.append(simulation.forces("distance")[0])
            positions.append(simulation.positions.copy())
        return Motion(np.array(forces), np.array(positions))

    def reference(self, dt: float, frames: int) -> Motion:
        """Let it fall by implicit Euler, solved by Newton's method with the full K."""
        w = np.r_[0.0, np.full(self.particles - 1, 1.0 / self.mass)]
        distance, rest = REGISTRY["distance"], np.array([self.spacing])
        links = [naive.from_registry(distance, pair, rest, self.compliance) for pair in self.links]
        x, v, forces, positions = self.start, np.zeros((self.particles, 3)), [], []
        for _ in range(frames):
            x, v, multipliers = naive.implicit_euler_step(
                x, v, w, links, dt, gravity=GRAVITY, tolerance=1e-9
            )
            forces.append(abs(multipliers[0][0]) / dt**2)
            positions.append(x)
        return Motion(np.array(forces), np.array(positions))
