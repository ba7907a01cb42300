# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets of triangles with edges of a metre, for the tests of the contact surface."""

from __future__ import annotations

import naive
import numpy as np
from numpy.typing import NDArray

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Vertices, shape (v, 3), and triangles, shape (t, 3)."""


def sheet(columns: int = 16, rows: int = 16, height: float = 0.0) -> Mesh:
    points, quads = naive.quad_grid(columns, rows, float(columns), float(rows))
    corners = np.asarray(quads)
    faces = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return points + np.array([0.0, 0.0, height]), faces


def together(one: Mesh, other: Mesh) -> Mesh:
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1] + len(one[0])])


def with_a_slit() -> Mesh:
    """A sheet cut from one side to its middle."""
    points, faces = sheet()
    cut = np.flatnonzero((points[:, 0] == 8.0) & (points[:, 1] > 8.0))
    assert len(cut) == 8
    right = points[faces].mean(axis=1)[:, 0] > 8.0
    copies = np.arange(len(points))
    copies[cut] = len(points) + np.arange(len(cut))
    faces = np.where(right[:, None], copies[faces], faces)
    return np.concatenate([points, points[cut]]), faces


def rotated(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points turned by 45° about two axes, so that sheets lie along no axis."""
    half = np.sqrt(0.5)
    one = np.array([[1.0, 0.0, 0.0], [0.0, half, -half], [0.0, half, half]])
    other = np.array([[half, 0.0, half], [0.0, 1.0, 0.0], [-half, 0.0, half]])
    return np.asarray(points @ (one @ other).T)
