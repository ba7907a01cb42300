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
from core.contact.surface.data import LOOKING, WIDTH, Moving, Shape
from core.native.compiled import native

LEAF = 0


@native
def fit(shape, moving, rows):  # type: ignore[no-untyped-def]
    fit_cone(shape, moving, rows, LEAF, 0)


@native
def may(shape, moving):  # type: ignore[no-untyped-def]
    return may_have_turned(shape, moving, LEAF)


@native
def has(shape, moving):  # type: ignore[no-untyped-def]
    return has_turned(shape, moving, LEAF, 0)


def flat_leaf() -> tuple[Shape, Moving, NDArray[Any], NDArray[np.int64]]:
    """A surface, its rows, and the corners of a leaf that is flat."""
    model = core.Model(np.float64)
    model.add_cloth(*naive.irregular_triangles(5, 5, 0.1, 0.1))
    state = core.Simulation(model).state
    shape, moving = state.contact.surface.arrays
    moving.start[:, :3] = state.rows[: len(moving.start), :3]
    fit(shape, moving, state.rows)
    assert shape.numbers[LOOKING] > LEAF
    assert moving.cones[LEAF, CLOSENESS] < NOT_FLAT
    corners = shape.faces.corners[WIDTH * LEAF : WIDTH * (LEAF + 1)]
    return shape, moving, state.rows, corners[corners[:, 0] >= 0]


def largest_turn(points: NDArray[Any], corners: NDArray[np.int64]) -> float:
    """Of all faces, which lay level [rad]."""
    a, b, c = points[corners].swapaxes(0, 1)
    normals = np.cross(b - a, c - a)
    return float(np.arccos(abs(normals[:, 2]) / np.linalg.norm(normals, axis=1)).max())


@pytest.mark.jit_off
@pytest.mark.parametrize("angle", [0.5 * TURN, 0.9 * TURN, 1.1 * TURN, FLAT, 2.0])
def test_a_face_that_leaves_the_cone_is_seen(angle: float) -> None:
    """Turned about one of its edges, and whatever hangs on its third corner with it."""
    shape, moving, rows, corners = flat_leaf()
    a, b, c = rows[corners[0], :3]
    along = (b - a) / np.linalg.norm(b - a)
    foot = a + along * ((c - a) @ along)
    up = np.array((0.0, 0.0, np.linalg.norm(c - foot)))
    moving.start[corners[0, 2], :3] = foot + np.cos(angle) * (c - foot) + np.sin(angle) * up
    turn = largest_turn(moving.start[:, :3], corners)
    assert has(shape, moving) == (turn > TURN)
    assert turn >= min(angle, np.pi - angle) - 1e-9


def test_nothing_turns_far_before_it_is_looked_at() -> None:
    shape, moving, rows, corners = flat_leaf()
    far, random, most = float(shape.pliant[LEAF]), np.random.default_rng(2), 0.0
    for _ in range(3000):
        away = random.normal(size=rows[:, :3].shape)
        away *= far / np.linalg.norm(away, axis=1, keepdims=True)
        most = max(most, largest_turn(rows[:, :3] + away, corners))
    assert 0.5 * TURN < most < 1.05 * TURN
    for part, seen in ((0.99, False), (0.02, True)):
        moving.bent[LEAF] += part * far
        assert may(shape, moving) == seen
    has(shape, moving)
    assert not may(shape, moving)
