# SPDX-License-Identifier: GPL-3.0-or-later
"""Which leaves of skins lie side by side at rest: near each other, on the same side of the body.

Two leaves do if all normals of both lie within 60° of a common direction, if a way leads along the
surface from one to the other over leaves of which the same is true, and if cells carry both that
are next to each other. The sides of a gap, of a groove and of a thin wall have normals that point
apart; fingers hang together far away only.
"""

from __future__ import annotations

from math import acos
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...mesh.incidence import grouped
from ...native.by_address import by_address
from ...native.compiled import native, native_part
from ..carried import Carried
from .data import NONE, WIDTH, Shape

Indices = NDArray[np.int64]
Numbers = NDArray[np.float64]
Rows = tuple[Indices, Indices]
"""Where those of each begin, and the end, and all of them, ascending."""

WIDE = float(np.radians(60.0))
"""How far normals may be from a common direction [rad]."""

CENTRED = 16
"""Rounds in which the direction halfway between the normals farthest apart is looked for."""


@by_address
class SideBySide(NamedTuple):
    """Which of l leaves lie side by side, and the t tetrahedra that carry them.

    Attributes:
        starts: where the leaves that lie beside each begin, and the end, shape (l + 1,), int32;
            itself and later ones: ``others``, int32; and the bits of these, modulo 64, shape (l,),
            int64: ``bits``.
        corners: particles at the corners of each tetrahedron, shape (t, 4), int32.
        volumes: six times its volume at rest [m³], of either sign, shape (t,).
        carrier_starts: where the tetrahedra that carry each leaf and those next to it begin, and
            the end, shape (l + 1,), int32, and these: ``carriers``, int32.
        crushed: 1 for tetrahedra that have hardly any volume, or none, shape (t,), uint8.
        whole: 1 for leaves that can't touch those beside them, see :mod:`.crushed`, shape (l,),
            uint8.
        relied: 1 for leaves of which candidates were left out for that, shape (l,), uint8.
    """

    starts: NDArray[Any]
    others: NDArray[Any]
    bits: NDArray[Any]
    corners: NDArray[Any]
    volumes: NDArray[Any]
    carrier_starts: NDArray[Any]
    carriers: NDArray[Any]
    crushed: NDArray[Any]
    whole: NDArray[Any]
    relied: NDArray[Any]


def side_by_side_of(shape: Shape, carried: Carried) -> SideBySide:
    """What is known of a surface, of which nothing but skins lies side by side."""
    leaves = len(shape.parts)
    owner, vertex = _members(shape, carried)
    tetrahedra, carrier = np.unique(
        np.sort(carried.corners[carried.numbers[vertex]], axis=1), axis=0, return_inverse=True
    )
    next_to = _joined((owner, vertex), grouped(vertex, owner, len(shape.rest)), leaves)
    each, own = np.unique(np.stack([owner, carrier.reshape(-1)]), axis=1)
    own_carriers = grouped(each, own, leaves)
    carriers = _joined(_pairs_of(next_to), own_carriers, leaves)
    starts, others = _beside(shape, next_to, own_carriers, carriers, len(tetrahedra))
    bits = np.zeros(leaves, np.uint64)
    owners, values = _pairs_of((starts, others))
    np.bitwise_or.at(bits, owners, np.uint64(1) << (values % 64).astype(np.uint64))
    ways = shape.rest[tetrahedra[:, 1:], :3] - shape.rest[tetrahedra[:, :1], :3]
    return SideBySide(
        starts=starts.astype(np.int32),
        others=others.astype(np.int32),
        bits=bits.view(np.int64),
        corners=tetrahedra.astype(np.int32),
        volumes=np.linalg.det(ways.astype(np.float64)),
        carrier_starts=carriers[0].astype(np.int32),
        carriers=carriers[1].astype(np.int32),
        crushed=np.zeros(len(tetrahedra), np.uint8),
        whole=np.zeros(leaves, np.uint8),
        relied=np.zeros(leaves, np.uint8),
    )


@native_part
def lie_side_by_side(sides, i, j):  # type: ignore[no-untyped-def]
    """Whether two leaves do; i is not after j."""
    found = False
    if (sides.bits[i] >> (j & 63)) & 1:
        for place in range(sides.starts[i], sides.starts[i + 1]):
            found |= sides.others[place] == j
    return found


def _members(shape: Shape, carried: Carried) -> tuple[Indices, Indices]:
    """Leaves of skins that may touch themselves, and their vertices."""
    owner = np.repeat(np.arange(len(shape.parts)), np.diff(shape.member_starts))
    all_carried = np.ones(len(shape.parts), np.bool_)
    np.logical_and.at(all_carried, owner, carried.numbers[shape.members] != NONE)
    all_carried &= shape.meets[shape.parts, shape.parts] != 0
    chosen = all_carried[owner]
    return owner[chosen], shape.members[chosen].astype(np.int64)


def _pairs_of(rows: Rows) -> tuple[Indices, Indices]:
    """Rows as pairs."""
    return np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0])), rows[1]


def _joined(pairs: tuple[Indices, Indices], following: Rows, count: int) -> Rows:
    """What each of ``count`` things reaches through one of others.

    Args:
        pairs: things, and the others that they reach.
        following: what each of these reaches.
    """
    starts, values = following
    lengths = np.diff(starts)[pairs[1]]
    first = np.repeat(starts[:-1][pairs[1]] - np.cumsum(lengths) + lengths, lengths)
    reached = values[first + np.arange(len(first))]
    size = values.max(initial=0) + 1
    things, reached = np.divmod(np.unique(np.repeat(pairs[0], lengths) * size + reached), size)
    return grouped(things, reached, count)


