# SPDX-License-Identifier: GPL-3.0-or-later
"""A unit mass on a damped spring: the core's motion, implicit Euler's and the exact one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core

Path = NDArray[Any]


@dataclass(frozen=True)
class Spring:
    """A mass that is let go at `start`, with the potential (x - rest)² / 2α.

    Attributes:
        compliance: α [m/N].
        mass: [kg].
        rest, start: [m].
        damping: Rayleigh's coefficient αβ [s].
    """

    compliance: float = 0.001
    mass: float = 1.0
    rest: float = 1.0
    start: float = 1.5
    damping: float = 0.0

    @property
    def omega(self) -> float:
        """Angular frequency without damping [rad/s]."""
        return math.sqrt(1.0 / (self.compliance * self.mass))

    @property
    def period(self) -> float:
        """Period without damping [s]."""
        return 2.0 * math.pi / self.omega

    @property
    def amplitude(self) -> float:
        """How far from rest it is let go [m]."""
        return self.start - self.rest

    @property
    def damping_ratio(self) -> float:
        """ζ: 1 is critical."""
        return 0.5 * self.omega * self.damping

    def simulated(self, solver: Any, dt: float, steps: int) -> Path:
        """Positions [m] after each of so many frames of length dt [s] by a solver of the core."""
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (self.start, 0, 0)], [np.inf, self.mass])
        model.add_constraints(
            "distance",
            [(0, 1)],
            rest=self.rest,
            compliance=self.compliance,
            damping=self.damping,
        )
        simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
        path = np.empty(steps)
        for step in range(steps):
            simulation.advance(dt)
            path[step] = simulation.positions[1, 0]
        return path

    def implicit_euler(self, dt: float, steps: int) -> Path:
        """The same with every force taken at the end of the step: linear, so solved exactly."""
        stiff = dt**2 / (self.compliance * self.mass)
        viscous = stiff * self.damping / dt
        x, v, path = self.start, 0.0, np.empty(steps)
        for step in range(steps):
            new = (x + dt * v + stiff * self.rest + viscous * x) / (1.0 + stiff + viscous)
            x, v = new, (new - x) / dt
            path[step] = x
        return path

    def position_based(self, k: float, iterations: int, dt: float, steps: int) -> Path:
        """PBD in closed form: u' = (1 - k)ⁿ (u + Δt v) for the displacement u from rest."""
        u, v, path = self.start - self.rest, 0.0, np.empty(steps)
        for step in range(steps):
            new = (1.0 - k) ** iterations * (u + dt * v)
            u, v = new, (new - u) / dt
            path[step] = self.rest + u
        return path

    def exact(self, times: NDArray[Any]) -> Path:
        """The solution of m ẍ = -(x - rest + damping ẋ) / α, for any damping ratio."""
        zeta, omega = self.damping_ratio, self.omega
        decay = zeta * omega
        swing = omega * np.sqrt(complex(1.0 - zeta**2))
        angle = swing * times
        # sin(angle) / swing has the limit t at critical damping.
        sine = times if swing == 0.0 else np.sin(angle) / swing
        shape = np.cos(angle) + decay * sine
        return np.asarray(self.rest + self.amplitude * np.real(np.exp(-decay * times) * shape))
