# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of tetrahedra that share one deformation gradient, the mean of theirs.

F = Σ x ⊗ g with g = Σ s V ∇N / Σ s V over the tetrahedra of a patch, where s is the part of each
that the patch has (Dohrmann et al. 2000, "Node-based uniform strain elements for three-node
triangular and four-node tetrahedral meshes").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .connected import connected
from .surface import Indices
from .tetrahedra import SIDES, TetrahedralBody

Array = NDArray[np.float64]

MOST = 8
"""Vertices of a patch: those of six tetrahedra around an edge."""

AS_LONG = 1.0 - 1e-3
"""Of a tetrahedron's longest edge: others of this length are as long."""


@dataclass(frozen=True)
class Patches:
    """Which tetrahedra make up patches.

    Attributes:
        owners: the patch of each membership, ascending, shape (s,).
        members: its tetrahedron, shape (s,).
        share: the part of a tetrahedron that each of its memberships stands for.
    """

    owners: Indices
    members: Indices
    share: float


@dataclass(frozen=True)
class Patchwork:
    """Patches of as many vertices each, measured.

    Attributes:
        vertices: shape (p, size).
        gradients: g [1/m], shape (p, size, 3).
        volumes: [m³], shape (p,).
        places: in ``volumes``, of each membership, shape (s,),
        members: its tetrahedron, shape (s,),
        parts: and how much of that it stands for, a fraction.
    """

    vertices: Indices
    gradients: Array
    volumes: Array
    places: Indices
    members: Indices
    parts: float

    @property
    def size(self) -> int:
        """Vertices of a patch."""
        return self.vertices.shape[1]

    def sums(self, amounts: Array) -> Array:
        """What each patch has of amounts of the tetrahedra, shape (m,) → (p,)."""
        own = self.parts * amounts[self.members]
        return np.asarray(np.bincount(self.places, own, len(self.volumes)), np.float64)

    def means(self, values: Array) -> Array:
        """The mean over its tetrahedra, shape (m,) → (p,)."""
        counts = np.bincount(self.places, minlength=len(self.volumes))
        own = np.bincount(self.places, values[self.members], len(self.volumes))
        return np.asarray(own / counts, np.float64)


def around_edges(body: TetrahedralBody) -> Patches:
    """The tetrahedra around each edge, a sixth of each.

    Where they have more than ``MOST`` vertices they are halved until they don't.
    """
    edges, owners = _edges(body)
    members = np.repeat(np.arange(len(body.tetrahedra)), 6)
    return _patches(body, edges, owners, members, 1.0 / 6.0)


def without_common_members(body: TetrahedralBody) -> Patches:
    """The tetrahedra around some edges, so that each belongs to one patch only.

    Each goes with its longest edge. In a body-centred cubic lattice two are as long, one of either
    sublattice, of which all take the same: the patches are octahedra.
    """
    edges, owners = _edges(body)
    lengths = np.linalg.norm(np.diff(body.positions[edges], axis=1)[:, 0], axis=1)[owners]
    lengths = lengths.reshape(-1, 6)
    longest = lengths >= AS_LONG * lengths.max(axis=1, keepdims=True)
    owners = owners.reshape(-1, 6)
    joined = connected([edges[np.unique(owners[longest])]], np.ones(len(body.positions), np.bool_))
    sublattice = joined[edges[owners, 0]]
    sublattice[~longest] = -1
    chosen = np.take_along_axis(owners, sublattice.argmax(axis=1)[:, None], axis=1)[:, 0]
    return _patches(body, edges, chosen, np.arange(len(chosen)), 1.0)


def patchwork(body: TetrahedralBody, patches: Patches, volumes: Array) -> Iterator[Patchwork]:
    """Patches, measured: those of a size, one size after the other.

    Args:
        volumes: of the tetrahedra, of what of them is filled [m³], shape (m,).
    """
    count = len(body.positions)
    held = patches.share * volumes[patches.members]
    whole = np.asarray(np.bincount(patches.owners, held), np.float64)
    keys = np.repeat(patches.owners, 4) * count + body.tetrahedra[patches.members].ravel()
    corners, places = np.unique(keys, return_inverse=True)
    owners, vertices = np.divmod(corners, count)
    terms = (held[:, None, None] * body.gradients[patches.members]).reshape(-1, 3)
    sums = np.stack([np.bincount(places, term) for term in terms.T], axis=1)
    gradients = np.asarray(sums / whole[owners][:, None], np.float64)
    sizes = np.bincount(owners)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        own = starts[chosen][:, None] + np.arange(size)
        number = np.full(len(sizes), -1)
        number[chosen] = np.arange(len(chosen))
        theirs = np.flatnonzero(number[patches.owners] >= 0)
        yield Patchwork(
            vertices[own],
            gradients[own],
            whole[chosen],
            number[patches.owners[theirs]],
            patches.members[theirs],
            patches.share,
        )


def _edges(body: TetrahedralBody) -> tuple[Indices, Indices]:
    """Edges, shape (e, 2), and of each tetrahedron which ones are its six, flat."""
    ends = np.sort(body.tetrahedra[:, SIDES].reshape(-1, 2), axis=1)
    count = len(body.positions)
    keys, numbers = np.unique(ends[:, 0] * count + ends[:, 1], return_inverse=True)
    return np.stack(np.divmod(keys, count), axis=1), numbers.ravel()


def _patches(
    body: TetrahedralBody, edges: Indices, owners: Indices, members: Indices, share: float
) -> Patches:
    """Patches of what goes with an edge, none with too many vertices.

    Args:
        owners: the edge of each membership, shape (s,). members: its tetrahedron.
    """
    count = len(body.positions)
    order = np.lexsort((_angles(body, edges[owners], members), owners))
    owners, members = owners[order], members[order]
    while True:
        _, owners = np.unique(owners, return_inverse=True)
        keys = np.repeat(owners, 4) * count + body.tetrahedra[members].ravel()
        large = np.bincount(np.unique(keys) // count) > MOST
        if not large.any():
            return Patches(owners, members, share)
        sizes = np.bincount(owners)
        place = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        owners = 2 * owners + (large[owners] & (2 * place >= sizes[owners]))


def _angles(body: TetrahedralBody, edges: Indices, members: Indices) -> Array:
    """Where tetrahedra lie around edges, as angles."""
    start, along = body.positions[edges[:, 0]], np.diff(body.positions[edges], axis=1)[:, 0]
    along = along / np.linalg.norm(along, axis=1)[:, None]
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    away = body.centroids[members] - start
    further = np.einsum("ij,ij->i", away, np.cross(along, across))
    return np.asarray(np.arctan2(further, np.einsum("ij,ij->i", away, across)))
