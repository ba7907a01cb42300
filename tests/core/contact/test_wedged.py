# SPDX-License-Identifier: GPL-3.0-or-later
"""Where colliders leave less than the thicknesses, these give way, and nothing is shaken."""

from __future__ import annotations

import contact_scenes as scenes
import numpy as np
import pytest
from contact_presses import Press

pytestmark = pytest.mark.long

LOWER = scenes.box((-0.5, -0.5, -0.4), (0.5, 0.5, 0.0))
UPPER = scenes.box((-0.5, -0.5, 0.0), (0.5, 0.5, 0.4))
FRAME = 1 / 24

LEFT = 10
"""Pairs of faces: a vertex that is folded through its neighbours may stay so when boxes open."""


def above(gap: float) -> scenes.Mesh:
    return UPPER[0] + (0.0, 0.0, gap), UPPER[1]


def both(gap: float) -> scenes.Mesh:
    """Lower and upper box as one mesh."""
    upper, triangles = above(gap)
    return np.concatenate([LOWER[0], upper]), np.concatenate([triangles, triangles + len(upper)])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("substeps", [4, 20, 80])
@pytest.mark.parametrize(
    ("gap", "thicknesses", "height"),
    [(0.02, (0.02, 0.02), 0.01), (0.004, (0.02, 0.02), 0.002), (0.02, (0.02, 0.012), 0.014)],
)
def test_particles_between_colliders_end_equally_deep_in_both_and_at_rest(
    gap: float, thicknesses: tuple[float, float], height: float, substeps: int, turned: bool
) -> None:
    """With the thicknesses t₁ below and t₂ above, t₁ - z = t₂ - (gap - z). What gravity does in a
    substep, g h², is shared by both.
    """
    lower = scenes.collider(LOWER, thickness=thicknesses[0])
    upper = scenes.collider(above(0.1), thickness=thicknesses[1])
    points = np.random.default_rng(4).uniform(-0.3, 0.3, (50, 3)) * (1, 1, 0) + (0, 0, 0.03)
    colliders = [upper, lower] if turned else [lower, upper]
    scene = scenes.Particles(points, colliders, substeps=substeps)
    for part in np.linspace(0.0, 1.0, 7)[1:]:
        upper.set_target(above(0.1 + part * (gap - 0.1))[0])
        scene.advance()
    scene.advance(4)
    h = FRAME / substeps
    np.testing.assert_allclose(scene.positions[:, 2], height, atol=0.01 * gap + 0.6 * 9.81 * h * h)
    np.testing.assert_allclose(scene.velocity, 0.0, atol=0.6 * 9.81 * h)


@pytest.mark.parametrize("substeps", [20, 80])
@pytest.mark.parametrize(("gap", "thickness"), [(0.02, 0.02), (0.004, 0.01)])
def test_so_do_those_between_two_sides_of_one_collider(
    gap: float, thickness: float, substeps: int
) -> None:
    jaws = scenes.collider(both(0.1), thickness=thickness)
    points = np.random.default_rng(4).uniform(-0.3, 0.3, (50, 3)) * (1, 1, 0) + (0, 0, 0.03)
    scene = scenes.Particles(points, [jaws], substeps=substeps)
    for part in np.linspace(0.0, 1.0, 7)[1:]:
        jaws.set_target(both(0.1 + part * (gap - 0.1))[0])
        scene.advance()
    scene.advance(4)
    h = FRAME / substeps
    np.testing.assert_allclose(scene.positions[:, 2], gap / 2, atol=0.01 * gap + 9.81 * h * h)
    np.testing.assert_allclose(scene.velocity, 0.0, atol=2.0 * 9.81 * h)


@pytest.mark.parametrize("angle", [120.0, 90.0, 60.0])
def test_what_lies_in_a_corner_is_led_out_of_both_sides(angle: float) -> None:
    """There is a way out of both thicknesses."""
    sides = []
    for sign in (-1.0, 1.0):
        turn = scenes.rotation((0, 1, 0), sign * np.radians(90.0 - angle / 2))
        sides.append(scenes.collider((LOWER[0] @ turn.T, LOWER[1]), thickness=0.02))
    scene = scenes.Particles([(0.0, 0.0, 0.005)], sides, gravity=(0, 0, -0.1))
    scene.advance(4)
    assert scene.positions[0, 2] * np.sin(np.radians(angle / 2)) > 0.02 - 1e-4


def test_what_another_one_pushes_back_gets_no_velocity_from_being_led_out() -> None:
    """A particle is led out of a box's thickness in each substep, and put back where it was."""
    scene = scenes.Particles(
        [(0.0, 0.0, 0.01)], [scenes.collider(LOWER, thickness=0.02)], gravity=(0, 0, 0)
    )
    for substep in range(10):
        scene.rows[0, 2] = 0.01
        scene.led_out[0, 2] = -0.5 * FRAME / 20
        scene.velocity[:] = 0.0
        scene.set.begin_frame(FRAME)
        scene.substep(FRAME / 20, substep)
        np.testing.assert_allclose(scene.positions[0, 2], 0.01, atol=1e-9)
        np.testing.assert_allclose(scene.velocity, 0.0, atol=1e-6)


@pytest.mark.parametrize(
    ("gap", "thickness", "substeps", "most"),
    [
        (0.02, 0.02, 20, 0.1),
        (0.02, 0.02, 60, 0.1),
        (0.006, 0.005, 20, 0.1),
        (0.006, 0.005, 60, 0.1),
        (0.0, 0.005, 20, 0.3),
        (0.0, 0.005, 60, 0.2),
        (-0.02, 0.005, 60, 0.3),
    ],
)
def test_cloth_between_closing_boxes_is_not_strained(
    gap: float, thickness: float, substeps: int, most: float
) -> None:
    """Where they enter each other, what hangs beside them is pushed away from what they hold."""
    press = Press(1, substeps, thickness)
    assert press.close(gap, 12).max() < most
    assert press.close(gap, 12).max() < most
    press.close(0.2, 24)
    assert press.simulation.crossings < LEFT


@pytest.mark.parametrize("substeps", [20, 60])
@pytest.mark.parametrize(
    ("gap", "thickness", "most"), [(0.02, 0.02, 0.1), (0.006, 0.005, 0.1), (0.0, 0.005, 0.3)]
)
def test_neither_is_cloth_between_two_sides_of_one_collider(
    gap: float, thickness: float, most: float, substeps: int
) -> None:
    press = Press(1, substeps, thickness, joined=True)
    assert press.close(gap, 12).max() < most
    assert press.close(gap, 12).max() < most
    press.close(0.2, 24)
    assert press.simulation.crossings < LEFT


@pytest.mark.parametrize("substeps", [40, 80])
def test_neither_is_cloth_in_layers(substeps: int) -> None:
    press = Press(4, substeps, 0.02)
    assert press.close(0.02, 10).max() < 0.25
    assert press.close(0.02, 12).max() < 0.25
    assert press.simulation.crossings == 0
