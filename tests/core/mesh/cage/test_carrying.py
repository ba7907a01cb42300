# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a surface is carried: exactly where motions are linear, smoothly where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from naive.solids import Mesh, ball, torus, turned

from core.mesh.cage import Cage, SmoothCarrier, cage_of, carried
from core.mesh.surface import Polygons, triangulate


@pytest.fixture(scope="module", name="ring")
def fixture_ring() -> tuple[Mesh, Cage]:
    mesh = turned(torus(1.0, 0.4))
    return mesh, cage_of(mesh[0], mesh[1], 0.2)


def test_rigid_motions_are_exact(ring: tuple[Mesh, Cage]) -> None:
    (positions, _), cage = ring
    rotation, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    moved = positions @ rotation.T + (3.0, -1.0, 2.0)
    nodes = cage.positions @ rotation.T + (3.0, -1.0, 2.0)
    np.testing.assert_allclose(carried(cage, nodes), moved, atol=1e-6)
    np.testing.assert_allclose(SmoothCarrier(cage).carried(nodes), moved, atol=1e-6)


def test_linear_fields_are_exact(ring: tuple[Mesh, Cage]) -> None:
    (positions, _), cage = ring
    field = np.random.default_rng(2).normal(size=(3, 3))
    moved, nodes = positions @ field.T + 0.5, cage.positions @ field.T + 0.5
    np.testing.assert_allclose(carried(cage, nodes), moved, atol=1e-6)
    np.testing.assert_allclose(SmoothCarrier(cage).carried(nodes), moved, atol=1e-6)


def test_linear_weights_keep_momentum(ring: tuple[Mesh, Cage]) -> None:
    """What is given to the nodes by weights is as much as what is given to the surface."""
    _, cage = ring
    forces = np.random.default_rng(3).normal(size=cage.surface.shape)
    given = np.zeros_like(cage.positions)
    np.add.at(given, cage.corners, cage.weights[:, :, None] * forces[:, None])
    np.testing.assert_allclose(given.sum(axis=0), forces.sum(axis=0), atol=1e-9)
    moment = np.cross(carried(cage, cage.positions), forces).sum(axis=0)
    np.testing.assert_allclose(np.cross(cage.positions, given).sum(axis=0), moment, atol=1e-9)


def bent(points: np.ndarray) -> np.ndarray:
    """Twisted by 0.8 rad/m around z, and bent to a radius of 1 / 1.2 m."""
    x, y, z = points.T
    turn, curve = 0.8 * z, 1.2
    x, y = np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y
    away = 1.0 / curve - x
    return np.stack([1.0 / curve - away * np.cos(curve * z), y, away * np.sin(curve * z)], axis=1)


def normals(positions: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = positions[triangles].transpose(1, 0, 2)
    crossed = np.cross(b - a, c - a)
    return crossed / np.linalg.norm(crossed, axis=1, keepdims=True)


def test_normals_of_a_bent_ball() -> None:
    positions, faces = ball(96)
    cage = cage_of(positions, faces, 2.0 / 16.0)
    triangles = triangulate(positions, Polygons.of(faces[:-2]))
    exact = bent(positions)
    wanted, nodes = normals(exact, triangles), bent(cage.positions)

    def errors(shown: np.ndarray) -> tuple[float, float]:
        cosines = (normals(shown, triangles) * wanted).sum(axis=1)
        angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
        off = np.sqrt(((shown - exact) ** 2).sum(axis=1).mean())
        return float(np.sqrt((angles**2).mean())), float(off)

    smooth, linear = errors(SmoothCarrier(cage).carried(nodes)), errors(carried(cage, nodes))
    assert smooth[0] < 1.5 and smooth[0] < 0.4 * linear[0]
    assert smooth[1] < 0.0004 * 2.0 * 1.2 and smooth[1] < 0.6 * linear[1]
