# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational bodies by local and global steps, against analytic and dense answers."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from bars import Bar
from deformations import deformation_gradients, rotations

from core import ModelError
from core.linear import NotPositiveDefinite
from core.mesh.tetrahedra import TetrahedralBody, box_of_tetrahedra
from core.solvers.corotational.local_global import LocalGlobal
from core.solvers.corotational.rotation_step import AllRotations

MU = 5e3


def small_bar() -> Bar:
    return Bar.of((1, 1, 4), (0.1, 0.1, 0.4))


def solver(bar: Bar, **options: Any) -> LocalGlobal:
    return LocalGlobal(bar.body, MU, dtype=np.float64, **options)


def energy_by_definition(body: TetrahedralBody, x: np.ndarray) -> float:
    """Equation 1."""
    energy = 0.0
    for F, volume in zip(deformation_gradients(body, x), body.volumes, strict=True):
        energy += MU * volume * np.sum((F - naive.nearest_rotation(F)) ** 2)
    return energy


@pytest.mark.jit_off
def test_the_energy_is_that_of_equation_3() -> None:
    bar = small_bar()
    force = np.random.default_rng(0).normal(size=bar.body.positions.shape)
    solve = solver(bar, handles=bar.ends, forces=force)
    x = bar.body.positions + 0.02 * np.random.default_rng(1).normal(size=force.shape)
    solve.start_from(x)
    expected = energy_by_definition(bar.body, x) - np.sum(x * force)
    assert solve.energy() == pytest.approx(expected, rel=1e-12)


@pytest.mark.jit_off
def test_rigid_motion_leaves_no_energy() -> None:
    bar = small_bar()
    Q, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))
    R = Q * np.sign(np.linalg.det(Q))
    solve = solver(bar, handles=bar.ends)
    solve.start_from(bar.body.positions @ R.T + (2.0, -1.0, 3.0))
    assert solve.energy() < 1e-24
    solve.iterate(2)
    np.testing.assert_allclose(
        solve.positions, bar.body.positions @ R.T + (2.0, -1.0, 3.0), atol=1e-13
    )
    turned = rotations(solve.rotations)
    np.testing.assert_allclose(turned, np.broadcast_to(R, turned.shape), atol=1e-13)
    # A deformed shape keeps its energy when it is moved.
    solve.start_from(bar.bent(60.0))
    before = solve.energy()
    solve.start_from(bar.bent(60.0) @ R.T + (2.0, -1.0, 3.0))
    assert solve.energy() == pytest.approx(before, rel=1e-12)


@pytest.mark.jit_off
def test_rotations_are_those_of_the_singular_values() -> None:
    bar = small_bar()
    moved = bar.body.positions + 0.05 * np.random.default_rng(3).normal(
        size=bar.body.positions.shape
    )
    solve = solver(bar, handles=bar.ends)
    solve.start_from(moved)
    solve.iterate(1)
    F = deformation_gradients(bar.body, moved)
    assert np.linalg.det(F).min() < 0.0, "an element must be inverted here"
    expected = [naive.nearest_rotation(f) for f in F]
    np.testing.assert_allclose(rotations(solve.rotations), expected, atol=1e-11)


@pytest.mark.jit_off
def test_the_global_step_is_the_minimum_for_its_rotations() -> None:
    """The gradient of Σ μ V ‖F - R‖² - xᵀ f, R held, is zero at the free vertices."""
    bar = small_bar()
    force = 3.0 * np.random.default_rng(4).normal(size=bar.body.positions.shape)
    solve = solver(bar, handles=bar.ends, forces=force)
    solve.move_handles(bar.twisted(50.0)[bar.ends])
    solve.iterate(1)
    R = rotations(solve.rotations)
    F = deformation_gradients(bar.body, solve.positions)
    weights = 2.0 * MU * bar.body.volumes
    gradient = -force
    for corners, g, strain, weight in zip(
        bar.body.tetrahedra, bar.body.gradients, F - R, weights, strict=True
    ):
        gradient[corners] += weight * g @ strain.T
    free = np.setdiff1d(np.arange(len(force)), bar.ends)
    np.testing.assert_allclose(gradient[free], 0.0, atol=1e-10)
    np.testing.assert_array_equal(solve.positions[bar.ends], bar.twisted(50.0)[bar.ends])


