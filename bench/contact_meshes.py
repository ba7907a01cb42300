# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets, and shapes to put in their way; needs numpy only.

Closed shapes have their triangles anticlockwise seen from outside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .scenes import Indices, Positions, face_edges

Mesh = tuple[Positions, Indices]
"""Vertices [m], shape (v, 3), and triangles, shape (t, 3)."""


class Sheet(NamedTuple):
    """Vertices [m], shape (n, 3), triangles, shape (f, 3), and the edges whose strain is told."""

    positions: Positions
    triangles: Indices
    edges: Indices


def rectangle(
    columns: int, rows: int, width: float, height: float, irregular: bool = False
) -> Sheet:
    """A level sheet around the origin: vertex row · columns + column, x along a row.

    Args:
        columns, rows: vertices along x and y.
        width, height: along x and y [m].
        irregular: inner vertices are moved by up to 0.3 cells and diagonals lie at random, so
            that there are no yarns; all edges are told then.
    """
    x, y = np.linspace(-0.5, 0.5, columns) * width, np.linspace(-0.5, 0.5, rows) * height
    grid = np.zeros((rows, columns, 3))
    grid[:, :, 0], grid[:, :, 1] = x, y[:, None]
    quads = _quads(np.arange(rows * columns).reshape(rows, columns))
    if not irregular:
        return Sheet(
            grid.reshape(-1, 3), _cut(quads, _alternating(rows, columns)), face_edges(quads)
        )
    random = np.random.default_rng(0)
    cell = (width / (columns - 1), height / (rows - 1))
    grid[1:-1, 1:-1, :2] += random.uniform(-0.3, 0.3, (rows - 2, columns - 2, 2)) * cell
    triangles = _cut(quads, random.random(len(quads)) < 0.5)
    return Sheet(grid.reshape(-1, 3), triangles, face_edges(triangles))


def tube(around: int, rows: int, radius: float, length: float) -> Sheet:
    """An open tube about the z axis, from z = 0 up: vertex row · around + place in the ring."""
    angle = np.linspace(0.0, 2.0 * math.pi, around, endpoint=False)
    ring = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    heights = np.repeat(np.linspace(0.0, length, rows), around)
    positions = np.column_stack([np.tile(ring, (rows, 1)), heights])
    numbers = np.arange(rows * around).reshape(rows, around)
    quads = _quads(np.concatenate([numbers, numbers[:, :1]], axis=1))
    return Sheet(positions, _cut(quads, _alternating(rows, around + 1)), face_edges(quads))


def closed_tube(around: int, rows: int, radius: float, length: float) -> Mesh:
    """The tube with a cone's base at either end, its middle as one more vertex."""
    positions, triangles, _ = tube(around, rows, radius, length)
    lower = np.arange(around)
    upper = lower + (rows - 1) * around
    low, high = len(positions), len(positions) + 1
    caps = [
        np.column_stack([np.full(around, low), np.roll(lower, -1), lower]),
        np.column_stack([np.full(around, high), upper, np.roll(upper, -1)]),
    ]
    middles = [(0.0, 0.0, 0.0), (0.0, 0.0, length)]
    return np.concatenate([positions, middles]), np.concatenate([triangles, *caps])


def cone(sides: int, radius: float, height: float) -> Mesh:
    """A closed cone about the z axis with its tip, vertex 0, in the origin, its base below."""
    angle = np.linspace(0.0, 2.0 * math.pi, sides, endpoint=False)
    ring = np.column_stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.full(sides, -height)]
    )
    here = np.arange(2, sides + 2)
    after = np.roll(here, -1)
    side = np.column_stack([np.zeros(sides, np.int64), here, after])
    base = np.column_stack([np.ones(sides, np.int64), after, here])
    return np.concatenate([[(0.0, 0.0, 0.0), (0.0, 0.0, -height)], ring]), np.concatenate(
        [side, base]
    )


def ring(around: int, across: int, radius: float, tube_radius: float) -> Mesh:
    """A torus about the z axis in the plane z = 0."""
    u = np.linspace(0.0, 2.0 * math.pi, around, endpoint=False)[:, None]
    v = np.linspace(0.0, 2.0 * math.pi, across, endpoint=False)
    away = radius + tube_radius * np.cos(v)
    height = np.broadcast_to(tube_radius * np.sin(v), (around, across))
    positions = np.stack([away * np.cos(u), away * np.sin(u), height], axis=2).reshape(-1, 3)
    numbers = np.arange(around * across).reshape(around, across)
    numbers = np.concatenate([numbers, numbers[:1]])
    quads = _quads(np.concatenate([numbers, numbers[:, :1]], axis=1))
    return positions, _cut(quads[:, ::-1], np.ones(len(quads), np.bool_))


