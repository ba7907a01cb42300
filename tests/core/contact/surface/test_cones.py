# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that are flat, and so do not touch themselves: when they are looked at again."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from numpy.typing import NDArray

import core
from core.contact.surface.cones import (
    CLOSENESS,
    FLAT,
    NOT_FLAT,
    TURN,
    fit_cone,
    has_turned,
    may_have_turned,
)
from core.contact.surface.data import LOOKING, WIDTH
from core.contact.surface.memory import SurfaceArrays
from core.native.compiled import native

LEAF = 0


@native
def fit(arrays, rows):  # type: ignore[no-untyped-def]
    normals = arrays.candidates.measured[0]
    fit_cone(arrays.shape, arrays.tree, arrays.motion.start, rows, LEAF, normals)


@native
def may(arrays):  # type: ignore[no-untyped-def]
    return may_have_turned(arrays.shape, arrays.tree, LEAF)


@native
def has(arrays):  # type: ignore[no-untyped-def]
    normals = arrays.candidates.measured[0]
    return has_turned(arrays.shape, arrays.tree, arrays.motion.start, LEAF, normals)


def flat_leaf() -> tuple[SurfaceArrays, NDArray[Any], NDArray[np.int64]]:
    """A surface, its rows, and the corners of a leaf that is flat."""
    model = core.Model(np.float64)
    model.add_cloth(*naive.irregular_triangles(5, 5, 0.1, 0.1))
    state = core.Simulation(model).state
    arrays = state.contact.surface.arrays
    shape, start = arrays.shape, arrays.motion.start
    start[:, :3] = state.rows[: len(start), :3]
    fit(arrays, state.rows)
    assert shape.numbers[LOOKING] > LEAF
    assert arrays.tree.cones[LEAF, CLOSENESS] < NOT_FLAT
    corners = shape.faces.corners[WIDTH * LEAF : WIDTH * (LEAF + 1)]
    return arrays, state.rows, corners[corners[:, 0] >= 0]


def largest_turn(points: NDArray[Any], corners: NDArray[np.int64]) -> float:
    """Of all faces, which lay level [rad]."""
    a, b, c = points[corners].swapaxes(0, 1)
    normals = np.cross(b - a, c - a)
    return float(np.arccos(abs(normals[:, 2]) / np.linalg.norm(normals, axis=1)).max())


@pytest.mark.jit_off
@pytest.mark.parametrize("angle", [0.5 * TURN, 0.9 * TURN, 1.1 * TURN, FLAT, 2.0])
def test_a_face_that_leaves_the_cone_is_seen(angle: float) -> None:
    """Turned about one of its edges, and whatever hangs on its third corner with it."""
    arrays, rows, corners = flat_leaf()
    a, b, c = rows[corners[0], :3]
    along = (b - a) / np.linalg.norm(b - a)
    foot = a + along * ((c - a) @ along)
    up = np.array((0.0, 0.0, np.linalg.norm(c - foot)))
    start = arrays.motion.start
    start[corners[0, 2], :3] = foot + np.cos(angle) * (c - foot) + np.sin(angle) * up
    turn = largest_turn(start[:, :3], corners)
    assert has(arrays) == (turn > TURN)
    assert turn >= min(angle, np.pi - angle) - 1e-9


def test_nothing_turns_far_before_it_is_looked_at() -> None:
    arrays, rows, corners = flat_leaf()
    far, random, most = float(arrays.shape.pliant[LEAF]), np.random.default_rng(2), 0.0
    for _ in range(3000):
        away = random.normal(size=rows[:, :3].shape)
        away *= far / np.linalg.norm(away, axis=1, keepdims=True)
        most = max(most, largest_turn(rows[:, :3] + away, corners))
    assert 0.5 * TURN < most < 1.05 * TURN
    for part, seen in ((0.99, False), (0.02, True)):
        arrays.tree.bent[LEAF] += part * far
        assert may(arrays) == seen
    has(arrays)
    assert not may(arrays)
