# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface that is carried by a cage of particles, as that of a soft body by its tetrahedra.

Each of its vertices is the weighted mean of up to four corners of the cage. It is what touches:
the cage sticks out of it, and collides with nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..checks import finite
from ..contact.carried import Carriage
from ..errors import ModelError
from ..mesh import surface
from ..mesh.cage.touching import FARTHEST
from ..mesh.surface import Indices
from .handle import Body, Touch
from .meetings import AnyPart
from .thickness import check_thickness

EXACTLY = 1e-4
"""How far the weights of a vertex may add up to something else than one."""


@dataclass(frozen=True)
class Skin(Body):
    """A handle to a carried surface in a model.

    Attributes:
        particles: of its vertices, which others carry, shape (n,): ``simulation.positions`` of
            these are where it is now.
        cage: all particles of what carries it, shape (c,).
        shown: of each vertex the one of the surface that is shown, which has fewer where its faces
            are larger than cells, shape (n,).
        corners: the particles that carry each vertex, shape (n, 4).
        weights: of these, shape (n, 4).
    """

    cage: NDArray[np.int64] = field(repr=False)
    shown: NDArray[np.int64] = field(repr=False)
    corners: Indices = field(repr=False)
    weights: NDArray[np.float64] = field(repr=False)

    _numbered: ClassVar[tuple[str, ...]] = (*Body._numbered, "cage", "corners")

    def shown_of(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The vertices of the surface that is shown where some are, ascending."""
        return np.unique(self.shown[vertices])

    @property
    def in_air(self) -> Indices:
        """None: what carries it feels the air."""
        return np.empty((0, 3), np.int64)


def touching(part: AnyPart, skins: Sequence[Skin]) -> AnyPart | Skin:
    """What of a body or collider touches: its skin where it carries one, else itself."""
    for skin in skins:
        if isinstance(part, Body) and np.isin(part.particles[0], skin.cage):
            return skin
    return part


def build_skin(
    model: Builder,
    name: str,
    cage: ArrayLike,
    corners: ArrayLike,
    weights: ArrayLike,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    touch: Touch,
    **particle_options: Any,
) -> Skin:
    """Add the particles of a carried surface; see ``Model.add_skin``."""
    carriers = _checked_cage(name, cage, len(model.positions))
    numbers = _checked_corners(name, corners, len(carriers))
    shares = _checked_weights(name, weights, len(numbers))
    polygons = surface.checked_polygons(name, faces, len(numbers))
    carried_by = carriers[numbers]
    positions = np.einsum("nk,nkd->nd", shares, model.positions[carried_by])
    triangles = surface.triangulate(positions, polygons)
    if touch.itself:
        check_thickness(name, positions, triangles, particle_options["thickness"])
    particles = model.add_carried(carried_by, shares, **particle_options)
    first = int(particles[0])
    edges = surface.edges(polygons)
    return Skin(
        name=name,
        particles=particles,
        pins=np.zeros(0, np.int64),
        pinned=np.zeros(0, np.int64),
        edges=edges + first,
        rest_lengths=np.linalg.norm(positions[edges[:, 1]] - positions[edges[:, 0]], axis=1),
        triangles=triangles + first,
        touch=touch,
        cage=carriers,
        shown=np.arange(len(particles)),
        corners=carried_by,
        weights=shares,
    )


def carriage_of(skins: Sequence[Skin]) -> Carriage:
    """All vertices that are carried, and what carries them."""
    return (
        np.concatenate([np.zeros(0, np.int64), *(skin.particles for skin in skins)]),
        np.concatenate([np.zeros((0, 4), np.int64), *(skin.corners for skin in skins)]),
        np.concatenate([np.zeros((0, 4)), *(skin.weights for skin in skins)]),
    )


def _checked_cage(name: str, cage: ArrayLike, count: int) -> NDArray[np.int64]:
    carriers = np.asarray(cage)
    if carriers.ndim != 1 or not len(carriers) or carriers.dtype.kind not in "iu":
        raise ModelError(f"The cage of '{name}' must be particles of the model, shape (c,).")
    if carriers.min() < 0 or carriers.max() >= count:
        raise ModelError(f"The cage of '{name}' has a particle that doesn't exist.")
    return carriers.astype(np.int64)


def _checked_corners(name: str, corners: ArrayLike, count: int) -> Indices:
    numbers = np.asarray(corners)
    if numbers.ndim != 2 or numbers.shape[1] != 4 or numbers.dtype.kind not in "iu":
        raise ModelError(f"The corners of '{name}' must have shape (n, 4), not {numbers.shape}.")
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= count):
        raise ModelError(f"A vertex of '{name}' is carried by a corner that its cage doesn't have.")
    return numbers.astype(np.int64)


def _checked_weights(name: str, weights: ArrayLike, count: int) -> NDArray[np.float64]:
    shares = finite(f"Weights of '{name}'", weights, columns=4)
    if len(shares) != count:
        raise ModelError(f"'{name}' has {count} vertices, but weights of {len(shares)}.")
    sums = shares.sum(axis=1)
    wrong = np.flatnonzero((shares < FARTHEST).any(axis=1) | (np.abs(sums - 1.0) > EXACTLY))
    if len(wrong):
        raise ModelError(
            f"The weights of vertex {wrong[0]} of '{name}' must not be below {FARTHEST}, and add "
            f"up to 1 ({len(wrong)} vertices in all): put it inside of the cell that carries it."
        )
    return np.asarray(shares / sums[:, None])
