# SPDX-License-Identifier: GPL-3.0-or-later
"""The curvature of triangles from the angles of the hinges around them.

Oñate, Zárate 2000, "Rotation-free triangular plate and shell elements": κ = Σ lᵢ θᵢ nᵢ nᵢᵀ /
(A + Aᵢ) over the edges of a triangle, with the in-plane normals nᵢ and the areas Aᵢ of the
neighbours. Of each hinge's l θ a triangle so has a share that goes by its area. That is right where
the triangles of a hinge are each other turned by 180°, and else too stiff: squares cut like a
checkerboard twist twice as hard as they should.

Under a constant curvature the share is A Sᵢ:κ, with the tensors for which Sᵢ:(nⱼ nⱼᵀ) is 1 for
j = i and else 0, as in the element of Hellan, Herrmann and Johnson (Arnold, Walker 2020, "The
Hellan–Herrmann–Johnson method with curved elements"). So shares are corrected on both sides:

    share = A / (A + A') l θ ± A A' / (A + A') (S - S'):κ

with the κ of both triangles as it is found without. Then constant curvatures cost what they should
on any mesh; and as shares still add up to l θ, nothing gets softer than that element.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....interruption import may_go_on
from ....linear.compressed import Compressed, from_entries, plus_product, product, reciprocal

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

ROOT = np.sqrt(2.0)

DOUBT = 0.03
"""Of a curvature: what hinges tell less of is hardly believed."""

UNTOLD = 0.01
"""Of what is asked for: a larger part that hinges do not tell is too much."""

SMALL = 0.1
"""Of what a hinge tells a triangle, beside the hinge that tells it most: less is left out."""

STEEPEST = 4.0
"""Largest S - S'. What is more in slivers is left out."""


class _Pairs(NamedTuple):
    """Both triangles of h hinges, the first before the second.

    In the frame of a hinge the first axis is along the edge, the second out of the first triangle.
    Tensors are (xx, √2 xy, yy).

    Attributes:
        triangle: their numbers, shape (2, h).
        area: [m²], shape (2, h); 0 of what is pinned.
        part: of both areas, shape (2, h).
        inverse: of the sum of both [1/m²], shape (h,).
        turn: of tensors from the triangle's frame to that of the hinge, shape (2, h, 3, 3).
        length: of the edge [m], shape (h,).
        ways, heights: of the opposite corners, from the start of the edge along it, and above it
            [m], shape (2, h).
        held: of tensors in the triangle's frame to what its free edge does not let go, shape
            (2, h, 3, 3).
        across: nᵢ nᵢᵀ in the triangle's frame, so far as it is held, shape (2, h, 3).
    """

    triangle: Indices
    area: Numbers
    part: Numbers
    inverse: Numbers
    turn: Numbers
    length: Numbers
    ways: Numbers
    heights: Numbers
    held: Numbers
    across: Numbers


