# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions and velocities of all particles, in the layout that kernels read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .contact import Contact
from .contact.carried import weigh_carried
from .earlier import Earlier
from .forces.outside import Outside, OutsideArrays
from .forces.pulls import PullArrays, Pulls
from .forces.uniform import Vector, velocity_change
from .lasting import Lasting, fill, fill_if_fitting, numbers_of
from .native.by_address import by_address
from .native.compiled import native
from .native.rows import PADDING, Rows, aligned_rows
from .vector.extent import extent

CATCHING_SPEED = 3.0
"""[m/s] at which what is caught comes nearer to where it is wanted. At once it would be a blow that
throws what hangs on it."""

_PADDING_CORNERS = (
    (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0),
    (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0),
)  # fmt: skip


_NOT_OF_PARTICLES = {"wanted", "behind", "time_step"}
"""What lasts and is not one row of each particle."""


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
        free_ways: how far [m] particles were moved in the substep but for pushes of contact that
            are no reactions, where methods of second order ask for that, same shape.
        accelerated: the length of a substep [s], the gravity [m/s²] and its weights that these two
            are for.
        kinematic: particles of infinite mass, shape (k,).
        starts, targets: where they are at the start and the end of a step [m], shape (k, 3).
        wanted: where somebody wants them at the end of a step [m], shape (k, 3).
        behind: how far from there those are that were caught a moment ago [m], zero for all others,
            NaN where nobody has said yet where they are wanted, shape (k, 3).
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
        self.wanted = self.targets.copy()
        self.behind = np.zeros_like(self.targets)
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

    def follow(self, other: State, earlier: Earlier) -> None:
        """Be where another state is, of the same bodies, whose pins may be others.

        What is let go keeps its velocity, and falls; what is caught is led from where it is.

        Args:
            earlier: which of the other's particles these were.
        """
        own, found = self.lasting(), dict(other.lasting())
        known = earlier.particles >= 0
        for name in own.keys() - _NOT_OF_PARTICLES:
            values = own[name].copy()
            if (len(values), len(found[name])) == (self.count, other.count):
                values[known] = found[name][earlier.particles[known]]
            found[name] = values
        found["positions"][~known] = earlier.places[~known]
        leaders = earlier.leaders[self.kinematic]
        led = leaders >= 0
        places = np.searchsorted(other.kinematic, leaders[led])
        wanted = found["positions"][self.kinematic]
        behind = np.full_like(wanted, np.nan)
        wanted[led], behind[led] = other.wanted[places], other.behind[places]
        taken_over = led & (earlier.particles[self.kinematic] != leaders)
        behind[taken_over] = (found["positions"][self.kinematic] - wanted)[taken_over]
        self.go_on_from(found | {"wanted": wanted, "behind": behind})

    def lasting(self) -> Lasting:
        """What the next frame goes on from; see :mod:`.lasting`."""
        return {
            "positions": self.positions,
            "velocities": self.velocities,
            "accelerations": self.accelerations,
            "wanted": self.wanted,
            "behind": self.behind,
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
        self.targets[:] = self.positions[self.kinematic]  # between frames they are there
        if changed:
            self.wanted[:], self.behind[:] = self.targets, np.nan
            fill_if_fitting(self.frames, lasting, "frames")
        else:
            fill(self.wanted, lasting, "wanted")
            fill(self.behind, lasting, "behind")
            fill(self.frames, lasting, "frames")
        (self.span,) = numbers_of(lasting, "time_step", 1)
        self.contact.go_on_from(lasting, changed)

    def want(self, places: NDArray[np.int64], points: NDArray[np.float64]) -> None:
        """Say where some of the kinematic particles are wanted at the end of the next step.

        Args:
            places: of each among all of them, shape (j,).
            points: [m], shape (j, 3).
        """
        self.wanted[places] = points
        new = places[np.isnan(self.behind[places, 0])]
        self.behind[new] = self.positions[self.kinematic[new]] - self.wanted[new]

    def lead(self, dt: float) -> None:
        """Let kinematic particles be where they are wanted after the next step, which takes dt [s].

        Those that were caught come as much nearer as ``CATCHING_SPEED`` lets them.
        """
        behind = np.where(np.isnan(self.behind), 0.0, self.behind)
        away = np.linalg.norm(behind, axis=1, keepdims=True)
        left = np.maximum(away - CATCHING_SPEED * dt, 0.0)
        self.behind[:] = behind * (left / np.where(away > 0.0, away, 1.0))
        self.targets[:] = self.wanted + self.behind

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
