# SPDX-License-Identifier: GPL-3.0-or-later
"""The scalar functions of constraint bodies, on Python floats and as machine code.

Machine code is made from a kernel of one "particle" whose x and y are the arguments and whose new
position is the result: the smallest body there is.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.native.compiled import native
from core.native.rows import aligned_rows
from core.vector import arithmetic, compiler
from core.vector.arithmetic import Scalar
from core.vector.call import BEGINNING, call_kernel
from core.vector.specification import KernelSpecification

Body = Callable[[Scalar, Scalar], Scalar]


@native
def _run(address, rows, offsets, empty, blocks):  # type: ignore[no-untyped-def]
    call_kernel(address, rows, rows, offsets, empty, empty, empty, BEGINNING, rows[0, 0], blocks)


def traced(body: Body, x: np.ndarray, y: np.ndarray, double: bool, width: int = 8) -> np.ndarray:
    """``body(x, y)`` for whole arrays, by machine code in vectors of ``width``."""

    def update(positions: Any, *_: Any) -> tuple[list[list[Scalar]], list[Scalar]]:
        value = body(positions[0][0], positions[0][1])
        return [[value, positions[0][1], positions[0][2]]], []

    # The code on disk is found by name: the name must change with the body.
    text = inspect.getsource(body) + inspect.getsource(arithmetic)
    name = "test_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    specification = KernelSpecification(name, update, 1, 0, 0, reads_previous=False)
    real = np.float64 if double else np.float32
    count = -(-len(x) // width) * width
    rows = aligned_rows(count, real)
    rows[:, 0], rows[:, 1] = np.resize(x, count), np.resize(y, count)
    offsets = (np.arange(count) * 4 * rows.itemsize).astype(np.uint32)
    address = compiler.address(specification, width, double)
    _run(address, rows, offsets, np.empty(0, real), count // width)
    return rows[: len(x), 0].copy()


def circle() -> tuple[np.ndarray, np.ndarray]:
    """Directions in all quadrants and along the axes, of lengths from 1e-6 to 1e6."""
    angles = np.concatenate([np.linspace(-np.pi, np.pi, 4001)[1:], np.arange(-3, 5) * np.pi / 4])
    lengths = 10.0 ** np.linspace(-6, 6, len(angles))
    x, y = lengths * np.cos(angles), lengths * np.sin(angles)
    axes = np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (0, 0)], float)
    return np.concatenate([x, axes[:, 0]]), np.concatenate([y, axes[:, 1]])


def angle(x: Scalar, y: Scalar) -> Scalar:
    return arithmetic.arctangent2(y, x)


def root(x: Scalar, y: Scalar) -> Scalar:
    return arithmetic.sqrt(x * x + y * y)


def mixed(x: Scalar, y: Scalar) -> Scalar:
    kept = arithmetic.select(x < y, 3.0 - x, 2.0 / (1.0 + y * y))
    return -kept + (1.0 - x) / (y * y + 1.0) + arithmetic.absolute(x) * 2.0 - y


def choice_of_constants(x: Scalar, y: Scalar) -> Scalar:
    return arithmetic.select(x > y, 1.0, 0.0)


def safe_reciprocal(x: Scalar, y: Scalar) -> Scalar:
    return arithmetic.reciprocal_or_zero(x) + 0.0 * y


@pytest.mark.jit_off
def test_arctangent2_on_floats() -> None:
    for x, y in zip(*circle(), strict=True):
        # A few units in the last place of π.
        assert arithmetic.arctangent2(y, x) == pytest.approx(math.atan2(y, x), abs=2e-15)


needs_machine_code = pytest.mark.skipif(
    not hasattr(_run, "py_func"), reason="machine code is switched off"
)


@needs_machine_code
@pytest.mark.parametrize(("double", "tolerance"), [(False, 6e-7), (True, 2e-15)])
def test_arctangent2_as_machine_code(double: bool, tolerance: float) -> None:
    """Within 2.5 units in the last place of π, in each precision."""
    real = np.float64 if double else np.float32
    x, y = (values.astype(real) for values in circle())
    expected = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    np.testing.assert_allclose(traced(angle, x, y, double), expected, atol=tolerance, rtol=0)


@needs_machine_code
@pytest.mark.parametrize("width", [1, 4, 8, 16])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("body", [root, mixed, choice_of_constants])
def test_machine_code_computes_what_the_body_says(body: Body, double: bool, width: int) -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 101))
    real = np.float64 if double else np.float32
    x, y = x.astype(real), y.astype(real)
    expected = [body(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    rounding = 16 * float(np.finfo(real).eps)
    np.testing.assert_allclose(
        traced(body, x, y, double, width), expected, rtol=rounding, atol=rounding
    )


@needs_machine_code
@pytest.mark.parametrize("double", [False, True])
def test_the_root_of_zero_is_zero_and_nothing_is_lost_near_it(double: bool) -> None:
    """Approximate instructions for roots fail at zero and at denormal numbers."""
    real = np.float64 if double else np.float32
    x = np.array([0.0, 1e-18, 1e-15, 1e15], real)
    result = traced(root, x, np.zeros_like(x), double)
    np.testing.assert_allclose(result, x.astype(float), rtol=1e-4)


@needs_machine_code
@pytest.mark.parametrize("double", [False, True])
def test_the_safe_reciprocal_is_always_finite(double: bool) -> None:
    real = np.float64 if double else np.float32
    tiny = np.finfo(real).smallest_subnormal
    x = np.array([0.0, -1.0, 2.0, tiny, 100 * tiny, np.finfo(real).tiny], real)
    result = traced(safe_reciprocal, x, np.zeros_like(x), double)
    assert np.isfinite(result).all(), result
    np.testing.assert_array_equal(result[:3], [0.0, 0.0, 0.5])


@needs_machine_code
def test_nan_and_infinity_are_not_hidden() -> None:
    x = np.array([np.nan, np.inf], np.float32)
    assert not np.isfinite(traced(root, x, np.ones_like(x), False)).any()


@pytest.mark.jit_off
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_solve_symmetric(size: int) -> None:
    random = np.random.default_rng(size)
    half = random.normal(size=(size, size))
    A, b = half @ half.T + 0.1 * np.eye(size), random.normal(size=size)
    solution = arithmetic.solve_symmetric(A.tolist(), b.tolist())
    # The condition number is below 1e3.
    np.testing.assert_allclose(solution, np.linalg.solve(A, b), rtol=1e-11, atol=1e-12)


@pytest.mark.jit_off
def test_solve_symmetric_reads_the_lower_triangle_only() -> None:
    A = [[4.0, None], [1.0, 3.0]]
    np.testing.assert_allclose(
        arithmetic.solve_symmetric(A, [1.0, 2.0]), np.linalg.solve([[4, 1], [1, 3]], [1, 2])
    )


@pytest.mark.jit_off
def test_solve_symmetric_leaves_out_what_has_no_stiffness() -> None:
    assert arithmetic.solve_symmetric([[0.0, 0.0], [0.0, 2.0]], [1.0, 4.0]) == [0.0, 2.0]


@pytest.mark.jit_off
def test_vector_functions_against_numpy() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 3))
    p, q = a.tolist(), b.tolist()
    np.testing.assert_allclose(arithmetic.cross(p, q), np.cross(a, b))
    np.testing.assert_allclose(arithmetic.dot(p, q), a @ b)
    np.testing.assert_allclose(arithmetic.add(p, q), a + b)
    np.testing.assert_allclose(arithmetic.subtract(p, q), a - b)
    np.testing.assert_allclose(arithmetic.scale(3.0, p), 3.0 * a)
    assert arithmetic.total([1.0, 2.0, 4.0]) == 7.0


@pytest.mark.parametrize(
    ("body", "cure"),
    [
        (lambda x, y: x if x > y else y, "select for if"),
        (lambda x, y: math.sqrt(x * x + y * y), "instead of those of math"),
        (lambda x, y: x**2 + y, "multiply, or take its sqrt"),
    ],
)
def test_what_a_body_must_not_do_is_refused_with_the_cure(body: Body, cure: str) -> None:
    """On floats it would work, and in vector code take one of the ways for all lanes."""
    assert isinstance(body(2.0, 1.0), float)
    with pytest.raises(TypeError, match=cure):
        traced(body, np.ones(8), np.ones(8), False)
