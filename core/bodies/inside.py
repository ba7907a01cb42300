# SPDX-License-Identifier: GPL-3.0-or-later
"""What is inside of a surface, where points of the surface lead it.

A node follows the point that is nearest to it and those around this one: as they turn and move in
the mean, the nearer the more (moving least squares of rigid motion, Schaefer et al. 2006, "Image
deformation using moving least squares"). Near counts within the cage, so that a thigh does not
lead the other one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..mesh.cage import Cage
from ..mesh.rotations import nearest_rotations
from ..mesh.tetrahedra import edges_of

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Leaders:
    """Points of a surface that lead what is inside.

    Attributes:
        vertices: of the surface, shape (p, 3); shares: of these, of sum 1: where each point is.
        nodes: of the tetrahedron of the cage in which it is, shape (p, 4).
    """

    vertices: Indices
    shares: Numbers
    nodes: Indices

    def of(self, values: Numbers) -> Numbers:
        """What vertices have, shape (n,) or (n, 3), at the points, shape (p,) or (p, 3)."""
        return np.asarray(np.einsum("ps,ps...->p...", self.shares, values[self.vertices]))


def leaders_of(cage: Cage, chosen: Indices) -> Leaders:
    """Points all over the faces between vertices of a surface, and one vertex in each cell.

    Args:
        chosen: vertices of the surface, ascending, shape (k,).
    """
    is_chosen = np.zeros(len(cage.surface), np.bool_)
    is_chosen[chosen] = True
    points = cage.face_points
    on_faces = is_chosen[points.vertices].all(axis=1)
    _, single = np.unique(cage.corners[chosen], axis=0, return_index=True)
    return Leaders(
        np.concatenate([points.vertices[on_faces], np.repeat(chosen[single, None], 3, axis=1)]),
        np.concatenate([points.shares[on_faces], np.full((len(single), 3), 1.0 / 3.0)]),
        np.concatenate([points.nodes[on_faces], cage.corners[chosen[single]]]),
    )


@dataclass(frozen=True)
class Following:
    """Nodes of a cage that follow a surface.

    Attributes:
        nodes: their numbers in the cage, ascending, shape (m,).
        nearest: of each the point that is nearest, shape (m,).
        leaders: the points.
        starts: where each node's pairs begin, shape (m,); of each pair
        points: the point, shape (q,),
        shares: how much it counts, of sum 1 for each node, shape (q,),
        away: where it is at rest, from the mean of the node's points [m], shape (q, 3).
        offsets: where nodes are, from that mean [m], shape (m, 3).
    """

    nodes: Indices
    nearest: Indices
    leaders: Leaders
    starts: Indices
    points: Indices
    shares: Numbers
    away: Numbers
    offsets: Numbers

    def of_nearest(self, values: Numbers) -> Numbers:
        """The mean of what the vertices around the nearest point have, shape (n,) → (m,)."""
        return np.asarray(values[self.leaders.vertices[self.nearest]].mean(axis=1))

    def led(self, surface: Numbers) -> Numbers:
        """Where the nodes are when the surface's vertices are somewhere, both [m].

        Args:
            surface: shape (n, 3); those that lead nothing may be anywhere.

        Returns:
            Shape (m, 3).
        """
        now = self.leaders.of(surface)[self.points]
        middle = np.add.reduceat(self.shares[:, None] * now, self.starts)
        counts = np.diff([*self.starts, len(self.points)])
        from_middle = self.shares[:, None] * (now - np.repeat(middle, counts, axis=0))
        pairs = from_middle[:, :, None] * self.away[:, None, :]
        turns = nearest_rotations(np.add.reduceat(pairs, self.starts))
        return np.asarray(middle + np.einsum("mij,mj->mi", turns, self.offsets))


def following(
    cage: Cage, leaders: Leaders, reach: float, apart: Indices | None = None
) -> Following:
    """Let the nodes of a cage within a distance of points follow these.

    Args:
        reach: [m]; infinite for all that hangs together with them.
        apart: nodes that don't, as something else leads them.
    """
    at_rest = leaders.of(cage.surface)
    edges = edges_of(cage.tetrahedra)
    ways = np.concatenate([edges, edges[:, ::-1]])
    nearest = _nearest(cage.positions, ways, leaders.nodes, at_rest, reach)
    if apart is not None:
        nearest[apart] = -1
    nodes = np.flatnonzero(nearest >= 0)
    owners, points = _around(nearest[ways], nearest[nodes], len(at_rest))
    squares = np.square(cage.positions[nodes[owners]] - at_rest[points]).sum(axis=1)
    weights = 1.0 / (squares + (0.5 * cage.size) ** 2)
    shares = weights / np.bincount(owners, weights)[owners]
    starts = np.searchsorted(owners, np.arange(len(nodes)))
    middle = np.zeros((len(nodes), 3))
    np.add.at(middle, owners, shares[:, None] * at_rest[points])
    return Following(
        nodes, nearest[nodes], leaders, starts, points, shares,
        at_rest[points] - middle[owners], cage.positions[nodes] - middle,
    )  # fmt: skip


def following_all(cage: Cage) -> Following:
    """Let all nodes of a cage follow its surface."""
    return following(cage, leaders_of(cage, np.arange(len(cage.surface))), np.inf)


def _nearest(
    positions: Numbers, ways: Indices, cells: Indices, points: Numbers, reach: float
) -> Indices:
    """The nearest point of each node, -1 for none within reach, shape (n,).

    Nodes hand on what is nearest to them, along ways from one to another, shape (w, 2).
    """
    nearest, least = np.full(len(positions), -1), np.full(len(positions), reach)
    takers, offers = cells.ravel(), np.repeat(np.arange(len(points)), 4)
    while len(takers):
        distances = np.linalg.norm(positions[takers] - points[offers], axis=1)
        closer = distances < least[takers]
        takers, offers, distances = takers[closer], offers[closer], distances[closer]
        np.minimum.at(least, takers, distances)
        best = distances == least[takers]
        nearest[takers[best]] = offers[best]
        changed = np.zeros(len(positions), np.bool_)
        changed[takers] = True
        passed = ways[changed[ways[:, 0]]]
        takers, offers = passed[:, 1], nearest[passed[:, 0]]
    return nearest


def _around(pairs: Indices, nearest: Indices, count: int) -> tuple[Indices, Indices]:
    """For each node its nearest point and those that meet this one, node after node.

    Args:
        pairs: points that are nearest to neighbouring nodes, -1 for none, shape (w, 2).
        nearest: of nodes, shape (m,).
        count: of points.
    """
    itself = np.repeat(np.arange(count)[:, None], 2, axis=1)
    meet = np.concatenate([itself, pairs[(pairs >= 0).all(axis=1)]])
    one, other = np.divmod(np.unique(meet[:, 0] * count + meet[:, 1]), count)
    counts = np.bincount(one)[nearest]
    firsts = np.searchsorted(one, nearest) - np.cumsum(counts) + counts
    owners = np.repeat(np.arange(len(nearest)), counts)
    return owners, other[np.arange(len(owners)) + firsts[owners]]
