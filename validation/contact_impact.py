# SPDX-License-Identifier: GPL-3.0-or-later
"""Two free sheets that fly into each other: what a collision does to energy and momentum."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

import core
from bench import contact_run, contact_scenes
from bench.contact_objects import Scene

Array = NDArray[np.float64]

SIDE = 16  # vertices
SIZE = 0.5  # m
PATH = 0.5
"""How far [m] the sheets would come towards each other if they did not meet, in SAMPLES frames:
they are 0.1 m apart."""

SAMPLES = 24

LIMP: dict[str, Any] = {"stretch_compliance": 1e9, "shear_compliance": 1e9, "bend_compliance": 1e12}
"""What resists next to nothing."""


@dataclass(frozen=True)
class Collision:
    """Two square sheets, turned and tilted against each other, without gravity or drag.

    Attributes:
        speed: with which they approach each other [m/s].
        friction: Coulomb coefficient.
        dtype: of the numbers simulated with.
        limp: whether they resist nothing.
        evenly: whether frames are as long as users have them, 1/24 s.
    """

    speed: float
    friction: float
    dtype: Any
    limp: bool = False
    evenly: bool = False

    @property
    def scene(self) -> Scene:
        """The sheets; frames get shorter the faster they are, if need be."""
        scene = contact_scenes.make("two_free_sheets", n=SIDE, frames=SAMPLES)
        cloths = tuple(
            dataclasses.replace(
                cloth,
                friction=self.friction,
                velocity=(0.0, 0.0, float(np.sign(cloth.velocity[2])) * 0.5 * self.speed),
                **(LIMP if self.limp else {}),
            )
            for cloth in scene.cloths
        )
        rate = SAMPLES if self.evenly else max(SAMPLES, SAMPLES * self.speed / PATH)
        return dataclasses.replace(scene, cloths=cloths, frames_per_second=rate)

    @property
    def scale(self) -> float:
        """Σ m |v| at the start [kg m/s]."""
        mass = sum(cloth.density for cloth in self.scene.cloths) * SIZE**2
        return 0.5 * mass * self.speed

    def moments(self, solver: core.XPBD) -> Iterator[Moment]:
        """The start, and each frame."""
        scene = self.scene
        simulation = contact_run.build(scene, solver, dtype=self.dtype)
        constraints = _constraints(simulation)
        yield moment(simulation, constraints)
        for _ in contact_run.steps(scene, simulation):
            yield moment(simulation, constraints)


def bending_alone(solver: core.XPBD) -> float:
    """By what part of all of it the energy of sheets in waves that touch nothing rises in a frame
    of 1/24 s at most.
    """
    scene = Collision(0.0, 0.0, np.float64).scene
    simulation = contact_run.build(scene, solver, self_collision=False, dtype=np.float64)
    x, y, _ = simulation.positions.T
    simulation.velocities[:, 2] = 0.25 * np.sin(8.0 * x) * np.cos(9.0 * y)
    constraints = _constraints(simulation)
    energies = [moment(simulation, constraints).energy]
    for _ in contact_run.steps(scene, simulation):
        energies.append(moment(simulation, constraints).energy)
    return max(0.0, float(np.diff(energies).max()) / energies[0])


def _constraints(simulation: core.Simulation) -> list[Any]:
    """The slow references of all constraints."""
    slots = core.XPBD().prepare(simulation.model).slots
    return [constraint for _, constraint in naive.constraints_of(simulation.model.groups, slots)]


@dataclass(frozen=True)
class Moment:
    """What is measured of a frame.

    Attributes:
        kinetic, elastic: energy [J].
        linear, angular: momentum [kg m/s, kg m²/s], shape (3,).
        crossing: pairs of faces that intersect, by exact predicates.
    """

    kinetic: float
    elastic: float
    linear: Array
    angular: Array
    crossing: int

    @property
    def energy(self) -> float:
        """All of it [J]."""
        return self.kinetic + self.elastic


def moment(simulation: core.Simulation, constraints: list[Any]) -> Moment:
    """Measure a frame."""
    masses = simulation.model.masses[:, None]
    positions, velocities = (
        values.astype(np.float64) for values in (simulation.positions, simulation.velocities)
    )
    faces = np.concatenate([cloth.triangles for cloth in simulation.model.cloths])
    return Moment(
        kinetic=0.5 * float((masses * velocities**2).sum()),
        elastic=naive.elastic_energy(constraints, positions),
        linear=(masses * velocities).sum(axis=0),
        angular=np.cross(positions, masses * velocities).sum(axis=0),
        crossing=len(crossing_pairs(positions, faces)),
    )
