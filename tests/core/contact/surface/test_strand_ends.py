# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands that start through cloth or a collider come out of it, and are counted until then."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from contact_scenes import ball, box
from numpy.typing import NDArray

import core

FRAME = 1 / 24


def rope(model: core.Model, points: NDArray[np.float64], pins: list[int]) -> core.Strands:
    """A rope along points."""
    edges = [(k, k + 1) for k in range(len(points) - 1)]
    return model.add_strands(
        points, edges, pins=pins, thickness=0.002, density=0.01, bend_compliance=1e6
    )


def longest(simulation: core.Simulation, strands: core.Strands) -> float:
    """The length of the longest edge, over its length at rest."""
    ways = np.diff(simulation.positions[strands.edges], axis=1)[:, 0]
    return float((np.linalg.norm(ways, axis=1) / strands.rest_lengths).max())


@pytest.mark.parametrize("pins", [[], [24]])
def test_a_strand_comes_out_of_cloth_to_where_most_of_it_is(pins: list[int]) -> None:
    model = core.Model()
    points, faces = naive.quad_grid(16, 16, 0.4, 0.4)
    points = np.subtract(points, (0.2, 0.2, 0.0))
    border = np.flatnonzero(np.abs(points[:, :2]).max(axis=1) > 0.199)
    model.add_cloth(points, faces, pins=border, thickness=0.002)
    heights = np.linspace(-0.073, 0.167, 25)
    waves = 0.01 * np.sin(60.0 * heights)
    strands = rope(model, np.stack([0.013 + waves, 0.02 * heights, heights], axis=1), pins)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    assert simulation.crossings == 1
    for _ in range(48):
        simulation.advance(FRAME)
    assert simulation.crossings == 0
    assert simulation.positions[strands.particles, 2].min() > simulation.positions[:256, 2].min()
    assert longest(simulation, strands) < 1.1


@pytest.mark.parametrize("pins", [[0], [0, 24]])
def test_a_strand_comes_out_of_a_thin_plate_sideways(pins: list[int]) -> None:
    model = core.Model()
    model.add_collider(*box((-0.03, -0.002, -0.03), (0.03, 0.002, 0.03)), thickness=0.001)
    along = np.linspace(-0.15, 0.15, 25)
    strands = rope(model, np.stack([0.02 + 0 * along, along, 0.03 * along], axis=1), pins)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    assert simulation.crossings == 2
    for _ in range(48):
        simulation.advance(FRAME)
    assert simulation.crossings == 0
    assert longest(simulation, strands) < 1.5


def test_hair_that_is_pinned_inside_of_a_head_does_not_count() -> None:
    model = core.Model()
    vertices, triangles = ball()
    model.add_collider(0.1 * np.asarray(vertices), triangles, thickness=0.001)
    along = np.linspace(0.096, 0.2, 14)
    hair = rope(model, np.stack([along, 0.02 * along, 0.03 * along], axis=1), [0])
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(12):
        assert simulation.crossings == 0
        simulation.advance(FRAME)
    assert longest(simulation, hair) < 1.1


def test_a_strand_that_is_pinned_on_both_sides_of_cloth_stays_and_counts() -> None:
    model = core.Model()
    points, faces = naive.quad_grid(9, 9, 0.2, 0.2)
    points = np.subtract(points, (0.1, 0.1, 0.0))
    model.add_cloth(points, faces, pins=range(len(points)), thickness=0.002)
    heights = np.linspace(-0.055, 0.105, 17)
    strands = rope(
        model, np.stack([0.013 + 0 * heights, 0.002 + 0 * heights, heights], axis=1), [0, 16]
    )
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(12):
        simulation.advance(FRAME)
    assert simulation.crossings == 1
    assert longest(simulation, strands) < 1.5
