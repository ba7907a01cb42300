# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that encloses a gas or a liquid: balloons and cushions."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import numpy as np
import pytest

import core

CUBE = 0.4 * scenes.UNIT_CUBE
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]


def volume_of(points: np.ndarray, triangles: np.ndarray) -> float:
    return float(np.linalg.det(np.asarray(points, np.float64)[triangles]).sum() / 6.0)


@pytest.mark.jit_off
def test_a_filled_cube_has_one_volume_constraint() -> None:
    model = core.Model(np.float64)
    model.add_particles([(9, 9, 9)], 1.0)
    model.add_cloth(CUBE + 2.0, QUADS, volume_compliance=1e-3, inflation=1.5)
    (group,) = [group for group in model.groups if group.constraint.kind == "volume"]
    assert group.indices.shape == (12, 3)
    assert group.indices.min() == 1
    assert group.rest.sum() == pytest.approx(1.5 * 0.4**3, rel=1e-12)
    np.testing.assert_array_equal(group.compliance, 1e-3)


def test_a_ball_is_blown_up_to_a_volume() -> None:
    points, triangles = scenes.ball(8)
    start = volume_of(points, triangles)
    volumes = []
    for compliance in (None, 0.0):
        model = core.Model()
        model.add_cloth(
            points, triangles, stretch_compliance=0.1, drag=2.0, volume_compliance=compliance,
            inflation=1.4,
        )  # fmt: skip
        simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0, 0, 0))
        for _ in range(24):
            simulation.advance(1 / 24)
        volumes.append(volume_of(simulation.positions, triangles))
    assert volumes[0] == pytest.approx(start, rel=1e-3)
    assert volumes[1] == pytest.approx(1.4 * start, rel=1e-3)


@pytest.mark.jit_off
def test_faces_without_area_do_no_harm() -> None:
    model = core.Model(np.float64)
    model.add_cloth(CUBE, [*QUADS, (0, 1, 0)], volume_compliance=0.0)
    (group,) = [group for group in model.groups if group.constraint.kind == "volume"]
    assert len(group.indices) == 12


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("faces", "options", "message"),
    [
        (QUADS[:5], {}, "'cushion' can't be filled.*closed"),
        ([quad[::-1] for quad in QUADS], {}, "'cushion' can't be filled.*anticlockwise"),
        (QUADS, {"volume_compliance": -1.0}, "volume compliance"),
        (QUADS, {"inflation": np.nan}, "inflation"),
    ],
)
def test_what_can_not_be_filled(faces: Any, options: dict[str, Any], message: str) -> None:
    model = core.Model()
    with pytest.raises(core.ModelError, match=message):
        model.add_cloth(CUBE, faces, name="cushion", **{"volume_compliance": 0.1, **options})
    assert model.particle_count == 0
    assert not model.groups
