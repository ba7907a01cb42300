# SPDX-License-Identifier: GPL-3.0-or-later
"""Which leaves, and boxes of the tree, hang together in a patch that can't touch itself while flat.

A patch whose normals lie within 45° of a common direction nowhere overlaps itself, seen from there,
if it is a disc, about as wide as long, whose border doesn't turn inwards: its image has the lengths
of the surface, or less by cos 45° at most (F. John 1969, "On quasi-isometric mappings"). Nothing in
it comes nearer than by that. Along a slit, at a hole, where three faces share an edge or a leaf has
something of two layers it may be otherwise. What shares no more than a vertex is a disc only with
what lies between, which may be folded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...remembered import remembered
from .data import NONE, WIDTH

Indices = NDArray[np.int64]
Points = NDArray[np.floating]
Flags = NDArray[np.bool_]

MOST_AROUND = 16
"""Leaves around a vertex; where there are more, not all are known to hang together."""

INWARD = 0.78
"""How far the border of a patch may turn inwards in all [rad]."""

COMPACT = 0.12
"""Area of a box's faces over the square of its diagonal, at least; a square has a half."""


class Joined(NamedTuple):
    """What hangs together with each leaf, and behind them with each row of the tree.

    Attributes:
        starts: where those of each begin, and the end, shape (leaves + rows + 1,).
        others: leaves, or rows of the same level behind the leaves, shape (k,).
        between: the one that lies between both where these share no more than a vertex, else NONE,
            shape (k,).
        bits: of each a number that has the bits of these, modulo 64, shape (leaves + rows,).
    """

    starts: Indices
    others: Indices
    between: Indices
    bits: NDArray[np.int64]


class _Level(NamedTuple):
    """Leaves, or rows of a level, each of which holds ``WIDTH`` of the level below.

    Attributes:
        whole: which are a patch, shape (n,).
        part: of each, NONE where that isn't one; inward: how far its border turns inwards [rad];
            area of its faces [m²]; shape (n,).
        low, high: corners of its box at rest [m], shape (n, 3).
        pairs: those that share edges, shape (k, 2), ascending.
        across: those that share no more than a vertex, and third, one at that vertex that shares
            edges with both, shape (k, 3).
    """

    whole: Flags
    part: Indices
    inward: Points
    area: Points
    low: Points
    high: Points
    pairs: Indices
    across: Indices

    def joined(self, first: int) -> Indices:
        """Pairs that are a patch together, and each with itself, both ways, and what lies between;
        shape (k, 3).

        Args:
            first: number of the first of the level.
        """
        itself = np.flatnonzero(self.whole)
        found = [first + np.stack([itself, itself, itself], axis=1)]
        for groups in (self.pairs, self.across):
            kept = groups[self.whole[groups].all(axis=1)]
            kept = first + kept[self.inward[kept].sum(axis=1) <= INWARD]
            for one, other in ((0, 1), (1, 0)):
                found.append(kept[:, [one, other, kept.shape[1] - 1]])
        pairs = np.concatenate(found)
        beside = (pairs[:, 2] == pairs[:, 0]) | (pairs[:, 2] == pairs[:, 1])
        pairs[beside, 2] = NONE
        return pairs


@remembered
def joined(
    rest: Points, corners: Indices, parts: Indices, members: tuple[Indices, Indices], rows: Indices
) -> Joined:
    """What hangs together.

    Args:
        rest: of all vertices [m], shape (m, 3).
        corners: of the pieces of all leaves, NONE where a leaf is not full, shape (WIDTH l, 3).
        parts: of each leaf, NONE for those that need not be looked at, shape (l,).
        members: vertices of each leaf, leaf by leaf, and where those of each begin.
        rows: first row of each level of the tree, and the end; the last level is one row.
    """
    level, first = _leaves(rest, corners, parts, members), 0
    found = [level.joined(0)]
    for row in rows[:-1]:
        level, first = _above(level), len(parts) + int(row)
        found.append(level.joined(first))
    pairs = np.concatenate(found)
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    starts = np.searchsorted(pairs[:, 0], np.arange(len(parts) + int(rows[-1]) + 1))
    bits = np.zeros(len(starts) - 1, np.uint64)
    np.bitwise_or.at(bits, pairs[:, 0], np.uint64(1) << (pairs[:, 1] % 64).astype(np.uint64))
    return Joined(starts, pairs[:, 1], pairs[:, 2], bits.view(np.int64))


