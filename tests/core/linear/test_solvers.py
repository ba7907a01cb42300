# SPDX-License-Identifier: GPL-3.0-or-later
"""Both solvers against numpy's dense one, on the same matrices."""

import mmap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.linear import (
    Cholesky,
    ConjugateGradient,
    LinearSolver,
    NotConverged,
    NotPositiveDefinite,
    SymmetricMatrix,
    SymmetricPattern,
    solver_for,
)

pytestmark = pytest.mark.jit_off
SOLVERS = [Cholesky, ConjugateGradient]
Solver = Callable[[SymmetricMatrix], LinearSolver]
Dense = NDArray[np.float64]


def sparse(dense: Dense) -> SymmetricMatrix:
    rows, columns = np.nonzero(dense)
    return SymmetricPattern(rows, columns, len(dense)).matrix(dense[rows, columns])


def random_matrix(size: int, seed: int) -> Dense:
    """JᵀJ of a sparse J, and enough on the diagonal."""
    generator = np.random.default_rng(seed)
    J = generator.standard_normal((size, size)) * (generator.random((size, size)) < 3.0 / size)
    return J.T @ J + 0.1 * np.eye(size)


def laplacian(width: int, mass: float) -> Dense:
    """Graph Laplacian of a square grid, plus a mass on the diagonal."""
    index = np.arange(width * width).reshape(width, width)
    edges = [(index[:, 1:], index[:, :-1]), (index[1:], index[:-1])]
    result = mass * np.eye(width * width)
    for first, second in edges:
        for i, j in zip(first.ravel(), second.ravel()):
            result[i, i] += 1.0
            result[j, j] += 1.0
            result[i, j] -= 1.0
            result[j, i] -= 1.0
    return result


