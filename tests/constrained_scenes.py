# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for constrained dynamics: chains, clouds of constraints, nets and ropes."""

from __future__ import annotations

import naive
import numpy as np

import core
from core.constraints import REGISTRY
from core.layout.group import Group

GRAVITY = (0.0, 0.0, -9.81)


def chain(particles: int = 20, compliance: float = 0.0, degrees: float = 0.0) -> core.Model:
    """The chain of the XPBD paper's figure 3a: 1 kg each, 0.1 m apart, the first one fixed."""
    along, angle = 0.1 * np.arange(particles), np.radians(degrees)
    model = core.Model(np.float64)
    positions = np.stack([along * np.cos(angle), 0.0 * along, -along * np.sin(angle)], axis=1)
    model.add_particles(positions, [np.inf] + [1.0] * (particles - 1))
    links = np.stack([np.arange(particles - 1), np.arange(1, particles)], axis=1)
    model.add_constraints("distance", links, rest=0.1, compliance=compliance)
    return model


def error_of(simulation: core.Simulation, links: Group) -> float:
    """The largest |C| of distance constraints [m]."""
    ends = simulation.positions[links.indices]
    return float(np.abs(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) - links.rest[:, 0]).max())


def cloud(kinds: list[str], *, compliance: float, damping: float = 0.0) -> core.Model:
    """Twenty particles at random, two of them fixed, in motion, and constraints among them."""
    random, count = np.random.default_rng(7), 8 if len(kinds) == 1 else 3
    rest = random.uniform(-1.0, 1.0, (20, 3))
    masses = random.uniform(0.5, 2.0, 20)
    masses[[3, 11]] = np.inf
    model = core.Model(np.float64)
    velocities = random.uniform(-1.0, 1.0, (20, 3)) * np.isfinite(masses)[:, None]
    model.add_particles(rest + random.uniform(-0.005, 0.005, rest.shape), masses, velocities)
    for kind in kinds:
        random = np.random.default_rng([7, *kind.encode()])  # whatever other kinds there are
        constraint = REGISTRY[kind]
        corners = np.array(
            [random.choice(20, constraint.vertices, replace=False) for _ in range(count)]
        )
        times = damping * random.uniform(0.5, 1.0, count)
        model.add_constraints(
            kind,
            corners,
            rest=constraint.measure_rest(rest[corners]),
            compliance=compliance * random.uniform(0.5, 2.0, count),
            damping=times,
        )
    return model


def references(simulation: core.Simulation) -> list[naive.NaiveConstraint]:
    groups, slots = simulation.model.groups, simulation.prepared.slots
    return [reference for _, reference in naive.constraints_of(groups, slots)]


def inverse_masses(model: core.Model) -> np.ndarray:
    return np.where(np.isfinite(model.masses), 1.0 / model.masses, 0.0)


def net(cells: int, compliance: float = 0.0, dtype: type = np.float64) -> core.Model:
    """A square of cords with both diagonals in each cell, held at two corners."""
    positions, quads = naive.quad_grid(cells, cells, 1.0, 1.0)
    edges = naive.unique_edges(quads) | {pair for a, b, c, d in quads for pair in ((a, c), (b, d))}
    masses = np.full(len(positions), 0.01)
    masses[[0, cells]] = np.inf
    model = core.Model(dtype)
    model.add_particles(positions, masses)
    model.add_constraints("distance", sorted(edges), compliance=compliance)
    return model


def ropes(count: int) -> core.Model:
    model = core.Model()
    for rope in range(count):
        points = [(0.1 * i, float(rope), 0.0) for i in range(5 + rope)]
        model.add_strands(points, [(i, i + 1) for i in range(4 + rope)], pins=[0])
    return model
