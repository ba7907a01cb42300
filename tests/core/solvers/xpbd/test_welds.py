# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams that hold for ever, which are one particle in sweeps."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from numpy.typing import NDArray

import core
from bench.default_settings import SOLVER
from core.solvers.xpbd.welds import Seams, seams_of

CELLS, SIZE = 12, 1.0
HALF = CELLS // 2


def cut_in_two() -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """A sheet cut along its middle: vertices, faces, and the pairs that were one."""
    points, faces = naive.quad_grid(CELLS, CELLS, SIZE, SIZE)
    faces = np.asarray(faces)
    middle = np.flatnonzero(np.isclose(points[:, 0], SIZE / 2))
    doubles = np.arange(len(points))
    doubles[middle] = len(points) + np.arange(len(middle))
    beyond = points[faces, 0].mean(axis=1) > SIZE / 2
    faces = np.where(beyond[:, None], doubles[faces], faces)
    return (
        np.concatenate([points, points[middle]]),
        faces,
        np.stack([middle, doubles[middle]], axis=1),
    )


def sewn(gravity: Any = (0.0, 0.0, -9.81), **options: Any) -> core.Simulation:
    """That sheet, stitched along the cut; its upper edge is pinned where it is asked for."""
    points, faces, pairs = cut_in_two()
    strength = options.pop("strength", np.inf)
    model = core.Model(np.float64)
    model.add_cloth(points, faces, self_collision=False, **options)
    model.add_stitches(pairs, strength=strength)
    return core.Simulation(model, core.XPBD(**SOLVER), gravity=gravity)


def seams(simulation: core.Simulation) -> Seams:
    return simulation.prepared.seams


def test_it_sags_as_if_it_had_never_been_cut() -> None:
    """Level and taut between two sides, so that the seam carries all of the tension."""
    points, faces = naive.quad_grid(CELLS, CELLS, SIZE, SIZE)
    sides = np.flatnonzero(np.isclose(abs(points[:, 0] - SIZE / 2), SIZE / 2))
    taut = np.array([0.99, 1.0, 1.0])
    model = core.Model(np.float64)
    model.add_cloth(
        points, faces, pins=sides, rest_positions=taut * points, drag=4.0, self_collision=False
    )
    whole = core.Simulation(model, core.XPBD(**SOLVER))
    halves = sewn(pins=sides, rest_positions=taut * cut_in_two()[0], drag=4.0)
    for _ in range(48):
        whole.advance(1 / 24)
        halves.advance(1 / 24)
    assert len(seams(halves).welds.starts) == CELLS + 2
    assert whole.positions[:, 2].min() < -0.005 * SIZE
    np.testing.assert_allclose(halves.positions[: len(points)], whole.positions, atol=5e-4 * SIZE)


def test_momentum_is_kept() -> None:
    """Of what is stretched, thrown and turning."""
    points, _faces, _pairs = cut_in_two()
    thrown = np.random.default_rng(1).normal(0.0, 0.2, points.shape)
    velocities = np.cross([0.3, 1.0, 2.0], points) + thrown
    simulation = sewn((0.0, 0.0, 0.0), velocities=velocities, rest_positions=0.95 * points)
    masses = 1.0 / np.asarray(simulation.state.rows[: len(points), 3], np.float64)

    def momenta() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        moved = masses[:, None] * simulation.velocities
        return moved.sum(axis=0), np.cross(simulation.positions, moved).sum(axis=0)

    simulation.advance(1 / 24)
    linear, angular = momenta()
    for _ in range(6):
        simulation.advance(1 / 24)
    assert len(seams(simulation).welds.starts) == CELLS + 2
    linear_after, angular_after = momenta()
    np.testing.assert_allclose(linear_after, linear, atol=1e-9 * masses.sum())
    assert np.linalg.norm(angular_after - angular) < 0.02 * np.linalg.norm(angular)


