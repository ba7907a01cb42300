# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of cloth that are clamped at one end, and what they are compared with."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Literal

import naive
import numpy as np
from numpy.typing import NDArray

import core

Kind = Literal["quads", "cut", "irregular"]
KINDS: tuple[Kind, ...] = ("quads", "cut", "irregular")
GRAVITY = 9.81  # m/s²
DEFAULT: dict[str, Any] = {
    "substeps": 400,
    "iterations": 8,
    "largest_stretch": 0.03,
    "near_pins": True,
    "multirate": True,
    "implicit_bending": True,
}


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


def elastica_drop(rigidity: float, weight: float, length: float) -> float:
    """How far the tip of a clamped strip is below its clamp [m].

    Shooting from the tip: D θ'' = -w (L - s) cos θ with the moment zero there, θ downward.

    Args:
        rigidity: D [N·m].
        weight: w [N/m²].
    """
    steps = 400
    step = length / steps

    def slope(state: NDArray[np.float64], along: float) -> NDArray[np.float64]:
        angle, bend, _ = state
        return np.array([-bend, weight * along * math.cos(angle) / rigidity, math.sin(angle)])

    def at_the_clamp(angle: float) -> NDArray[np.float64]:
        state = np.array([angle, 0.0, 0.0])
        for i in range(steps):
            here = i * step
            first = slope(state, here)
            second = slope(state + 0.5 * step * first, here + 0.5 * step)
            third = slope(state + 0.5 * step * second, here + 0.5 * step)
            fourth = slope(state + step * third, here + step)
            state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        return state

    low, high = 0.0, math.pi
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if at_the_clamp(middle)[0] > 0.0 else (middle, high)
    return float(at_the_clamp(low)[2])
