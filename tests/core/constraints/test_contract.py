# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract that every registered constraint type keeps; a new file is covered untouched."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from core.constraints import REGISTRY, Constraint
from core.solvers.common.projection import project, specification

each_constraint = pytest.mark.parametrize("constraint", REGISTRY.values(), ids=REGISTRY.keys())

# A part of a sum depends on the origin; test_sums.py has the sums.
WHOLE = [constraint for constraint in REGISTRY.values() if not constraint.summed]
each_whole = pytest.mark.parametrize("constraint", WHOLE, ids=[c.kind for c in WHOLE])

pytestmark = pytest.mark.jit_off


def some_points(constraint: Constraint, seed: int = 0) -> np.ndarray:
    """Well-shaped corners: those of a tetrahedron (and beyond), each moved a little."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (0.2, 1, 0), (0.4, -0.8, 0.6), (0.5, 0.1, 1.0)])
    random = np.random.default_rng(seed)
    while len(corners) < constraint.vertices:
        corners = np.concatenate([corners, random.normal(size=(1, 3))])
    return corners[: constraint.vertices] + random.uniform(-0.2, 0.2, (constraint.vertices, 3))


def rest_of(constraint: Constraint, points: np.ndarray) -> np.ndarray:
    return constraint.measure_rest(points[None])[0]


def a_rotation(seed: int) -> np.ndarray:
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def updated(
    constraint: Constraint,
    points: np.ndarray,
    inverse_mass: list[float],
    rest: np.ndarray,
    *,
    alpha: float = 0.0,
    damping: float | None = None,
    previous: np.ndarray | None = None,
    multipliers: list[float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The core's update in Python floats, with compliance α on the diagonal and Δt = 0.1 s."""
    size = constraint.components
    block = (alpha * np.eye(size))[np.tril_indices(size)]
    parameters = [*rest, *block] + ([] if damping is None else [damping] * size)
    start = [] if damping is None else (points if previous is None else previous).tolist()
    moved, changed = project(
        constraint,
        points.tolist(),
        inverse_mass,
        start,
        parameters,
        multipliers or [0.0] * size,
        10.0,
    )
    return np.array(moved), np.array(changed)


@each_constraint
@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_is_the_derivative(constraint: Constraint, seed: int) -> None:
    points = some_points(constraint, seed)
    rest = rest_of(constraint, some_points(constraint, seed + 10))
    _, gradient = naive.evaluate_body(constraint, points, rest)
    expected = naive.differentiate(
        lambda x: naive.evaluate_body(constraint, x, rest)[0], points, step=1e-5
    )
    # Central differences at 1e-5: truncation ~1e-10, rounding ~1e-11.
    np.testing.assert_allclose(gradient, expected, atol=2e-8)


WITH_PRODUCTS = [constraint for constraint in REGISTRY.values() if constraint.products]
each_with_products = pytest.mark.parametrize(
    "constraint", WITH_PRODUCTS, ids=[c.kind for c in WITH_PRODUCTS]
)


@each_with_products
@pytest.mark.parametrize("seed", range(5))
def test_products_are_those_of_the_gradient(constraint: Constraint, seed: int) -> None:
    assert constraint.products is not None
    points = some_points(constraint, seed)
    rest = rest_of(constraint, some_points(constraint, seed + 10))
    w = np.linspace(0.0, 2.0, constraint.vertices)
    _, gradient = naive.evaluate_body(constraint, points, rest)
    rows = gradient.reshape(constraint.components, -1)
    expected = (rows * np.repeat(w, 3)) @ rows.T
    found: np.ndarray = np.concatenate(
        constraint.products(points.tolist(), rest.tolist(), w.tolist())
    )
    np.testing.assert_allclose(found, expected[np.tril_indices(len(rows))], atol=1e-12)


@each_with_products
@pytest.mark.parametrize("alpha", [0.0, 1e-4])
def test_in_a_point_nothing_moves(constraint: Constraint, alpha: float) -> None:
    points = np.tile([0.3, 0.1, -2.0], (constraint.vertices, 1))
    rest = rest_of(constraint, some_points(constraint, 1))
    moved, _ = updated(constraint, points, [1.0] * constraint.vertices, rest, alpha=alpha)
    np.testing.assert_array_equal(moved, points)


@each_constraint
@pytest.mark.parametrize("seed", range(5))
def test_the_value_is_the_one_of_the_definition(constraint: Constraint, seed: int) -> None:
    if constraint.kind not in naive.FUNCTIONS:
        pytest.fail(f"tests/naive/functions.py: define '{constraint.kind}' in FUNCTIONS, too")
    points = some_points(constraint, seed)
    rest = rest_of(constraint, some_points(constraint, seed + 10))
    values, _ = naive.evaluate_body(constraint, points, rest)
    expected = naive.FUNCTIONS[constraint.kind](points, rest)
    np.testing.assert_allclose(values, expected, atol=1e-13)