def _leaves(
    rest: Points, corners: Indices, parts: Indices, members: tuple[Indices, Indices]
) -> _Level:
    known = (corners[:, 0] != NONE) & (np.repeat(parts, WIDTH) != NONE)
    points = rest[corners]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    area = np.where(known, np.linalg.norm(normals, axis=1) / 2, 0.0).reshape(-1, WIDTH)
    inward = inward_turns(rest, corners[known])
    each, starts = members
    along = _along_edges(corners, known)
    turns = np.add.reduceat(inward[each], starts[:-1])
    return _Level(
        whole=(parts != NONE) & (turns <= INWARD) & _hang_together(_sharing(corners), known),
        part=parts,
        inward=turns,
        area=area.sum(axis=1),
        low=np.minimum.reduceat(rest[each], starts[:-1]),
        high=np.maximum.reduceat(rest[each], starts[:-1]),
        pairs=along,
        across=_across_vertices(each, np.repeat(parts, np.diff(starts)), starts, along),
    )


def _above(level: _Level) -> _Level:
    """The level above."""
    below = np.arange(len(level.whole))
    starts = below[::WIDTH]
    known = np.ones(WIDTH * len(starts), np.bool_)
    known[len(below) :] = False
    adjacent = np.zeros((len(starts), WIDTH, WIDTH), np.bool_)
    parents, places = level.pairs // WIDTH, level.pairs % WIDTH
    inside = parents[:, 0] == parents[:, 1]
    adjacent[parents[inside, 0], places[inside, 0], places[inside, 1]] = True
    part = np.minimum.reduceat(level.part, starts)
    part[part != np.maximum.reduceat(level.part, starts)] = NONE
    inward, area = (np.add.reduceat(each, starts) for each in (level.inward, level.area))
    low, high = np.minimum.reduceat(level.low, starts), np.maximum.reduceat(level.high, starts)
    whole = np.logical_and.reduceat(level.whole, starts) & (part != NONE) & (inward <= INWARD)
    whole &= area >= COMPACT * ((high - low) ** 2).sum(axis=1)
    pairs, across = np.unique(parents[~inside], axis=0), level.across // WIDTH
    across = across[~_among(pairs, across) & (across[:, 0] != across[:, 1])]
    return _Level(
        whole=whole & _hang_together(adjacent, known),
        part=part,
        inward=inward,
        area=area,
        low=low,
        high=high,
        pairs=pairs,
        across=_first_of_each(across),
    )


def inward_turns(rest: Points, triangles: Indices) -> Points:
    """How far a border turns inwards at each vertex [rad], shape (m,).

    Inside of a surface 2π less than the angle around the vertex; infinite where faces are not one
    next to the other around it.

    Args:
        rest: of all vertices [m], shape (m, 3).
        triangles: all faces, shape (f, 3).
    """
    count = len(rest)
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], -1).reshape(-1, 2), axis=1)
    keys, uses = np.unique((ends[:, 0] << 32) + ends[:, 1], return_counts=True)
    edges = np.stack([keys >> 32, keys & (1 << 32) - 1], axis=1)
    at_border = np.bincount(edges[uses == 1].ravel(), minlength=count)
    ways = rest[np.roll(triangles, -1, axis=1)] - rest[triangles]
    lengths = np.linalg.norm(ways, axis=2, keepdims=True)
    ways = np.divide(ways, lengths, out=np.zeros_like(ways), where=lengths > 0.0)
    cosines = -(ways * np.roll(ways, 1, axis=1)).sum(axis=2)
    angles = np.bincount(
        triangles.ravel(), np.arccos(np.clip(cosines, -1.0, 1.0)).ravel(), minlength=count
    )
    turns = np.maximum(0.0, angles - np.where(at_border > 0, np.pi, 2 * np.pi))
    turns[at_border > 2] = np.inf
    turns[edges[uses > 2]] = np.inf
    return turns


