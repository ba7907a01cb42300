# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a model is what it would be if nothing else had been added."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from core.islands.part import Parts

pytestmark = pytest.mark.jit_off


def test_a_part_is_the_model_of_that_body_alone() -> None:
    positions, faces = naive.quad_grid(3, 3, 1.0, 1.0)
    whole, alone = core.Model(), core.Model()
    whole.add_cloth(positions, faces)
    for model in (whole, alone):
        model.add_cloth(positions + 2.0, faces, pins=[1], friction=0.1, drag=2.0, name="second")
        model.add_collider(np.eye(3), [(0, 1, 2)])
    part = Parts(whole).model_of(np.arange(16, 32))
    assert (part.particle_count, part.dtype) == (16, whole.dtype)
    (body,), (expected,) = part.bodies, alone.bodies
    assert body.name == "second"
    for name in ("particles", "pins", "edges", "triangles", "rest_lengths"):
        np.testing.assert_array_equal(getattr(body, name), getattr(expected, name))
    for group, other in zip(part.groups, alone.groups, strict=True):
        assert group.constraint is other.constraint
        np.testing.assert_array_equal(group.indices, other.indices)
        assert (group.chains is None) == (other.chains is None)
        if group.chains is not None and other.chains is not None:
            np.testing.assert_array_equal(group.chains.vertices, other.chains.vertices)
    states = [model.state() for model in (part, alone)]
    for ours, theirs in zip(*(state.arrays for state in states), strict=True):
        if isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(*(state.outside.arrays for state in states), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    part.colliders[0].set_target(2 * np.eye(3))
    assert whole.colliders[0].target is None


def test_contact_is_ignored_between_what_is_in_the_model() -> None:
    ours, theirs = core.Model(), core.Model()
    triangle = np.eye(3), [(0, 1, 2)]
    body, stranger = ours.add_cloth(*triangle), theirs.add_cloth(*triangle, name="Stranger")
    collider, theirs_too = ours.add_collider(*triangle), theirs.add_collider(*triangle, name="Wall")
    before = ours.version
    for other, name in ((stranger, "'Stranger'"), (theirs_too, "'Wall'"), (3, "3")):
        with pytest.raises(core.ModelError, match=f"{name} is not in this model: give what"):
            ours.ignore_contact(body, other)  # type: ignore[arg-type]
    with pytest.raises(core.ModelError, match="'collider' is not in this model"):
        ours.ignore_contact(collider, body)  # type: ignore[arg-type]
    with pytest.raises(core.ModelError, match=r"'cloth' goes through itself if .* self_collision"):
        ours.ignore_contact(body, body)
    assert ours.version == before
    ours.ignore_contact(body, collider)
    assert ours.version > before
