# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb friction on inclined and moving surfaces."""

from __future__ import annotations

import contact_scenes as scenes
import numpy as np
import pytest
from numpy.typing import DTypeLike

GRAVITY = 9.81


def incline(
    angle: float, mu: float, dtype: DTypeLike = np.float64, iterations: int = 1
) -> scenes.Particles:
    """A particle at rest on a plane, gravity turned instead of the plane."""
    gravity = GRAVITY * np.array([np.sin(angle), 0, -np.cos(angle)])
    return scenes.Particles(
        [(-5.0, 0, 0.02)], [scenes.collider(scenes.quad(10.0), friction=mu)],
        friction=mu, gravity=gravity, dtype=dtype, iterations=iterations,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mu", [0.2, 0.5, 1.0])
def test_sticks_below_the_angle_of_friction(mu: float, dtype: DTypeLike) -> None:
    scene = incline(np.arctan(mu) * 0.95, mu, dtype)
    scene.advance(24)
    np.testing.assert_allclose(scene.positions, [(-5.0, 0, 0.02)], atol=1e-4)


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("mu", [0.0, 0.2, 0.5])
def test_slides_above_it_with_the_right_acceleration(mu: float, iterations: int) -> None:
    angle = np.arctan(mu) + 0.2
    scene = incline(angle, mu, iterations=iterations)
    scene.advance(12)
    expected = GRAVITY * (np.sin(angle) - mu * np.cos(angle)) * 0.5
    assert scene.velocity[0, 0] == pytest.approx(expected, rel=0.02)
    assert scene.positions[0, 2] == pytest.approx(0.02, abs=1e-9)


def test_what_is_pressed_on_can_be_led_out_all_the_same() -> None:
    """That is not sliding."""
    scene = incline(0.0, 1.0)
    scene.led_out[0, 0] = 1e-5
    scene.substep(scene.frame / scene.substeps, 0)
    np.testing.assert_allclose(scene.positions, [(-5.0 + 1e-5, 0, 0.02)], atol=1e-12)


def test_a_pair_takes_the_geometric_mean() -> None:
    angle, pair = 0.6, np.sqrt(0.9 * 0.1)
    gravity = GRAVITY * np.array([np.sin(angle), 0, -np.cos(angle)])
    ground = scenes.collider(scenes.quad(10.0), friction=0.9)
    scene = scenes.Particles([(-5.0, 0, 0.02)], [ground], friction=0.1, gravity=gravity)
    scene.advance(12)
    expected = GRAVITY * (np.sin(angle) - pair * np.cos(angle)) * 0.5
    assert scene.velocity[0, 0] == pytest.approx(expected, rel=0.02)


@pytest.mark.jit_off
def test_carried_by_a_translating_platform() -> None:
    """Braking distance: the platform starts at 0.2 m/s at once, friction takes a while."""
    mesh = scenes.quad(2.0)
    platform = scenes.collider(mesh)
    scene = scenes.Particles([(0.1, 0.2, 0.02)], [platform], substeps=5)
    for frame in range(12):
        platform.set_target(mesh[0] + ((frame + 1) * 0.2 / 24, 0, 0))
        scene.advance()
    np.testing.assert_allclose(scene.velocity[0], (0.2, 0, 0), atol=1e-9)
    slipped = 0.1 + 0.2 * 0.5 - scene.positions[0, 0]
    half_substep = 0.5 * 0.2 / 24 / scene.substeps
    assert slipped == pytest.approx(0.2**2 / (2 * 0.5 * GRAVITY) - half_substep, rel=0.02)


def test_carried_by_a_rotating_platform() -> None:
    mesh = scenes.quad(2.0)
    platform = scenes.collider(mesh, friction=1.0)
    scene = scenes.Particles([(0.3, 0, 0.02)], [platform], friction=1.0, velocities=(0, 0.3, 0))
    for frame in range(24):
        platform.set_target(mesh[0] @ scenes.rotation((0, 0, 1), (frame + 1) / 24).T)
        scene.advance()
    expected = scenes.rotation((0, 0, 1), 1.0) @ (0.3, 0, 0.02)
    np.testing.assert_allclose(scene.positions[0], expected, atol=5e-4)


def test_lifted_by_a_platform_without_bouncing() -> None:
    mesh = scenes.quad(2.0)
    platform = scenes.collider(mesh)
    scene = scenes.Particles([(0.0, 0, 0.02)], [platform])
    for frame in range(12):
        platform.set_target(mesh[0] + (0, 0, 0.05 * (frame + 1)))
        scene.advance()
        assert scene.positions[0, 2] == pytest.approx(0.02 + 0.05 * (frame + 1), abs=1e-9)
