# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of cloth that are clamped at one end, and what they are compared with."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

import naive
import numpy as np
from numpy.typing import NDArray

import core

Kind = Literal["quads", "cut", "irregular"]
KINDS: tuple[Kind, ...] = ("quads", "cut", "irregular")
GRAVITY = 9.81  # m/s²
REACH = 0.36  # of a cell, from which a rim is pulled to a circle
DRAG, SECONDS, FRAME = 6.0, 2.5, 1.0 / 24.0  # 1/s, s, s: what brings a strip to rest


def strip(
    kind: Kind, cells: int, length: float, across: int = 4
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A strip in the plane z = 0, of which cells along x are free and one before them is held."""
    cell = length / cells
    points, quads = naive.quad_grid(cells + 1, across, length + cell, across * cell)
    points[:, 0] -= cell
    inner_x = (points[:, 0] > 0.5 * cell) & (points[:, 0] < length - 0.5 * cell)
    inner_y = (points[:, 1] > 0.5 * cell) & (points[:, 1] < (across - 0.5) * cell)
    return _of_kind(kind, points, np.asarray(quads), inner_x & inner_y, cell)


def _of_kind(
    kind: Kind,
    points: NDArray[np.float64],
    faces: NDArray[np.int64],
    inner: NDArray[np.bool_],
    cell: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A flat mesh of this kind from one of quads.

    Args:
        inner: which points may be shaken.
    """
    if kind == "quads":
        return points, faces
    if kind == "irregular":
        shaken = np.random.default_rng(0).uniform(-0.28, 0.28, (len(points), 2)) * cell
        points[:, :2] += np.where(inner[:, None], shaken, 0.0)
        a, b, c, d = points[faces].transpose(1, 0, 2)
        turned = np.linalg.norm(c - a, axis=1) > np.linalg.norm(d - b, axis=1)
        faces = np.where(turned[:, None], np.roll(faces, -1, axis=1), faces)
    return points, np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])


def disc(kind: Kind, cells: int, radius: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A disc in the plane z = 0 of a grid whose rim is pulled to a circle: there are slivers.

    Args:
        cells: along its diameter, an even number.
    """
    cell = 2.0 * radius / cells
    points, quads = naive.quad_grid(
        cells + 2, cells + 2, 2.0 * radius + 2.0 * cell, 2.0 * radius + 2.0 * cell
    )
    points[:, :2] -= radius + cell
    away = np.linalg.norm(points, axis=1)
    faces = np.asarray(quads)
    faces = faces[(away[faces] <= radius + REACH * cell).all(axis=1)]
    used, counts = np.unique(faces, return_counts=True)
    rim = used[counts < 4]
    points[rim] *= (radius / away[rim])[:, None]
    numbers = np.full(len(points), -1)
    numbers[used] = np.arange(len(used))
    inner = np.linalg.norm(points[used], axis=1) < radius - 0.9 * cell
    return _of_kind(kind, points[used], numbers[faces], inner, cell)


def bias_strip(
    cells: int, length: float, across: int = 4
) -> tuple[NDArray[np.float64], list[tuple[int, ...]]]:
    """A strip in the plane z = 0 of squares at 45°, halved at its rim.

    Args:
        cells: half diagonals of squares along it, an even number; two more are held.
        across: half diagonals across it, an even number.
    """
    half = length / cells
    numbers: dict[tuple[int, int], int] = {}
    for i in range(-2, cells + 1):
        for j in range(across + 1):
            if (i + j) % 2 == 0:
                numbers[i, j] = len(numbers)
    faces = []
    for i in range(-2, cells + 1):
        for j in range(across + 1):
            around = ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1))
            corners = tuple(numbers[place] for place in around if place in numbers)
            if (i + j) % 2 and len(corners) > 2:
                faces.append(corners)
    points = np.array([(half * i, half * j, 0.0) for i, j in numbers])
    return points, faces


def held(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The vertices at which a strip is clamped."""
    return np.flatnonzero(points[:, 0] < 1e-9)


def fabric(name: str, **other: Any) -> dict[str, Any]:
    """A preset as ``Model.add_cloth`` takes it, but for what is given."""
    described = {"name", "source"}
    values = {k: v for k, v in asdict(core.MATERIALS[name]).items() if k not in described}
    return values | other


def bending_length(name: str) -> float:
    """c = (D / w)^(1/3) of a preset [m]."""
    material = core.MATERIALS[name]
    return float((1.0 / (material.bend_compliance * material.density * GRAVITY)) ** (1.0 / 3.0))


def at_rest(
    points: NDArray[np.float64], faces: NDArray[np.int64], solver: core.XPBD, **options: Any
) -> core.Simulation:
    """A clamped strip that has come to rest.

    Args:
        options: of ``Model.add_cloth``.
    """
    model = core.Model()
    model.add_cloth(points, faces, pins=held(points), drag=DRAG, thickness=1e-4, **options)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(int(SECONDS / FRAME)):
        simulation.advance(FRAME)
    return simulation
