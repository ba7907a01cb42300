# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model accepts, refuses and remembers."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest

import core
from core.native.rows import PADDING, aligned_rows
from core.state import State

pytestmark = pytest.mark.jit_off


def three_points() -> core.Model:
    model = core.Model(np.float64)
    model.add_particles(np.eye(3), [1.0, 2.0, np.inf])
    return model


@pytest.mark.parametrize("dtype", [np.float16, np.int32, complex])
def test_only_single_and_double_precision(dtype: Any) -> None:
    with pytest.raises(ValueError, match="float32 or float64"):
        core.Model(dtype)


def test_particles_are_numbered_in_order() -> None:
    model = core.Model()
    assert model.add_particles(np.zeros((2, 3)), 1.0).tolist() == [0, 1]
    assert model.add_particles(np.ones((3, 3)), [1.0, 2.0, 3.0]).tolist() == [2, 3, 4]
    assert model.particle_count == 5
    np.testing.assert_array_equal(model.masses, [1, 1, 1, 2, 3])
    assert model.add_particles(np.empty((0, 3)), 1.0).shape == (0,)


def test_velocities_are_of_one_or_of_each() -> None:
    model = core.Model()
    model.add_particles(np.zeros((2, 3)), 1.0, (1, 2, 3))
    model.add_particles(np.zeros((2, 3)), 1.0, [(4, 5, 6), (7, 8, 9)])
    model.add_particles(np.zeros((1, 3)), 1.0)
    expected = [(1, 2, 3), (1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 0, 0)]
    np.testing.assert_array_equal(model.state().velocities, expected)


@pytest.mark.parametrize("mass", [0.0, -1.0, np.nan])
def test_masses_must_be_positive(mass: float) -> None:
    model = core.Model()
    with pytest.raises(core.ModelError, match="Masses must be positive"):
        model.add_particles(np.zeros((2, 3)), [1.0, mass])
    assert model.particle_count == 0


@pytest.mark.parametrize(
    ("positions", "masses", "velocities"),
    [
        (np.zeros((2, 2)), 1.0, 0.0),
        (np.zeros(3), 1.0, 0.0),
        (np.zeros((2, 3)), [1.0, 1.0, 1.0], 0.0),
        (np.zeros((2, 3)), 1.0, np.zeros((3, 3))),
        (np.zeros((2, 3)), 1.0, np.nan),
        ([(0, 0, np.inf)], 1.0, 0.0),
    ],
)
def test_particles_that_do_not_fit_are_refused(
    positions: Any, masses: Any, velocities: Any
) -> None:
    model = core.Model()
    with pytest.raises(core.ModelError):
        model.add_particles(positions, masses, velocities)
    assert model.particle_count == 0


def test_rest_is_measured_from_the_positions_now() -> None:
    group = three_points().add_constraints("distance", [(0, 1), (1, 2)])
    np.testing.assert_allclose(group.rest, np.full((2, 1), np.sqrt(2.0)))


def test_rest_compliance_and_damping_spread_over_constraints() -> None:
    model = three_points()
    group = model.add_constraints(
        "distance", [(0, 1), (1, 2)], rest=0.5, compliance=[1.0, 2.0], damping=0.1
    )
    np.testing.assert_array_equal(group.rest, [[0.5], [0.5]])
    np.testing.assert_array_equal(group.compliance, [[1.0], [2.0]])
    np.testing.assert_array_equal(group.damping, [[0.1], [0.1]])
    assert group.damped
    assert not model.add_constraints("distance", [(0, 1)]).damped


def test_compliance_of_a_vector_constraint_is_a_block() -> None:
    model = three_points()
    block = np.array([[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 4.0]])
    group = model.add_constraints(
        "strain", [(0, 1, 2)] * 2, compliance=np.stack([block, 2 * block])
    )
    np.testing.assert_allclose(group.compliance[0], [2.0, 0.3, 3.0, 0.1, 0.2, 4.0])
    np.testing.assert_allclose(group.compliance[1], 2 * group.compliance[0])
    scalar = model.add_constraints("strain", [(0, 1, 2)], compliance=5.0)
    np.testing.assert_allclose(scalar.compliance, [[5.0, 0, 5.0, 0, 0, 5.0]])
    times = model.add_constraints("strain", [(0, 1, 2)], damping=[[1.0, 1.0, 2.0]])
    np.testing.assert_array_equal(times.damping, [[1.0, 1.0, 2.0]])


