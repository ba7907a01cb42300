# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that are closed but have no inside are like sheets: cloth lies on either side."""

from __future__ import annotations

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from contact_scenes import Mesh

import core
from core.contact.topology import is_flat

SIZE, HEIGHT = 0.3, 0.2


def back_to_back() -> Mesh:
    """Two squares at the same place with vertices of their own."""
    vertices, triangles = scenes.quad(SIZE, HEIGHT)
    return np.concatenate([vertices, vertices]), np.concatenate([triangles, triangles[:, ::-1] + 4])


def with_a_back() -> Mesh:
    """Each triangle once more the other way around."""
    vertices, triangles = scenes.quad(SIZE, HEIGHT)
    return vertices, np.concatenate([triangles, triangles[:, ::-1]])


def flattened_ball() -> Mesh:
    vertices, triangles = scenes.ball(12)
    return vertices * [SIZE, SIZE, 0.0] + [0.0, 0.0, HEIGHT], triangles


@pytest.mark.parametrize("mesh", [back_to_back(), with_a_back(), flattened_ball()])
@pytest.mark.parametrize("gravity", [-9.81, 9.81])
def test_cloth_lies_on_it_from_above_and_from_below(mesh: Mesh, gravity: float) -> None:
    model = core.Model()
    points, faces = naive.quad_grid(15, 15, 0.8, 0.8)
    start = HEIGHT - 0.03 * np.sign(gravity)
    cloth = model.add_cloth(np.add(points, (-0.4, -0.4, start)), faces, thickness=0.002)
    model.add_collider(*mesh, thickness=0.0)
    simulation = core.Simulation(
        model, core.XPBD(substeps=60, largest_stretch=0.03), (0.0, 0.0, gravity)
    )
    for _ in range(12):
        simulation.advance(1 / 24)
        assert simulation.crossings == 0
    strain = core.edge_strain(simulation.positions, cloth.edges, cloth.rest_lengths)
    assert strain.max() < 0.1
    over = np.abs(simulation.positions[:, :2]).max(axis=1) < 0.5 * SIZE
    assert over.sum() > 10
    assert (np.sign(simulation.positions[over, 2] - HEIGHT) == -np.sign(gravity)).all()


@pytest.mark.parametrize(
    ("mesh", "flat"),
    [
        (back_to_back(), True),
        (with_a_back(), True),
        (flattened_ball(), True),
        (scenes.quad(), False),
        (scenes.box((0, 0, 0), (1, 1, 1)), False),
        (scenes.box((0, 0, 0), (1, 1, 1e-3)), False),
        (scenes.ball(8), False),
    ],
)
def test_what_is_flat(mesh: Mesh, flat: bool) -> None:
    assert is_flat(*mesh) == flat
    turned = mesh[0] @ scenes.rotation((1.0, 2.0, 3.0), 0.7) + [3.0, -2.0, 10.0]
    assert is_flat(turned, mesh[1]) == flat