@each_constraint
def test_zero_at_rest(constraint: Constraint) -> None:
    points = np.stack([some_points(constraint, seed) for seed in range(6)])
    rest = constraint.measure_rest(points)
    assert rest.shape == (6, constraint.rest_size)
    for corners, measured in zip(points, rest, strict=True):
        values, gradient = naive.evaluate_body(constraint, corners, measured)
        if constraint.kind.startswith("neo_hookean"):
            # m = 16/15 and l = 14/15 of μ: both components pull, and balance each other.
            assert abs(values).min() > 0.9
            values = np.einsum("c,cki->ki", values * (16 / 15, 14 / 15), gradient)
        np.testing.assert_allclose(values, 0.0, atol=1e-13)


def is_vector(constraint: Constraint) -> bool:
    """Whether C is a vector that turns with its corners; to damp it takes angular momentum."""
    return constraint.kind.startswith("tie")


@each_whole
def test_rigid_motion_changes_nothing(constraint: Constraint) -> None:
    points = some_points(constraint, 1)
    rest = rest_of(constraint, some_points(constraint, 2))
    R, shift = a_rotation(3), np.array([5.0, -3.0, 2.0])
    values, gradient = naive.evaluate_body(constraint, points, rest)
    turned, turned_gradient = naive.evaluate_body(constraint, points @ R.T + shift, rest)
    if is_vector(constraint):
        np.testing.assert_allclose(turned, values @ R.T, atol=1e-13)
        np.testing.assert_allclose(turned_gradient, gradient, atol=1e-13)
        return
    np.testing.assert_allclose(turned, values, atol=1e-13)
    np.testing.assert_allclose(turned_gradient, gradient @ R.T, atol=1e-13)


@each_whole
@pytest.mark.parametrize("damping", [None, 0.05])
def test_the_update_keeps_momentum(constraint: Constraint, damping: float | None) -> None:
    points = some_points(constraint, 4)
    rest = rest_of(constraint, some_points(constraint, 5))
    masses = np.linspace(0.5, 2.0, constraint.vertices)
    moved, _ = updated(
        constraint,
        points,
        (1.0 / masses).tolist(),
        rest,
        alpha=1e-3,
        damping=damping,
        previous=some_points(constraint, 6),
    )
    change = masses[:, None] * (moved - points)
    assert np.abs(change).max() > 1e-3, "the constraint must do something here"
    np.testing.assert_allclose(change.sum(axis=0), 0.0, atol=1e-13)
    if damping is None or not is_vector(constraint):
        np.testing.assert_allclose(np.cross(points, change).sum(axis=0), 0.0, atol=1e-13)


@each_constraint
def test_without_compliance_it_is_the_projection_of_pbd(constraint: Constraint) -> None:
    points = some_points(constraint, 7)
    rest = rest_of(constraint, some_points(constraint, 8))
    w = np.linspace(0.5, 2.0, constraint.vertices)
    moved, _ = updated(constraint, points, w.tolist(), rest)
    C, gradient = naive.evaluate_body(constraint, points, rest)
    J = gradient.reshape(len(C), -1)
    W = np.repeat(w, 3)
    # Equation 2 with k = 1, and its block form for a vector of constraints.
    s = np.linalg.solve((J * W) @ J.T, -C)
    np.testing.assert_allclose(moved - points, (W * (J.T @ s)).reshape(-1, 3), atol=1e-11)


@each_constraint
@pytest.mark.parametrize("damping", [None, 0.03])
@pytest.mark.parametrize("fixed", [None, 0, 1])
def test_the_update_is_equation_25(
    constraint: Constraint, damping: float | None, fixed: int | None
) -> None:
    points, start = some_points(constraint, 9), some_points(constraint, 10)
    rest = rest_of(constraint, some_points(constraint, 11))
    w = np.linspace(0.5, 2.0, constraint.vertices)
    if fixed is not None:
        w[fixed] = 0.0
    multipliers = np.linspace(0.1, 0.3, constraint.components)
    moved, changed = updated(
        constraint,
        points,
        w.tolist(),
        rest,
        alpha=0.02,
        damping=damping,
        previous=start,
        multipliers=multipliers.tolist(),
    )
    expected, reference = points.copy(), multipliers.copy()
    naive.project(
        naive.from_registry(constraint, range(constraint.vertices), rest, 0.02, damping or 0.0),
        expected,
        start,
        w,
        reference,
        0.1,
    )
    np.testing.assert_allclose(moved, expected, atol=1e-12)
    np.testing.assert_allclose(changed, reference, atol=1e-12)


