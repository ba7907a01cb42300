# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that change their shape so much that no rigid motion tells where they are."""

from __future__ import annotations

import contact_scenes as scenes
import numpy as np
import pytest

from core.contact import Collider


def saddle(height: float) -> np.ndarray:
    """Vertices of a square of 2 m, whose quadrants rise and sink by turns; shape (289, 3)."""
    x, y = np.meshgrid(np.linspace(-1, 1, 17), np.linspace(-1, 1, 17), indexing="ij")
    return np.stack([x, y, height * x * y], axis=2).reshape(-1, 3)


def grid_triangles(side: int) -> np.ndarray:
    """Triangles of a grid of side × side vertices, seen from above, shape (t, 3)."""
    vertex = np.arange(side * side).reshape(side, side)
    a, b, c, d = vertex[:-1, :-1], vertex[1:, :-1], vertex[1:, 1:], vertex[:-1, 1:]
    halves = [np.stack(part, axis=2).reshape(-1, 3) for part in ((a, b, c), (a, c, d))]
    return np.concatenate(halves)


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_sheet_that_turns_inside_out_takes_particles_along(substeps: int) -> None:
    """Seen from its rigid motion, which is none, particles at rest never come near it."""
    collider = Collider(saddle(-1.0), grid_triangles(17), thickness=0.01, two_sided=True)
    points = np.random.default_rng(0).uniform(0.4, 0.9, (50, 3)) * (1, 1, 0)
    points[25:, 0] *= -1.0
    scene = scenes.Particles(points, [collider], gravity=(0, 0, 0), substeps=substeps)
    collider.set_target(saddle(1.0))
    scene.advance()
    x, y, z = scene.positions.T
    rising = points[:, 0] > 0.0
    assert (z[rising] > (x * y)[rising]).all()
    assert (z[~rising] < (x * y)[~rising]).all()