@pytest.mark.parametrize("motion", ["twisted", "bent"])
@pytest.mark.parametrize("degrees", [90.0, 170.0])
def test_energy_never_increases(motion: str, degrees: float) -> None:
    """Neither step can raise it, from a start with inverted elements either."""
    bar = Bar.of((2, 2, 6), (0.2, 0.2, 0.6))
    solve = solver(bar, handles=bar.ends)
    scatter = 0.1 * np.random.default_rng(5).normal(size=bar.body.positions.shape)
    solve.start_from(bar.body.positions + scatter)
    solve.move_handles(getattr(bar, motion)(degrees)[bar.ends])
    assert np.linalg.det(deformation_gradients(bar.body, solve.positions)).min() < 0.0
    energies = [solve.energy()]
    for _ in range(60):
        solve.iterate(1)
        energies.append(solve.energy())
    assert np.diff(energies).max() <= 1e-12 * energies[0]
    assert energies[-1] < 0.2 * energies[0]


def test_a_stretched_bar_is_evenly_stretched() -> None:
    """Without λ there is no contraction: ‖F - R‖ = ε everywhere and E = μ V ε², exactly."""
    bar, stretch = small_bar(), 0.07
    solve = solver(bar, handles=bar.ends)
    even = bar.body.positions * (1.0, 1.0, 1.0 + stretch)
    solve.move_handles(even[bar.ends])
    solve.iterate(80)
    np.testing.assert_allclose(solve.positions, even, atol=1e-12)
    volume = bar.body.volumes.sum()
    assert solve.energy() == pytest.approx(MU * volume * stretch**2, rel=1e-10)


def test_a_pulled_bar_grows_by_force_over_stiffness() -> None:
    """Displacement f l / (2 μ A) where one end is held and the other pulled evenly."""
    bar = small_bar()
    z = bar.body.positions[:, 2]
    held = np.flatnonzero(z == 0.0)
    # Each end is one square of two triangles, whose diagonal has twice the share of the others.
    corners = np.sort(bar.body.tetrahedra[:, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]])
    faces = corners.reshape(-1, 3)
    faces = faces[(z[faces] == bar.length).all(axis=1)]
    assert len(faces) == 2
    traction, area = 40.0, 0.01
    forces = np.zeros_like(bar.body.positions)
    np.add.at(forces, (faces.ravel(), 2), traction * 0.5 * area / 3.0)
    solve = solver(bar, handles=held, forces=forces)
    solve.iterate(200)
    stretch = traction / (2.0 * MU)
    np.testing.assert_allclose(
        solve.positions, bar.body.positions * (1.0, 1.0, 1.0 + stretch), atol=1e-9
    )


def test_a_light_load_bends_it_as_linear_elasticity_says() -> None:
    """Against the dense stiffness of Hooke's law with λ = 0, energy μ V ‖sym ∇u‖²."""
    bar = Bar.of((1, 1, 3), (0.1, 0.1, 0.3))
    body, count = bar.body, len(bar.body.positions)
    K = np.zeros((3 * count, 3 * count))
    for corners, g, volume in zip(body.tetrahedra, body.gradients, body.volumes, strict=True):
        place = (3 * corners[:, None] + np.arange(3)).ravel()
        gradient = np.einsum("ij,ak->ikaj", np.eye(3), g).reshape(3, 3, 12)
        strain = 0.5 * (gradient + gradient.transpose(1, 0, 2)).reshape(9, 12)
        K[np.ix_(place, place)] += 2.0 * MU * volume * strain.T @ strain
    held = body.positions[:, 2] == 0.0
    forces = np.zeros((count, 3))
    forces[body.positions[:, 2] == bar.length, 0] = 1e-5
    expected = naive.deflection(K, forces, np.repeat(held[:, None], 3, axis=1))
    solve = solver(bar, handles=np.flatnonzero(held), forces=forces)
    solve.iterate(4000)
    found = solve.positions - body.positions
    scale = np.abs(expected).max()
    assert scale < 1e-5, "a small displacement"
    # The next order of the displacement, and 4000 steps of linear convergence.
    np.testing.assert_allclose(found, expected, atol=1e-4 * scale)


def falling(iterations: int, steps: int = 1) -> tuple[LocalGlobal, np.ndarray, np.ndarray]:
    """A free bar that spins and vibrates; its masses and its positions before the last step."""
    bar = small_bar()
    masses = bar.body.lumped_masses(1000.0)
    solve = solver(bar, masses=masses, time_step=0.01)
    random = np.random.default_rng(6)
    solve.velocities[:] = np.cross((1.0, 8.0, -3.0), bar.body.positions)
    solve.velocities += 0.5 * random.normal(size=solve.velocities.shape)
    start = solve.positions.copy()
    for _ in range(steps):
        start = solve.positions.copy()
        solve.advance(iterations)
    return solve, masses, start


def test_momentum_is_kept_in_time() -> None:
    first, masses, _ = falling(1, steps=0)
    momentum = masses @ first.velocities
    for iterations in (1, 5):
        later, masses, _ = falling(iterations, steps=4)
        np.testing.assert_allclose(masses @ later.velocities, momentum, atol=1e-12)


