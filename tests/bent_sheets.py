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
DRAG, SECONDS, FRAME = 6.0, 2.5, 1.0 / 24.0  # 1/s, s, s: what brings a strip to rest


def strip(
    kind: Kind, cells: int, length: float, across: int = 4
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A strip in the plane z = 0, of which cells along x are free and one before them is held."""
    cell = length / cells
    points, quads = naive.quad_grid(cells + 1, across, length + cell, across * cell)
    points[:, 0] -= cell
    faces = np.asarray(quads)
    if kind == "quads":
        return points, faces
    if kind == "irregular":
        inner_x = (points[:, 0] > 0.5 * cell) & (points[:, 0] < length - 0.5 * cell)
        inner_y = (points[:, 1] > 0.5 * cell) & (points[:, 1] < (across - 0.5) * cell)
        shaken = np.random.default_rng(0).uniform(-0.28, 0.28, (len(points), 2)) * cell
        points[:, :2] += np.where(np.stack([inner_x, inner_y], axis=1), shaken, 0.0)
        a, b, c, d = points[faces].transpose(1, 0, 2)
        turned = np.linalg.norm(c - a, axis=1) > np.linalg.norm(d - b, axis=1)
        faces = np.where(turned[:, None], np.roll(faces, -1, axis=1), faces)
    return points, np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])


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
