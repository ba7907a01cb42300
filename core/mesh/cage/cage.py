# SPDX-License-Identifier: GPL-3.0-or-later
"""From any surface to a cage of tetrahedra that are filled in part, in which the surface lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import ModelError
from ...remembered import remembered
from ..surface import Polygons, triangulate
from .crossings import Found, find_crossings
from .face_points import EVERY, FacePoints, face_points_of
from .filled import fill_of
from .fragments import Fragments, find_fragments, samples_of
from .inside import winding_of_voxels
from .lattice import VOLUME, Lattice
from .surface_points import SurfacePoints, crossed_edges, surface_points_of
from .touching import Touching, touching_of
from .welding import leaders

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]
Progress = Callable[[float], None]

CELLS = 16
"""Cells along the longest side of an object, by default."""

MOST_CELLS = 400_000
"""Cubes of the lattice around an object: what a gigabyte of memory allows."""

THINNEST = 0.005
"""Of the edge of a cell: how thick a body must be in the mean."""

LEAST_FILL = 1e-3
"""Of a tetrahedron: what is filled less is left out, but where a vertex lies in it."""


@dataclass(frozen=True)
class Cage:
    """Tetrahedra around a surface: parts of a body-centred cubic lattice.

    Where parts of the body lie in the same cells without hanging together there, each has
    tetrahedra and nodes of its own, in the same place.

    Attributes:
        positions: of its nodes [m], shape (m, 3).
        tetrahedra: their nodes, shape (t, 4), of positive volume; the first two are centres of
            cubes, the others corners.
        fill: the part of each tetrahedron that is inside of the surface, shape (t,), above 0 and
            at most 1.
        surface: the vertices of the surface [m], shape (n, 3).
        corners: nodes of the tetrahedron in which each of these lies, shape (n, 4).
        weights: of these nodes, none below zero, of sum 1, shape (n, 4).
        places: where nodes are in the lattice, in halves of a cell: even at corners of cubes, odd
            at centres, shape (m, 3).
        size: edge of a cell [m].
        across: how many cells thick a plate would be that has as much inside for its surface. Three
            and more bend as they should.
        face_points: spread over the surface.
        touching: what touches in place of a surface whose faces are larger than cells; None where
            they are not.
    """

    positions: Numbers
    tetrahedra: Indices
    fill: Numbers
    surface: Numbers
    corners: Indices
    weights: Numbers
    places: Indices
    size: float
    across: float
    face_points: FacePoints
    touching: Touching | None = None

    @property
    def volumes(self) -> Numbers:
        """What is filled of each tetrahedron [m³], shape (t,)."""
        return np.asarray(VOLUME * self.size**3 * self.fill)


def default_cell_size(positions: ArrayLike) -> float:
    """The size of cells [m] for an object: a 16th of its longest side.

    Args:
        positions: of its surface [m], shape (n, 3).
    """
    return _longest_side(finite("Positions of a soft body", positions, columns=3)) / CELLS


def cage_of(
    positions: ArrayLike,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    cell_size: float,
    *,
    name: str = "soft body",
    every: int = EVERY,
    progress: Progress = lambda share: None,
) -> Cage:
    """Make a cage around a surface, closed or not.

    Inside is what has a winding number above a half, either way round. Cells are kept as far as
    they are filled, and where a vertex of the surface lies in them.

    Args:
        positions: vertices [m], shape (n, 3).
        faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
        cell_size: edge of a cell [m].
        name: how messages call it.
        every: lines of the grid from one on which there are face points to the next.
        progress: called again and again with the share that is done; what it raises ends the work.

    Raises:
        ModelError: nothing is inside, cells don't fit, or the mesh is none; the message says why.
    """
    points = finite(f"Positions of '{name}'", positions, columns=3)
    triangles = triangles_of(name, points, faces)
    cage = _cage_of(name, points, triangles, cell_size, every, progress)
    progress(1.0)
    return cage


@remembered
def _cage_of(
    name: str,
    points: Numbers,
    triangles: Indices,
    cell_size: float,
    every: int,
    progress: Progress,
) -> Cage:
    """The same around triangles, shape (t, 3)."""
    leading = leaders(points, triangles)
    led, triangles = points[leading], leading[triangles]
    check_cells(name, led, cell_size)
    lattice = Lattice.around(led, cell_size)
    scaled = lattice.scaled(led)
    crossings = find_crossings(scaled, triangles, lattice)
    progress(0.1)
    winding = winding_of_voxels(scaled, triangles, crossings, lattice, _part(progress, 0.1, 0.5))
    surface_points = surface_points_of(scaled, triangles, crossings, lattice)
    samples = samples_of(winding, crossings, surface_points, lattice)
    fragments = find_fragments(samples, leading, lattice, _part(progress, 0.5, 0.9))
    normals = crossed_edges(scaled, triangles)
    fill = fill_of(samples, crossings.triangle, fragments, normals)
    progress(0.95)
    across = _cells_across(name, fill, normals, lattice.size)
    kept = fill >= LEAST_FILL
    of_points = fragments.of_samples[-len(surface_points.tetrahedra) :].astype(np.int64)
    holding = of_points[leading]
    kept[holding] = True
    nodes, keys = _numbered(fragments, kept)
    weights = lattice.weights_of(scaled, surface_points.tetrahedra[leading])
    found = _found(surface_points, of_points, kept, nodes)
    first, total = _merged(nodes[kept], np.maximum(fill[kept], LEAST_FILL))
    return Cage(
        positions=lattice.positions_of(keys),
        tetrahedra=nodes[kept][first],
        fill=np.minimum(total, 1.0),
        surface=points,
        corners=nodes[holding],
        weights=weights,
        places=lattice.places_of(keys),
        size=lattice.size,
        across=across,
        face_points=face_points_of(scaled, triangles, normals, crossings, found, lattice, every),
        touching=touching_of(scaled, triangles, nodes[holding], weights, crossings, found, lattice),
    )


def _part(progress: Progress, start: float, end: float) -> Progress:
    return lambda share: progress(start + (end - start) * share)


def _longest_side(points: Numbers) -> float:
    return float(np.ptp(points, axis=0).max()) if len(points) else 0.0


def triangles_of(
    name: str, points: Numbers, faces: Sequence[Sequence[int]] | NDArray[np.integer]
) -> Indices:
    """The triangles of a surface, shape (t, 3). Raises ModelError where it is none."""
    if len(faces) == 0:
        raise ModelError(f"'{name}' has no faces; a soft body needs a surface.")
    polygons = Polygons.of(faces)
    lowest = min(int(corners.min()) for corners in polygons.corners.values())
    highest = max(int(corners.max()) for corners in polygons.corners.values())
    if lowest < 0 or highest >= len(points):
        raise ModelError(
            f"A face of '{name}' refers to a vertex that doesn't exist: there are {len(points)}."
        )
    return triangulate(points, polygons)


def check_cells(name: str, points: Numbers, cell_size: float) -> None:
    """Raise ModelError where cells can't be of that size: too fine or too coarse."""
    side = _longest_side(points)
    if not 0.0 < cell_size < np.inf:
        raise ModelError(f"The cell size of '{name}' must be positive, not {cell_size:g} m.")
    if side == 0.0:
        raise ModelError(f"All vertices of '{name}' are in one place: there is nothing inside.")
    if cell_size > side:
        raise ModelError(
            f"The cells of '{name}', {cell_size:.3g} m, are larger than the object, {side:.3g} m: "
            f"choose {side / CELLS:.2g} m."
        )
    # Counted in floating-point numbers: a lattice of millions of cubes a side is no lattice yet.
    count = _cubes(points, cell_size)
    if count > MOST_CELLS:
        raise ModelError(
            f"The cage of '{name}' would need {count:,.0f} cells of {cell_size:.3g} m, more than "
            f"memory allows: choose {_finest(points):.2g} m or more."
        )


