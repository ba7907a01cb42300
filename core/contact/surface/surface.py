# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact surface of a model, as Python sees it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...native.rows import PADDING
from ...native.threads import run_on_threads
from ..carried import Carriage, carried_of
from ..collider import Collider
from .build import Part, edge_length, lay_out, measure_leaves, reach_for
from .candidates import AT_ONCE, new_candidates
from .data import FACTOR, LATE, NONE
from .hulls import AGE, HORIZON, STALE
from .lists import list_anew
from .memory import SurfaceArrays, check_capacity, memory_for
from .modelled import folded_at
from .pairs import FOUND, more_pairs
from .side_by_side import side_by_side_of
from .strand_ends import are_strands
from .tangles import SEEKING, TANGLED

PAIRS_AT_FIRST = 4
"""For each particle: how many there is memory for until more are found."""

FIRST_HORIZON = 4
"""Substeps for which candidates are looked for at first."""

THICKEST = 2.0
"""Mean edges of the coarsest body: how far edges and corners of a collider keep others at most. Its
whole thickness is kept by particles, and what is between these is hardly nearer."""

MARGIN = 1.25
"""Of the memory that was needed: how much there is after growing."""


class Surface:
    """Everything that can touch: the skins of bodies, and colliders.

    Args:
        skins: of all bodies the particles at the corners of faces, shape (f, 3); of those that
            have none, edges, shape (e, 2).
        colliders: whose edges and corners bodies must not let through.
        meets: whether two of both can touch, skins first, shape (parts, parts).
        points: particles in the rest shape by which all is laid out [m], shape (n, 3).
        thickness: [m], friction: of each, shape (n,).
        of_particles: ``Contacts.inside`` and ``Contacts.wedged``.
        carriage: particles that are carried, shape (k,), ascending; their corners, shape (k, 4),
            and weights, shape (k, 4).
        sewn: of each the least of the particles that it is sewn to, or itself, shape (n,).
        dtype: of positions.

    Attributes:
        carried: these particles, for native code.
        arrays: for native code; others after :meth:`grow`.
        capacity: pairs there is memory for; 0 where nothing can touch.
        thickest: how much of a collider's thickness [m] counts here.
    """

    def __init__(
        self,
        skins: Sequence[NDArray[np.integer]],
        colliders: Sequence[Collider],
        meets: NDArray[np.bool_],
        points: NDArray[np.float64],
        thickness: NDArray[np.float64],
        friction: NDArray[np.float64],
        of_particles: tuple[NDArray[np.uint8], NDArray[np.uint8]],
        carriage: Carriage,
        sewn: NDArray[np.int64],
        dtype: DTypeLike,
    ) -> None:
        parts = [Part(_pieces(skin), looks=True) for skin in skins]
        first = len(points) + PADDING
        for collider in colliders:
            parts.append(
                Part(collider.triangles + first, looks=False, sided=not collider.two_sided)
            )
            first += len(collider.vertices)
        rest = np.zeros((first, 4), dtype)
        rest[:, FACTOR] = 1.0
        rest[: len(points), :3] = points
        rest[len(points) + PADDING :, :3] = _joined([c.rest for c in colliders])
        self.dtype = np.dtype(dtype)
        self.of_particles = of_particles
        self.vertex_count = len(rest)
        self.first_collider = len(points) + PADDING
        self.carried = carried_of(len(rest), *carriage)
        self.colliders = list(colliders)
        own = [np.zeros(len(rest)) for _ in range(2)]
        for values, given in zip(own, (thickness, friction), strict=True):
            values[: len(points)] = given
        self.shape = lay_out(parts, rest, own[0], own[1], meets, dtype, sewn)
        self._sides = side_by_side_of(self.shape, self.carried)
        self._meets = self.shape.meets.copy()
        self._follow_carried(len(points))
        lengths = [edge_length(rest, part.pieces) for part in parts if part.looks]
        self.thickest = THICKEST * max(lengths, default=0.0)
        self.threads = self.sharing = 1
        self.capacity = max(1, int(PAIRS_AT_FIRST * len(points))) if meets.any() else 0
        self.listed = 2 * self.capacity
        self.arrays = self._arrays()
        self._know_folds()

    def follow_rest(self, rest: NDArray[np.float64]) -> None:
        """Let particles be somewhere else at rest, from the next frame on.

        How all is laid out does not change with that: what goes on from a checkpoint is laid out
        by the rest shape that was described.

        Args:
            rest: of particles, as ``Builder.contact_rest``, shape (n, 4).
        """
        own = self.shape.rest[: len(rest)]
        now = rest.astype(self.dtype)
        if np.array_equal(own, now):
            return
        moved = not np.array_equal(own[:, :3], now[:, :3])
        own[:] = now
        measure_leaves(self.shape)
        if moved:
            self._know_folds()

    def _know_folds(self) -> None:
        """Look for what goes through itself in the rest shape."""
        if self.capacity > 0:
            rest, folded = self.shape.rest.copy(), self.shape.folded
            rest[:, FACTOR] = 0.0  # where the state has inverse masses
            folded[:] = 0
            edges, faces = self._find_crossed(rest, len(self.of_particles[0]))
            folded[:] = folded_at(self.shape, edges, faces)

    def _follow_carried(self, count: int) -> None:
        """Let what touches nothing, but may carry what does, go as far unnoticed as that."""
        carried = self.carried.particles
        if len(carried):
            others = np.setdiff1d(np.arange(count), self.shape.members)
            for values in (self.shape.margin, self.shape.thickness):
                values[others] = values[carried].max()

    def begin_frame(self) -> None:
        """Take over what may be set between frames: thickness and friction of colliders, and
        which of them are switched on.

        Candidates of the last frame are not used on, so that a frame depends on nothing but
        positions and velocities.
        """
        self._forget()
        self.arrays.zones.squeezed[:] = 0
        shape, first = self.shape, self.first_collider
        number = len(shape.reach) - len(self.colliders)
        for collider in self.colliders:
            last = first + len(collider.vertices)
            thickness = min(collider.thickness, self.thickest)
            shape.thickness[first:last] = thickness
            shape.friction[first:last] = collider.friction
            shape.reach[number] = reach_for(thickness)
            shape.meets[number] = shape.meets[:, number] = self._meets[number] * collider.is_on
            first, number = last, number + 1

    def _forget(self) -> None:
        """Have candidates looked for."""
        self.arrays.hulls.outlook[AGE] = STALE
        self.arrays.hulls.outlook[HORIZON] = FIRST_HORIZON
        self.arrays.tangles.state[TANGLED] = 0.0
        self.arrays.hulls.leeway[:] = 1.0

    def crossing_pieces(self, rows: NDArray[np.floating], count: int) -> NDArray[np.int64]:
        """Pairs of faces that go through each other, and edges of strands that go through faces.

        Strands that come out of a collider from a pin, as hair out of a scalp, don't count.

        Args:
            rows: vertices as they stand, shape (m or more, 4).
            count: of particles among them.

        Returns:
            The corners of both, of an edge the second one twice, shape (k, 2, 3).
        """
        if self.capacity == 0:
            return np.zeros((0, 2, 3), np.int64)
        shape = self.shape
        edge, face = self._find_crossed(rows, count)
        rooted = are_strands(shape, edge)
        rooted &= (self.arrays.enclosed.pinned[shape.edges.corners[edge]] != 0).any(axis=1)
        edge, face = edge[~rooted], face[~rooted]
        # An edge goes through with both faces that are beside it.
        pairs = np.concatenate([np.stack([shape.beside[edge, k], face], axis=1) for k in range(2)])
        pairs = np.unique(np.sort(pairs[pairs[:, 0] != NONE], axis=1), axis=0)
        return shape.faces.corners[pairs].astype(np.int64)

    def _find_crossed(self, rows: NDArray[np.floating], count: int) -> NDArray[np.int32]:
        """The edges that go through faces as vertices stand, and these; see :meth:`_crossed`."""
        self._forget()
        start = self.arrays.motion.start
        start[:] = rows[: len(start)]
        self.arrays.tangles.state[SEEKING] = 1.0
        run_on_threads(1, list_anew, self.arrays, rows, count)
        self._forget()
        return self._crossed()

    def tangled(self) -> NDArray[np.int64]:
        """Particles of edges and faces that went through each other when the frame began, and what
        carries them.
        """
        shape = self.shape
        if self.arrays.tangles.state[TANGLED] == 0.0:
            return np.zeros(0, np.int64)
        edges, faces = self._crossed()
        vertices = np.union1d(shape.edges.corners[edges], shape.faces.corners[faces])
        numbers = self.carried.numbers[vertices]
        corners = self.carried.corners[numbers[numbers != NONE]]
        vertices = np.union1d(vertices, corners.ravel())
        return vertices[vertices < len(self.of_particles[0])].astype(np.int64)

    def squeezed(self, before: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which particles have no room: see :meth:`.Simulation.squeezed`.

        Args:
            before: those that had none when the frame began, shape (n,).
        """
        arrays, count = self.arrays, len(before)
        others = arrays.tangles.tangled[:count] & ~self.shape.bits[:count]
        left = before & ((others != 0) | (arrays.enclosed.inside != 0))
        free = arrays.motion.start[:count, 3] > 0.0
        return np.asarray(free & (left | (arrays.zones.squeezed[:count] != 0)))

    def _crossed(self) -> NDArray[np.int32]:
        """The edges that go through faces, and these, shape (2, k); see ``known_crossings``."""
        crossed, counts = self.arrays.tangles.crossed, self.arrays.tangles.counts
        found = [of[:count, :2] for of, count in zip(crossed, counts, strict=True)]
        return np.concatenate(found)[: crossed.shape[1]].T

    def share_among(self, threads: int) -> bool:
        """Have memory for what so many threads find, each for itself; returns whether more was
        needed.
        """
        self.sharing = threads
        if threads <= self.threads:
            return False
        self.threads = threads
        self.capacity = max(self.capacity, threads) if self.capacity else 0
        self.arrays = self._arrays()
        self._forget()
        return True

    def grow(self) -> None:
        """Have memory for as many candidates and pairs as were found, and some more.

        The substep goes on with what it has, unless it has no candidates for lack of it.

        Raises:
            TooManyContacts: no memory would be enough.
        """
        arrays = self.arrays
        counts, candidates = arrays.pairs.counts, arrays.candidates
        at_once = int(candidates.listed[:, :, AT_ONCE].max())
        check_capacity(int(counts[:, FOUND].sum()), at_once)
        if at_once + self.shape.numbers[LATE] > candidates.wanted.shape[2]:
            self.listed = int(MARGIN * at_once)
            arrays.hulls.outlook[AGE] = STALE
            candidates = new_candidates(self.shape, self.threads, self.listed, self.dtype)
            arrays = arrays._replace(candidates=candidates)
        needed = int(MARGIN * self.threads * int(counts[:, FOUND].max()))
        if needed > self.capacity:
            self.capacity = needed
            arrays = arrays._replace(pairs=more_pairs(arrays.pairs, needed, self.sharing))
        self.arrays = arrays

    def _arrays(self) -> SurfaceArrays:
        return memory_for(
            self.shape,
            self._sides,
            self.threads,
            self.capacity,
            self.listed,
            self.of_particles,
            self.carried,
            self.dtype,
        )


def _joined(points: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([np.zeros((0, 3)), *points])


def _pieces(faces: NDArray[np.integer]) -> NDArray[np.int64]:
    """Corners of faces; of edges the second one twice."""
    return np.asarray(faces if faces.shape[1] == 3 else faces[:, [0, 1, 1]], np.int64)
