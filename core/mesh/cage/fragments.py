# SPDX-License-Identifier: GPL-3.0-or-later
"""The fragments of a body in each tetrahedron: what hangs together within it.

Each fragment gets a tetrahedron of its own, and tetrahedra share nodes only where their fragments
hang together (Molino, Bao and Fedkiw 2004, "A virtual node algorithm for changing mesh topology
during simulation"): fingers that lie in the same cells stay apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native
from ..connected import root_of
from .crossings import SUB, Crossings
from .joints import (
    NONE,
    Joined,
    Samples,
    is_inside,
    join_crossings,
    join_triangles,
    join_voxels,
    tetrahedron_of,
)
from .lattice import PER_CUBE, Lattice
from .surface_points import SurfacePoints
from .voxels import half_at_centres, offsets_of

Indices = NDArray[np.int64]


class Fragments(NamedTuple):
    """All fragments, by their tetrahedron.

    Attributes:
        tetrahedra: of each its number in the lattice, shape (p,).
        keys: of its nodes in the lattice, shape (p, 4).
        nodes: those that are one have the same number, shape (p, 4).
        of_samples: the fragment of each sample, NONE for voxels outside, shape (v + s,).
    """

    tetrahedra: Indices
    keys: Indices
    nodes: Indices
    of_samples: NDArray[np.int32]


def samples_of(
    winding: NDArray[np.int16],
    crossings: Crossings,
    surface_points: SurfacePoints,
    lattice: Lattice,
) -> Samples:
    """Voxels and points of a surface, ready to be joined."""
    shape = SUB * lattice.shape
    crossed = np.zeros(winding.size, np.uint8)
    for axis in range(3):
        crossed[crossings.upper[crossings.axis == axis]] |= np.uint8(1 << axis)
    return Samples(
        winding=winding.reshape(-1),
        crossed=crossed,
        shape=shape,
        steps=np.array([shape[1] * shape[2], shape[2], 1]),
        cubes=lattice.shape,
        tetrahedra_of=offsets_of(lattice.shape)[half_at_centres()],
        tetrahedra=surface_points.tetrahedra,
        first_crossing=surface_points.first_crossing,
        axis=crossings.axis,
        upper=crossings.upper,
        along=crossings.along,
        sign=crossings.sign,
        starts=surface_points.starts,
        members=surface_points.members,
    )


def find_fragments(
    samples: Samples, leading: Indices, lattice: Lattice, progress: Callable[[float], None]
) -> Fragments:
    """Find all fragments, and which of their nodes are one.

    Args:
        samples: voxels and points of the surface.
        leading: the vertex that each vertex goes with; the others have no fragment.
        lattice: that of the tetrahedra.
        progress: called with the share that is done.
    """
    forest = np.empty(len(samples.winding) + len(samples.tetrahedra), np.int32)
    _plant(samples.winding, forest)
    led = np.flatnonzero(leading != np.arange(len(leading)))
    forest[len(samples.winding) + led] = NONE
    no_keys = np.empty((0, 4), np.int64)
    _join_all(samples, forest, no_keys, forest, PER_CUBE * lattice.cubes, progress, 0.0)
    tetrahedra = _number(samples, forest)
    keys = lattice.nodes_of(tetrahedra)
    nodes = np.arange(keys.size, dtype=np.int32)
    _join_all(samples, forest, keys, nodes, lattice.keys, progress, 0.5)
    _find_roots(nodes)
    return Fragments(tetrahedra, keys, nodes.reshape(-1, 4).astype(np.int64), forest)


def _join_all(
    samples: Samples,
    forest: NDArray[np.int32],
    keys: Indices,
    nodes: NDArray[np.int32],
    places: int,
    progress: Callable[[float], None],
    begun: float,
) -> None:
    """Join what hangs together; ``places`` is how many tetrahedra or nodes a lattice has."""
    seen = np.full(places, NONE, np.int32)
    joined = Joined(forest, keys, nodes, seen, np.empty_like(seen))
    join_triangles(samples, joined)
    join_crossings(samples, joined)
    layers = int(samples.shape[0])
    for begin in range(1, layers, 4 * SUB):
        progress(begun + 0.5 * begin / layers)
        join_voxels(samples, joined, begin, min(begin + 4 * SUB, layers))


@native
def _plant(winding, forest):  # type: ignore[no-untyped-def]
    """Every sample by itself, without voxels outside."""
    for sample in range(len(forest)):
        forest[sample] = sample
    for voxel in range(len(winding)):
        if not is_inside(winding[voxel]):
            forest[voxel] = NONE


def _number(samples: Samples, forest: NDArray[np.int32]) -> Indices:
    """Write the fragment of each sample, in the order of tetrahedra; returns these."""
    roots = _find_roots(forest)
    found, tetrahedra = np.empty(roots, np.int64), np.empty(roots, np.int64)
    _collect(samples, forest, found, tetrahedra)
    order = np.argsort(tetrahedra, kind="stable")
    rank = np.empty(roots, np.int64)
    rank[order] = np.arange(roots)
    _write_numbers(forest, found, rank)
    return tetrahedra[order]


@native
def _find_roots(forest):  # type: ignore[no-untyped-def]
    """Let all point to their roots; returns how many of these there are."""
    count = 0
    for sample in range(len(forest)):
        if forest[sample] >= 0:
            forest[sample] = root_of(forest, sample)
            count += forest[sample] == sample
    return count


@native
def _collect(samples, forest, found, tetrahedra):  # type: ignore[no-untyped-def]
    """Write all roots and their tetrahedra."""
    count, first = 0, len(samples.winding)
    for sample in range(len(forest)):
        if forest[sample] == sample:
            found[count] = sample
            if sample < first:
                tetrahedra[count] = tetrahedron_of(samples, sample)
            else:
                tetrahedra[count] = samples.tetrahedra[sample - first]
            count += 1


@native
def _write_numbers(forest, roots, numbers):  # type: ignore[no-untyped-def]
    """Write the number of its root over each sample."""
    for i in range(len(roots)):
        forest[roots[i]] = -2 - numbers[i]
    for sample in range(len(forest)):
        if forest[sample] >= 0:
            forest[sample] = forest[forest[sample]]
    for sample in range(len(forest)):
        if forest[sample] < NONE:
            forest[sample] = -2 - forest[sample]
