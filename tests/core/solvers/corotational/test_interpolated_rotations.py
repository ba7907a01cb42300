# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations blended from those of sampled elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import naive
import numpy as np
import pytest
from bars import Bar, paper_bar
from deformations import deformation_gradients, rotations

from core.mesh.tetrahedra import TetrahedralBody, box_of_tetrahedra
from core.native.rows import aligned_rows
from core.solvers.corotational import interpolated_rotations
from core.solvers.corotational.interpolated_rotations import (
    InterpolatedRotations,
    blend,
    blending_weights,
    connected_parts,
    sample_elements,
)
from core.solvers.corotational.local_global import LocalGlobal
from core.solvers.corotational.rotation_step import AllRotations, LocalStep
from core.vector.elements import ElementKernel
from core.vector.rotation import rotation_of

FRACTIONS = (0.05, 0.10, 0.15)


def small_body() -> TetrahedralBody:
    return TetrahedralBody.of(*box_of_tetrahedra((2, 2, 3), (1.0, 1.0, 1.5)))


def two_boxes() -> TetrahedralBody:
    """Boxes that touch nowhere, the second smaller."""
    first = box_of_tetrahedra((2, 2, 2), (1.0, 1.0, 1.0))
    second = box_of_tetrahedra((1, 1, 1), (0.5, 0.5, 0.5))
    return TetrahedralBody.of(
        np.concatenate([first[0], second[0] + (3.0, 0.0, 0.0)]),
        np.concatenate([first[1], second[1] + len(first[0])]),
    )


def rows_of(positions: np.ndarray) -> np.ndarray:
    rows = aligned_rows(len(positions), np.float64)
    rows[:, :3] = positions
    return rows


def rotations_at(step: LocalStep, body: TetrahedralBody, positions: np.ndarray) -> np.ndarray:
    bound = step.bind(body, np.float64)
    bound.update(rows_of(positions))
    return rotations(bound)


# --- samples --------------------------------------------------------------------------------------


@pytest.mark.jit_off
def test_samples_are_the_farthest_points() -> None:
    body = small_body()
    samples = sample_elements(body, 12)
    centroids = body.centroids
    apart = np.linalg.norm(centroids - centroids.mean(axis=0), axis=1)
    expected: list[int] = []
    while len(expected) < 12:
        # Of those equally far the first.
        expected.append(int(np.flatnonzero(apart > apart.max() - 1e-9)[0]))
        apart = np.linalg.norm(centroids[:, None] - centroids[expected], axis=2).min(axis=1)
    np.testing.assert_array_equal(samples, expected)


@pytest.mark.jit_off
def test_samples_do_not_depend_on_where_the_body_is() -> None:
    """In a regular mesh many elements are equally far; rounding must not choose among them."""
    body = small_body()
    for shift in ((0.37, -3.1, 2.2), (100.0, 0.1, 0.01)):
        moved = TetrahedralBody.of(body.positions + np.array(shift), body.tetrahedra)
        np.testing.assert_array_equal(sample_elements(moved, 30), sample_elements(body, 30))


@pytest.mark.jit_off
@pytest.mark.parametrize("count", [1, 7, 60, 100])
def test_samples_are_distinct(count: int) -> None:
    body = small_body()
    samples = sample_elements(body, count)
    assert len(np.unique(samples)) == len(samples) == min(count, 60)
    np.testing.assert_array_equal(samples, sample_elements(body, count))


@pytest.mark.jit_off
def test_every_part_gets_a_sample() -> None:
    body = two_boxes()
    part = connected_parts(body.tetrahedra)
    np.testing.assert_array_equal(part, np.repeat([0, 1], [40, 5]))
    assert set(part[sample_elements(body, 1)]) == {0, 1}
    counts = np.bincount(part[sample_elements(body, 10)])
    assert counts[0] > counts[1] >= 1


@pytest.mark.jit_off
def test_parts_do_not_depend_on_the_order_of_vertices() -> None:
    body = two_boxes()
    random = np.random.default_rng(0)
    order = random.permutation(len(body.positions))
    shuffled = np.empty_like(body.positions)
    shuffled[order] = body.positions
    elements = random.permutation(len(body.tetrahedra))
    other = TetrahedralBody.of(shuffled, order[body.tetrahedra][elements])
    part = connected_parts(other.tetrahedra)
    expected = connected_parts(body.tetrahedra)[elements]
    assert {tuple(pair) for pair in zip(part, expected, strict=True)} in (
        {(0, 0), (1, 1)},
        {(0, 1), (1, 0)},
    )


