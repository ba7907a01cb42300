# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons and the like: small parts that no edge joins to the garment that they lie on.

They are not simulated, but go along with the cloth around them. Each of their vertices moves
rigidly with what is near it: moving least squares of rigid motions (Schaefer, McPhail and Warren
2006, "Image deformation using moving least squares", section 2.3), in space by the rotation of
shape matching (Müller et al. 2005, "Meshless deformations based on shape matching", section 3.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mathutils.kdtree import KDTree
from numpy.typing import NDArray

Positions = NDArray[np.float64]
Indices = NDArray[np.integer]

SMALL, FEW = 0.25, 0.2
"""Of the largest part's vertices, and of all: what is more is no trim."""

FEWEST, MOST = 12, 48
"""Vertices of the cloth that one of a trim goes along with."""


@dataclass(frozen=True)
class Trims:
    """Vertices that go along with others.

    Attributes:
        vertices: that are carried, shape (k,).
        near: those that carry each, shape (k, m), and their weights, which add up to one.
        around: from the weighted mean of these to each of them at the start [m], shape (k, m, 3).
        ways: from there to the vertex [m], shape (k, 3).
    """

    vertices: Indices
    near: Indices
    weights: Positions
    around: Positions
    ways: Positions

    def places(self, positions: NDArray[np.floating]) -> Positions:
        """Where they are [m], shape (k, 3), with all vertices at these positions [m]."""
        from ...core.mesh.rotations import nearest_rotations

        now = positions[self.near].astype(np.float64)
        means = np.einsum("km,kmd->kd", self.weights, now)
        moments = np.einsum("km,kmi,kmj->kij", self.weights, now - means[:, None], self.around)
        return means + np.einsum("kij,kj->ki", nearest_rotations(moments), self.ways)


def parts_of(tables: list[NDArray[np.int64]], count: int) -> tuple[list[Indices], list[Indices]]:
    """Vertices of each small part and of each large one, of those that are joined to others.

    Args:
        tables: vertices that are joined, a row each.
        count: of all vertices.

    Returns:
        Small ones are much smaller than the largest. There are none where they are many, as of
        confetti.
    """
    from ...core.mesh.connected import connected

    parts = connected(tables, np.ones(count, bool))
    sizes = np.bincount(parts, minlength=1)
    is_small = (sizes > 1) & (sizes <= SMALL * sizes.max())
    if sizes[is_small].sum() > FEW * count:
        is_small[:] = False
    return _members(parts, sizes, is_small), _members(parts, sizes, (sizes > 1) & ~is_small)


def _members(parts: Indices, sizes: Indices, chosen: NDArray[np.bool_]) -> list[Indices]:
    members = np.flatnonzero(chosen[parts])
    members = members[np.argsort(parts[members], kind="stable")]
    return np.split(members, np.cumsum(sizes[chosen])[:-1]) if len(members) else []


def bind(positions: Positions, parts: list[Indices], cloths: list[Indices]) -> Trims | None:
    """Let parts go along with the nearest of some cloths, but for those that are farther from it
    than they are long.

    Args:
        positions: of all vertices [m], shape (n, 3).
        cloths: vertices of each.
    """
    positions = positions - positions.mean(axis=0)
    trees = [_tree(positions, cloth) for cloth in cloths]
    bound = [_near(trees, positions, part) for part in parts]
    chosen = [(part, near) for part, near in zip(parts, bound, strict=True) if near is not None]
    if not chosen:
        return None
    vertices = np.concatenate([part for part, _ in chosen])
    near = np.concatenate([near for _, (near, _) in chosen])
    weights = np.concatenate([weights for _, (_, weights) in chosen])
    means = np.einsum("km,kmd->kd", weights, positions[near])
    around = positions[near] - means[:, None]
    return Trims(vertices, near, weights, around, positions[vertices] - means)


def _tree(positions: Positions, vertices: Indices) -> KDTree:
    tree = KDTree(len(vertices))
    for vertex in vertices.tolist():
        tree.insert(positions[vertex], vertex)
    tree.balance()
    return tree


def _near(
    trees: list[KDTree], positions: Positions, part: Indices
) -> tuple[Indices, Positions] | None:
    """What carries each vertex of a part, and the weights; None where it lies on nothing.

    As far around it as the part is wide, so that a button stays what it is and a belt bends.
    """
    points = positions[part]
    gap, number = min(
        (tree.find(point)[2], number) for number, tree in enumerate(trees) for point in points
    )
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    spans = np.sort(np.ptp(points @ axes.T, axis=0))
    if gap > spans[-1]:
        return None
    near = np.zeros((len(part), MOST), np.int64)
    weights = np.zeros((len(part), MOST))
    for row, point in enumerate(points):
        nearest = trees[number].find_n(point, FEWEST)
        reach = 1.01 * max(nearest[-1][2], nearest[0][2] + spans[-2])
        found = sorted((way, vertex) for _, vertex, way in trees[number].find_range(point, reach))
        found = found[:: -(-len(found) // MOST)]
        near[row, : len(found)] = [vertex for _, vertex in found]
        ways = np.array([way for way, _ in found])
        weights[row, : len(found)] = (1.0 - (ways / reach) ** 2) ** 2
    return near, weights / weights.sum(axis=1, keepdims=True)