def curvatures(
    corners: Indices, compliance: Numbers, positions: Numbers, pinned: NDArray[np.bool_]
) -> Compressed:
    """From angles of hinges to √(D A) κ of triangles, three rows each.

    D = (A + A') / α l². A triangle that is pinned does not bend, and takes no part in the bend at
    its edges: A := 0.

    Args:
        corners: of hinges, shape (h, 4).
        compliance: α of hinges, shape (h,).
        positions: of particles at rest, shape (n, 3).
        pinned: which particles are, shape (n,).
    """
    triangles, number = triangles_of(corners, len(positions))
    a, b, c = positions[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    areas = np.where(pinned[triangles].all(axis=1), 0.0, 0.5 * np.linalg.norm(normal, axis=1))
    axes = np.stack([_unit(b - a), np.cross(_unit(normal), _unit(b - a))], axis=1)
    held = _held(triangles, corners, positions, axes)
    pairs = _pairs(positions[corners], number, areas, axes, held)
    stiffness = np.sqrt(pairs.inverse / np.where(compliance > 0.0, compliance, np.inf))
    hinges = np.broadcast_to(np.arange(len(corners)), number.shape)
    across = stiffness[:, None] * pairs.across
    found = _blocks(number, hinges, across[..., None], (len(areas), len(corners)))
    may_go_on()
    found = _without_small(_corrected(found, pairs))
    return found._replace(values=found.values * np.sqrt(np.repeat(areas, 3))[found.rows])


def triangles_of(corners: Indices, count: int) -> tuple[Indices, Indices]:
    """The triangles of hinges, shape (t, 3), and the number of both of each, shape (2, h)."""
    sides = np.concatenate([corners[:, [0, 1, 2]], corners[:, [1, 0, 3]]])
    keys = np.sort(sides, axis=1) @ np.array([count**2, count, 1])
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return sides[first], number.reshape(2, len(corners))


def _held(triangles: Indices, corners: Indices, positions: Numbers, axes: Numbers) -> Numbers:
    """Of tensors in each triangle's frame to what its free edge does not let go, shape (t, 3, 3).

    A free edge turns until there is no moment across it: its share is what leaves no nᵢ κ nᵢ.
    """
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1)
    keys, joined = (
        np.sort(each, axis=-1) @ np.array([len(positions), 1]) for each in (ends, corners[:, :2])
    )
    free = ~np.isin(keys, joined)
    one = free.sum(axis=1) == 1
    start, end = np.moveaxis(ends[np.arange(len(ends)), free.argmax(axis=1)], -1, 0)
    x, y = np.einsum("tdk,tk->dt", axes, _unit(positions[end] - positions[start]))
    across = np.stack([y * y, -ROOT * x * y, x * x], axis=-1) * one[:, None]
    return np.asarray(np.eye(3) - across[:, :, None] * across[:, None])


def _pairs(
    points: Numbers, number: Indices, areas: Numbers, axes: Numbers, held: Numbers
) -> _Pairs:
    """What hinges with these corners, shape (h, 4, 3), join."""
    edge = points[:, 1] - points[:, 0]
    along = _unit(edge)
    apexes = points[:, 2:].transpose(1, 0, 2) - points[:, 0]
    ways = np.einsum("shk,hk->sh", apexes, along)
    away = apexes - ways[:, :, None] * along
    outward = _unit(away) * np.array([-1.0, 1.0])[:, None, None]
    area = areas[number]
    both = area.sum(axis=0)
    inverse = reciprocal(both)
    u = np.einsum("shdk,hk->shd", axes[number], along)
    v = np.einsum("shdk,shk->shd", axes[number], outward)
    turn = _turn(u, v)
    return _Pairs(
        number,
        area,
        area * inverse,
        inverse,
        turn,
        np.linalg.norm(edge, axis=1),
        ways,
        np.linalg.norm(away, axis=2),
        held[number],
        np.einsum("shij,shj->shi", held[number], turn[:, :, 2]),
    )


