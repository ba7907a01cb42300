# SPDX-License-Identifier: GPL-3.0-or-later
"""Where parts of a body lie on each other: pairs of nodes that hold them together.

Both parts have nodes in the same places there. Each pair stands for the area around it, so that
what they carry together is the tension between the parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native
from ..incidence import grouped
from ..tetrahedra import edges_of
from .cage import Cage
from .surface_points import crossed_edges, units

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

NEAR = 0.1
"""Of a cell: the widest gap between what lies on each other."""

OPPOSED = -0.9
"""Cosine between normals of what lies on each other."""

REACH = 0.25
"""Of a cell: how far along a face a point of another part stands for that face."""

SMALL = 0.1
"""Of the area of a cell's side: what stands for less says nothing about the tension."""


class Bonds(NamedTuple):
    """Pairs of nodes in one place, of parts that lie on each other there.

    Attributes:
        nodes: the two of each, shape (k, 2).
        areas: of what lies on each other that each stands for [m²], shape (k,).
        around: for each the others of the same parts that are no further than a cell from it, -1
            for none, shape (k, w).
        inner: nodes further inside of the first part and of the second, shape (k, 2): from one to
            the other is across what lies on each other, however it has turned.
    """

    nodes: Indices
    areas: Numbers
    around: Indices
    inner: Indices


def bonds_of(cage: Cage, surface: Numbers, signs: Numbers, parts: Indices, own: Indices) -> Bonds:
    """Where parts lie on each other, at the nodes of both.

    Args:
        surface: where it touches, at rest, shape (n, 3).
        signs: of parts; parts: of vertices; own: of nodes.
    """
    points = cage.face_points
    number = parts[points.vertices[:, 0]]
    places = np.einsum("pk,pkd->pd", points.shares, surface[points.vertices])
    normals = signs[number][:, None] * units(crossed_edges(surface, points.vertices))
    found = _opposite(places / cage.size, normals, number)
    here = np.flatnonzero(found >= 0)
    one = points.nodes[here]
    other = _in_the_same_places(cage, own, one, number[found[here]])
    share = 0.5 * points.areas[here, None] * points.weights[here]  # both sides are met
    known = (other >= 0) & (share > 0.0)
    swapped = (number[here] > number[found[here]])[:, None]
    pairs = np.stack([np.where(swapped, other, one), np.where(swapped, one, other)], axis=2)[known]
    across = np.where(swapped, -1.0, 1.0) * normals[here]
    nodes, place = np.unique(pairs, axis=0, return_inverse=True)
    place = place.reshape(-1)
    areas = np.asarray(np.bincount(place, share[known], len(nodes)), np.float64)
    ways = np.zeros((len(nodes), 3))
    np.add.at(ways, place, (share[:, :, None] * across[:, None])[known])
    inner = [_furthest(cage, nodes[:, side], way * ways) for side, way in ((0, -1.0), (1, 1.0))]
    faces = np.unique(own[nodes], axis=0, return_inverse=True)[1].reshape(-1)
    around = _around(cage.places[nodes[:, 0]], faces, areas / cage.size**2)
    return Bonds(nodes, areas, around, np.stack(inner, axis=1))


def _around(places: Indices, faces: Indices, areas: Numbers) -> Indices:
    """For each pair of nodes others of the same face within a cell, -1 for none, shape (k, w).

    Those of small areas, at rims, have what is around the nearest that is not small.

    Args:
        places: in halves of a cell, shape (k, 3). faces: the number of each one's, shape (k,).
        areas: in those of a cell's side, shape (k,).
    """
    low, high = places.min(axis=0, initial=0) - 2, places.max(axis=0, initial=0) + 3
    wide = tuple((high - low).tolist())
    first = faces * int(np.prod(wide))
    keys = np.ravel_multi_index((places - low).T, wide) + first
    order = np.argsort(keys, kind="stable")
    steps = np.array(list(np.ndindex(5, 5, 5))) - 2
    columns = []
    for step in steps[(steps**2).sum(axis=1) <= 4]:
        wanted = np.ravel_multi_index((places + step - low).T, wide) + first
        rank = np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)
        columns.append(np.where(keys[order][rank] == wanted, order[rank], -1))
    near = np.stack(columns, axis=1)[_judges(places, faces, areas)]
    near[near == np.arange(len(near))[:, None]] = -1
    return -np.sort(-near, axis=1)


