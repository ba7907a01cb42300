# SPDX-License-Identifier: GPL-3.0-or-later
"""Where colliders leave less than the thicknesses, these give way, and nothing is shaken."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from numpy.typing import NDArray

import core

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


class Press:
    """A sheet of 1 m, of so many layers, between a box and one that comes down on it.

    Both are one collider if they are to be ``joined``.
    """

    def __init__(self, layers: int, substeps: int, thickness: float, joined: bool = False) -> None:
        model = core.Model()
        points, faces = naive.quad_grid(25, 25, 1.0, 1.0)
        self.sheet = model.add_cloth(points, faces, thickness=0.002)
        half = 0.5 / layers
        upper, triangles = scenes.box((-0.8 * half, -0.3, 0.0), (0.8 * half, 0.3, 0.2))
        lower = upper - (0.0, 0.0, 0.2)
        self.moved, self.rest = np.ones((8, 1)), upper
        if joined:
            self.moved, self.rest = np.repeat([[1.0], [0.0]], 8, axis=0), np.r_[upper, lower]
            triangles = np.concatenate([triangles, triangles + 8])
        else:
            model.add_collider(lower, triangles, thickness=thickness)
        self.collider = model.add_collider(self.at(0.1), triangles, thickness=thickness)
        self.simulation = core.Simulation(model, core.XPBD(substeps=substeps))
        self.simulation.positions[:] = zigzag(np.asarray(points), 2.0 * half)

    def at(self, gap: float) -> NDArray[np.float64]:
        """The vertices of what comes down, so far [m] above the lower box."""
        return np.asarray(self.rest + gap * self.moved * (0.0, 0.0, 1.0))

    def close(self, gap: float, frames: int) -> NDArray[np.float64]:
        """The 99th percentile of strain after each frame, while the boxes close to this gap."""
        begin, end = self.collider.vertices, self.at(gap)
        found = []
        for part in np.linspace(0.0, 1.0, frames + 1)[1:]:
            self.collider.set_target(begin + part * (end - begin))
            self.simulation.advance(FRAME)
            found.append(np.percentile(self.strain(), 99))
        return np.array(found)

    def strain(self) -> Any:
        ways = np.subtract(*self.simulation.positions[self.sheet.edges.T])
        return np.linalg.norm(ways, axis=1) / self.sheet.rest_lengths - 1.0


def zigzag(points: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Layers of a width, one above the other [m]."""
    layer, along = np.divmod(points[:, 0], width)
    x = np.where(layer % 2 == 0, along, width - along) - 0.5 * width
    z = 0.02 * points[:, 0] / width + 0.004
    return np.stack([x, points[:, 1] - 0.5, z], axis=1)


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