def _turn(u: Numbers, v: Numbers) -> Numbers:
    """Of tensors, to a frame of the axes u and v, shape (..., 2)."""
    x, y = np.moveaxis(u, -1, 0)
    z, w = np.moveaxis(v, -1, 0)
    rows = [
        [x * x, ROOT * x * y, y * y],
        [ROOT * x * z, x * w + y * z, ROOT * y * w],
        [z * z, ROOT * z * w, w * w],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _corrected(found: Compressed, pairs: _Pairs) -> Compressed:
    """The curvatures of triangles by area, corrected: each hinge adds to both of its triangles what
    it makes of those of both.
    """
    hinges, triangles = len(pairs.length), found.height // 3
    weights = _weights(pairs, _response(pairs, triangles))
    sources = pairs.part[:, :, None] * np.einsum("hi,shij->shj", weights, pairs.turn)
    signs = np.array([1.0, -1.0])[:, None, None]
    targets = signs * pairs.part[::-1, :, None] * pairs.across
    number = pairs.triangle
    own = np.broadcast_to(np.arange(hinges), number.shape)
    made = _blocks(own, number, sources[..., None, :], (hinges, triangles))
    added = _blocks(number, own, targets[..., None], (triangles, hinges))
    return plus_product(found, added, product(made, found))


def _without_small(found: Compressed) -> Compressed:
    """Without hinges that hardly count for a triangle, which has three rows."""
    rows = found.rows
    triangle = rows // 3
    # The rows of a triangle have the same columns in the same order.
    number = np.arange(len(rows)) + (found.starts[3 * triangle] - found.starts[rows])
    size = np.bincount(number, found.values**2)[number]
    largest = np.zeros(found.height // 3)
    np.maximum.at(largest, triangle, size)
    return found.chosen(size > SMALL**2 * largest[triangle])


def _response(pairs: _Pairs, count: int) -> Numbers:
    """What triangles show by area of each constant curvature, shape (t, 3, 3).

    Of a curvature κ a hinge has l θ = N:κ. One at a clamp knows what is across it only.
    """
    ways, heights, length = pairs.ways, pairs.heights, pairs.length
    inverse = reciprocal(heights)
    bent = (pairs.area > 0.0).all(axis=0) * 0.5 * length * pairs.inverse
    lengthwise = bent * np.sum(ways * (ways - length) * inverse, axis=0)
    seen = np.stack([lengthwise, ROOT * bent * (ways[1] - ways[0]), pairs.inverse > 0.0], axis=-1)
    shown = np.einsum("hi,shij->shj", seen, pairs.turn)
    response = np.zeros((count, 3, 3))
    np.add.at(response, pairs.triangle, pairs.across[..., None] * shown[:, :, None])
    return response


def _weights(pairs: _Pairs, response: Numbers) -> Numbers:
    """By which the mean of both triangles' curvatures by area gives (S - S'):κ, shape (h, 3).

    That mean is G κ, of which the κ of least squares is taken. Where it does not tell what is asked
    for, as of a single hinge, they are zero.
    """
    ways, heights, length = pairs.ways, pairs.heights, pairs.length
    inverse = reciprocal(heights)
    lengthwise = ways * (ways - length) * inverse**2
    mixed = np.sum((length - 2.0 * ways) * inverse, axis=0) / ROOT
    difference = np.stack([lengthwise[0] - lengthwise[1], mixed, np.zeros(len(length))], axis=-1)
    back = np.swapaxes(pairs.turn, -1, -2)
    for held in pairs.turn @ pairs.held @ back:
        difference = np.einsum("hi,hij->hj", difference, held)
    size = np.linalg.norm(difference, axis=1)
    difference *= np.minimum(1.0, STEEPEST / np.where(size > 0.0, size, 1.0))[:, None]
    turned = pairs.turn @ response[pairs.triangle] @ back
    g = np.einsum("sh,shij->hij", pairs.part, turned)
    squares = np.swapaxes(g, 1, 2) @ g + DOUBT**2 * np.eye(3)
    weights = (g @ np.linalg.solve(squares, difference[:, :, None]))[:, :, 0]
    untold = np.linalg.norm(np.einsum("hi,hij->hj", weights, g) - difference, axis=1)
    return np.where(untold[:, None] < UNTOLD * size[:, None], weights, 0.0)


def _blocks(rows: Indices, columns: Indices, values: Numbers, shape: tuple[int, int]) -> Compressed:
    """The matrix of so many blocks with these, shape (..., height, width)."""
    height, width = values.shape[-2:]
    high = height * rows[..., None, None] + np.arange(height)[:, None]
    wide = width * columns[..., None, None] + np.arange(width)
    high, wide = (np.broadcast_to(each, values.shape).ravel() for each in (high, wide))
    return from_entries(high, wide, values.ravel(), (height * shape[0], width * shape[1]))


def _unit(vectors: Numbers) -> Numbers:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0.0, length, 1.0)
