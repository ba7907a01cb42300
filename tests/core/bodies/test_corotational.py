# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies of co-rotational tetrahedra in a model."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from core import ModelError
from core.bodies.corotational import add_corotational, shear_modulus
from core.mesh.tetrahedra import box_of_tetrahedra

BOX = box_of_tetrahedra((1, 1, 2), (0.1, 0.1, 0.2))
MATERIAL = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.25}
MU = 8e3


@pytest.mark.jit_off
def test_the_energy_is_that_of_equation_1() -> None:
    """½ C² / α = μ V ‖F - R‖² for every element, R by singular values."""
    model = core.Model(dtype=np.float64)
    body = add_corotational(model, *BOX, **MATERIAL)
    moved = BOX[0] + 0.03 * np.random.default_rng(0).normal(size=BOX[0].shape)
    group = body.constraints
    listed = [
        naive.from_registry(group.constraint, corners, rest, alpha[0])
        for corners, rest, alpha in zip(group.indices, group.rest, group.compliance, strict=True)
    ]
    expected = 0.0
    for corners, volume in zip(BOX[1], body.volumes, strict=True):
        rest, now = (points[corners[1:]] - points[corners[0]] for points in (BOX[0], moved))
        F = now.T @ np.linalg.inv(rest.T)
        expected += MU * volume * np.sum((F - naive.nearest_rotation(F)) ** 2)
    assert naive.elastic_energy(listed, moved) == pytest.approx(expected, rel=1e-12)


@pytest.mark.jit_off
def test_particles_get_their_share_of_the_mass() -> None:
    model = core.Model()
    model.add_particles([(9.0, 9.0, 9.0)], 1.0)
    body = add_corotational(model, *BOX, **MATERIAL, pins=[0, 3])
    assert body.particles[0] == 1
    assert body.tetrahedra.min() == 1
    masses = model.masses[body.particles]
    assert np.flatnonzero(np.isinf(masses)).tolist() == [0, 3]
    free = add_corotational(core.Model(), *BOX, **MATERIAL)
    assert free.constraints.indices.shape == (10, 4)
    other = core.Model()
    add_corotational(other, *BOX, **MATERIAL)
    assert other.masses.sum() == pytest.approx(2.0)


def test_forces_of_a_held_stretch() -> None:
    """All vertices held at a stretch of 10%: |λ| / Δt² = C / α = 2 μ V ‖F - R‖, C = 0.1."""
    model = core.Model(dtype=np.float64)
    body = add_corotational(model, *BOX, **MATERIAL, pins=np.arange(len(BOX[0])))
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0.0, 0.0, 0.0))
    simulation.set_targets(body.particles, BOX[0] * (1.0, 1.0, 1.1))
    simulation.advance(0.01)
    np.testing.assert_allclose(
        simulation.forces(body.constraints), 2.0 * MU * body.volumes * 0.1, rtol=1e-12
    )


def test_a_body_in_free_flight_keeps_its_shape_and_momentum() -> None:
    model = core.Model(dtype=np.float64)
    body = add_corotational(model, *BOX, **MATERIAL)
    masses = model.masses
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, -9.81))
    centre = masses @ BOX[0] / masses.sum()
    simulation.velocities[:] = np.cross((0.0, 3.0, 0.0), BOX[0] - centre)
    simulation.velocities[:] += (1.0, 0.0, 2.0)
    momentum = masses @ simulation.velocities
    turning = masses @ np.cross(BOX[0] - centre, simulation.velocities)
    for _ in range(12):
        simulation.advance(1 / 24)
    fallen = momentum - masses.sum() * np.array([0.0, 0.0, 9.81]) * 0.5
    np.testing.assert_allclose(masses @ simulation.velocities, fallen, atol=1e-10)
    x = simulation.positions
    centre = masses @ x / masses.sum()
    after = masses @ np.cross(x - centre, simulation.velocities)
    # Projections keep it; that velocities are differences of positions along a circle costs 1%.
    np.testing.assert_allclose(after, turning, rtol=0.02, atol=1e-5)
    edges = body.tetrahedra[:, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]].reshape(-1, 2)
    lengths = [np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (BOX[0], x)]
    # A turning body stretches by about ρ ω² l² / E = 0.0045, l its half length.
    np.testing.assert_allclose(lengths[1], lengths[0], rtol=5e-3)


@pytest.mark.jit_off
def test_the_shear_modulus() -> None:
    assert shear_modulus(3.0, 0.0) == 1.5
    assert shear_modulus(3.0, 0.25) == pytest.approx(1.2)
    for young, poisson in ((0.0, 0.0), (-1.0, 0.0), (np.nan, 0.0), (np.inf, 0.0)):
        with pytest.raises(ModelError, match="Young"):
            shear_modulus(young, poisson)
    for poisson in (-1.0, 0.5, np.nan):
        with pytest.raises(ModelError, match="Poisson"):
            shear_modulus(1.0, poisson)


@pytest.mark.jit_off
def test_what_can_t_be_simulated_is_refused() -> None:
    with pytest.raises(ModelError, match="density"):
        add_corotational(core.Model(), *BOX, density=0.0, young_modulus=1.0)
    with pytest.raises(ModelError, match="A pin of 'soft body' refers to a vertex"):
        add_corotational(core.Model(), *BOX, **MATERIAL, pins=[12])
    model = core.Model()
    with pytest.raises(ModelError, match="inverted"):
        add_corotational(model, BOX[0], BOX[1][:, [1, 0, 2, 3]], **MATERIAL)
    assert model.particle_count == 0
