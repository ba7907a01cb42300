# SPDX-License-Identifier: GPL-3.0-or-later
"""Air and fields in a step: closed forms, the same at any resolution, bounded whatever is asked."""

from __future__ import annotations

import math
from typing import Any

import naive
import numpy as np
import pytest

import core
from core.forces.field import KINDS

GRAVITY = 9.81


def plate(cells: int, density: float = 0.3, **options: Any) -> core.Model:
    """Of 1 m², level."""
    model = core.Model()
    positions, quads = naive.quad_grid(cells, cells, 1.0, 1.0)
    model.add_cloth(positions, quads, density=density, self_collision=False, **options)
    return model


def test_a_plate_falls_as_fast_as_its_drag_is_its_weight() -> None:
    expected = math.sqrt(2.0 * 0.3 * GRAVITY / (1.2 * 1.5))
    for cells, substeps in ((4, 10), (4, 40), (12, 20)):
        simulation = core.Simulation(
            plate(cells),
            core.XPBD(substeps=substeps),
            surroundings=core.Surroundings(air=core.Air(normal=1.5)),
        )
        for _ in range(48):
            simulation.advance(1 / 24)
        assert simulation.velocities[:, 2] == pytest.approx(-expected, rel=0.02)


def test_on_edge_it_hardly_brakes() -> None:
    simulation = core.Simulation(
        plate(4),
        gravity=(GRAVITY, 0.0, 0.0),
        surroundings=core.Surroundings(air=core.Air(tangential=0.0)),
    )
    for _ in range(24):
        simulation.advance(1 / 24)
    assert simulation.velocities[:, 0].mean() == pytest.approx(GRAVITY, rel=0.01)


def test_what_is_inclined_is_lifted_sideways() -> None:
    model = core.Model()
    positions, quads = naive.quad_grid(4, 4, 1.0, 1.0)
    slope = positions.copy()
    slope[:, 0], slope[:, 2] = positions[:, 0] * math.cos(0.5), -positions[:, 0] * math.sin(0.5)
    model.add_cloth(slope, quads, density=0.3)
    simulation = core.Simulation(model, surroundings=core.Surroundings(air=core.Air()))
    for _ in range(6):
        simulation.advance(1 / 24)
    assert simulation.velocities[:, 0].mean() > 0.1


def wind(strength: float) -> core.Surroundings:
    return core.Surroundings(
        air=core.Air(),
        fields=[core.Field(kind="WIND", strength=strength, axis=(1.0, 0.2, 2.0))],
    )


@pytest.mark.parametrize("solver", [core.XPBD, core.PBD, core.ProjectiveDynamics])
def test_a_field_is_a_pressure_for_all_solvers(solver: Any) -> None:
    for cells in (3, 9):
        simulation = core.Simulation(
            plate(cells),
            solver(substeps=5),
            gravity=(0.0, 0.0, 0.0),
            surroundings=core.Surroundings(fields=[core.Field(kind="WIND", strength=1.0)]),
        )
        simulation.advance(1 / 24)
        assert abs(simulation.velocities).max() < 1e-5  # no wind without air
        simulation.surround(
            core.Surroundings(fields=[core.Field(shape="PLANE", origin=(0, 0, -1.0))]),
            *simulation.model.bodies,
        )
        simulation.advance(1 / 24)
        expected = core.Surroundings().pascals / 0.3 / 24
        assert simulation.velocities[:, 2] == pytest.approx(expected, rel=0.02)


def test_only_the_part_along_the_normal_where_that_is_asked_for() -> None:
    field = core.Field(shape="LINE", axis=(0.0, 1.0, 0.0), origin=(-9.0, 0.0, -9.0), across=1.0)
    simulation = core.Simulation(
        plate(4), gravity=(0, 0, 0), surroundings=core.Surroundings(fields=[field], pascals=0.3)
    )
    simulation.advance(0.01)
    speeds = simulation.velocities.mean(axis=0)
    assert abs(speeds[0]) < 1e-3 * speeds[2]
    assert speeds[2] == pytest.approx(0.01 * math.sqrt(0.5), rel=0.1)


def test_a_gale_blows_a_light_sheet_no_faster_than_itself() -> None:
    for substeps in (1, 5, 20):
        simulation = core.Simulation(
            plate(8, density=0.01), core.XPBD(substeps=substeps), surroundings=wind(4e6)
        )
        for _ in range(12):
            simulation.advance(1 / 24)
        speed = np.linalg.norm(simulation.velocities.mean(axis=0))
        assert speed < 100.0


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_the_strength_numbers_stay_finite(kind: str) -> None:
    field = core.Field(kind=kind, strength=1e9, flow=1e9, linear_drag=1e9, damping=1e9)
    given = core.Surroundings(air=core.Air(), fields=[field])
    simulation = core.Simulation(plate(4), core.XPBD(substeps=20), surroundings=given)
    for _ in range(12):
        simulation.advance(1 / 24)
    assert np.isfinite(simulation.positions).all()


def test_threads_do_not_change_a_byte() -> None:
    ends = []
    for threads in (1, 3):
        simulation = core.Simulation(
            plate(20, pins=[0, 1, 2]),
            core.XPBD(substeps=10, threads=threads),
            surroundings=wind(3000.0),
        )
        for _ in range(4):
            simulation.advance(1 / 24)
        ends.append(simulation.positions.tobytes())
    assert ends[0] == ends[1]


def test_each_body_has_its_own_whatever_island_it_is_in() -> None:
    ends = []
    for apart in (5.0, 0.3):
        model = core.Model()
        positions, quads = naive.quad_grid(3, 3, 1.0, 1.0)
        for height in (0.0, apart):
            model.add_cloth(positions + np.array((0.0, 0.0, height)), quads, density=0.3)
        simulation = core.Simulation(model)
        simulation.surround(core.Surroundings(gravity=-1.0, air=core.Air()), model.bodies[1])
        for _ in range(6):
            simulation.advance(1 / 24)
        ends.append([simulation.positions[:16, 2].mean(), simulation.positions[16:, 2].mean()])
    np.testing.assert_allclose(np.array(ends[1]) - ends[0], [0.0, -4.7], atol=1e-5)
    assert ends[0][0] < -0.2
    assert 5.0 < ends[0][1] < 5.27


def test_strands_are_blown_away_too() -> None:
    model = core.Model()
    model.add_strands([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1), (1, 2)], thickness=0.01)
    simulation = core.Simulation(
        model, gravity=(0, 0, 0), surroundings=core.Surroundings(
            air=core.Air(), fields=[core.Field(kind="WIND", strength=1000.0)]
        )
    )  # fmt: skip
    simulation.advance(0.001)
    expected = 0.001 * 1.2 * 0.02 / 5e-4
    assert simulation.velocities[:, 2].mean() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("bad", [(-1.0,), (1.2, math.nan), (1.2, 0.5, 1.0)])
def test_air_that_can_not_be(bad: tuple[float, ...]) -> None:
    with pytest.raises(core.ModelError):
        core.Air(*bad)