def degenerate_points(constraint: Constraint) -> dict[str, np.ndarray]:
    shape = some_points(constraint, 1)
    line = np.outer(np.linspace(0.0, 1.0, constraint.vertices), (1.0, 2.0, -1.0))
    first_two, last_two = shape.copy(), shape.copy()
    first_two[1] = first_two[0]
    last_two[-1] = last_two[-2]
    return {
        "all in a point": np.full_like(shape, 0.3),
        "in a line": line,
        "first two coincide": first_two,
        "last two coincide": last_two,
        "nearly in a point": shape * 1e-9,
        "huge": shape * 1e6,
    }


@each_constraint
@pytest.mark.parametrize("alpha", [0.0, 1e-4])
@pytest.mark.parametrize("damping", [None, 0.01])
@pytest.mark.parametrize("case", degenerate_points(REGISTRY["distance"]))
def test_degenerate_shapes_stay_finite(
    constraint: Constraint, alpha: float, damping: float | None, case: str
) -> None:
    points = degenerate_points(constraint)[case]
    rest = rest_of(constraint, some_points(constraint, 2))
    moved, changed = updated(
        constraint, points, [1.0] * constraint.vertices, rest, alpha=alpha, damping=damping
    )
    assert np.isfinite(moved).all()
    assert np.isfinite(changed).all()


@each_constraint
@pytest.mark.parametrize("alpha", [0.0, 1e-4])
def test_fixed_particles_stay(constraint: Constraint, alpha: float) -> None:
    points = some_points(constraint, 3)
    rest = rest_of(constraint, some_points(constraint, 4))
    moved, changed = updated(constraint, points, [0.0] * constraint.vertices, rest, alpha=alpha)
    assert (moved == points).all()
    assert np.isfinite(changed).all()


@each_constraint
@pytest.mark.parametrize("free", [0, 1, -1])
def test_one_free_particle_is_not_thrown(constraint: Constraint, free: int) -> None:
    """A block of more components than the particle has freedom is singular without compliance."""
    points = some_points(constraint, 3)
    rest = rest_of(constraint, points)
    points[free] += 0.01
    w = [0.0] * constraint.vertices
    w[free] = 1.0
    # Without compliance neo-Hookean forces, which balance at rest, are infinite.
    alpha = 1e-2 if constraint.kind.startswith("neo_hookean") else 0.0
    moved, _ = updated(constraint, points, w, rest, alpha=alpha)
    # Undoing a displacement of 0.017 can't need a move of more than a few times that.
    assert np.abs(moved - points).max() < 0.1


@each_constraint
def test_kernels_of_damped_and_undamped_have_their_own_name(constraint: Constraint) -> None:
    names = {specification(constraint, damped).name for damped in (False, True)}
    assert len(names) == 2


def test_the_registry_knows_each_type_by_its_kind() -> None:
    assert all(kind == constraint.kind for kind, constraint in REGISTRY.items())
    assert {"distance", "bending", "strain"} <= set(REGISTRY)


@pytest.mark.parametrize("angle", np.linspace(-3.1, 3.1, 9))
def test_bending_measures_every_fold(angle: float) -> None:
    """From folded back to folded over, with the rest angle beyond the seam at ±π too."""
    points = np.array(
        [(0, 0, 0), (1, 0, 0), (0.5, 1, 0), (0.3, -np.cos(angle), np.sin(angle))], float
    )
    constraint = REGISTRY["bending"]
    value, _ = naive.evaluate_body(constraint, points, [0.0])
    assert abs(value[0]) == pytest.approx(abs(angle), abs=1e-12)
    for rest in (-3.0, 3.0):
        value, _ = naive.evaluate_body(constraint, points, [rest])
        assert abs(value[0]) <= np.pi + 1e-12
        np.testing.assert_allclose(value, naive.bending(points, np.array([rest])), atol=1e-12)


@each_constraint
def test_what_knows_of_stretch_knows_of_sizes(constraint: Constraint) -> None:
    """Twice as large: a length, area or volume of its dimension, and a width of twice as much."""
    assert (constraint.stretch is None) == (constraint.sizes is None)
    if constraint.sizes is None:
        return
    points = np.array([some_points(constraint, seed) for seed in range(5)])
    content, width = constraint.sizes(constraint.measure_rest(points))
    twice, wide = constraint.sizes(constraint.measure_rest(2.0 * points))
    assert content.shape == width.shape == (5,)
    assert (content > 0.0).all()
    np.testing.assert_allclose(twice, 2.0 ** (constraint.vertices - 1) * content)
    np.testing.assert_allclose(wide, 2.0 * width)
