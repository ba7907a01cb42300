# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a frame of a scene of contact, whoever simulated it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

from .contact_objects import Cloth, Scene
from .scenes import Positions, lengths

Step = tuple[Positions, float]
"""Positions of all cloths [m], shape (n, 3), and seconds of the processor that the frame took."""


@dataclass(frozen=True)
class Frame:
    """A simulated frame.

    Attributes:
        number: of the frame, from 1.
        positions: of all cloths, one after the other [m], shape (n, 3).
        seconds: of the processor, all threads together.
        strain_99, strain_largest: 99th percentile and maximum of length / rest length - 1 of the
            edges of all cloths.
        jolt: 99th percentile of how far vertices are from where they would be had they gone on
            as in the frame before, |x - 2 x′ + x″| [m]. Gravity alone: 17 mm at 24 frames a second.
        speed: the farthest way of a vertex since the frame before over the time [m/s].
        lowest: the least z [m].
    """

    number: int
    positions: Positions
    seconds: float
    strain_99: float
    strain_largest: float
    jolt: float
    speed: float
    lowest: float


@dataclass(frozen=True)
class Crossings:
    """Pairs of triangles that intersect: exact, touching included, of one cloth without a common
    vertex; see ``tests/naive/crossings.py``.

    Attributes:
        own: within each cloth, all cloths together.
        between: of two cloths.
        colliders: of cloths and colliders.
    """

    own: int
    between: int
    colliders: int


def watch(scene: Scene, steps: Iterable[Step]) -> Iterator[Frame]:
    """Measure frames as they come."""
    older = before = scene.start_positions
    older = older - np.concatenate(
        [np.tile(cloth.velocity, (len(cloth.positions), 1)) for cloth in scene.cloths]
    ) / (scene.frames_per_second)
    for number, (positions, seconds) in enumerate(steps, start=1):
        strain = np.concatenate([_strain(cloth, part) for cloth, part in parts(scene, positions)])
        way = np.linalg.norm(positions - before, axis=1)
        jolts = np.linalg.norm(positions - 2.0 * before + older, axis=1)
        yield Frame(
            number,
            positions,
            seconds,
            strain_99=float(np.percentile(strain, 99.0)),
            strain_largest=float(strain.max()),
            jolt=float(np.percentile(jolts, 99.0)),
            speed=float(way.max()) * scene.frames_per_second,
            lowest=float(positions[:, 2].min()),
        )
        older, before = before, positions


def count_crossings(scene: Scene, positions: Positions, frame: int) -> Crossings:
    """Count what intersects in a frame.

    Args:
        scene: what was simulated.
        positions: of all cloths [m], shape (n, 3).
        frame: its number, for where the colliders are; 0 is the start.
    """
    cloths = [(part, cloth.triangles) for cloth, part in parts(scene, positions)]
    obstacles = [
        (vertices, collider.triangles)
        for collider, vertices in zip(
            scene.colliders, scene.collider_vertices(scene.time(frame)), strict=True
        )
    ]
    return Crossings(
        own=sum(len(crossing_pairs(*cloth)) for cloth in cloths),
        between=sum(len(crossing_pairs(*a, others=b)) for a, b in combinations(cloths, 2)),
        colliders=sum(len(crossing_pairs(*a, others=b)) for a in cloths for b in obstacles),
    )


def parts(scene: Scene, positions: Positions) -> Iterator[tuple[Cloth, Positions]]:
    """Each cloth with its part of the positions."""
    return zip(scene.cloths, np.split(positions, scene.offsets[1:-1]), strict=True)


def _strain(cloth: Cloth, positions: Positions) -> NDArray[np.float64]:
    rest = lengths(cloth.positions, cloth.edges)
    return np.asarray(lengths(positions, cloth.edges) / rest - 1.0)
