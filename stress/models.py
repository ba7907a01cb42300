# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of `core` with bodies and colliders of random shape and material."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core

Points = NDArray[np.float64]
Faces = list[tuple[int, ...]]

CUBE = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
SIDES: Faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]


def made(draw: random.Random) -> core.Model:
    """One to three bodies, with or without a collider. Raises core.ModelError."""
    model = core.Model()
    for _ in range(draw.randint(1, 3)):
        chance = draw.random()
        (_add_cloth if chance < 0.6 else _add_strands if chance < 0.85 else _add_solid)(draw, model)
    if draw.random() < 0.5:
        _add_collider(draw, model)
    return model


def _add_cloth(draw: random.Random, model: core.Model) -> None:
    columns, rows = draw.randint(2, 9), draw.randint(2, 9)
    points, faces = _damaged(draw, _jittered(draw, _grid(columns, rows)), _quads(columns, rows))
    softest = draw.choice([1e-6, 1e-4, 1e-3, 1e-1])
    model.add_cloth(
        points,
        faces[: draw.choice([len(faces), len(faces), max(1, len(faces) // 2)])],
        pin_stiffness=draw.choice([np.inf, 100.0]),
        density=draw.choice([0.01, 0.2, 5.0]),
        stretch_compliance=_painted(draw, softest, len(points)),
        shear_compliance=10.0 * softest,
        bend_compliance=draw.choice([0.1, 10.0, 1e5, None]),
        bend_damping=draw.choice([0.0, 0.003, 10.0]),
        compression=draw.choice([1.0, 1.0, 0.01]),
        strain_limits=draw.choice([None, None, (0.9, 1.1), (0.0, 1.0)]),
        plasticity=draw.choice([0.0, 0.0, 1000.0, np.inf]),
        membrane=draw.choice(["automatic", "automatic", "continuum", "springs"]),
        shrinkage=draw.choice([0.0, 0.0, -1.0, 0.5]),
        volume_compliance=draw.choice([None] * 5 + [0.0, 1e-6]),
        self_collision=draw.random() < 0.7,
        **_common(draw, len(points)),
    )


def _add_strands(draw: random.Random, model: core.Model) -> None:
    count = draw.randint(2, 20)
    turn = draw.uniform(0.0, 1.0) * np.arange(count)
    points = np.stack([0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.05 * np.arange(count)], axis=1)
    links = [*zip(range(count - 1), range(1, count), strict=True)]
    if draw.random() < 0.2:  # a branch, a loop, or an edge that is there already
        links.append((draw.randrange(count - 1), count - 1))
    model.add_strands(
        _jittered(draw, points),
        links,
        stretch_compliance=draw.choice([0.0, 1e-5, 1e-3]),
        bend_compliance=_painted(draw, draw.choice([1e-3, 1.0, 1e4]), count),
        twist_compliance=draw.choice([None, None, 1.0, 1e6]),
        **_common(draw, count),
    )


def _add_solid(draw: random.Random, model: core.Model) -> None:
    points, faces = _damaged(draw, _jittered(draw, 0.2 * np.array(CUBE, float)), list(SIDES))
    model.add_soft_body(
        points,
        faces,
        cell_size=draw.choice([None, 0.1, 0.3, 3.0]),
        pin_depth=draw.choice([0.0, 0.1]),
        strength=draw.choice([None, None, 1e4]),
        density=draw.choice([10.0, 1000.0]),
        young_modulus=_painted(draw, draw.choice([1e3, 1e5, 1e8]), len(points)),
        poisson_ratio=draw.choice([0.0, 0.45, 0.499]),
        inflation=draw.choice([1.0, 1.0, 0.5, 3.0]),
        contraction=draw.choice([0.0, 0.0, 0.5]),
        plasticity=draw.choice([0.0, 0.0, 1000.0, np.inf]),
        energy=draw.choice(["neo-hookean", "corotational"]),
        **_common(draw, len(points)),
    )


def _common(draw: random.Random, count: int) -> dict[str, Any]:
    """What all bodies have."""
    return {
        "pins": draw.sample(range(count), draw.choice([0, 1, 2, count])),
        "pin_damping": draw.choice([0.0, 0.01]),
        "thickness": _painted(draw, draw.choice([0.0, 0.002, 0.05]), count),
        "friction": draw.choice([0.0, 0.5, 5.0]),
        "restitution": draw.choice([0.0, 0.0, 1.0]),
        "drag": draw.choice([0.0, 3.0]),
        "body_collision": draw.random() < 0.9,
    }


def _painted(draw: random.Random, value: float, count: int) -> Any:
    """A value for all vertices, or up to ten times as much for some."""
    if draw.random() < 0.7:
        return value
    return value * np.array([draw.choice([1.0, draw.uniform(1.0, 10.0)]) for _ in range(count)])


def _add_collider(draw: random.Random, model: core.Model) -> None:
    """A box, of two shells that overlap perhaps, with what else is wrong with meshes."""
    size = draw.choice([0.01, 0.3, 3.0])
    place = np.array([draw.uniform(-0.5, 0.5) for _ in range(3)]) * math.sqrt(size)
    points, faces = _damaged(draw, size * np.array(CUBE, float) + place, list(SIDES))
    triangles = [(f[0], *f[i : i + 2]) for f in faces for i in range(1, len(f) - 1)]
    model.add_collider(
        points,
        triangles,
        thickness=draw.choice([0.0, 0.001, 0.02]),
        two_sided=draw.random() < 0.3,
    )


def _damaged(draw: random.Random, points: Points, faces: Faces) -> tuple[Points, Faces]:
    """A mesh mostly as it was, else with something that is wrong with those of users."""
    size = float(np.ptp(points, axis=0).max())
    again = [tuple(len(points) + each for each in face) for face in faces]
    kind = draw.randrange(14)
    if kind == 0:  # inside out, wholly or in part
        turned = draw.choice([1.0, 0.5])
        return points, [f[::-1] if draw.random() < turned else f for f in faces]
    if kind == 1:  # two shells, on each other or overlapping
        shift = draw.choice([0.0, 1e-4, 0.4]) * size
        return np.concatenate([points, points + shift]), faces + again
    if kind == 2:  # faces that are there twice
        return points, faces + draw.sample(faces, min(2, len(faces)))
    if kind == 3:  # an edge with a third face
        tip = points.mean(axis=0) + np.array([0.0, 0.0, size])
        return np.concatenate([points, [tip]]), [*faces, (*faces[0][:2], len(points))]
    if kind == 4:  # flat
        return points * np.where(np.arange(3) == draw.randrange(3), 0.0, 1.0), faces
    if kind == 5:  # loose vertices
        return np.concatenate([points, points[:1] + size]), faces
    if kind == 6:  # a face without area
        return points, [*faces, (0, 1, 1)]
    return points, faces


def _quads(columns: int, rows: int) -> Faces:
    first = [rows * i + j for i in range(columns - 1) for j in range(rows - 1)]
    return [(each, each + rows, each + rows + 1, each + 1) for each in first]


def _grid(columns: int, rows: int) -> Points:
    places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"), axis=-1)
    flat: Points = places.reshape(-1, 2) / 8.0
    return np.append(flat, np.zeros((len(flat), 1)), axis=1)


def _jittered(draw: random.Random, points: Points) -> Points:
    """Somewhere, of some size, uneven, and sometimes with vertices on each other."""
    random_numbers = np.random.default_rng(draw.getrandbits(32))
    found = points + draw.choice([0.0, 0.01, 0.1]) * random_numbers.normal(size=points.shape)
    if draw.random() < 0.1:
        found[random_numbers.integers(len(found))] = found[0]
    scale = draw.choice([1.0, 1.0, 0.01, 100.0])
    turned = found[:, [2, 0, 1]] if draw.random() < 0.3 else found
    return np.asarray(scale * turned + random_numbers.uniform(-0.3, 0.3, 3))