def box(low: ArrayLike, high: ArrayLike) -> Mesh:
    """A closed box between two opposite corners [m]."""
    corners = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float64)
    sides = np.array(
        [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
    )
    origin = np.asarray(low, np.float64)
    return origin + corners * (np.asarray(high) - origin), _cut(sides, np.ones(6, np.bool_))


def plane(size: float, height: float = 0.0) -> Mesh:
    """A level square of two triangles that looks up."""
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    vertices = np.array([(size * x, size * y, height) for x, y in corners])
    return vertices, np.array([(0, 1, 2), (0, 2, 3)])


def moved(positions: Positions, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Positions:
    """The positions, so far [m] along each axis."""
    return positions + np.array([x, y, z])


def bent(sheet: Sheet, pieces: Sequence[tuple[float, float]]) -> Positions:
    """A level sheet with its x axis laid along a :func:`curve` that rises from it, unstretched.

    Its first column stays in its place.
    """
    x, y, _ = sheet.positions.T
    along = curve(x - x.min(), pieces)
    return np.stack([along[:, 0] + x.min(), y, along[:, 1]], axis=1)


def curve(
    lengths: NDArray[np.float64], pieces: Sequence[tuple[float, float]]
) -> NDArray[np.float64]:
    """Points of a curve of straight lines and arcs that sets out from the origin along x.

    Beyond the last piece it goes on straight.

    Args:
        lengths: of the way along the curve to each point [m], shape (n,).
        pieces: length [m] and curvature [1/m] of each, positive to the left.

    Returns:
        Shape (n, 2) [m].
    """
    points = np.zeros((len(lengths), 2))
    place, heading, begin = np.zeros(2), 0.0, 0.0
    for length, curvature in [*pieces, (math.inf, 0.0)]:
        chosen = (lengths >= begin) & (lengths < begin + length)
        points[chosen] = place + _arc(lengths[chosen] - begin, heading, curvature)
        if length < math.inf:
            place = place + _arc(np.array([length]), heading, curvature)[0]
            heading += length * curvature
            begin += length
    return points


def folds(count: int, panel: float, gap: float) -> list[tuple[float, float]]:
    """Pieces of a curve that goes to and fro, panels above each other with a gap [m] between."""
    turn = math.pi * gap / 2.0
    pieces = []
    for k in range(count):
        pieces += [(panel, 0.0), (turn, 2.0 / gap if k % 2 == 0 else -2.0 / gap)]
    return pieces[:-1]


def rotation(axis: str, degrees: float) -> NDArray[np.float64]:
    """The matrix, shape (3, 3), that turns anticlockwise about x, y or z."""
    angle = math.radians(degrees)
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = math.cos(angle)
    matrix[j, i], matrix[i, j] = math.sin(angle), -math.sin(angle)
    return matrix


def _arc(lengths: NDArray[np.float64], heading: float, curvature: float) -> NDArray[np.float64]:
    """Points at lengths along an arc from the origin, shape (n, 2)."""
    if curvature == 0.0:
        return np.asarray(np.outer(lengths, (math.cos(heading), math.sin(heading))))
    angle = heading + curvature * lengths
    x, y = np.sin(angle) - math.sin(heading), math.cos(heading) - np.cos(angle)
    return np.stack([x, y], axis=1) / curvature


def _quads(numbers: Indices) -> Indices:
    """Quads of a grid of vertex numbers, shape (rows, columns): across, then up."""
    corners = [numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, 1:], numbers[1:, :-1]]
    return np.stack(corners, axis=-1).reshape(-1, 4)


def _alternating(rows: int, columns: int) -> NDArray[np.bool_]:
    """For each quad of a grid of vertices which diagonal: as on a chessboard."""
    row, column = np.divmod(np.arange((rows - 1) * (columns - 1)), columns - 1)
    return np.asarray((row + column) % 2 == 0)


def _cut(quads: Indices, first: NDArray[np.bool_]) -> Indices:
    """Two triangles of each quad, cut along the diagonal of its first corner or the other one."""
    turned = np.where(first[:, None], quads, np.roll(quads, 1, axis=1))
    return np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])