@pytest.mark.parametrize(
    ("kind", "indices", "options", "message"),
    [
        ("rope", [(0, 1)], {}, "'rope'.*bending, .*distance, .*strain"),
        ("distance", [(0, 3)], {}, "don't exist"),
        ("distance", [(-1, 0)], {}, "don't exist"),
        ("distance", [(0, 1, 2)], {}, "'distance'"),
        ("strain", [(0, 1), (1, 2), (2, 0)], {}, "'strain'"),
        ("distance", [(1, 1)], {}, "'distance'"),
        ("distance", [(0, 1)], {"rest": [1.0, 2.0]}, "rest"),
        ("distance", [(0, 1)], {"rest": np.nan}, "rest"),
        ("distance", [(0, 1)], {"compliance": [1.0, 2.0]}, "compliance"),
        ("distance", [(0, 1)], {"compliance": -1.0}, "compliance"),
        ("distance", [(0, 1)], {"compliance": np.nan}, "compliance"),
        ("distance", [(0, 1)], {"damping": -1.0}, "damping"),
        ("distance", [(0, 1)], {"damping": [0.1, 0.1, 0.1]}, "damping"),
        ("distance", [(0, 1)], {"order": "random"}, "order"),
    ],
)
def test_constraints_that_do_not_fit_are_refused(
    kind: str, indices: Any, options: dict[str, Any], message: str
) -> None:
    model = three_points()
    with pytest.raises(core.ModelError, match=message):
        model.add_constraints(kind, indices, **options)
    assert not model.groups


def test_later_changes_of_the_callers_arrays_do_no_harm() -> None:
    positions, pairs, lengths = np.eye(3), np.array([(0, 1)]), np.array([0.5])
    model = core.Model(np.float64)
    model.add_particles(positions, 1.0)
    group = model.add_constraints("distance", pairs, rest=lengths, compliance=lengths)
    positions[:], pairs[:], lengths[:] = 9.0, 2, 7.0
    assert model.state().positions.max() == 1.0
    assert group.indices.tolist() == [[0, 1]]
    assert group.rest.tolist() == [[0.5]]
    assert group.compliance.tolist() == [[0.5]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_state_is_a_copy_with_immovable_padding(dtype: type) -> None:
    model = core.Model(dtype)
    model.add_particles(np.eye(3), [1.0, 2.0, np.inf], (1.0, 0.0, 0.0))
    first, second = model.state(), model.state()
    first.positions[:] = 7.0
    np.testing.assert_array_equal(second.positions, np.eye(3))
    assert second.rows.dtype == dtype
    np.testing.assert_array_equal(second.rows[:3, 3], [1.0, 0.5, 0.0])
    assert len(second.rows) == 3 + PADDING
    np.testing.assert_array_equal(second.rows[3:, 3], 0.0)
    assert np.isfinite(second.rows).all()
    assert second.kinematic.tolist() == [2]
    np.testing.assert_array_equal(second.targets, [(0, 0, 1)])
    assert np.shares_memory(first.positions, first.rows)


@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_rows_start_at_a_cache_line(count: int) -> None:
    for dtype in (np.float32, np.float64):
        rows = aligned_rows(count, dtype)
        assert rows.shape == (count, 4)
        assert rows.dtype == dtype
        assert not count or rows.ctypes.data % 64 == 0
        assert not rows.any()


def test_owners_are_named() -> None:
    model = three_points()
    triangle = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    model.add_cloth(triangle, [(0, 1, 2)], name="first")
    model.add_cloth(triangle, [(0, 1, 2)], name="second")
    names = [model.owner_of(p) for p in (2, 3, 5, 6, 8)]
    assert names == ["particle 2", "first", "first", "second", "second"]


def test_the_state_of_an_empty_model_is_empty() -> None:
    state = core.Model().state()
    assert isinstance(state, State)
    assert state.positions.shape == (0, 3)
    core.Simulation(core.Model()).advance(0.01)


def test_what_is_added_bit_by_bit_is_what_is_added_at_once() -> None:
    points = np.random.default_rng(3).normal(size=(40, 3))
    slow, fast = core.Model(), core.Model()
    fast.add_particles(points, 2.0, points, drag=0.5)
    views = []
    for point in points:
        slow.add_particles([point], 2.0, [point], drag=0.5)
        views.append(slow.positions)
    for name in ("positions", "rest_positions", "velocities", "masses", "drag", "thickness"):
        np.testing.assert_array_equal(getattr(slow, name), getattr(fast, name))
    for count, view in enumerate(views, 1):
        np.testing.assert_array_equal(view, points[:count])


def test_copies_that_are_added_to_know_nothing_of_each_other() -> None:
    one = core.Model()
    for _ in range(3):
        one.add_particles([(0.0, 0.0, 0.0)], 1.0)
    other = copy(one)
    one.add_particles([(1.0, 1.0, 1.0)], 1.0)
    other.add_particles([(2.0, 2.0, 2.0)], 1.0)
    assert (one.positions[-1, 0], other.positions[-1, 0]) == (1.0, 2.0)
    one.add_particles([(3.0, 3.0, 3.0)], 1.0)
    assert (one.positions[-2:, 0].tolist(), other.positions[-1, 0]) == ([1.0, 3.0], 2.0)