def _judges(places: Indices, faces: Indices, areas: Numbers) -> Indices:
    """For each pair of nodes itself, or the nearest of its face that is not small, shape (k,)."""
    found = np.arange(len(places))
    largest = np.zeros(int(faces.max(initial=-1)) + 1)
    np.maximum.at(largest, faces, areas)
    small = areas < np.minimum(SMALL, largest[faces])
    for one in np.flatnonzero(small):
        others = np.flatnonzero(~small & (faces == faces[one]))
        away = ((places[others] - places[one]) ** 2).sum(axis=1)
        found[one] = others[away.argmin()]
    return found


def _opposite(places: Numbers, normals: Numbers, parts: Indices) -> Indices:
    """The nearest point of another part's face that each one's face lies on, -1 for none.

    Args:
        places: in cells, shape (p, 3).
    """
    bins = np.floor(places / REACH).astype(np.int64)
    bins -= bins.min(axis=0, initial=0) - 1
    wide = bins.max(axis=0, initial=0) + 2
    keys = (bins[:, 0] * wide[1] + bins[:, 1]) * wide[2] + bins[:, 2]
    order = np.argsort(keys, kind="stable")
    # Of three bins each, which follow each other.
    rows = np.array([(x * wide[1] + y) * wide[2] for x, y in np.ndindex(3, 3)])
    middles = keys[:, None] + rows - (wide[1] + 1) * wide[2]
    first = np.searchsorted(keys[order], middles - 1)
    last = np.searchsorted(keys[order], middles + 1, side="right")
    found = np.full(len(places), -1)
    _find_opposite(places, normals, parts, order, first, last, found)
    return found


@native
def _find_opposite(places, normals, parts, order, first, last, found):  # type: ignore[no-untyped-def]
    """Of each point search those whose ranks are in the ranges of its row."""
    for i in range(len(places)):
        nearest = REACH * REACH
        for row in range(first.shape[1]):
            for rank in range(first[i, row], last[i, row]):
                j = order[rank]
                if parts[i] == parts[j]:
                    continue
                facing, gap, distance = 0.0, 0.0, 0.0
                for k in range(3):
                    away = places[j, k] - places[i, k]
                    facing += normals[i, k] * normals[j, k]
                    gap += normals[i, k] * away
                    distance += away * away
                if facing < OPPOSED and abs(gap) < NEAR and distance < nearest:
                    nearest = distance
                    found[i] = j


def _in_the_same_places(cage: Cage, own: Indices, nodes: Indices, parts: Indices) -> Indices:
    """Nodes of other parts in the places of some, -1 where there are none, shape (p, 4).

    Args:
        own: the part of each node. nodes: shape (p, 4); parts: the other part of each row.
    """
    low = cage.places.min(axis=0)
    wide = cage.places.max(axis=0) - low + 1
    x, y, z = (cage.places - low).T
    keys = (x * wide[1] + y) * wide[2] + z
    of_parts = own * int(wide.prod()) + keys
    order = np.argsort(of_parts, kind="stable")
    wanted = parts[:, None] * int(wide.prod()) + keys[nodes]
    place = np.minimum(np.searchsorted(of_parts[order], wanted), len(order) - 1)
    return np.where(of_parts[order][place] == wanted, order[place], -1)


def _furthest(cage: Cage, nodes: Indices, ways: Numbers) -> Indices:
    """Of each node the neighbour that is furthest along a way, shape (k,)."""
    edges = edges_of(cage.tetrahedra)
    one, other = np.concatenate([edges, edges[:, ::-1]]).T
    starts, members = grouped(one, other, len(cage.positions))
    counts = starts[nodes + 1] - starts[nodes]
    row = np.repeat(np.arange(len(nodes)), counts)
    ranks = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts - starts[nodes], counts)
    beside = members[ranks]
    away = cage.positions[beside] - cage.positions[nodes[row]]
    order = np.lexsort((np.einsum("rd,rd->r", away, ways[row]), row))
    return np.asarray(beside[order[np.cumsum(counts) - 1]])
