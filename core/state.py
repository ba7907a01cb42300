# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions and velocities of all particles, in the layout that kernels read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .contact import Contact
from .contact.carried import weigh_carried
from .forces.outside import Outside, OutsideArrays
from .forces.pulls import PullArrays, Pulls
from .forces.uniform import Vector, velocity_change
from .lasting import Lasting, fill, fill_if_fitting, numbers_of
from .native.by_address import by_address
from .native.compiled import native
from .native.rows import PADDING, Rows, aligned_rows
from .vector.extent import extent

_PADDING_CORNERS = (
    (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0),
    (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0),
)  # fmt: skip


@by_address
class StateArrays(NamedTuple):
    """What native code sees of a state; shapes as in :class:`State`."""

    rows: Rows
    previous: Rows
    velocities: Rows
    kept: Rows
    gained: Rows
    accelerations: Rows
    free_ways: Rows
    kinematic: NDArray[np.int64]
    starts: NDArray[Any]
    targets: NDArray[Any]
    reached: NDArray[Any]
    outside: OutsideArrays
    pulls: PullArrays
    particle_count: int


class State:
    """What changes while simulating.

    Args:
        positions, velocities: [m] and [m/s], shape (n, 3).
        masses: [kg], shape (n,); infinite for kinematic particles, zero for those that are carried.
        drag: rate [1/s] at which the air slows each particle down, shape (n,).
        contact: what keeps them apart from each other and from colliders.
        outside: what acts on them beside gravity and drag.
        dtype: np.float32 or np.float64.
        twists: whether there are strands that resist twisting.

    Attributes:
        count: number of particles n.
        rows: x, y, z [m] and inverse mass [1/kg], shape (n + PADDING or more, 4): behind particles
            and padding lie the vertices of colliders.
        previous: the same at the start of the last substep.
        drag: as given.
        kept: fraction of each velocity that a substep's drag leaves, zero for kinematic particles
            and in the fourth column, same shape.
        gained: velocity [m/s] that gravity adds before a substep, same shape.
        free_ways: how far [m] particles were moved in the substep but for pushes of contact, where
            methods of second order ask for that, same shape.
        accelerated: the length of a substep [s], the gravity [m/s²] and its weights that these two
            are for.
        kinematic: particles of infinite mass, shape (k,).
        starts, targets: where they are at the start and the end of a step [m], shape (k, 3).
        frames: of strands that resist twisting a director and the tangent of the edge that ends at
            each particle, as they were when the last substep began, zero where nobody has looked
            yet, shape (n, 6); (0, 6) without any.
        reached: of each thread lower and upper corners [m] of where particles were when substeps of
            this step began, shape (threads, 2, 3); without threads as long as nobody watches.
        span: [s], by whose square λ of the last substep is a force; 0 before the first.
        pulls: particles that are pulled by springs for a while.
        arrays: all of it for native code.
    """

    def __init__(
        self,
        positions: NDArray[Any],
        velocities: NDArray[Any],
        masses: NDArray[Any],
        drag: NDArray[Any],
        contact: Contact,
        outside: Outside,
        dtype: DTypeLike,
        twists: bool = False,
    ) -> None:
        self.count = len(positions)
        padded = self.count + PADDING
        self.rows = aligned_rows(max(padded, contact.surface.vertex_count), dtype)
        self.rows[: self.count, :3] = positions
        heavy = masses > 0.0
        self.rows[: self.count, 3][heavy] = 1.0 / masses[heavy]
        if len(contact.surface.carried.particles):
            weigh_carried(contact.surface.carried, self.rows)
        self.rows[self.count : padded, :3] = _PADDING_CORNERS
        self.previous = aligned_rows(len(self.rows), dtype)
        self.previous[:] = self.rows
        self._velocities = aligned_rows(self.count + PADDING, dtype)
        self._velocities[: self.count, :3] = velocities
        self.kept = aligned_rows(self.count + PADDING, dtype)
        self.gained = aligned_rows(self.count + PADDING, dtype)
        self._accelerations = aligned_rows(self.count + PADDING, dtype)
        self.free_ways = aligned_rows(self.count + PADDING, dtype)
        self.drag = drag
        self.kinematic = np.flatnonzero(np.isinf(masses))
        self.targets = self.rows[self.kinematic, :3].copy()
        self.starts = self.targets.copy()
        self.frames = np.zeros((self.count if twists else 0, 6))
        self.reached = np.zeros((0, 2, 3), dtype)
        self.contact = contact
        self.outside = outside
        self.pulls = Pulls(dtype)
        self.span = 0.0
        self.accelerated: tuple[Any, ...] | None = None
        self.arrays = StateArrays(
            self.rows,
            self.previous,
            self._velocities,
            self.kept,
            self.gained,
            self._accelerations,
            self.free_ways,
            self.kinematic,
            self.starts,
            self.targets,
            self.reached,
            outside.arrays,
            self.pulls.arrays,
            self.count,
        )

    def follow(self, other: State) -> None:
        """Be where another state of the same particles is."""
        lasting = dict(other.lasting())
        if other.frames.shape != self.frames.shape:
            lasting["frames"] = self.frames
        self.go_on_from(lasting)

    def lasting(self) -> Lasting:
        """What the next frame goes on from; see :mod:`.lasting`."""
        return {
            "positions": self.positions,
            "velocities": self.velocities,
            "accelerations": self.accelerations,
            "targets": self.targets,
            "frames": self.frames,
            "time_step": np.array([self.span]),
            **self.contact.lasting(),
        }

    def go_on_from(self, lasting: Lasting, changed: bool = False) -> None:
        """Be where a state of the same particles was.

        Args:
            changed: whether others may be kinematic, and colliders others.

        Raises:
            CheckpointError: it is of other particles.
        """
        fill(self.positions, lasting, "positions")
        fill(self.velocities, lasting, "velocities")
        fill(self.accelerations, lasting, "accelerations")
        if changed:
            self.targets[:] = self.positions[self.kinematic]  # between frames they are there
            fill_if_fitting(self.frames, lasting, "frames")
        else:
            fill(self.targets, lasting, "targets")
            fill(self.frames, lasting, "frames")
        (self.span,) = numbers_of(lasting, "time_step", 1)
        self.contact.go_on_from(lasting, changed)

    def watch(self, threads: int) -> None:
        """Note from the next step on how far particles get, by at most so many threads."""
        self.reached = np.zeros((threads, 2, 3), self.rows.dtype)
        self.arrays = self.arrays._replace(reached=self.reached)

    def box(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Lower and upper corner [m] of where particles are, and were in the step if watched."""
        corners = np.empty((2, 3), self.rows.dtype)
        _fit_box(self.rows, self.count, self.reached, corners)
        return corners[0], corners[1]

    def begin_step(self, span: float) -> None:
        """Get ready for a step of substeps in which λ is a force times the square of this [s]."""
        self.starts[:] = self.positions[self.kinematic]
        self.reached[:, 0], self.reached[:, 1] = np.inf, -np.inf
        self.span = span

    def accelerate(self, gravity: Vector, h: float) -> None:
        """Let gravity and all that is outside act in the substeps of a step that has begun.

        ``kept`` and ``gained`` are filled.

        Args:
            gravity: [m/s²].
            h: for how long [s] gravity and drag act before a substep.
        """
        self.outside.update()
        self.arrays = self.arrays._replace(outside=self.outside.arrays, pulls=self.pulls.arrays)
        weights = self.outside.gravity
        if self.accelerated == (now := (h, gravity, weights.tobytes())):
            return
        self.accelerated = now
        free = self.rows[: self.count, 3:] > 0.0
        kept, gained = velocity_change(self.drag, h, gravity, weights)
        self.kept[: self.count, :3] = np.where(free, kept[:, None], 0.0)
        self.gained[: self.count, :3] = np.where(free, gained, 0.0)

    @property
    def real(self) -> Any:
        """np.float32 or np.float64."""
        return self.rows.dtype.type

    @property
    def positions(self) -> Rows:
        """Positions [m], a view of shape (n, 3)."""
        return self.rows[: self.count, :3]

    @property
    def velocities(self) -> Rows:
        """Velocities [m/s], a view of shape (n, 3)."""
        return self._velocities[: self.count, :3]

    @property
    def accelerations(self) -> Rows:
        """Accelerations [m/s²] but for contact's, a view of shape (n, 3).

        Part of the motion for methods of second order, which go on from them.
        """
        return self._accelerations[: self.count, :3]


@native
def _fit_box(rows, count, reached, corners):  # type: ignore[no-untyped-def]
    """Put the corners of the box around particles, and around boxes that they reached."""
    box = extent(rows, 0, count)
    for k in range(3):
        corners[0, k], corners[1, k] = box[k], box[3 + k]
        for thread in range(len(reached)):
            corners[0, k] = min(corners[0, k], reached[thread, 0, k])
            corners[1, k] = max(corners[1, k], reached[thread, 1, k])
