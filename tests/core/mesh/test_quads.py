# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads found again in triangles."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from core.mesh.quads import pair_into_quads

pytestmark = pytest.mark.jit_off


def cut(quads: np.ndarray, seed: int) -> np.ndarray:
    """Each quad cut along one diagonal or the other; triangles in any order, turned any way."""
    random = np.random.default_rng(seed)
    turned = np.array([np.roll(quad, random.integers(4)) for quad in quads])
    triangles = np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])
    random.shuffle(triangles)
    return np.array([np.roll(triangle, random.integers(3)) for triangle in triangles])


def sorted_corners(quads: np.ndarray) -> set[tuple[int, ...]]:
    """Each quad from its smallest corner on, in the direction of its smaller neighbour."""
    found = set()
    for quad in quads:
        turned = np.roll(quad, -int(quad.argmin()))
        back = np.roll(turned[::-1], 1)
        found.add(tuple(int(i) for i in min(turned, back, key=lambda corners: corners[1])))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_cut_grid_is_restored(seed: int) -> None:
    positions, faces = naive.quad_grid(7, 5, 2.0, 1.0)
    quads = np.array(faces)
    triangles = cut(quads, seed)
    found, pairs = pair_into_quads(positions, triangles)
    assert sorted_corners(found) == sorted_corners(quads)
    assert sorted(pairs.ravel()) == list(range(len(triangles)))


def test_equilateral_triangles_and_triangles_alone_stay() -> None:
    height = np.sqrt(0.75)
    positions = np.array([(0, 0, 0), (1, 0, 0), (0.5, height, 0), (0.5, -2 * height, 0)])
    found, pairs = pair_into_quads(positions, np.array([(0, 1, 2)]))
    assert len(found) == len(pairs) == 0
    # The edge they share is the longest of the first, but not of the second.
    found, _ = pair_into_quads(positions, np.array([(0, 1, 2), (1, 0, 3)]))
    assert len(found) == 0


def test_three_triangles_at_an_edge_are_no_quad() -> None:
    positions = np.array([(0, 0, 0), (1, 0, 0), (0.5, 0.4, 0), (0.5, -0.4, 0), (0.5, 0, 0.4)])
    found, _ = pair_into_quads(positions, np.array([(0, 1, 2), (1, 0, 3), (0, 1, 4)]))
    assert len(found) == 0


def test_a_triangle_twice_is_no_quad() -> None:
    positions = np.array([(0, 0, 0), (1, 0, 0), (0.5, 0.4, 0)])
    found, _ = pair_into_quads(positions, np.array([(0, 1, 2), (2, 1, 0)]))
    assert len(found) == 0


def springs_of(model: core.Model) -> dict[tuple[int, ...], float]:
    return {
        tuple(sorted(pair)): float(compliance)
        for group in model.groups
        if group.constraint.kind == "distance"
        for pair, compliance in zip(group.indices.tolist(), group.compliance[:, 0], strict=True)
    }


def test_a_cut_grid_is_the_same_fabric_as_the_grid() -> None:
    positions, faces = naive.quad_grid(6, 4, 1.0, 1.0)
    whole, restored = core.Model(np.float64), core.Model(np.float64)
    whole.add_cloth(positions, faces)
    restored.add_cloth(positions, cut(np.array(faces), 1))
    assert springs_of(restored) == pytest.approx(springs_of(whole), rel=1e-12)
    kinds = {group.constraint.kind for group in restored.groups if len(group.indices)}
    assert kinds == {"bending", "distance"}


def test_what_is_no_rectangle_stays_triangles() -> None:
    """Rhombs are pairs too, but springs alone would not be exact for them."""
    positions, faces = naive.quad_grid(4, 4, 1.0, 1.0)
    positions[:, 0] += 0.5 * positions[:, 1]
    model = core.Model(np.float64)
    model.add_cloth(positions, cut(np.array(faces), 2))
    strains = [g.indices for g in model.groups if g.constraint.kind == "strain"]
    assert sum(len(indices) for indices in strains) == 2 * len(faces)