def _beside(
    shape: Shape, next_to: Rows, own: Rows, carriers: Rows, tetrahedra: int
) -> tuple[Indices, Indices]:
    """See ``SideBySide.starts`` and ``others``.

    Args:
        next_to: of each leaf of a skin itself and those that share a vertex with it.
        own: of each leaf the tetrahedra that carry it; carriers: and those next to it.
        tetrahedra: how many there are.
    """
    leaves, starts = len(shape.parts), np.zeros(len(shape.parts) + 1, np.int64)
    others = np.zeros(0, np.int64)
    if len(next_to[1]):
        cones = _cones(shape)
        memory = tuple(np.full(count, NONE) for count in (leaves, leaves, tetrahedra))
        _find_beside(shape, cones, next_to, own, carriers, memory, starts, others)
        memory[0][:] = memory[2][:] = NONE
        others = np.zeros(starts[-1], np.int64)
        _find_beside(shape, cones, next_to, own, carriers, memory, starts, others)
    return starts, others


@native
def _find_beside(shape, cones, next_to, own, carriers, memory, starts, others):  # type: ignore[no-untyped-def]
    """Find what lies beside each leaf; what there is no memory for is counted only.

    Args:
        cones: see :func:`_cones`.
        memory: for each leaf by which one it was seen last, a queue of leaves, and for each
            tetrahedron which leaf it is around; none of them to begin with.
    """
    found, queue = 0, memory[1]
    for i in range(len(starts) - 1):
        starts[i] = found
        for place in range(_reach_from(shape, cones, next_to, own, carriers, memory, i)):
            if queue[place] >= i:
                if found < len(others):
                    others[found] = queue[place]
                found += 1
    starts[len(starts) - 1] = found


@native_part
def _reach_from(shape, cones, next_to, own, carriers, memory, i):  # type: ignore[no-untyped-def]
    """Queue the leaves that lie beside one, itself first; returns how many there are."""
    (seen, queue, marks), next_starts = memory, next_to[0]
    if next_starts[i] == next_starts[i + 1] or cones[1][i] > WIDE:
        return 0
    for place in range(carriers[0][i], carriers[0][i + 1]):
        marks[carriers[1][place]] = i
    queue[0], seen[i], begun, count = i, i, 0, 1
    while begun < count:
        k = queue[begun]
        begun += 1
        for place in range(next_starts[k], next_starts[k + 1]):
            j = next_to[1][place]
            if seen[j] == i:
                continue
            seen[j] = i
            if (
                _are_near(shape, i, j)
                and _are_alike(cones, i, j)
                and _is_carried_near(own, marks, i, j)
            ):
                queue[count] = j
                count += 1
    return count


@native_part
def _is_carried_near(own, marks, i, j):  # type: ignore[no-untyped-def]
    """Whether leaf j is carried by a tetrahedron around leaf i."""
    near = False
    for place in range(own[0][j], own[0][j + 1]):
        near |= marks[own[1][place]] == i
    return near


@native_part
def _are_near(shape, i, j):  # type: ignore[no-untyped-def]
    """Whether boxes of two leaves of a part are near at rest."""
    boxes, gap = shape.rest_boxes, 0.0
    for k in range(3):
        gap = max(gap, boxes[i, k] - boxes[j, 3 + k], boxes[j, k] - boxes[i, 3 + k])
    return shape.parts[i] == shape.parts[j] and gap < 2.0 * shape.reach[shape.parts[i]]


@native_part
def _are_alike(cones, i, j):  # type: ignore[no-untyped-def]
    """Whether all normals of two leaves lie within WIDE of a common direction."""
    (centres, angles), along = cones, 0.0
    for k in range(3):
        along += centres[i, k] * centres[j, k]
    between = acos(min(1.0, max(-1.0, along)))
    return max(angles[i], angles[j], 0.5 * (between + angles[i] + angles[j])) <= WIDE


def _cones(shape: Shape) -> tuple[Numbers, Numbers]:
    """Of each leaf a direction, and how far normals are from it at rest [rad].

    Infinite where the surface has a border, or a face without a normal.
    """
    corners = shape.faces.corners
    points = shape.rest[corners, :3].astype(np.float64)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    lengths, known = np.linalg.norm(normals, axis=1), corners[:, 0] != NONE
    edges = shape.edges.corners
    at_border = np.zeros(len(shape.rest), np.bool_)
    at_border[edges[(shape.beside == NONE).any(axis=1) & (edges[:, 0] != NONE)]] = True
    sound = ~known | ((lengths > 0.0) & ~at_border[corners].any(axis=1))
    normals[lengths > 0.0] /= lengths[lengths > 0.0, None]
    normals, known = normals.reshape(-1, WIDTH, 3), known.reshape(-1, WIDTH)
    normals = np.where(known[:, :, None], normals, normals[:, :1])
    every, centre = np.arange(len(normals)), normals.mean(axis=1)
    for turn in range(1, CENTRED + 1):
        centre /= np.maximum(np.linalg.norm(centre, axis=1, keepdims=True), np.finfo(float).tiny)
        along = np.einsum("lfd,ld->lf", normals, centre)
        if turn < CENTRED:
            centre += (normals[every, along.argmin(axis=1)] - centre) / (turn + 1.0)
    angles = np.arccos(np.clip(along.min(axis=1), -1.0, 1.0))
    angles[~sound.reshape(-1, WIDTH).all(axis=1)] = np.inf
    return centre, angles