def test_a_tight_sleeve_is_stretched_at_its_seam_as_all_around() -> None:
    """Alike to a tenth; solved by itself, the seam was stretched three to five times as much."""
    columns, rows, tight = 24, 12, 0.2
    angles = np.arange(columns + 1) % columns * (2.0 * np.pi / columns)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    heights = np.linspace(-0.05, 0.05, rows)
    corners = np.arange(columns)[None, :] + np.arange(rows - 1)[:, None] * (columns + 1)
    faces = np.stack(
        [corners, corners + 1, corners + columns + 2, corners + columns + 1], axis=-1
    ).reshape(-1, 4)

    def tube(radius: float, levels: NDArray[np.float64]) -> NDArray[np.float64]:
        rings = [np.column_stack([radius * around, np.full(len(around), z)]) for z in levels]
        return np.concatenate(rings)

    model = core.Model()
    model.add_cloth(
        tube(0.0535, heights),
        faces,
        rest_positions=tube(0.0525 / (1.0 + tight), heights),
        thickness=0.001,
    )
    arm = tube(0.05, 4.0 * heights)
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    model.add_collider(arm, triangles, thickness=0.001)
    first = np.arange(rows) * (columns + 1)
    model.add_stitches(np.stack([first, first + columns], axis=1))
    simulation = core.Simulation(model, core.XPBD(**SOLVER))
    for _ in range(12):
        simulation.advance(1 / 24)
    points = simulation.positions.astype(np.float64).reshape(rows, columns + 1, 3)
    links = np.linalg.norm(np.diff(points, axis=1), axis=2)
    assert links[:, [0, -1]].max() < 1.06 * np.median(links)


def test_what_can_tear_is_stitched() -> None:
    simulation = sewn(strength=1e6)
    simulation.advance(1 / 24)
    assert not seams(simulation).any


def test_what_is_drawn_together_is_welded_when_it_is_closed() -> None:
    points, faces, pairs = cut_in_two()
    points[pairs[:, 1]] += [0.01, 0.0, 0.0]
    model = core.Model()
    model.add_cloth(points, faces)
    model.add_stitches(pairs, sewing_time=0.1)
    simulation = core.Simulation(model, core.XPBD(**SOLVER), gravity=(0.0, 0.0, 0.0))
    simulation.advance(1 / 24)
    assert not seams(simulation).any
    for _ in range(4):
        simulation.advance(1 / 24)
    assert seams(simulation).closed.all()
    assert len(seams(simulation).welds.starts) == len(pairs) + 1


def seams_with(pairs: Any, pins: Any = ()) -> Seams:
    """Of two sheets of 3 × 3 vertices that lie on each other."""
    points, faces = naive.quad_grid(2, 2, 1.0, 1.0)
    model = core.Model()
    model.add_cloth(np.concatenate([points, points]), [*faces, *(np.asarray(faces) + 9)], pins=pins)
    model.add_cloth(points, faces)
    stitches = model.add_stitches(pairs)
    assert stitches.stitching is not None
    stitches.stitching.lengths[:] = 0.0
    return seams_of(model)


def test_all_that_is_sewn_to_each_other_is_one() -> None:
    found = seams_with([(0, 9), (8, 17), (9, 0)])
    np.testing.assert_array_equal(found.welds.members, [0, 9, 8, 17])
    np.testing.assert_array_equal(found.welds.starts, [0, 2, 4])


def test_a_pinned_particle_holds_what_is_sewn_to_it() -> None:
    found = seams_with([(0, 9), (8, 17)], pins=[9])
    np.testing.assert_array_equal(found.welds.members, [8, 17, 9, 0])


@pytest.mark.parametrize(
    ("pairs", "pins"),
    [([(0, 9)], [0, 9]), ([(0, 4)], []), ([(0, 1)], []), ([(0, 9), (9, 4)], []), ([(0, 18)], [])],
)
def test_what_cannot_be_one_is_not(pairs: Any, pins: Any) -> None:
    """Two that are pinned, or of the same face, also by way of others, or of two objects."""
    assert not seams_with(pairs, pins).any
