# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of jellies whose fine surfaces are carried by coarse cages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import naive
import numpy as np
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

import core
from bench.contact_meshes import plane, rotation
from bench.default_settings import FRAME
from bench.jellies import Jelly
from core.bodies.skin import Skin

from .contact_settings import AUTOMATIC, solver

Array = NDArray[np.float64]

THICKNESS, FLOOR = 0.004, 0.01  # m
GRAVITY = 9.81  # m/s²
SPEED = 5.0  # m/s

ON_FLOOR = (0.0, 0.0, THICKNESS + FLOOR + 0.0005)

Scene = Callable[[core.Model], Callable[[int], None] | None]
"""Fills a model; returns what moves colliders and pins before each frame, by its number."""


def resting(model: core.Model) -> None:
    """A jelly that is let go half a millimetre above the floor."""
    Jelly(fine=(12, 12, 12), at=ON_FLOOR).add(model, thickness=THICKNESS)
    model.add_collider(*plane(4.0), thickness=FLOOR)


def fine_on_coarse(model: core.Model) -> None:
    """The same with 24² vertices on each side of a single cell."""
    jelly = Jelly(cells=(1, 1, 1), fine=(24, 24, 24), at=ON_FLOOR)
    jelly.add(model, thickness=0.5 * THICKNESS)
    model.add_collider(*plane(4.0), thickness=FLOOR)


def stacked(model: core.Model) -> None:
    """A firmer jelly on another one, turned and beside its middle."""
    lower = Jelly(fine=(12, 12, 12), at=ON_FLOOR, young_modulus=1e5)
    lower.add(model, thickness=THICKNESS)
    upper = Jelly(
        fine=(13, 13, 13), cells=(4, 4, 4), at=(0.01, 0.02, 0.2235), turn=rotation("z", 20.0),
        young_modulus=1e5,
    )  # fmt: skip
    upper.add(model, thickness=THICKNESS, name="upper")
    model.add_collider(*plane(4.0), thickness=FLOOR)


def driven(model: core.Model) -> None:
    """Two that fly into each other at 5 m/s each, turned and past each other's middle."""
    one = Jelly(fine=(12, 12, 12), velocity=(SPEED, 0.0, 0.0), turn=rotation("y", 20.0))
    one.add(model, thickness=THICKNESS)
    other = Jelly(
        fine=(14, 14, 14), cells=(4, 4, 4), at=(0.3, 0.03, 0.05), velocity=(-SPEED, 0.0, 0.0)
    )
    other.add(model, thickness=THICKNESS, name="other")


def under_cloth(model: core.Model) -> None:
    """A sheet that falls on a jelly."""
    resting(model)
    points, faces = naive.quad_grid(32, 32, 0.5, 0.5)
    points = points - points.mean(axis=0) + (0.1, 0.1, 0.25)
    model.add_cloth(points, faces, thickness=0.003, drag=0.5)


def on_cloth(model: core.Model) -> None:
    """A jelly that falls on a sheet held at its sides."""
    points, faces = naive.quad_grid(32, 32, 0.6, 0.6)
    points = points - points.mean(axis=0)
    held = np.flatnonzero(np.abs(points[:, :2]).max(axis=1) > 0.299)
    model.add_cloth(points, faces, thickness=0.003, pins=held, density=1.0)
    jelly = Jelly(fine=(12, 12, 12), at=(-0.1, -0.1, 0.03), density=50.0, young_modulus=5e3)
    jelly.add(model, thickness=THICKNESS)


def through_ring(model: core.Model) -> Callable[[int], None]:
    """A jelly pushed by a plate through a ring that is narrower than it."""
    jelly = Jelly(cells=(4, 4, 4), fine=(16, 16, 16), at=(-0.1, -0.1, 0.04), young_modulus=1e4)
    jelly.add(model, thickness=THICKNESS, friction=0.1)
    model.add_collider(*_ring(0.115, 0.03), thickness=0.004, friction=0.1, name="ring")
    vertices, triangles = plane(0.05, 0.26)
    plate = model.add_collider(
        vertices, triangles, thickness=0.004, friction=0.1, two_sided=True, name="plate"
    )

    def lower(frame: int) -> None:
        plate.set_target(vertices - np.array((0.0, 0.0, 0.008 * min(frame, 32))))

    return lower


