# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a body hangs together, walked through for two purposes.

Samples are the centres of voxels that are inside and points of the surface. Two are joined where
the way between neighbouring centres stays inside, where a line crosses the surface beside a
centre, and where they are of one triangle. Samples in one tetrahedron that are joined are one
fragment of it; where the joined are in two, these share their common nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.by_address import by_address
from ...native.compiled import native, native_part
from ..connected import unite
from .crossings import SUB
from .inside import HALF, WHOLE

Small = NDArray[np.int32]

NONE = -1


@by_address
class Samples(NamedTuple):
    """Voxels and, behind them, points of the surface.

    Attributes:
        winding: at the centres of voxels, times WHOLE, shape (v,).
        crossed: which axes' way from the voxel before crosses the surface, a bit each, shape (v,).
        shape: voxels along x, y, z; steps: from a voxel to the next one along each axis; cubes:
            along x, y, z.
        tetrahedra_of: by its place in the cube, what a voxel adds to 12 times the cube's number to
            get its tetrahedron's, shape (SUB³,).
        tetrahedra: of the points, shape (s,).
        first_crossing: among the points.
        axis, upper, along, sign: as in ``Crossings``.
        starts, members: the points of each triangle.
    """

    winding: NDArray[np.int16]
    crossed: NDArray[np.uint8]
    shape: NDArray[np.int64]
    steps: NDArray[np.int64]
    cubes: NDArray[np.int64]
    tetrahedra_of: NDArray[np.int64]
    tetrahedra: NDArray[np.int64]
    first_crossing: int
    axis: NDArray[np.int64]
    upper: NDArray[np.int64]
    along: NDArray[np.float64]
    sign: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]


@by_address
class Joined(NamedTuple):
    """What has been joined.

    Attributes:
        samples: first the forest of those joined in the same tetrahedron, then the fragment of
            each, NONE for voxels outside, shape (v + s,).
        keys: of the four nodes of each fragment, shape (p, 4); none while fragments are not known.
        nodes: the forest of these nodes, shape (4 p,).
        seen: the last triangle that met a tetrahedron, or a node; earlier: and there its sample,
            or node.
    """

    samples: Small
    keys: NDArray[np.int64]
    nodes: Small
    seen: Small
    earlier: Small


@native_part
def tetrahedron_at(samples, i, j, k):  # type: ignore[no-untyped-def]
    """The tetrahedron of a voxel."""
    cube = (i // SUB * samples.cubes[1] + j // SUB) * samples.cubes[2] + k // SUB
    place = (i % SUB * SUB + j % SUB) * SUB + k % SUB
    return 12 * cube + samples.tetrahedra_of[place]


@native_part
def tetrahedron_of(samples, voxel):  # type: ignore[no-untyped-def]
    """The tetrahedron of a voxel by its number."""
    i = voxel // samples.steps[0]
    j = voxel // samples.steps[1] % samples.shape[1]
    return tetrahedron_at(samples, i, j, voxel % samples.shape[2])


@native_part
def is_inside(winding):  # type: ignore[no-untyped-def]
    """Whether a winding number, times WHOLE, is that of an inside."""
    return winding > HALF or winding < -HALF


@native_part
def _join(joined, one, at, other, where):  # type: ignore[no-untyped-def]
    """Join two samples in their tetrahedra."""
    if len(joined.keys) == 0:
        if at == where:
            unite(joined.samples, one, other)
    elif at != where:
        first, second = joined.samples[one], joined.samples[other]
        for i in range(4):
            for j in range(4):
                if joined.keys[first, i] == joined.keys[second, j]:
                    unite(joined.nodes, 4 * first + i, 4 * second + j)


@native
def join_voxels(samples, joined, begin, end):  # type: ignore[no-untyped-def]
    """Join neighbouring centres of the grid's layers [begin, end) to those before them."""
    shape, steps, winding = samples.shape, samples.steps, samples.winding
    for i in range(begin, end):
        for j in range(1, shape[1]):
            for k in range(1, shape[2]):
                voxel = i * steps[0] + j * steps[1] + k
                if not is_inside(winding[voxel]):
                    continue
                at = tetrahedron_at(samples, i, j, k)
                for axis in range(3):
                    other = voxel - steps[axis]
                    if samples.crossed[voxel] >> axis & 1 or not is_inside(winding[other]):
                        continue
                    x, y, z = i, j, k - 1
                    if axis < 2:
                        x, y, z = i - (axis == 0), j - (axis == 1), k
                    _join(joined, other, tetrahedron_at(samples, x, y, z), voxel, at)


@native_part
def way_from(samples, start):  # type: ignore[no-untyped-def]
    """The way between two neighbouring centres that a crossing lies on.

    Returns:
        Where the crossings of the next way begin, and what is added to the winding number at each
        crossing beside its sign: around holes the numbers at both ends don't differ by whole ones.
    """
    upper, axis, end, signs = samples.upper[start], samples.axis[start], start, 0
    while end < len(samples.upper) and samples.upper[end] == upper and samples.axis[end] == axis:
        signs += samples.sign[end]
        end += 1
    change = float(samples.winding[upper]) - samples.winding[upper - samples.steps[axis]]
    return end, (change + WHOLE * signs) / (end - start)


@native
def join_crossings(samples, joined):  # type: ignore[no-untyped-def]
    """Join crossings and centres along lines, where the way between them is inside."""
    start, first = 0, len(samples.winding)
    while start < len(samples.upper):
        upper = samples.upper[start]
        last = upper - samples.steps[samples.axis[start]]
        end, drift = way_from(samples, start)
        winding, at = float(samples.winding[last]), tetrahedron_of(samples, last)
        for crossing in range(start, end):
            point = samples.first_crossing + crossing
            where = samples.tetrahedra[point]
            if is_inside(winding):
                _join(joined, last, at, first + point, where)
            winding += drift - WHOLE * samples.sign[crossing]
            last, at = first + point, where
        if is_inside(winding) and is_inside(samples.winding[upper]):
            _join(joined, last, at, upper, tetrahedron_of(samples, upper))
        start = end


@native
def join_triangles(samples, joined):  # type: ignore[no-untyped-def]
    """Join points of the same triangle: in a tetrahedron, and the nodes of all it goes through."""
    first, seen, earlier = len(samples.winding), joined.seen, joined.earlier
    fragments_known = len(joined.keys) > 0
    for triangle in range(len(samples.starts) - 1):
        for place in range(samples.starts[triangle], samples.starts[triangle + 1]):
            point = samples.members[place]
            own = first + point
            if fragments_known:
                fragment = joined.samples[own]
                for corner in range(4):
                    node = 4 * fragment + corner
                    _meet(
                        joined.nodes, seen, earlier, joined.keys[fragment, corner], triangle, node
                    )
            else:
                where = samples.tetrahedra[point]
                _meet(joined.samples, seen, earlier, where, triangle, own)


@native_part
def _meet(forest, seen, earlier, place, triangle, own):  # type: ignore[no-untyped-def]
    """Unite with what the triangle has had in the same place."""
    if seen[place] == triangle:
        unite(forest, earlier[place], own)
    else:
        seen[place], earlier[place] = triangle, own