def blocks(count: int) -> Dense:
    """Full blocks of 3 × 3 of very different sizes, without any coupling."""
    result = np.zeros((3 * count, 3 * count))
    for block in range(count):
        place = slice(3 * block, 3 * block + 3)
        result[place, place] = 10.0 ** (block - count // 2) * random_matrix(3, block)
    return result


MATRICES = {
    "random": random_matrix(40, 0),
    "grid": laplacian(7, 0.01),
    "blocks": blocks(6),
    "diagonal": np.diag([1.0, 1e-6, 1e6]),
    "one": np.array([[4.0]]),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_it_solves_as_numpy_does(solver: Solver, name: str, shape: tuple[int, ...]) -> None:
    dense = MATRICES[name]
    right = np.random.default_rng(1).standard_normal((len(dense), *shape))
    expected = np.linalg.solve(dense, right)
    solution = solver(sparse(dense)).solve(right)
    assert solution.shape == right.shape
    np.testing.assert_allclose(solution, expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("solver", SOLVERS)
def test_many_right_sides_are_as_one_after_the_other(solver: Solver) -> None:
    made = solver(sparse(MATRICES["random"]))
    right = np.random.default_rng(2).standard_normal((40, 5))
    together = made.solve(right)
    for column in range(5):
        alone = made.solve(right[:, column])
        np.testing.assert_allclose(together[:, column], alone, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_bytes_again(solver: Solver) -> None:
    right = np.random.default_rng(3).standard_normal((49, 3))
    matrix = sparse(MATRICES["grid"])
    made = solver(matrix)
    first = made.solve(right).tobytes()
    made.solve(right[:, :1])
    assert made.solve(right).tobytes() == first
    assert solver(matrix).solve(right).tobytes() == first


@pytest.mark.parametrize("solver", SOLVERS)
def test_renewed_values(solver: Solver) -> None:
    pattern = sparse(MATRICES["grid"]).pattern
    rows = np.repeat(np.arange(49), np.diff(pattern.indptr))
    right = np.ones(49)
    for mass in (0.1, 1.0, 10.0):
        dense = laplacian(7, mass)
        matrix = SymmetricMatrix(pattern, dense[rows, pattern.indices])
        np.testing.assert_allclose(solver(matrix).solve(right), 1.0 / mass, rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_arguments_stay_as_they_are(solver: Solver) -> None:
    matrix = sparse(MATRICES["random"])
    right, start, data = np.ones((40, 2)), np.full((40, 2), 7.0), matrix.data.copy()
    solver(matrix).solve(right, start)
    assert (right == 1.0).all() and (start == 7.0).all() and (matrix.data == data).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_right_sides_of_any_layout(solver: Solver) -> None:
    made = solver(sparse(MATRICES["random"]))
    right = np.random.default_rng(4).standard_normal((3, 40)).T
    expected = made.solve(np.ascontiguousarray(right))
    assert (made.solve(right) == expected).all()
    locked = np.ascontiguousarray(right)
    locked.flags.writeable = False
    assert (made.solve(locked) == expected).all()
    assert made.solve(np.ones(40, np.float32)).dtype == np.float64
    assert (made.solve([1] * 40) == made.solve(np.ones(40))).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_nothing_to_solve(solver: Solver) -> None:
    empty = SymmetricPattern([], [], 0).matrix([])
    assert solver(empty).solve(np.empty(0)).shape == (0,)
    assert solver(empty).solve(np.empty((0, 3))).shape == (0, 3)
    assert solver(sparse(np.eye(2))).solve(np.empty((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_zero_gives_zero(solver: Solver) -> None:
    made = solver(sparse(MATRICES["grid"]))
    right = np.zeros((49, 2))
    assert (made.solve(right) == 0.0).all()
    assert (made.solve(right, np.ones((49, 2))) == 0.0).all()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_a_number_spoils_only_its_own_column(solver: Solver, bad: float) -> None:
    made = solver(sparse(MATRICES["grid"]))
    right = np.random.default_rng(5).standard_normal((49, 3))
    good = made.solve(right)
    right[3, 1] = bad
    solution = made.solve(right)
    assert not np.isfinite(solution[3, 1])
    np.testing.assert_allclose(solution[:, [0, 2]], good[:, [0, 2]], rtol=1e-8)


INDEFINITE = {
    "negative": -np.eye(3),
    "zero": np.zeros((2, 2)),
    "no diagonal": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "saddle": np.array([[1.0, 2.0], [2.0, 1.0]]),
    "one zero row": np.diag([1.0, 0.0]),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", INDEFINITE)
def test_a_matrix_that_is_not_positive_definite(solver: Solver, name: str) -> None:
    with pytest.raises(NotPositiveDefinite):
        solver(sparse(INDEFINITE[name])).solve([1.0, -1.0, 0.5][: len(INDEFINITE[name])])
    assert issubclass(NotPositiveDefinite, ValueError)


@pytest.mark.parametrize("width", [2, 7, 12])
def test_a_singular_matrix_is_not_factored(width: int) -> None:
    with pytest.raises(NotPositiveDefinite):
        Cholesky(sparse(laplacian(width, 0.0)))


def test_a_badly_conditioned_matrix_is_factored() -> None:
    dense = laplacian(7, 1e-9)
    scales = np.diag(10.0 ** np.linspace(-8, 8, 49))
    matrix = sparse(scales @ dense @ scales)
    expected = np.linspace(1.0, 2.0, 49)
    right = scales @ (dense @ expected)
    solution = np.linalg.solve(scales, expected)
    np.testing.assert_allclose(Cholesky(matrix).solve(right), solution, rtol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", [(), (3,), (48,), (50, 2), (49, 1, 1)])
def test_a_right_side_of_another_shape(solver: Solver, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="right-hand side"):
        solver(sparse(MATRICES["grid"])).solve(np.ones(shape))


def test_a_start_of_another_shape() -> None:
    with pytest.raises(ValueError, match="start of shape"):
        ConjugateGradient(sparse(np.eye(2))).solve(np.ones(2), np.ones((2, 1)))


def test_conjugate_gradients_say_when_they_do_not_converge() -> None:
    solver = ConjugateGradient(sparse(laplacian(7, 1e-4)), limit=3)
    with pytest.raises(NotConverged, match="more than 3 iterations"):
        solver.solve(np.random.default_rng(6).standard_normal(49))


def test_conjugate_gradients_take_as_many_steps_as_there_are_eigenvalues() -> None:
    """Hestenes and Stiefel, theorem 5:1; a complete graph's Laplacian plus 1 has two."""
    dense = 25.0 * np.eye(24) - np.ones((24, 24))
    right = np.random.default_rng(8).standard_normal(24)
    solution = ConjugateGradient(sparse(dense), limit=2).solve(right)
    np.testing.assert_allclose(dense @ solution, right, atol=1e-9)
    with pytest.raises(NotConverged):
        ConjugateGradient(sparse(dense), limit=1).solve(right)


def test_a_good_start_saves_iterations() -> None:
    dense = laplacian(7, 1e-2)
    right = np.random.default_rng(9).standard_normal((49, 2))
    expected = np.linalg.solve(dense, right)
    hurried = ConjugateGradient(sparse(dense), limit=2)
    np.testing.assert_allclose(hurried.solve(right, expected * (1.0 + 1e-12)), expected)
    with pytest.raises(NotConverged):
        hurried.solve(right)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.nan])
def test_a_tolerance_must_be_positive(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        ConjugateGradient(sparse(np.eye(2)), tolerance=tolerance)


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="reads Linux's own figures")
def test_many_factorisations_leave_no_memory_behind() -> None:
    matrix, right = sparse(np.eye(1000)), np.ones((1000, 64))
    for _ in range(10):
        Cholesky(matrix).solve(right)
    before = resident_pages()
    for _ in range(200):
        Cholesky(matrix).solve(right)
    assert (resident_pages() - before) * mmap.PAGESIZE < 0.2 * 200 * right.nbytes


def resident_pages() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])


def test_the_best_solver_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = sparse(MATRICES["grid"])
    assert isinstance(solver_for(matrix), Cholesky)
    monkeypatch.setattr("core.linear.find_spec", lambda name: None)
    assert isinstance(solver_for(matrix), ConjugateGradient)
