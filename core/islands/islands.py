# SPDX-License-Identifier: GPL-3.0-or-later
"""All islands of a model.

Which units are in an island is decided when a frame begins, from nothing but positions, velocities
and targets. Each island starts from a copy of the state. Where one has been so far that it could
have met another, both are stepped once more, as one; nothing of the first try is kept.

What was tried in vain is kept for the next frame, in which the same is likely to be tried again.

An island that consists of an object alone is a model of that object alone: others can't change a
digit of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..bodies.handle import Body
from ..earlier import Earlier
from ..errors import CheckpointError
from ..forces.uniform import Vector
from ..interruption import may_go_on
from ..lasting import Lasting, array_of, named, parts_of
from ..model import Model
from ..native.threads import MOST_THREADS, available, side_by_side
from ..solvers.common.base import Solver
from ..state import State
from .island import Island
from .part import Parts
from .reach import foreseen, islands_of
from .units import may_touch, particles_of, units_of

Units = tuple[int, ...]

STILL = (0.0, 0.0, 0.0)

_OTHER_OBJECTS = "The checkpoint is of another simulation: of other objects."


class Islands:
    """The islands that a model falls into, each of which has its own substeps.

    Args:
        model: the whole.
        state: of the whole; read when a frame begins, written when it ends.
        solver: steps each island.
        earlier: of a model of the same bodies with other materials and pins, as it moves now.
        was: which of that one's particles those of the model were.

    Attributes:
        watched: whether `reach` is known.
        reach: of each unit a box around all places where it was in the last frame, or was looked
            for: what stays out of it has no part in what the unit did.

    Raises:
        ModelError: the solver can't take a constraint.
    """

    def __init__(
        self,
        model: Model,
        state: State,
        solver: Solver[Any],
        earlier: Islands | None = None,
        was: Earlier | None = None,
    ) -> None:
        self._model = model
        self._version = model.version
        self._state = state
        self._solver = solver
        self._units = units_of(model)
        self._particles = particles_of(self._units)
        self._parts = Parts(model)
        state.contact.surface.follow_rest(model.contact_rest)
        self._all: Units = tuple(range(len(self._particles)))
        meets = state.contact.surface.shape.meets != 0
        self._may_touch = may_touch(model, self._units, meets)
        self.watched = False
        self.reach = foreseen(state, self._units, STILL, 0.0)
        self._tried: dict[Units, Island] = {}
        known: Mapping[Units, Island] = {} if earlier is None else earlier._islands
        wanted = islands_of(self.reach, self._may_touch) or [self._all]
        self._islands: dict[Units, Island] = self._new(wanted, known, known, was)
        if earlier is not None:
            self.reach = earlier.reach
            if earlier.watched:
                self.watch()

    def __iter__(self) -> Iterator[Island]:
        return iter(self._islands.values())

    def watch(self) -> None:
        """Know `reach` from the next frame on; where all is one island that costs a little."""
        self.watched = True
        self._state.watch(MOST_THREADS)

    def unit_of(self, body: Body) -> int:
        """The unit that a body is, or is part of."""
        return int(self._units[body.particles[0]])

    def renew(self) -> None:
        """Go on with the rest states that the model has now."""
        self._tried = {}
        self._state.contact.surface.follow_rest(self._model.contact_rest)
        for island in self:
            island.renew()

    def advance(self, dt: float, gravity: Vector) -> None:
        """Step all of them by dt [s].

        Raises:
            ModelError: the model is not the one that they were made of.
            SimulationError: a position is not a finite number any more; names the object.
        """
        self._model.check(self._version)
        if self.watched or len(self._all) > 1:
            self.reach = foreseen(self._state, self._units, gravity, dt)
        if len(self._all) <= 1:
            self._islands[self._all].step(dt, gravity)
            self._islands[self._all].store_groups()
            if self.watched:
                self.reach.extend(self._all, *self._islands[self._all].reached())
        else:
            self._state.contact.begin_frame(dt)
            self._islands = self._stepped(dt, gravity)
            self._state.contact.end_frame()
            for island in self:
                island.end()

    def lasting(self) -> Lasting:
        """What the next frame goes on from, beside the state of the whole."""
        all_islands = [*self._islands.items(), *self._tried.items()]
        found = {"counts": np.array([len(self._islands), len(self._tried)])}
        for number, (units, island) in enumerate(all_islands):
            found |= named(f"{number}", {"units": np.array(units, np.int64), **island.lasting()})
        return found

    def go_on_from(self, lasting: Lasting, changed: bool = False) -> None:
        """Be the islands that others of the same model were, whose state the whole is in.

        Args:
            changed: whether materials, pins, colliders or the solver may be others.

        Raises:
            CheckpointError: they are of another model.
        """
        counts = array_of(lasting, "counts", np.int64, (2,)).tolist()
        islands: dict[Units, Island] = {}
        parts = parts_of(lasting)
        for number in range(sum(counts)):
            own = parts.get(f"{number}", {})
            units = tuple(array_of(own, "units", np.int64, (None,)).tolist())
            if not set(units) <= set(self._all):
                raise CheckpointError(_OTHER_OBJECTS)
            islands[units] = self._islands.get(units) or self._parted(units)
            islands[units].go_on_from(own, changed)
        found = list(islands.items())
        if sorted(unit for units, _ in found[: counts[0]] for unit in units) != list(self._all):
            raise CheckpointError(_OTHER_OBJECTS)
        self._islands, self._tried = dict(found[: counts[0]]), dict(found[counts[0] :])

    def _stepped(self, dt: float, gravity: Vector) -> dict[Units, Island]:
        """The islands of a frame at its end; the state is as it was."""
        reach = self.reach.copy()
        stepped: dict[Units, Island] = {}
        while True:
            islands = self._made(islands_of(reach, self._may_touch), self._islands | stepped)
            fresh = {units: each for units, each in islands.items() if units not in stepped}
            if not fresh:
                self._tried = {units: stepped[units] for units in stepped.keys() - islands.keys()}
                return islands
            for island in fresh.values():
                island.begin(self._model.colliders)
            self._step(list(fresh.values()), dt, gravity)
            for units, island in fresh.items():
                box = island.reached()
                reach.put(units, *box)
                self.reach.extend(units, *box)
            stepped |= fresh

    def _made(self, wanted: list[Units], known: Mapping[Units, Island]) -> dict[Units, Island]:
        """Islands of these units: those that are known, and new ones for the others."""
        new = self._new([units for units in wanted if units not in known], known, {})
        return {units: known.get(units) or new[units] for units in wanted}

    def _new(
        self,
        wanted: list[Units],
        known: Mapping[Units, Island],
        same: Mapping[Units, Island],
        was: Earlier | None = None,
    ) -> dict[Units, Island]:
        """New ones, which begin with what those have learnt that they share units with.

        Args:
            same: the same islands with other materials and pins.
            was: which of their model's particles those of the model were.
        """
        if not wanted:
            return {}
        islands, numbers = list(known.values()), defaultdict(list)
        for number, units in enumerate(known):
            for unit in units:
                numbers[unit].append(number)
        made = {}
        for units in wanted:
            may_go_on()
            island = self._tried.get(units) or self._parted(units, same.get(units), was)
            sharing = sorted({number for unit in units for number in numbers[unit]})
            self._solver.take_over(island.prepared, [islands[each].prepared for each in sharing])
            made[units] = island
        return made

    def _parted(
        self, units: Units, same: Island | None = None, was: Earlier | None = None
    ) -> Island:
        particles = None
        if units != self._all:
            particles = np.sort(np.concatenate([self._particles[unit] for unit in units]))
        return Island(self._parts, self._state, particles, self._solver, same, was)

    def _step(self, islands: list[Island], dt: float, gravity: Vector) -> None:
        """Those with more work than a thread's share by all threads, the others side by side."""
        threads = self._solver.threads or available()
        works = [island.work for island in islands]
        total = sum(works)
        light = []
        for number in sorted(range(len(islands)), key=works.__getitem__, reverse=True):
            island = islands[number]
            alone = len(islands) == 1 or works[number] * threads > total
            island.prepared.threads = None if alone else 1
            if alone:
                island.step(dt, gravity)
            else:
                light.append(partial(island.step, dt, gravity))
        side_by_side(threads, light)