def _cubes(points: Numbers, size: float) -> float:
    return float(np.prod(np.ceil(np.ptp(points, axis=0) / size) + 2))


def _finest(points: Numbers) -> float:
    """The smallest size of which there may be so many cubes, rounded up to two digits."""
    low, high = 0.0, _longest_side(points)
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _cubes(points, middle) <= MOST_CELLS else (middle, high)
    step = 10.0 ** (np.floor(np.log10(high)) - 1)
    return float(np.ceil(high / step) * step)


def _cells_across(name: str, fill: Numbers, normals: Numbers, size: float) -> float:
    """See ``Cage.across``, or a ModelError: what is inside is a sheet rather than a body."""
    area = 0.5 * float(np.linalg.norm(normals, axis=1).sum())
    thickness = 2.0 * VOLUME * float(fill.sum()) / max(area, 1e-300)
    if thickness < THINNEST:
        raise ModelError(
            f"There is next to nothing inside the surface of '{name}': use Cloth for a sheet, or "
            f"cells smaller than {size:.3g} m for what is thin."
        )
    return thickness


def _found(
    surface_points: SurfacePoints, of_points: Indices, kept: NDArray[np.bool_], nodes: Indices
) -> Found:
    """Crossings that are in fragments that are kept.

    Args:
        of_points: the fragment of each of the surface's points, shape (s,).
        nodes: of each fragment, shape (f, 4).
    """
    first = surface_points.first_crossing
    crossings = np.flatnonzero(kept[of_points[first:]])
    return Found(
        crossings,
        surface_points.tetrahedra[first + crossings],
        nodes[of_points[first + crossings]],
    )


def _numbered(fragments: Fragments, kept: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """The nodes of fragments, numbered by their places as far as those kept have them, and their
    keys.
    """
    keys = fragments.keys.ravel()
    used = np.unique(fragments.nodes[kept])
    used = used[np.argsort(keys[used], kind="stable")]
    number = np.full(len(keys), -1)
    number[used] = np.arange(len(used))
    return number[fragments.nodes], keys[used]


def _merged(nodes: Indices, fill: Numbers) -> tuple[Indices, Numbers]:
    """The first of tetrahedra of the same nodes, and how far all of them are filled.

    Fragments of a tetrahedron that hang together all around it are such.
    """
    order = np.lexsort(nodes.T)
    first = np.ones(len(order), np.bool_)
    first[1:] = (nodes[order[1:]] != nodes[order[:-1]]).any(axis=1)
    lowest = np.minimum.reduceat(order, np.flatnonzero(first))
    total = np.add.reduceat(fill[order], np.flatnonzero(first))
    back = np.argsort(lowest)
    return lowest[back], total[back]
