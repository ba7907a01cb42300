# SPDX-License-Identifier: GPL-3.0-or-later
"""Making and filling the arrays of ``data.Contacts``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data import LIST_SIZE, Bodies, Contacts, Nearby, Scratch, Surface, Touching
from .topology import Adjacency, adjacency, leaf_count

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

MARGIN = 0.5
"""How far beyond the closest triangle lists reach, in mean edge lengths."""

BELOW_ZERO = -1.0


def allocate(
    meshes: Sequence[tuple[Points, Indices]],
    thickness: NDArray[np.float64],
    friction: NDArray[np.float64],
    threads: int,
) -> Contacts:
    """Arrays for colliders (vertices (v, 3) [m], triangles (t, 3)) and particles (n,)."""
    particles = len(thickness)
    shape = (len(meshes), particles)
    return Contacts(
        _surface(meshes),
        _bodies(meshes),
        Nearby(
            np.full((*shape, 4), BELOW_ZERO),
            np.zeros((*shape, 5)),
            np.zeros(shape, np.int32),
            np.zeros((*shape, LIST_SIZE), np.int32),
            np.zeros((*shape, LIST_SIZE), np.float32),
        ),
        Touching(
            np.zeros(shape),
            np.zeros(shape, np.int32),
            np.zeros((*shape, 2)),
            np.zeros((*shape, 3)),
            np.zeros((*shape, 3)),
        ),
        Scratch(
            np.zeros(particles, np.int32),
            np.zeros(particles, np.int32),
            np.zeros(particles, np.int32),
            np.zeros(particles),
            np.zeros((particles, 2)),
            np.zeros((particles, 3)),
            np.zeros((threads, 128), np.int64),
            np.zeros((threads, 128)),
            np.zeros((threads, 4, 3)),
        ),
        thickness,
        friction,
        np.zeros(3),
    )


def place(contacts: Contacts, body: int, start: Points, end: Points) -> None:
    """Put a collider's vertices, shape (v, 3) [m], where they are at a frame's start and end."""
    surface, bodies = contacts.surface, contacts.bodies
    rows = slice(bodies.vertex_start[body], bodies.vertex_start[body + 1])
    surface.first[rows], surface.last[rows] = start, end
    surface.before[rows] = surface.now[rows] = start
    bodies.centres[body, (0, 2, 3)], bodies.centres[body, 1] = start.mean(axis=0), end.mean(axis=0)
    own = end - start - (bodies.centres[body, 1] - bodies.centres[body, 0])
    bodies.moving[body] = start is not end
    bodies.speed[body] = np.linalg.norm(own, axis=1).max() if start is not end else 0.0
    bodies.drift[body, :2] = 0.0


def _surface(meshes: Sequence[tuple[Points, Indices]]) -> Surface:
    vertex_start = _starts(len(vertices) for vertices, _ in meshes)
    triangle_start = _starts(len(triangles) for _, triangles in meshes)
    parts = [adjacency(vertices, triangles) for vertices, triangles in meshes]
    vertices = _merged([part for part, _ in meshes], (0, 3), np.float64)
    neighbours = [
        np.where(part.neighbours < 0, -1, part.neighbours + start)
        for part, start in zip(parts, triangle_start, strict=False)
    ]
    return Surface(
        vertices,
        vertices.copy(),
        vertices.copy(),
        vertices.copy(),
        _shifted([triangles for _, triangles in meshes], vertex_start, (0, 3)),
        _merged(neighbours, (0, 3), np.int32),
        _shifted([part.welded for part in parts], vertex_start, (0,)),
        _fan_starts(parts, triangle_start),
        _shifted([part.fan for part in parts], 3 * triangle_start, (0,)),
        _merged([part.border for part in parts], (0,), np.uint8),
        _merged([part.solid for part in parts], (0,), np.uint8),
    )


def _fan_starts(parts: Sequence[Adjacency], triangle_start: Indices) -> NDArray[np.int32]:
    inner = _shifted([part.fan_start[:-1] for part in parts], 3 * triangle_start, (0,))
    return np.append(inner, np.int32(3 * triangle_start[-1]))


def _bodies(meshes: Sequence[tuple[Points, Indices]]) -> Bodies:
    count = len(meshes)
    leaves = np.array([leaf_count(len(triangles)) for _, triangles in meshes], np.int64)
    box_start = _starts(2 * leaves)
    return Bodies(
        _starts(len(vertices) for vertices, _ in meshes),
        _starts(len(triangles) for _, triangles in meshes),
        box_start,
        leaves,
        np.zeros((box_start[-1], 6)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, np.uint8),
        np.zeros(count, np.uint8),
        np.array([_margin(*mesh) for mesh in meshes]),
        np.zeros((count, 4, 3)),
        np.zeros(count),
        np.zeros((count, 3)),
        np.zeros(count, np.uint8),
    )


def _margin(vertices: Points, triangles: Indices) -> float:
    points = vertices[triangles]
    edges = np.linalg.norm(points - np.roll(points, -1, axis=1), axis=2)
    return max(MARGIN * float(edges.mean()), 1e-6)


def _starts(counts: Iterable[int]) -> Indices:
    return np.array([0, *accumulate(counts)], np.int64)


def _merged(parts: Sequence[NDArray[Any]], empty: tuple[int, ...], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(empty, kind), *(part.astype(kind) for part in parts)])


def _shifted(
    parts: Sequence[Indices], starts: Indices, empty: tuple[int, ...]
) -> NDArray[np.int32]:
    moved = [part + start for part, start in zip(parts, starts, strict=False)]
    return _merged(moved, empty, np.int32)
