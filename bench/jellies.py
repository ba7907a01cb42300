# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes of jelly: a coarse cage of tetrahedra that carries a finer box inside of it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from core.bodies.skin import Skin
from core.mesh.tetrahedra import TetrahedralBody, box_of_tetrahedra

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

AROUND = 0.02
"""Of the size: how far the cage sticks out on all sides."""

AT_A_TIME = 256
"""Vertices that are looked for among all tetrahedra together."""


@dataclass(frozen=True, kw_only=True)
class Jelly:
    """A box of co-rotational material.

    Attributes:
        size: edges [m].
        cells, fine: of the cage, and of its skin, along x, y, z.
        at: its lower corner [m].
        velocity: [m/s].
        turn: a rotation about its middle, shape (3, 3); None for none.
        young_modulus: [Pa], density [kg/m³], damping [s].
        pinned: whether the cage is kinematic.
    """

    size: tuple[float, float, float] = (0.2, 0.2, 0.2)
    cells: tuple[int, int, int] = (3, 3, 3)
    fine: tuple[int, int, int] = (8, 8, 8)
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: Array | None = None
    young_modulus: float = 3e4
    density: float = 1000.0
    damping: float = 0.005
    pinned: bool = False

    def add(self, model: core.Model, **contact: Any) -> Skin:
        """Add it to a model; returns what it is carried as.

        Args:
            contact: as in ``Model.add_skin``.
        """
        size = np.array(self.size)
        points, tetrahedra = box_of_tetrahedra(self.cells, tuple(size * (1.0 + 2.0 * AROUND)))
        points = points - AROUND * size
        vertices, faces = surface_of_box(self.fine, self.size)
        corners, weights = embedded(vertices, points, tetrahedra)
        if self.turn is not None:
            points = (points - 0.5 * size) @ self.turn.T + 0.5 * size
        body = TetrahedralBody.of(points + self.at, tetrahedra)
        masses = np.inf if self.pinned else body.lumped_masses(self.density)
        cage = model.add_particles(body.positions, masses, self.velocity)
        model.add_constraints(
            "corotational",
            cage[body.tetrahedra],
            rest=body.inverse_edges.reshape(-1, 9),
            compliance=1.5 / (self.young_modulus * body.volumes),
            damping=self.damping,
        )
        return model.add_skin(cage, corners, weights, faces, **contact)


def surface_of_box(
    cells: tuple[int, int, int], size: tuple[float, float, float]
) -> tuple[Array, Indices]:
    """A closed box from the origin: vertices [m], shape (n, 3), and quads, shape (f, 4)."""
    numbers: dict[tuple[int, ...], int] = {}
    faces = []
    for axis, side in itertools.product(range(3), (0, 1)):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        for u, v in itertools.product(range(cells[one]), range(cells[other])):
            face = []
            for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                place = [side * cells[axis]] * 3
                place[one], place[other] = u + du, v + dv
                face.append(numbers.setdefault(tuple(place), len(numbers)))
            faces.append(face if side else face[::-1])
    return np.array(list(numbers)) / np.array(cells) * np.array(size), np.array(faces)


def embedded(vertices: Array, points: Array, tetrahedra: Indices) -> tuple[Indices, Array]:
    """The corners of the tetrahedron that each vertex is in, and their weights, shape (n, 4)."""
    inverse = TetrahedralBody.of(points, tetrahedra).inverse_edges
    corners, weights = [], []
    for first in range(0, len(vertices), AT_A_TIME):
        ways = vertices[first : first + AT_A_TIME, None] - points[tetrahedra[:, 0]]
        local = np.einsum("mij,smj->smi", inverse, ways)
        found = np.concatenate([1.0 - local.sum(axis=2, keepdims=True), local], axis=2)
        best = found.min(axis=2).argmax(axis=1)
        shares = np.maximum(found[np.arange(len(best)), best], 0.0)
        corners.append(tetrahedra[best])
        weights.append(shares / shares.sum(axis=1, keepdims=True))
    return np.concatenate(corners), np.concatenate(weights)