def tower(model: core.Model, parts: int) -> list[Skin]:
    """A firm jelly twice as high as wide, in one or in two parts; the highest comes last."""
    model.add_collider(*plane(4.0), thickness=FLOOR, friction=1.0)
    skins, height = [], 0.4 / parts
    for part in range(parts):
        jelly = Jelly(
            size=(0.2, 0.2, height), cells=(3, 3, 6 // parts), fine=(8, 8, 16 // parts),
            at=(0.0, 0.0, ON_FLOOR[2] + part * (height + 2.0 * THICKNESS)), young_modulus=1e5,
            damping=0.03,
        )  # fmt: skip
        skins.append(jelly.add(model, thickness=THICKNESS, friction=1.0, name=f"part {part}"))
    return skins


def pressed_down(parts: int, count: int = 60) -> float:
    """By how much [m] gravity presses such a tower down, mean of its last half second."""
    skins: list[Skin] = []
    heights: list[float] = []

    def scene(model: core.Model) -> None:
        skins.extend(tower(model, parts))

    top = np.empty(0, np.int64)
    for frame, simulation in enumerate(frames(scene, count)):
        here = simulation.positions[:, 2].astype(np.float64)
        if frame == 0:
            own = here[skins[-1].particles]
            top = skins[-1].particles[own > own.max() - 0.01]
        heights.append(float(here[top].mean()))
    unpressed = ON_FLOOR[2] + 0.4 + (parts - 1) * 2.0 * THICKNESS
    return unpressed - float(np.mean(heights[-12:]))


def _ring(radius: float, tube: float, around: int = 48, across: int = 16) -> tuple[Array, Any]:
    """A torus about the z axis."""
    u, v = np.meshgrid(
        2.0 * np.pi * np.arange(around) / around, 2.0 * np.pi * np.arange(across) / across,
        indexing="ij",
    )  # fmt: skip
    out = radius + tube * np.cos(v)
    points = np.stack([out * np.cos(u), out * np.sin(u), tube * np.sin(v)], axis=-1)
    numbers = np.arange(around * across).reshape(around, across)
    a, d = numbers, np.roll(numbers, -1, axis=1)
    b, c = np.roll(a, -1, axis=0), np.roll(d, -1, axis=0)
    triangles = np.concatenate(
        [np.stack(each, -1).reshape(-1, 3) for each in ((a, b, c), (a, c, d))]
    )
    return points.reshape(-1, 3), triangles


def frames(
    scene: Scene, count: int, gravity: Any = (0.0, 0.0, -GRAVITY)
) -> Iterator[core.Simulation]:
    """Simulate a scene at the settings that users get; each frame."""
    model = core.Model()
    before = scene(model)
    simulation = core.Simulation(model, solver(AUTOMATIC), gravity=gravity)
    for frame in range(count):
        if before is not None:
            before(frame + 1)
        simulation.advance(FRAME)
        yield simulation


def crossing(simulation: core.Simulation) -> int:
    """Pairs of faces that go through each other, those of colliders among them."""
    model = simulation.model
    points = simulation.positions.astype(np.float64)
    faces = np.concatenate([body.triangles for body in model.bodies])
    among = len(crossing_pairs(points, faces))
    found = [
        len(crossing_pairs(points, faces, (each.vertices, each.triangles))) - among
        for each in model.colliders
    ]
    return among + sum(found)


def friction_found(mu: float) -> float:
    """The coefficient by which a jelly is slowed that slides down a plane."""
    angle = float(np.arctan(mu)) + 0.2
    skins: list[Skin] = []

    def slope(model: core.Model) -> None:
        jelly = Jelly(
            size=(0.2, 0.2, 0.1), cells=(4, 4, 2), fine=(12, 12, 6), at=ON_FLOOR, young_modulus=2e5
        )
        skins.append(jelly.add(model, thickness=THICKNESS, friction=mu))
        model.add_collider(*plane(20.0), thickness=FLOOR, friction=mu)

    gravity = (GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle))
    ways = []
    for simulation in frames(slope, 36, gravity=gravity):
        masses = simulation.model.masses[skins[0].cage]
        ways.append(masses @ simulation.positions[skins[0].cage][:, 0] / masses.sum())
    acceleration = 2.0 * np.polyfit(FRAME * np.arange(24), ways[12:], 2)[0]
    return float((np.sin(angle) - acceleration / GRAVITY) / np.cos(angle))
