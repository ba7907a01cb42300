# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation nearest to a matrix, on floats and as machine code, against singular values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import naive
import numba
import numpy as np
import pytest

from core.native.rows import aligned_rows
from core.vector.elements import ElementKernel
from core.vector.rotation import nearest_quaternion, nearest_rotation, rotation_of, unit
from core.vector.specification import KernelSpecification

Stack = np.ndarray


def random_rotations(random: np.random.Generator, count: int) -> Stack:
    Q, _ = np.linalg.qr(random.normal(size=(count, 3, 3)))
    return Q * np.sign(np.linalg.det(Q))[:, None, None]


def with_singular_values(*values: float) -> Callable[[np.random.Generator, int], Stack]:
    """Matrices of these singular values; a negative last one makes them inverted."""

    def make(random: np.random.Generator, count: int) -> Stack:
        U, V = random_rotations(random, count), random_rotations(random, count)
        return np.asarray(U * values @ V)

    return make


def half_turns(random: np.random.Generator, count: int) -> Stack:
    """Rotations by 180°, where the real part of the quaternion is zero, a little deformed."""
    axes = random.normal(size=(count, 3))
    axes[:3] = np.eye(3)
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    turns = 2.0 * axes[:, :, None] * axes[:, None, :] - np.eye(3)
    return turns @ (np.eye(3) + 0.05 * random.normal(size=(count, 3, 3)))


FAMILIES: dict[str, Callable[[np.random.Generator, int], Stack]] = {
    "any": lambda random, count: random.normal(size=(count, 3, 3)),
    "rotations": random_rotations,
    "nearly rotations": lambda random, count: (
        random_rotations(random, count) + 0.1 * random.normal(size=(count, 3, 3))
    ),
    "half turns": half_turns,
    "stretched": with_singular_values(20.0, 1.0, 0.2),
    "flat": with_singular_values(1.0, 0.6, 0.0),
    "inverted": with_singular_values(1.0, 0.8, -0.3),
    "nearly ambiguous": with_singular_values(1.0, 0.5, -0.498),
    "nearly a line": with_singular_values(1.0, 2e-3, 0.0),
    "tiny": lambda random, count: 1e-34 * random.normal(size=(count, 3, 3)),
    "huge": lambda random, count: 1e34 * random.normal(size=(count, 3, 3)),
}
each_family = pytest.mark.parametrize("family", FAMILIES)


def rotations_by_singular_values(F: Stack) -> tuple[Stack, np.ndarray]:
    """R, and σ₂ ± σ₃ over |F|: how far F is from two rotations that are equally near."""
    F = F / np.linalg.norm(F, axis=(1, 2))[:, None, None]
    R = np.array([naive.nearest_rotation(f) for f in F])
    sigma = np.linalg.svd(F, compute_uv=False)
    return R, sigma[:, 1] + np.sign(np.linalg.det(F)) * sigma[:, 2]


@pytest.mark.jit_off
@each_family
def test_floats_give_the_rotation_of_the_singular_values(family: str) -> None:
    F = FAMILIES[family](np.random.default_rng(1), 60)
    R = np.array([nearest_rotation(f.tolist()) for f in F])
    expected, gap = rotations_by_singular_values(F)
    # Both methods are as uncertain as their rounding over the gap.
    error = np.abs(R - expected).max(axis=(1, 2))
    assert (error * np.minimum(gap, 1.0)).max() < 2e-14
    assert_proper(R, 4e-15)


needs_machine_code = pytest.mark.skipif(
    numba.config.DISABLE_JIT, reason="machine code is switched off"
)


def _rotate(x: Any, w: Any, previous: Any, F: Any, *_: Any) -> tuple[list[Any], list[Any]]:
    R = nearest_rotation([F[0:3], F[3:6], F[6:9]])
    return [*R[0], *R[1], *R[2]], []


KERNEL = KernelSpecification("test_rotation", _rotate, 0, 9, 0, False, "values", 9)


def as_machine_code(F: Stack, real: type) -> Stack:
    kernel = ElementKernel(KERNEL, np.empty((len(F), 0), int), F.reshape(-1, 9), real)
    kernel.run(aligned_rows(1, real))
    return np.asarray(kernel.values.reshape(-1, 3, 3), np.float64)


@needs_machine_code
@each_family
@pytest.mark.parametrize(("real", "tolerance"), [(np.float32, 1e-6), (np.float64, 2e-14)])
def test_machine_code_gives_the_rotation_of_the_singular_values(
    family: str, real: type, tolerance: float
) -> None:
    F = FAMILIES[family](np.random.default_rng(2), 1000).astype(real).astype(np.float64)
    R = as_machine_code(F, real)
    expected, gap = rotations_by_singular_values(F)
    error = np.abs(R - expected).max(axis=(1, 2))
    assert (error * np.minimum(gap, 1.0)).max() < tolerance
    assert_proper(R, tolerance)


AMBIGUOUS = {
    "zero": lambda random, count: np.zeros((count, 3, 3)),
    "lines": with_singular_values(1.0, 0.0, 0.0),
    "mirror images": lambda random, count: -random_rotations(random, count),
    "two best": with_singular_values(1.0, 0.5, -0.5),
}


@needs_machine_code
@pytest.mark.parametrize("family", AMBIGUOUS)
@pytest.mark.parametrize(("real", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_among_several_nearest_rotations_it_is_one(
    family: str, real: type, tolerance: float
) -> None:
    F = AMBIGUOUS[family](np.random.default_rng(3), 500).astype(real).astype(np.float64)
    R = as_machine_code(F, real)
    assert_proper(R, tolerance)
    best = np.array([np.sum(naive.nearest_rotation(f) * f) for f in F])
    np.testing.assert_allclose(np.sum(R * F, axis=(1, 2)), best, atol=4 * tolerance)


@pytest.mark.jit_off
def test_the_quaternion_is_a_unit_and_that_of_the_rotation() -> None:
    for F in np.random.default_rng(4).normal(size=(20, 3, 3)):
        q = nearest_quaternion(F.tolist())
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(rotation_of(q), nearest_rotation(F.tolist()), atol=1e-14)


@pytest.mark.jit_off
def test_the_rotation_of_a_quaternion_does_not_depend_on_its_length() -> None:
    """And turns about the axis by twice the angle whose cosine is the real part."""
    angle = 0.7
    q = [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]
    expected = [
        [np.cos(angle), -np.sin(angle), 0.0],
        [np.sin(angle), np.cos(angle), 0.0],
        [0.0, 0.0, 1.0],
    ]
    for factor in (1.0, -3.0, 0.01):
        R = rotation_of([factor * c for c in q])
        np.testing.assert_allclose(R, expected, atol=1e-15)
    np.testing.assert_allclose(unit([2.0, 0.0, 0.0, 0.0]), [1.0, 0.0, 0.0, 0.0])


def assert_proper(R: Stack, tolerance: float) -> None:
    np.testing.assert_allclose(
        R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=tolerance
    )
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=3 * tolerance)
