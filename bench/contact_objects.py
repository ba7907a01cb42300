# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene of contact consists of; needs numpy only, so that every Blender can import it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .scenes import Indices, Positions

Motion = Callable[[float], Positions]
"""Positions [m] at a time [s] after the start."""

THICKNESS = 0.002
"""[m]: layers of cloth keep the sum of their thicknesses, 4 mm."""


def _no_pins() -> Indices:
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class Cloth:
    """A sheet and its fabric.

    Attributes:
        name: for messages.
        positions: rest shape [m], shape (n, 3).
        triangles: shape (f, 3).
        edges: those whose strain is measured, shape (e, 2): along the yarns, where there are any.
        pins: vertices that are led, shape (p,).
        motion: where the pins are, shape (p, 3); None: where they start.
        start: positions at the start [m], shape (n, 3); None: the rest shape.
        velocity: of all vertices at the start [m/s].
        thickness: half of what a layer keeps from another one of this thickness [m].
        friction: Coulomb coefficient.
        density: areal [kg/m²].
        stretch_compliance, shear_compliance: reciprocal stiffness [m/N].
        bend_compliance: reciprocal flexural rigidity [1/(N m)].
    """

    name: str
    positions: Positions
    triangles: Indices
    edges: Indices
    pins: Indices = field(default_factory=_no_pins)
    motion: Motion | None = None
    start: Positions | None = None
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    thickness: float = THICKNESS
    friction: float = 0.5
    density: float = 0.2
    stretch_compliance: float = 5e-4
    shear_compliance: float = 2e-3
    bend_compliance: float = 1e5

    @property
    def start_positions(self) -> Positions:
        """Where the vertices are at the start [m], shape (n, 3)."""
        return self.positions if self.start is None else self.start

    def pin_positions(self, time: float) -> Positions:
        """Where the pins are at a time [s], shape (p, 3)."""
        return self.start_positions[self.pins] if self.motion is None else self.motion(time)


@dataclass(frozen=True)
class Collider:
    """A mesh that cloth stays out of.

    Attributes:
        name: for messages.
        vertices: at the start [m], shape (v, 3).
        triangles: shape (t, 3), anticlockwise seen from outside.
        motion: where the vertices are, shape (v, 3); None: it stands still.
        thickness: distance that cloth keeps, added to its own [m].
        friction: Coulomb coefficient.
        two_sided: cloth stays on the side on which it is.
    """

    name: str
    vertices: Positions
    triangles: Indices
    motion: Motion | None = None
    thickness: float = THICKNESS
    friction: float = 0.5
    two_sided: bool = False

    def positions(self, time: float) -> Positions:
        """Where the vertices are at a time [s], shape (v, 3)."""
        return self.vertices if self.motion is None else self.motion(time)


@dataclass(frozen=True)
class Scene:
    """Cloths, colliders, and for how long they are watched.

    Attributes:
        name: by which ``contact_scenes.SCENES`` has it.
        cloths, colliders: what is in it.
        frames: how many are simulated.
        frames_per_second: pins and colliders move evenly from one frame to the next.
        gravity: acceleration [m/s²].
    """

    name: str
    cloths: tuple[Cloth, ...]
    colliders: tuple[Collider, ...] = ()
    frames: int = 60
    frames_per_second: float = 24.0
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    @property
    def offsets(self) -> Indices:
        """Of all cloths' vertices in a row, the first of each; at the end how many there are."""
        return np.cumsum([0, *(len(cloth.positions) for cloth in self.cloths)])

    @property
    def start_positions(self) -> Positions:
        """All cloths' vertices at the start [m], one cloth after the other, shape (n, 3)."""
        return np.concatenate([cloth.start_positions for cloth in self.cloths])

    def time(self, frame: int) -> float:
        """The time [s] of a frame; the start is frame 0."""
        return frame / self.frames_per_second

    def pin_targets(self, time: float) -> tuple[Positions, ...]:
        """Where each cloth's pins are at a time [s], shapes (p, 3)."""
        return tuple(cloth.pin_positions(time) for cloth in self.cloths)

    def collider_vertices(self, time: float) -> tuple[Positions, ...]:
        """Where each collider's vertices are at a time [s], shapes (v, 3)."""
        return tuple(collider.positions(time) for collider in self.colliders)