def test_a_step_solved_to_the_end_has_no_torque() -> None:
    """Implicit Euler: Σ xⁿ⁺¹ × m (vⁿ⁺¹ - vⁿ) = 0, as forces between vertices have no moment."""
    before, masses, _ = falling(1, steps=0)
    after, _, _ = falling(300)
    impulse = masses[:, None] * (after.velocities - before.velocities)
    assert np.abs(impulse).max() > 1e-3
    np.testing.assert_allclose(np.cross(after.positions, impulse).sum(axis=0), 0.0, atol=1e-10)


def test_a_time_step_is_that_of_implicit_euler() -> None:
    """M (x - y) / h² equals the elastic force, from the energy by central differences."""
    solve, masses, start = falling(400)
    before, _, _ = falling(1, steps=0)
    predicted = start + 0.01 * before.velocities
    slope = naive.differentiate(
        lambda x: np.array([energy_by_definition(solve.body, x)]), solve.positions, step=1e-6
    )[0]
    inertia = masses[:, None] * (solve.positions - predicted) / 0.01**2
    assert np.abs(slope).max() > 1.0
    np.testing.assert_allclose(inertia, -slope, atol=1e-5)
    np.testing.assert_allclose(solve.velocities, (solve.positions - start) / 0.01, atol=1e-12)


def test_handles_stay_in_time() -> None:
    bar = small_bar()
    masses = bar.body.lumped_masses(1000.0)
    weight = masses[:, None] * (0.0, 0.0, -9.81)
    solve = solver(bar, handles=bar.ends, forces=weight, masses=masses, time_step=0.02)
    for _ in range(400):
        solve.advance(10)
    np.testing.assert_array_equal(solve.positions[bar.ends], bar.body.positions[bar.ends])
    at_rest = solver(bar, handles=bar.ends, forces=weight)
    at_rest.iterate(1000)
    np.testing.assert_allclose(solve.positions, at_rest.positions, atol=1e-8)
    assert np.abs(at_rest.positions - bar.body.positions).max() > 1e-3


def test_single_precision_ends_at_the_same_shape() -> None:
    bar = small_bar()
    results = []
    for kind in (np.float32, np.float64):
        solve = LocalGlobal(bar.body, MU, handles=bar.ends, dtype=kind)
        solve.move_handles(bar.twisted(70.0)[bar.ends])
        solve.iterate(100)
        assert solve.positions.dtype == kind
        results.append(solve.positions.astype(float))
    np.testing.assert_allclose(results[0], results[1], atol=1e-6)


@pytest.mark.jit_off
def test_what_is_not_held_by_anything_is_refused() -> None:
    bar = small_bar()
    with pytest.raises(NotPositiveDefinite):
        LocalGlobal(bar.body, MU)
    positions, tetrahedra = box_of_tetrahedra((1, 1, 1), (1.0, 1.0, 1.0))
    two = TetrahedralBody.of(
        np.concatenate([positions, positions + 2.0]), np.concatenate([tetrahedra, tetrahedra + 8])
    )
    with pytest.raises(NotPositiveDefinite):
        LocalGlobal(two, MU, handles=[0, 1])
    LocalGlobal(two, MU, handles=[0, 8])


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"handles": [20]}, "A handle refers to a vertex that doesn't exist: there are 20"),
        ({"handles": [1, 1]}, "A handle is given twice"),
        ({"handles": [0], "forces": np.zeros((3, 2))}, "Forces"),
        ({"handles": [0], "shear_modulus": -1.0}, "Shear moduli"),
        ({"masses": np.ones(20)}, "go together"),
        ({"time_step": 0.1}, "go together"),
        ({"masses": np.zeros(20), "time_step": 0.1}, "must be positive"),
        ({"masses": np.ones(20), "time_step": 0.0}, "must be positive"),
    ],
)
def test_wrong_input_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        LocalGlobal(**{"body": small_bar().body, "shear_modulus": MU, **options})


@pytest.mark.jit_off
def test_a_body_without_masses_does_not_move_in_time() -> None:
    bar = small_bar()
    with pytest.raises(ModelError, match="without masses"):
        solver(bar, handles=bar.ends).advance(1)


@pytest.mark.jit_off
def test_the_default_local_step_computes_every_rotation() -> None:
    bar = small_bar()
    moved = bar.twisted(80.0)
    found = []
    for options in ({}, {"local_step": AllRotations()}):
        solve = solver(bar, handles=bar.ends, **options)
        solve.start_from(moved)
        solve.iterate(1)
        found.append(rotations(solve.rotations))
    np.testing.assert_array_equal(found[0], found[1])
