# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders whose parts move against each other, so that no rigid motion tells where they are."""

from __future__ import annotations

import contact_scenes as scenes
import numpy as np
import pytest

from core.contact import Collider

STRIPS = np.array([(-1.5, 1.0), (-0.5, -1.0), (0.5, -1.0), (1.5, 1.0)])
"""x of the middle [m] of each strip, and whether it rises or sinks: seen whole, it rests."""


def strips(height: float) -> scenes.Mesh:
    """Four flat strips, a metre wide, those that rise at this height [m]."""
    vertices, triangles = scenes.quad(0.5)
    moved = [vertices + np.array([middle, 0.0, way * height]) for middle, way in STRIPS]
    return np.concatenate(moved), np.concatenate([triangles + 4 * k for k in range(4)])


@pytest.mark.parametrize("substeps", [1, 2, 5, 20])
def test_parts_take_along_what_stood_in_their_way(substeps: int) -> None:
    """From a metre before them to a metre behind, and a thickness more."""
    start, triangles = strips(-1.0)
    collider = Collider(start, triangles, thickness=0.01, two_sided=True)
    inside = np.random.default_rng(0).uniform(-0.45, 0.45, (40, 3)) * (1, 1, 0)
    points = np.concatenate([inside + np.array([middle, 0.0, 0.0]) for middle, _ in STRIPS])
    scene = scenes.Particles(points, [collider], gravity=(0, 0, 0), substeps=substeps)
    collider.set_target(strips(1.0)[0])
    scene.advance()
    np.testing.assert_allclose(scene.positions[:, :2], points[:, :2], atol=1e-9)
    np.testing.assert_allclose(scene.positions[:, 2], 1.01 * STRIPS[:, 1].repeat(40), atol=1e-9)


def test_parts_that_come_back_find_what_lies_there() -> None:
    """Frame after frame, where boxes and lists of an earlier one still serve."""
    start, triangles = strips(0.0)
    collider = Collider(start, triangles, thickness=0.01)
    points = [(middle + x, 0.3 * x, 0.05) for middle, _ in STRIPS for x in (-0.4, 0.0, 0.4)]
    scene = scenes.Particles(points, [collider], gravity=(0, 0, 0), friction=0.0, substeps=3)
    highest = np.full(12, 0.05)
    for height in (0.03, -0.02, 0.06, 0.0, -0.11, 0.2, -0.2):
        scene.velocity[:] = 0.0
        collider.set_target(strips(height)[0])
        scene.advance()
        scene.velocity[:] = 0.0
        highest = np.maximum(highest, height * STRIPS[:, 1].repeat(3) + 0.01)
        np.testing.assert_allclose(scene.positions[:, 2], highest, atol=1e-9)


def test_boxes_that_nobody_has_asked_for_long_are_not_believed() -> None:
    """A particle falls past a small quad at rest towards a strip that goes up and down.

    As long as it is far from everything nothing is searched, and boxes stay where they were, also
    from frame to frame. However it comes, the strip lets it through at no time.
    """
    random = np.random.default_rng(0)
    small, _ = scenes.quad(0.2)
    for _ in range(150):
        first, *later = random.uniform(-6.0, 6.0, 3)
        still = small + random.uniform((2.2, 0.0, 0.0), (6.0, 0.0, 6.0))
        start, triangles = strips(first)
        faces = np.concatenate([triangles, triangles[:2] + len(start)])
        collider = Collider(np.concatenate([start, still]), faces, thickness=0.01)
        place = random.uniform((1.1, -0.4, max(first, *later) + 0.1), (1.9, 0.4, 12.0))
        speed = (place[2] - later[-1] + random.uniform(0.0, 2.0)) / (2 * scenes.Particles.frame)
        scene = scenes.Particles([place], [collider], velocities=(0, 0, -speed), gravity=(0, 0, 0))
        for height in later:
            collider.set_target(np.concatenate([strips(height)[0], still]))
            scene.advance()
            assert scene.positions[0, 2] >= height + 0.01 - 1e-9
