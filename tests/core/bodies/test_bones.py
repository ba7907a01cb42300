# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies around bones goes with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_scenes import rotation
from naive.solids import box, hairpin

import core
from core.bodies.bones import Bones, OnBones, on_bones
from core.bodies.embedded import EmbeddedBody
from core.mesh.cage import Cage, cage_of

SIZE = np.array([0.2, 0.2, 0.4])
BLOCK = box((0.0, 0.0, 0.0), SIZE)
MIDDLE = np.array([[[0.1, 0.1, 0.1], [0.1, 0.1, 0.3]]])
TOP = np.flatnonzero(BLOCK[0][:, 2] > 0.39)
FRAME = 1.0 / 24.0


def around(reach: float, ends: np.ndarray = MIDDLE, cell: float = 0.04) -> tuple[Cage, OnBones]:
    cage = cage_of(BLOCK[0], BLOCK[1], cell)
    return cage, on_bones("block", cage, cage.positions, Bones(ends, reach))


def movement(turn: np.ndarray, shift: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    return np.concatenate([turn, np.array(shift)[:, None]], axis=1)[None]


def arm(**options: Any) -> tuple[core.Simulation, EmbeddedBody]:
    model = core.Model()
    material = {"cell_size": 0.05, "young_modulus": 2e4, "thickness": 1e-4, "drag": 8.0}
    body = model.add_soft_body(*BLOCK, **material | options)
    assert isinstance(body, EmbeddedBody)
    solver = core.XPBD(substeps=20)
    return core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0)), body


def test_they_take_along_all_that_is_as_near_as_said() -> None:
    cage, found = around(0.07)
    foot = np.clip(cage.positions, MIDDLE[0, 0], MIDDLE[0, 1])
    away = np.linalg.norm(cage.positions - foot, axis=1)
    np.testing.assert_array_equal(found.nodes, np.flatnonzero(away <= 0.07))
    assert 20 < len(found.nodes) < len(cage.positions) // 2


def test_each_goes_with_the_nearest_bone() -> None:
    ends = MIDDLE + np.array([[[-0.05, 0.0, 0.0]], [[0.05, 0.0, 0.0]]])
    cage, found = around(0.2, ends)
    left = cage.positions[found.nodes, 0] < 0.1
    np.testing.assert_array_equal(found.bones[left], 0)
    np.testing.assert_array_equal(found.bones[cage.positions[found.nodes, 0] > 0.101], 1)
    movements = np.concatenate([movement(np.eye(3), (0.0, 0.0, 1.0)), movement(np.eye(3))])
    went = found.led(movements) - cage.positions[found.nodes]
    np.testing.assert_allclose(went[left, 2], 1.0)
    np.testing.assert_allclose(went[found.bones == 1], 0.0, atol=1e-12)


def test_near_counts_within_the_body() -> None:
    positions, faces = hairpin()
    cage = cage_of(positions, faces, 0.03)
    ends = np.array([[[0.06, 0.0, 0.45], [0.06, 0.0, 0.25]]])
    found = on_bones("legs", cage, cage.positions, Bones(ends, 0.13))
    assert len(found.nodes) > 20
    assert (cage.positions[found.nodes, 0] > -0.02).all()
    up = (cage.positions[:, 0] < -0.02) & (cage.positions[:, 2] > 0.3)
    assert np.count_nonzero(up) > 20


def test_the_body_goes_where_its_bone_goes_and_comes_to_rest_around_it() -> None:
    simulation, body = arm(bones=MIDDLE, bone_reach=0.08)
    for step in range(1, 49):
        turn = rotation((1.0, 0.5, 0.0), min(step / 12, 1.0))
        shift = min(step / 12, 1.0) * np.array([0.3, 0.0, 0.1])
        simulation.set_targets(*body.led_by_bones(movement(turn, shift)))
        simulation.advance(FRAME)
    expected = BLOCK[0] @ rotation((1.0, 0.5, 0.0), 1.0).T + [0.3, 0.0, 0.1]
    np.testing.assert_allclose(simulation.surface(body), expected, atol=2e-4)
    assert body.skeleton is not None
    nodes = simulation.positions[body.particles[body.skeleton.nodes]]
    _, targets = body.led_by_bones(movement(turn, shift))
    np.testing.assert_allclose(nodes, targets, atol=1e-6)


def test_pins_lead_what_bones_do_not() -> None:
    simulation, body = arm(bones=MIDDLE, bone_reach=0.08, pins=TOP, pin_depth=0.12)
    assert body.inside is not None
    assert body.skeleton is not None
    assert len(body.inner) == len(body.inside.nodes) > 0
    assert not set(body.inside.nodes) & set(body.skeleton.nodes)
    shift = np.array([0.02, 0.0, 0.0])
    for _ in range(24):
        simulation.set_targets(*body.led(BLOCK[0][TOP] + shift))
        simulation.set_targets(*body.led_by_bones(movement(np.eye(3), -shift)))
        simulation.advance(FRAME)
    moved = simulation.positions[body.particles] - body.cage.positions
    np.testing.assert_allclose(
        moved[body.inside.nodes], shift[None] + 0 * moved[body.inside.nodes], atol=1e-6
    )
    np.testing.assert_allclose(moved[body.skeleton.nodes, 0], -0.02, atol=1e-6)


@pytest.mark.parametrize(
    ("bones", "reach", "message"),
    [
        (MIDDLE + 5.0, 0.1, "No cell of 'arm' is within 0.1 m of a bone"),
        (MIDDLE, 0.0, "can't take along what is 0.0 m"),
        (MIDDLE[0], 0.1, "two ends of each"),
        (MIDDLE * np.nan, 0.1, "finite"),
    ],
)
def test_bones_that_can_lead_nothing_are_refused(
    bones: np.ndarray, reach: float, message: str
) -> None:
    with pytest.raises(core.ModelError, match=message):
        core.Model().add_soft_body(*BLOCK, bones=bones, bone_reach=reach, name="arm")
