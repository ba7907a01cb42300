# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for projective dynamics: cloth of springs, crumpled triangles, and single steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import naive
import numpy as np

import core

Array = np.ndarray
Start = tuple[Array, Array]
"""Positions [m] and velocities [m/s], shape (n, 3)."""

GRAVITY = (0.0, 0.0, -9.81)


def spring_cloth(
    n: int = 20, *, mass: float = 0.01, dtype: Any = np.float64, damping: float = 0.0
) -> core.Model:
    """A square metre of springs of k = 100 N/m, held at two corners, as in seed-errata.md."""
    positions, pairs = naive.spring_grid(n, 1.0)
    masses = np.full(n * n, mass)
    masses[[0, n - 1]] = np.inf
    model = core.Model(dtype)
    model.add_particles(positions, masses)
    model.add_constraints("distance", pairs, compliance=0.01, damping=damping)
    return model


def stepped(
    model: core.Model,
    start: Start,
    dt: float,
    gravity: Sequence[float] = GRAVITY,
    **options: Any,
) -> core.Simulation:
    """A simulation after one step from these positions and velocities."""
    simulation = core.Simulation(model, core.ProjectiveDynamics(**options), gravity)
    simulation.positions[:], simulation.velocities[:] = start
    simulation.advance(dt)
    return simulation


def in_motion(model: core.Model, frames: int, dt: float) -> Start:
    """Positions and velocities after some well solved frames."""
    solver = core.ProjectiveDynamics(iterations=300, chebyshev=True)
    simulation = core.Simulation(model, solver)
    for _ in range(frames):
        simulation.advance(dt)
    return simulation.positions.copy(), simulation.velocities.copy()


def energy_of(model: core.Model, end: Array, start: Start, dt: float) -> float:
    """E at the end of a step, by the references."""
    slots = core.XPBD().prepare(model).slots
    constraints = [c for _, c in naive.constraints_of(model.groups, slots)]
    away = end - start[0] - dt * start[1] - dt**2 * np.array(GRAVITY)
    free = np.isfinite(model.masses)
    kinetic = 0.5 / dt**2 * (model.masses[free, None] * away[free] ** 2).sum()
    return float(kinetic) + naive.elastic_energy(constraints, end)


def crumpled(n: int = 3) -> tuple[core.Model, Start]:
    """Triangles with bending, thrown about by half an edge's length and more."""
    positions, faces = naive.irregular_triangles(n, n, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(
        positions, faces, pins=[0], membrane="continuum", stretch_compliance=1e-3,
        shear_compliance=1e-2, bend_compliance=50.0, density=0.2,
        self_collision=False,
    )  # fmt: skip
    free = np.isfinite(model.masses)[:, None]
    random = np.random.default_rng(2)
    moved = positions + free * random.uniform(-0.2, 0.2, positions.shape)
    return model, (moved, free * random.uniform(-3, 3, positions.shape))
