# SPDX-License-Identifier: GPL-3.0-or-later
"""Laying out the contact surface of a model: pieces in leaves, who owns what, the tree's shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...interruption import may_go_on
from ...remembered import remembered
from ...vector.compiler import native_lanes
from ...vector.elements import address_of
from ...vector.specification import KernelSpecification
from .boxes import AROUND, NORMALS
from .candidates import SPARE
from .cones import TURN
from .data import EMPTY, FACTOR, LEAST_FACTOR, NONE, WIDTH, Blocks, Shape
from .distances import EDGE_EDGE, REST_EDGE_EDGE, REST_VERTEX_FACE, VERTEX_FACE
from .leaves import leaves_of
from .patches import joined

Points = NDArray[np.floating]
Indices = NDArray[np.int64]

MEASURING = VERTEX_FACE, EDGE_EDGE, REST_VERTEX_FACE, REST_EDGE_EDGE
"""The kernels that find closest points."""

HULL_BYTES = 16
"""Of a corner of a hull."""

STRAY = 0.05
"""Of the mean length of edges that vertices may stray from the way they were expected to go."""

LATE_PART = 2
"""Candidates for each face of a body that may be listed later than all others."""

ROUNDING = 1e-4
"""The same [m] for colliders, which move evenly within a frame."""


@dataclass(frozen=True)
class Part:
    """What is told of one body or collider.

    Attributes:
        pieces: rows of the corners of its faces, shape (p, 3); of an edge the second one twice.
        looks: whether it looks for what it can touch; colliders don't, they are found.
        sided: whether its normals tell what is outside.
    """

    pieces: Indices
    looks: bool
    sided: bool = False


def lay_out(
    parts: Sequence[Part],
    rest: NDArray[np.floating],
    thickness: NDArray[np.floating],
    friction: NDArray[np.floating],
    meets: NDArray[np.bool_],
    dtype: DTypeLike,
    sewn: NDArray[np.int64] | None = None,
) -> Shape:
    """The shape of the contact surface.

    Args:
        parts: those that look for others first.
        rest: ``Shape.rest`` of all vertices, shape (m, 4).
        thickness, friction: of each, shape (m,).
        meets: whether two parts can touch, shape (parts, parts).
        sewn: of the first vertices ``Shape.same``; by default nothing is sewn together.
    """
    reach = [reach_for(float(thickness[part.pieces].max(initial=0.0))) for part in parts]
    return _laid_out(parts, rest, meets, dtype, sewn)._replace(
        thickness=thickness.astype(np.float32),
        friction=friction.astype(np.float32),
        reach=np.array(reach, np.float32),
    )


@remembered
def _laid_out(
    parts: Sequence[Part],
    rest: NDArray[np.floating],
    meets: NDArray[np.bool_],
    dtype: DTypeLike,
    sewn: NDArray[np.int64] | None,
) -> Shape:
    """The same but for what vertices keep from others, and how they rub."""
    corners, owner = _leaves(rest, parts)
    looks = np.array([part.looks for part in parts], np.bool_)[owner]
    lanes, double = native_lanes(), np.dtype(dtype) == np.float64
    same = _same(len(rest), sewn)
    edges = _edges(corners, same, rest)
    members, member_starts = _members(corners)
    levels = _levels(len(owner))
    parts_that_look = np.where(looks, owner, NONE)
    may_go_on()
    hanging = joined(rest[:, :3], corners, parts_that_look, (members, member_starts), levels)
    shape = Shape(
        rest=rest,
        folded=np.zeros(len(rest), np.uint8),
        thickness=np.zeros(0, np.float32),
        friction=np.zeros(0, np.float32),
        same=same,
        parts=owner.astype(np.int32),
        members=members.astype(np.int32),
        member_starts=member_starts.astype(np.int32),
        rest_boxes=np.zeros((len(owner), LEAST_FACTOR + 1), np.float32),
        joined=hanging.others.astype(np.int32),
        joined_between=hanging.between.astype(np.int32),
        joined_starts=hanging.starts.astype(np.int32),
        joined_bits=hanging.bits,
        levels=levels,
        meets=meets.astype(np.uint8),
        reach=np.zeros(0, np.float32),
        margin=_margins(rest, parts),
        pliant=np.zeros(len(owner), np.float32),
        kernels=_addresses(MEASURING, lanes, double),
        fits=np.concatenate(
            [_addresses(AROUND, WIDTH, False), _addresses([NORMALS], WIDTH, double)]
        ),
        face_offsets=_offsets(_filled(corners), rest.strides[0]),
        numbers=_numbers(len(rest), int(looks.sum()), lanes, double),
        beside=_beside(corners, edges.corners),
        bits=_bits(len(rest), parts),
        sided=_sided(len(rest), parts),
        faces=_blocks(np.arange(len(owner) + 1), corners, same, rest),
        edges=edges,
        vertices=_vertices(corners, same, rest),
    )
    measure_leaves(shape)
    return shape


def measure_leaves(shape: Shape) -> None:
    """Note of leaves what goes by where their vertices are at rest."""
    rest, corners = shape.rest, shape.faces.corners
    factors = rest[_filled(corners), FACTOR].reshape(-1, 3 * WIDTH).min(axis=1)
    shape.rest_boxes[:, :LEAST_FACTOR] = _leaf_boxes(rest, corners)
    shape.rest_boxes[:, LEAST_FACTOR] = factors
    shape.pliant[:] = 0.5 * TURN * factors * _least_heights(rest, corners)


def _leaves(rest: NDArray[np.floating], parts: Sequence[Part]) -> tuple[Indices, Indices]:
    """The pieces of all parts in leaves, as of :func:`.leaves_of`, and the part of each leaf."""
    pieces, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    for number, part in enumerate(parts):
        pieces.append(leaves_of(rest[:, :3], part.pieces))
        owners.append(np.full(len(pieces[-1]) // WIDTH, number))
    return np.concatenate(pieces), np.concatenate(owners)


def _addresses(kernels: Sequence[KernelSpecification], lanes: int, double: bool) -> Indices:
    return np.array([address_of(kernel, lanes, double) for kernel in kernels], np.int64)


def _numbers(vertices: int, looking: int, lanes: int, double: bool) -> Indices:
    """See VERTICES and following of ``Shape.numbers``.

    Args:
        looking: leaves whose pieces look for others.
    """
    row_shift = 5 if double else 4
    return np.array([vertices, looking, lanes, row_shift, LATE_PART * WIDTH * looking], np.int64)


def reach_for(thickness: float) -> float:
    """How far boxes of a part are extended [m], which keeps this from others."""
    return SPARE * thickness


def _margins(rest: NDArray[np.floating], parts: Sequence[Part]) -> NDArray[np.float32]:
    """How far each vertex may stray; colliders go where they are expected."""
    margins = np.full(len(rest), ROUNDING, np.float32)
    for part in parts:
        if part.looks and len(part.pieces):
            margins[part.pieces] = STRAY * edge_length(rest, part.pieces)
    return margins


def _least_heights(rest: NDArray[np.floating], corners: Indices) -> NDArray[np.floating]:
    """The least height [m] of the triangles of each leaf at rest."""
    a, b, c = rest[_filled(corners), :3].swapaxes(0, 1)
    sides = np.max([np.linalg.norm(way, axis=1) for way in (b - a, c - b, a - c)], axis=0)
    doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    heights = doubled / np.maximum(sides, np.finfo(np.float32).tiny)
    return np.asarray(heights.reshape(-1, WIDTH).min(axis=1))


def edge_length(rest: NDArray[np.floating], pieces: Indices) -> float:
    """Mean length [m] of the edges of pieces; 0 without any."""
    ends = rest[pieces, :3]
    lengths = np.linalg.norm(ends - np.roll(ends, -1, axis=1), axis=2)
    return float(lengths.mean()) if lengths.size else 0.0


def _bits(count: int, parts: Sequence[Part]) -> NDArray[np.uint64]:
    """Of 64 parts each has its own bit; of more some have the same."""
    bits = np.zeros(count, np.uint64)
    for number, part in enumerate(parts):
        bits[part.pieces] = 1 << number % 64
    return bits


def _same(count: int, sewn: NDArray[np.int64] | None) -> NDArray[np.int32]:
    same = np.arange(count, dtype=np.int32)
    if sewn is not None:
        same[: len(sewn)] = sewn
    return same


def _sided(count: int, parts: Sequence[Part]) -> NDArray[np.uint8]:
    sided = np.zeros(count, np.uint8)
    for part in parts:
        sided[part.pieces] = part.sided
    return sided


def _members(corners: Indices) -> tuple[Indices, Indices]:
    """All vertices of each leaf, once, and where those of each leaf begin."""
    ordered = np.sort(corners.reshape(-1, 3 * WIDTH), axis=1)
    new = np.ones(ordered.shape, np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    new &= ordered != NONE
    return ordered[new], np.concatenate([[0], np.cumsum(new.sum(axis=1))])


def _leaf_boxes(rest: NDArray[np.floating], corners: Indices) -> NDArray[np.float32]:
    points = rest[corners, :3].reshape(-1, WIDTH, 3, 3)
    full = (corners != NONE).reshape(-1, WIDTH, 3, 1)
    low = np.where(full, points, EMPTY).min(axis=(1, 2))
    high = np.where(full, points, -EMPTY).max(axis=(1, 2))
    return np.concatenate([low, high], axis=1).astype(np.float32)


def _levels(leaves: int) -> NDArray[np.int64]:
    """First row of each level above the leaves, and the end; the last level is one row."""
    starts, size = [0], leaves
    while size > 1 or len(starts) < 2:
        size = max(1, -(-size // WIDTH))
        starts.append(starts[-1] + size)
    return np.array(starts, np.int64)


def _blocks(starts: Indices, corners: Indices, same: NDArray[np.int32], rest: Points) -> Blocks:
    """Where there is nothing its hull is the one behind those of all vertices."""
    boxes = np.zeros((len(corners) // WIDTH, 6 * WIDTH), np.float32)
    offsets = _offsets(np.where(corners == NONE, len(same), corners), HULL_BYTES)
    known = np.where(corners == NONE, NONE, same[corners])
    different = np.sort(known, axis=1)
    proper = (different[:, 1:] != different[:, :-1]).all(axis=1).reshape(-1, WIDTH)
    return Blocks(
        starts.astype(np.int32),
        corners.astype(np.int32),
        offsets,
        boxes,
        _boxes(rest, corners),
        _in_blocks(known).astype(np.int32),
        proper @ (1 << np.arange(WIDTH)),
    )


def _boxes(rest: Points, corners: Indices) -> NDArray[np.float32]:
    """``Blocks.at_rest``."""
    known, points = corners[:, :1] != NONE, rest[corners, :3]
    low = np.where(known, points.min(axis=1), EMPTY).reshape(-1, WIDTH, 3)
    high = np.where(known, points.max(axis=1), -EMPTY).reshape(-1, WIDTH, 3)
    sides = np.stack([low, high], axis=1).transpose(0, 1, 3, 2)
    return np.ascontiguousarray(sides.reshape(-1, 6 * WIDTH), np.float32)


def _in_blocks(values: Indices) -> Indices:
    """(WIDTH b, k) → flat [block][k][lane]."""
    blocks = values.reshape(-1, WIDTH, values.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(blocks).ravel()


def _offsets(corners: Indices, size: int) -> NDArray[np.uint32]:
    """The same of rows of so many bytes."""
    return (_in_blocks(corners) * size).astype(np.uint32)


def _filled(corners: Indices) -> Indices:
    """Where a leaf is not full its first face once more."""
    leaves = corners.reshape(-1, WIDTH, 3)
    return np.where(leaves == NONE, leaves[:, :1], leaves).reshape(-1, 3)


def _edges(corners: Indices, same: NDArray[np.int32], rest: Points) -> Blocks:
    """Every edge once, in the first leaf that has it."""
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
    proper = np.flatnonzero(ends[:, 0] != ends[:, 1])
    _, chosen = np.unique(_keys(ends[proper]), return_index=True)
    return _in_leaves(ends, np.sort(proper[chosen]), len(corners) // WIDTH, same, rest)


def _beside(corners: Indices, edges: Indices) -> NDArray[np.int32]:
    """The faces beside each edge: the first and the last of those that have it; beside an edge of
    strands the piece that it is itself.
    """
    proper = np.flatnonzero((corners != np.roll(corners, -1, axis=1)).all(axis=1))
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1)[proper]
    strands = np.flatnonzero((corners[:, 0] != corners[:, 1]) & (corners[:, 1] == corners[:, 2]))
    owners = np.concatenate([np.repeat(proper, 3), strands])
    sides = _keys(np.concatenate([ends.reshape(-1, 2), corners[strands, :2]]))
    wanted, order = _keys(edges), np.argsort(sides, kind="stable")
    first, last = (np.searchsorted(sides[order], wanted, side) for side in ("left", "right"))
    beside = np.full((len(edges), 2), NONE)
    face = owners[order]
    found = (last > first) & (edges[:, 0] != NONE)
    beside[found, 0] = face[first[found]]
    found &= last > first + 1
    beside[found, 1] = face[last[found] - 1]
    return beside.astype(np.int32)


def _keys(pairs: Indices) -> Indices:
    """A number for each pair of vertices, whatever their order."""
    low, high = np.sort(pairs.astype(np.int64), axis=1).T
    return (low << 32) + high


def _vertices(corners: Indices, same: NDArray[np.int32], rest: Points) -> Blocks:
    """Every vertex once, in the first leaf that has it."""
    numbers = corners.reshape(-1, 1)
    found, chosen = np.unique(numbers[:, 0], return_index=True)
    return _in_leaves(numbers, np.sort(chosen[found != NONE]), len(corners) // WIDTH, same, rest)


def _in_leaves(
    things: Indices, chosen: Indices, leaves: int, same: NDArray[np.int32], rest: Points
) -> Blocks:
    """Blocks of the chosen things, of which there are 3 for each piece, leaf by leaf."""
    leaf = chosen // (3 * WIDTH)
    counts = np.bincount(leaf, minlength=leaves)
    starts = np.concatenate([[0], np.cumsum(-(-counts // WIDTH))])
    place = np.arange(len(chosen)) - np.concatenate([[0], np.cumsum(counts)])[leaf]
    corners = np.full((WIDTH * int(starts[-1]), things.shape[1]), NONE)
    corners[WIDTH * starts[leaf] + place] = things[chosen]
    return _blocks(starts, corners, same, rest)
