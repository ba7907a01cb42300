# SPDX-License-Identifier: GPL-3.0-or-later
"""What is inside of a surface follows it."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import rotation
from naive.solids import box, hairpin

import core
from core.bodies.embedded import EmbeddedBody
from core.bodies.inside import Following, following, following_all, leaders_of
from core.mesh.cage import Cage, cage_of

SIZE = np.array([0.2, 0.2, 0.4])
BLOCK = box((0.0, 0.0, 0.0), SIZE)
TOP = np.flatnonzero(BLOCK[0][:, 2] > 0.39)
GRAVITY = 9.81


def below(depth: float, cell: float = 0.05) -> tuple[Cage, Following]:
    """What follows the upper face of the block."""
    cage = cage_of(BLOCK[0], BLOCK[1], cell)
    return cage, following(cage, leaders_of(cage, TOP), depth)


def test_it_reaches_as_deep_as_said() -> None:
    cage, found = below(0.12)
    deep = SIZE[2] - cage.positions[:, 2]
    assert (deep[found.nodes] < 0.12 + 1e-9).all()
    inner = ((cage.positions >= 0.0) & (cage.positions <= SIZE)).all(axis=1)
    # Points on the face are half a cell apart.
    assert set(np.flatnonzero(inner & (deep < 0.115))) <= set(found.nodes)


def test_what_moves_as_a_whole_takes_the_inside_along_exactly() -> None:
    cage, found = below(0.3)
    turn = rotation((1.0, 2.0, 0.5), 2.5)
    led = found.led(BLOCK[0] @ turn.T + [1.0, -2.0, 0.5])
    expected = cage.positions[found.nodes] @ turn.T + [1.0, -2.0, 0.5]
    np.testing.assert_allclose(led, expected, atol=1e-7)


def test_points_in_a_row_do_not_spin_it() -> None:
    cage = cage_of(BLOCK[0], BLOCK[1], 0.05)
    edge = TOP[:2]
    found = following(cage, leaders_of(cage, edge), 0.2)
    led = found.led(BLOCK[0] + [0.0, 0.0, 1.0])
    np.testing.assert_allclose(led, cage.positions[found.nodes] + [0.0, 0.0, 1.0], atol=1e-6)


def test_near_counts_within_the_body() -> None:
    positions, faces = hairpin()
    cage = cage_of(positions, faces, 0.03)
    leg = np.flatnonzero((positions[:, 0] > 0.0) & (positions[:, 2] > 0.3))
    found = following(cage, leaders_of(cage, leg), 0.13)
    assert len(found.nodes) > 20
    assert (cage.positions[found.nodes, 0] > -0.02).all()
    up = np.flatnonzero((cage.positions[:, 0] < -0.02) & (cage.positions[:, 2] > 0.35))
    assert len(up) > 20


def test_the_inside_is_held_where_its_pins_are_led() -> None:
    model = core.Model()
    body = model.add_soft_body(*BLOCK, cell_size=0.05, pins=TOP, pin_depth=0.1, thickness=1e-4)
    assert isinstance(body, EmbeddedBody)
    assert body.inside is not None
    simulation = core.Simulation(model, core.XPBD(substeps=10))
    for step in range(1, 7):
        turn = rotation((0.0, 0.0, 1.0), 0.1 * step)
        simulation.set_targets(*body.led(BLOCK[0][TOP] @ turn.T))
        simulation.advance(1.0 / 24.0)
    nodes = body.particles[body.inside.nodes]
    expected = body.cage.positions[body.inside.nodes] @ turn.T
    np.testing.assert_allclose(simulation.positions[nodes], expected, atol=1e-6)


@pytest.mark.parametrize("cell", [0.05, 0.04])
def test_soft_pins_pull_a_layer_as_strongly_as_its_face(cell: float) -> None:
    """A firm block that hangs on them sags by m g / (k A + k V / d)."""
    stiffness, depth, density = 4e5, 0.1, 1000.0
    model = core.Model()
    body = model.add_soft_body(
        *BLOCK, cell_size=cell, pins=TOP, pin_stiffness=stiffness, pin_depth=depth,
        density=density, young_modulus=1e6, poisson_ratio=0.0, drag=30.0, self_collision=False,
        thickness=1e-4,
    )  # fmt: skip
    simulation = core.Simulation(model, core.XPBD(substeps=40, second_order=True))
    for _ in range(24):
        simulation.advance(1.0 / 24.0)
    area = SIZE[0] * SIZE[1]
    expected = density * GRAVITY * area * SIZE[2] / (2.0 * stiffness * area)
    expected += 0.5 * density * GRAVITY * (SIZE[2] - depth) ** 2 / 2e6  # what hangs below
    assert isinstance(body, EmbeddedBody)
    sunk = (BLOCK[0] - simulation.surface(body))[:, 2].mean()
    assert sunk == pytest.approx(expected, rel=0.06)


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(core.ModelError, match="pin depth of 'belly' can't be -1"):
        core.Model().add_soft_body(*BLOCK, pins=TOP, pin_depth=-1.0, name="belly")


def test_a_bent_surface_bends_what_is_inside() -> None:
    cage = cage_of(BLOCK[0], BLOCK[1], 0.05)
    found = following_all(cage)
    np.testing.assert_array_equal(found.nodes, np.arange(len(cage.positions)))
    sheared = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    led = found.led(BLOCK[0] @ sheared.T)
    assert np.abs(led - cage.positions @ sheared.T).max() < 0.2 * 0.5 * cage.size + 0.01


@pytest.mark.parametrize("cell", [0.1, 0.05])
@pytest.mark.parametrize("turned", [0.0, 1.0])
def test_a_goal_is_missed_by_what_gravity_takes(cell: float, turned: float) -> None:
    """All of it hangs on springs: it sinks by ρ g / k wherever it is wanted."""
    stiffness, density = 1e6, 1000.0
    model = core.Model()
    body = model.add_soft_body(
        *BLOCK, cell_size=cell, density=density, young_modulus=3e4, goal_damping=0.02,
        goal_stiffness=np.full(len(BLOCK[0]), stiffness), self_collision=False, thickness=1e-4,
    )  # fmt: skip
    simulation = core.Simulation(model, core.XPBD(substeps=20, second_order=True))
    for step in range(1, 41):
        wanted = BLOCK[0] @ rotation((1.0, 1.0, 0.0), turned * min(1.0, step / 12.0)).T
        simulation.set_targets(*body.wanted(wanted))
        simulation.advance(1.0 / 24.0)
    expected = wanted - [0.0, 0.0, density * GRAVITY / stiffness]
    np.testing.assert_allclose(simulation.surface(body), expected, atol=2e-4)


def test_tetrahedra_have_goals_of_their_own() -> None:
    model = core.Model()
    corners = np.array([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)])
    body = model.add_soft_body(
        corners, tetrahedra=[(0, 1, 2, 3)], goal_stiffness=1e9, thickness=1e-4
    )
    simulation = core.Simulation(model, core.XPBD(substeps=10), gravity=(0.0, 0.0, 0.0))
    simulation.set_targets(*body.wanted(corners + 0.1))
    for _ in range(3):
        simulation.advance(1.0 / 24.0)
    np.testing.assert_allclose(simulation.surface(body), corners + 0.1, atol=1e-3)
