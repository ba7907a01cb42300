# SPDX-License-Identifier: GPL-3.0-or-later
"""The references of the validation report against slower ones."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from core.constraints import REGISTRY
from validation.balloons import Balloon, angles, differentiated, distances, icosphere, tetrahedra
from validation.spring_newton import Springs, conjugate_gradients
from validation.springs import Spring


@pytest.mark.parametrize("damping", [0.0, 0.01, 2.0 * np.sqrt(0.001), 0.2])
def test_the_exact_motion_obeys_its_equation(damping: float) -> None:
    """m ẍ = -(x - rest + damping ẋ) / α from rest at the start, by central differences."""
    spring, h = Spring(mass=1.0, damping=damping), 1e-5
    times = np.linspace(0.01, 0.5, 20)
    before, now, after = (spring.exact(times + shift) for shift in (-h, 0.0, h))
    speed, acceleration = (after - before) / (2 * h), (after - 2 * now + before) / h**2
    force = -(now - spring.rest + damping * speed) / spring.compliance
    np.testing.assert_allclose(acceleration, force, atol=1e-2 * spring.amplitude / 0.001 / 100)
    start = spring.exact(np.array([0.0, 1e-6]))
    assert start[0] == spring.start
    assert start[1] == pytest.approx(spring.start, abs=1e-8)


@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_implicit_euler_of_a_spring_is_that_of_newton(damping: float) -> None:
    spring, dt = Spring(damping=damping), 0.008
    link = naive.from_registry(
        REGISTRY["distance"], (0, 1), np.array([1.0]), spring.compliance, damping
    )
    x, v = np.array([(0, 0, 0), (1.5, 0, 0)], float), np.zeros((2, 3))
    for expected in spring.implicit_euler(dt, 10):
        x, v, _ = naive.implicit_euler_step(x, v, np.array([0.0, 1.0]), [link], dt)
        assert x[1, 0] == pytest.approx(expected, abs=1e-12)


def test_newton_by_conjugate_gradients_is_dense_newton() -> None:
    random = np.random.default_rng(3)
    x, _ = naive.quad_grid(3, 2, 3.0, 2.0)
    x += random.uniform(-0.2, 0.2, x.shape)
    v = random.uniform(-1.0, 1.0, x.shape)
    pairs = np.array([(i, j) for i in range(12) for j in range(i) if random.random() < 0.4])
    rest, masses = random.uniform(0.8, 1.2, len(pairs)), random.uniform(0.5, 2.0, 12)
    masses[0] = np.inf
    v[0] = 0.0
    gravity = np.array([0.0, 0.0, -9.81])
    springs = Springs(pairs, rest, 1e-2, masses, gravity)
    references = [
        naive.from_registry(REGISTRY["distance"], pair, np.array([length]), 1e-2)
        for pair, length in zip(pairs, rest)
    ]
    expected, speeds, _ = naive.implicit_euler_step(
        x, v, 1.0 / masses, references, 0.02, gravity=gravity
    )
    found, found_speeds = springs.step(x, v, 0.02, tolerance=1e-12)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found_speeds, speeds, atol=1e-7)


def test_conjugate_gradients_refuse_an_indefinite_matrix() -> None:
    with pytest.raises(ArithmeticError, match="positive definite"):
        conjugate_gradients(lambda u: -u, np.ones((2, 3)), 1e-9)


# --- the balloon ----------------------------------------------------------------------------------


def test_the_icosphere_is_closed_and_outward() -> None:
    positions, triangles = icosphere(2)
    assert len(positions) == 162 and len(triangles) == 320
    found = naive.triangles_at_edges(triangles.tolist())
    assert {len(neighbours) for neighbours in found.values()} == {2}
    np.testing.assert_allclose(np.linalg.norm(positions, axis=1), 1.0)
    assert (tetrahedra(positions[triangles]) > 0.0).all()
    assert Balloon(divisions=3).volume_at_rest == pytest.approx(4.0 / 3.0 * np.pi, rel=0.01)


def test_angles_of_hinges_are_those_of_the_naive_reference() -> None:
    corners = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 4, 3))
    expected = [naive.bending(points, np.zeros(1))[0] for points in corners]
    np.testing.assert_allclose(np.abs(angles(corners)), np.abs(expected), atol=1e-12)


def test_derivatives_are_those_of_springs() -> None:
    """U = Σ ½ l²: ∇U and ∂²U of a graph are its Laplacian's."""
    x = np.random.default_rng(2).uniform(-1.0, 1.0, (4, 3))
    edges = np.array([(0, 1), (1, 2), (0, 3)])
    gradient, hessian = differentiated(lambda points: 0.5 * distances(points) ** 2, x, edges)
    laplacian = np.array([[2, -1, 0, -1], [-1, 2, -1, 0], [0, -1, 1, 0], [-1, 0, 0, 1]])
    np.testing.assert_allclose(gradient, (laplacian @ x).ravel(), atol=1e-9)
    np.testing.assert_allclose(hessian, np.kron(laplacian, np.eye(3)), atol=1e-6)


@pytest.mark.parametrize("compliance", [0.0, 0.03])
def test_a_balloon_at_rest_has_the_least_energy(compliance: float) -> None:
    """Any displacement that keeps the volume, or pays for it, costs energy."""
    balloon = Balloon(divisions=1, volume_compliance=compliance)
    x, pressure = balloon.equilibrium()
    rest, _ = balloon.surface

    def energy(points: np.ndarray) -> float:
        stretch = distances(points[balloon.edges]) - distances(rest[balloon.edges])
        fold = angles(points[balloon.hinges]) - angles(rest[balloon.hinges])
        missing = balloon.volume_aimed_at - balloon.volume(points)
        work = 0.5 * missing**2 / compliance if compliance else pressure * missing
        total = 0.5 * (stretch**2).sum() / balloon.stretch + 0.5 * (fold**2).sum() / balloon.bend
        return float(total + work)

    for seed in range(5):
        move = 1e-4 * np.random.default_rng(seed).normal(size=x.shape)
        growth = energy(x + move) - energy(x)
        assert growth > 0.0
        assert abs(energy(x + move) - energy(x - move)) < 1e-3 * growth
    missing = balloon.volume_aimed_at - balloon.volume(x)
    assert missing == pytest.approx(compliance * pressure, abs=1e-12)