@pytest.mark.jit_off
def test_parts_that_touch_at_an_edge_only_are_two() -> None:
    """A hinge transmits no rotation."""
    positions, tetrahedra = box_of_tetrahedra((1, 1, 1), (1.0, 1.0, 1.0))
    beside = positions + np.array([1.0, 1.0, 0.0])
    positions = np.concatenate([positions, beside])
    _, places = np.unique(positions, axis=0, return_inverse=True)
    joined = places.reshape(-1)[np.concatenate([tetrahedra, tetrahedra + 8])]
    assert len(np.unique(joined)) == 14
    np.testing.assert_array_equal(connected_parts(joined), np.repeat([0, 1], 5))


# --- weights --------------------------------------------------------------------------------------


def dense_weights(body: TetrahedralBody, samples: np.ndarray) -> np.ndarray:
    """All weights, shape (m, l): equation 8 on elements, by dense matrices."""
    count = len(body.tetrahedra)
    L = np.zeros((count, count))
    for a, b in itertools.combinations(range(count), 2):
        shared = np.intersect1d(body.tetrahedra[a], body.tetrahedra[b])
        if len(shared) == 3:
            p, q, r = body.positions[shared]
            area = 0.5 * np.linalg.norm(np.cross(q - p, r - p))
            flow = area / np.linalg.norm(body.centroids[a] - body.centroids[b])
            L[a, b] = L[b, a] = -flow
            L[a, a] += flow
            L[b, b] += flow
    u = np.zeros((count, len(samples)))
    u[samples, np.arange(len(samples))] = 1.0
    free = np.setdiff1d(np.arange(count), samples)
    u[free] = np.linalg.solve(L[np.ix_(free, free)], -L[np.ix_(free, samples)] @ u[samples])
    return u


