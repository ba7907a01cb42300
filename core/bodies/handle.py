# SPDX-License-Identifier: GPL-3.0-or-later
"""What the handles of cloths, strands and soft bodies have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..mesh.surface import Indices


class Touch(NamedTuple):
    """What a body is kept apart from, beside colliders, and where its surface is.

    Attributes:
        as_drawn: whether quads are cut as they are drawn; see ``Model.add_cloth``.
    """

    itself: bool = True
    others: bool = True
    as_drawn: bool = False


class Lead(NamedTuple):
    """Particles that are led to targets.

    Attributes:
        numbers: of the vertices that they lead, ascending; or of nodes of a cage, shape (p,).
        particles: those of the vertices, or anchors that pull them, shape (p,).
        on_surface: whether vertices are led.
    """

    numbers: NDArray[np.int64]
    particles: NDArray[np.int64]
    on_surface: bool = True


@dataclass(frozen=True)
class Body:
    """A handle to what a mesh has become in a model.

    Attributes:
        particles: the particle of each vertex, shape (n,).
        pins: of each pinned vertex, in ascending order, the particle that is led to its target:
            its own, or the anchor that pulls it, shape (p,).
        pinned: the pinned vertices, ascending, shape (p,).
        edges: pairs of particles, shape (e, 2), and their rest_lengths [m], shape (e,).
        triangles: particles at the corners of its faces, shape (t, 3); strands have none.
        touch: what it is kept apart from.
    """

    name: str
    particles: NDArray[np.int64]
    pins: NDArray[np.int64]
    pinned: NDArray[np.int64] = field(repr=False)
    edges: Indices
    rest_lengths: NDArray[np.float64] = field(repr=False)
    triangles: Indices = field(repr=False)
    touch: Touch

    _numbered: ClassVar[tuple[str, ...]] = ("particles", "pins", "edges", "triangles")
    """Fields that hold numbers of particles."""

    @property
    def anchors(self) -> NDArray[np.int64]:
        """The particles that pull pinned vertices, which follow its own in the model."""
        return self.pins[self.pins > self.particles[-1]]

    @property
    def own(self) -> NDArray[np.int64]:
        """Its particles and anchors."""
        return np.concatenate([self.particles, self.anchors])

    @property
    def pieces(self) -> Indices:
        """Triangles, or the edges of what has none."""
        return self.triangles if len(self.triangles) else self.edges

    @property
    def in_air(self) -> Indices:
        """The pieces that air flows around, of its own particles."""
        return self.pieces

    @property
    def leads(self) -> list[Lead]:
        """All that is led to targets for some vertex or node of its own."""
        return [Lead(self.pinned, self.pins)]

    def surface(self, positions: NDArray[Any]) -> NDArray[Any]:
        """Where its vertices are [m], shape (k, 3), with all particles of the model at these
        positions [m]; of what has particles for them, a view.
        """
        first, last = self.particles[0], self.particles[-1]  # one after the other
        return positions[first : last + 1]

    def shown_of(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The vertices that are shown where some are, ascending."""
        return vertices

    def owns(self, particles: ArrayLike) -> NDArray[np.bool_]:
        """Which particles are the body's, anchors among them."""
        numbers, last = np.asarray(particles), self.particles[-1]
        if len(self.pins):
            last = max(last, self.pins.max())
        return np.asarray((numbers >= self.particles[0]) & (numbers <= last))

    def led(self, positions: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The particles to set targets for, and these, for pinned vertices at positions [m]."""
        return self.pins, positions

    def renumbered(self, numbers: NDArray[np.int64]) -> Self:
        """The same with ``numbers[i]`` for particle i."""
        return replace(self, **{name: numbers[getattr(self, name)] for name in self._numbered})