def _sharing(corners: Indices) -> Flags:
    """Which faces of each leaf share edges, shape (leaves, WIDTH, WIDTH)."""
    each = corners.reshape(-1, WIDTH, 3)
    common = sum(
        (each[:, :, None, i] == each[:, None, :, j]).astype(np.int8)
        for i in range(3)
        for j in range(3)
    )
    return np.asarray(common > 1)


def _hang_together(adjacent: Flags, known: Flags) -> Flags:
    """Where all that are known can be reached from the first one.

    Args:
        adjacent: shape (n, WIDTH, WIDTH), either way.
        known: shape (n WIDTH,), first those that are.
    """
    reached = adjacent | adjacent.transpose(0, 2, 1) | np.eye(WIDTH, dtype=np.bool_)
    for _ in range(WIDTH.bit_length() - 1):
        reached = reached.astype(np.float32) @ reached.astype(np.float32) > 0.0
    return np.asarray((reached[:, 0] | ~known.reshape(-1, WIDTH)).all(axis=1))


def _along_edges(corners: Indices, known: Flags) -> Indices:
    """Pairs of leaves that share edges, shape (k, 2), ascending."""
    leaf = np.repeat(np.flatnonzero(known) // WIDTH, 3)
    faces = corners[known]
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    order = np.lexsort((leaf, ends[:, 1], ends[:, 0]))
    leaf, ends = leaf[order], ends[order]
    same = (ends[1:] == ends[:-1]).all(axis=1) & (leaf[1:] != leaf[:-1])
    return np.unique(np.stack([leaf[:-1][same], leaf[1:][same]], axis=1), axis=0)


def _across_vertices(members: Indices, part: Indices, starts: Indices, along: Indices) -> Indices:
    """Pairs of leaves of a part that share vertices, but no edge, and third, one at such a vertex
    that shares edges with both, shape (k, 3).

    Args:
        along: pairs of leaves that share edges.
    """
    leaf = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[part != NONE]
    vertex = members[part != NONE]
    order = np.argsort(vertex, kind="stable")
    leaf, vertex = leaf[order], vertex[order]
    first = np.searchsorted(vertex, vertex)
    found = [np.zeros((0, 3), np.int64)]
    for apart in range(1, MOST_AROUND):
        place = np.flatnonzero(vertex[apart:] == vertex[:-apart])
        pairs = np.stack([leaf[place], leaf[place + apart]], axis=1)
        no_edge = ~_among(along, pairs)
        place, pairs = place[no_edge], pairs[no_edge]
        for next_one in range(MOST_AROUND):
            at = np.minimum(first[place] + next_one, len(leaf) - 1)
            groups = np.column_stack([pairs, leaf[at]])
            between = vertex[at] == vertex[place]
            between &= _among(along, groups[:, [0, 2]]) & _among(along, groups[:, [1, 2]])
            found.append(groups[between])
    return _first_of_each(np.concatenate(found))


def _among(known: Indices, pairs: Indices) -> Flags:
    """Which pairs (their first two columns) are among the known ones, which ascend, either way."""
    low, high = pairs[:, :2].min(axis=1), pairs[:, :2].max(axis=1)
    keys, wanted = (known[:, 0] << 32) + known[:, 1], (low << 32) + high
    if len(keys) == 0:
        return np.zeros(len(pairs), np.bool_)
    return np.asarray(keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted)


def _first_of_each(groups: Indices) -> Indices:
    """The first of those that have the same pair in their first two columns."""
    _, firsts = np.unique(groups[:, :2], axis=0, return_index=True)
    return groups[np.sort(firsts)]