@pytest.mark.jit_off
@pytest.mark.parametrize("count", [2, 5, 12])
def test_weights_are_harmonic(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    body = small_body()
    samples = sample_elements(body, count)
    monkeypatch.setattr(interpolated_rotations, "AT_ONCE", 5)
    chosen, weights = blending_weights(body, samples, count)
    expected = dense_weights(body, samples)
    np.testing.assert_allclose(expected.sum(axis=1), 1.0, atol=1e-12)
    found = np.zeros_like(expected)
    np.put_along_axis(found, chosen, weights, axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_array_equal(found[samples], np.eye(count))


@pytest.mark.jit_off
def test_the_largest_weights_are_kept() -> None:
    body = small_body()
    samples = sample_elements(body, 12)
    chosen, weights = blending_weights(body, samples, 4)
    assert weights.shape == chosen.shape == (60, 4)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-14)
    assert weights.min() >= 0.0
    assert np.diff(weights, axis=1).max() <= 0.0, "by falling weight: the first gives the sign"
    expected = dense_weights(body, samples)
    for element in range(60):
        largest = np.sort(expected[element])[::-1][:4]
        np.testing.assert_allclose(weights[element], largest / largest.sum(), atol=1e-9)


@pytest.mark.jit_off
def test_weights_stay_within_a_part() -> None:
    body = two_boxes()
    samples = sample_elements(body, 6)
    part = connected_parts(body.tetrahedra)
    chosen, weights = blending_weights(body, samples, 3)
    foreign = part[samples][chosen] != part[:, None]
    np.testing.assert_allclose(weights[foreign], 0.0, atol=1e-12)


# --- blending -------------------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("neighbours", [1, 3, 4])
def test_the_blend_is_equation_6_with_the_first_as_pivot(neighbours: int) -> None:
    random = np.random.default_rng(neighbours)
    quaternions = random.normal(size=(9, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    chosen = np.array([random.permutation(9)[:neighbours] for _ in range(30)])
    weights = np.sort(random.dirichlet(np.ones(neighbours), 30))[:, ::-1]
    rows = aligned_rows(9, np.float64)
    rows[:] = quaternions[:, [1, 2, 3, 0]]
    kernel = ElementKernel(blend(neighbours), chosen, weights, np.float64)
    kernel.run(rows)
    for found, corners, w in zip(kernel.values, quaternions[chosen], weights, strict=True):
        signs = np.where(corners @ corners[0] < 0.0, -1.0, 1.0)
        blended = (signs * w) @ corners
        expected = rotation_of(blended / np.linalg.norm(blended))
        np.testing.assert_allclose(found.reshape(3, 3).T, expected, atol=1e-13)


@pytest.mark.jit_off
@pytest.mark.parametrize("fraction", [0.02, 0.3, 1.0])
def test_a_rigid_motion_turns_every_element(fraction: float) -> None:
    body = small_body()
    Q, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    R = Q * np.sign(np.linalg.det(Q))
    found = rotations_at(InterpolatedRotations(fraction), body, body.positions @ R.T + 1.0)
    np.testing.assert_allclose(found, np.broadcast_to(R, (60, 3, 3)), atol=1e-13)


@pytest.mark.jit_off
def test_samples_keep_their_own_rotation() -> None:
    body = small_body()
    moved = body.positions + 0.1 * np.random.default_rng(2).normal(size=body.positions.shape)
    found = rotations_at(InterpolatedRotations(0.2), body, moved)
    samples = sample_elements(body, 12)
    F = deformation_gradients(body, moved)
    for sample in samples:
        np.testing.assert_allclose(found[sample], naive.nearest_rotation(F[sample]), atol=1e-11)
    others = np.setdiff1d(np.arange(60), samples)
    own = np.array([naive.nearest_rotation(f) for f in F])
    assert np.abs(found - own)[others].max() > 0.01, "the others are blended"
    everything = rotations_at(InterpolatedRotations(1.0), body, moved)
    np.testing.assert_allclose(everything, own, atol=1e-11)


@pytest.mark.parametrize("degrees", [90.0, 240.0, 360.0, 700.0])
def test_blended_rotations_follow_a_winding_bar(degrees: float) -> None:
    """Neighbouring quaternions may have opposite signs; the blend must not cut through."""
    bar = paper_bar()
    moved = bar.twisted(degrees)
    own = rotations_at(AllRotations(), bar.body, moved)
    for fraction in FRACTIONS:
        found = rotations_at(InterpolatedRotations(fraction), bar.body, moved)
        cosine = 0.5 * (np.einsum("mij,mij->m", own, found) - 1.0)
        away = np.rad2deg(np.arccos(np.clip(cosine, -1.0, 1.0)))
        # Over the distance of two samples the bar turns by a few parts in a hundred of all.
        assert away.max() < 0.15 * degrees
        assert away.mean() < 0.03 * degrees


# --- solving --------------------------------------------------------------------------------------


Target = Callable[[Bar], np.ndarray]

TARGETS: dict[str, Target] = {
    "twisted by 90°": lambda bar: bar.twisted(90.0),
    "bent by 90°": lambda bar: bar.bent(90.0),
    "twisted by 240°": lambda bar: bar.twisted(240.0),
}


def final_energy(target: str, step: LocalStep, iterations: int) -> float:
    bar = paper_bar()
    moved = TARGETS[target](bar)
    solve = LocalGlobal(bar.body, 1e4, handles=bar.ends, local_step=step, dtype=np.float64)
    solve.start_from(moved)
    solve.iterate(iterations)
    return solve.energy()


@cache
def least_energy(target: str) -> float:
    return final_energy(target, AllRotations(), 1500)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fraction", FRACTIONS)
def test_the_energy_ends_within_5_percent_of_the_least(target: str, fraction: float) -> None:
    optimum = least_energy(target)
    found = final_energy(target, InterpolatedRotations(fraction), 400)
    assert optimum < found < 1.05 * optimum


def test_parts_do_not_disturb_each_other() -> None:
    """Twisting one box leaves the rotations of the other alone."""
    body = two_boxes()
    step = InterpolatedRotations(0.2)
    moved = body.positions.copy()
    moved[:27] += 0.2 * np.random.default_rng(3).normal(size=(27, 3))
    found = rotations_at(step, body, moved)
    np.testing.assert_allclose(found[40:], np.broadcast_to(np.eye(3), (5, 3, 3)), atol=1e-9)


def test_momentum_is_kept_in_time() -> None:
    body = small_body()
    masses = body.lumped_masses(1000.0)
    solve = LocalGlobal(
        body,
        1e5,
        masses=masses,
        time_step=0.01,
        local_step=InterpolatedRotations(0.1),
        dtype=np.float64,
    )
    solve.velocities[:] = np.random.default_rng(4).normal(size=solve.velocities.shape)
    momentum = masses @ solve.velocities
    for _ in range(5):
        solve.advance(3)
    np.testing.assert_allclose(masses @ solve.velocities, momentum, atol=1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("options", [{"fraction": 0.0}, {"fraction": 1.5}, {"neighbours": 0}])
def test_wrong_settings_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="sample"):
        InterpolatedRotations(**options)  # type: ignore[arg-type]
