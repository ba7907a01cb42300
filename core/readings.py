# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation tells of its last step: how well it was solved, and what crosses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .bodies.handle import Body
from .islands.island import Island
from .islands.islands import Islands
from .layout.group import Group, constraint_of
from .model import Model
from .solvers.common import report
from .solvers.common.report import NONE, BendError, Crossings, Overstretch, Report
from .state import State

Found = TypeVar("Found", Overstretch, BendError)


class Readings:
    """What can be read off a simulation; see :class:`core.Simulation`, which is one.

    Attributes:
        model: what is simulated. state: where it is. islands: what of it was stepped together.
    """

    model: Model
    state: State
    islands: Islands

    def report(self) -> Report:
        """What the last step took, of the island that took most, and how well it was solved."""
        return self._report(list(self.islands))

    def reports_of(self, *bodies: Body) -> list[Report]:
        """Of each of some bodies the report of the island that it is in."""
        found = [self._report([island]) for island in self.islands]
        return [found[number] for number in self.islands_of(*bodies)]

    def islands_of(self, *bodies: Body) -> list[int]:
        """Of each of some bodies a number: the same for those that the last step took as one."""
        numbers = np.empty(self.state.count, np.int64)
        for number, island in enumerate(self.islands):
            numbers[island.particles] = number
        return [int(numbers[body.particles[0]]) for body in bodies]

    def _report(self, islands: Sequence[Island]) -> Report:
        found = [(each, island) for island in islands for each in island.overstretch()]
        worst, where = max(found, key=lambda pair: pair[0].error, default=(NONE, islands[0]))
        name = where.owner_of(worst.particle) if worst.error > 0.0 else ""
        substeps, iterations = max((each.prepared.counts for each in islands), key=math.prod)
        residual = max(each.residual() for each in islands)
        bent = max((bend.error for each in islands for bend in each.bend_errors()), default=0.0)
        needed = max(each.prepared.needed for each in islands)
        return Report(substeps, iterations, worst.error, residual, name, bent, needed)

    @property
    def crossings(self) -> int:
        """How many pairs of faces go through each other now, or edges of strands through faces.

        Those of what is kept apart: bodies and colliders that may collide. What starts like that
        is pulled out, as is what was forced through each other by motion that is prescribed.
        """
        return len(self._crossing())

    def crossings_of(self, *bodies: Body) -> list[Crossings]:
        """Those of :attr:`crossings` in which each of some bodies, or its skin, takes part."""
        found = self._crossing()
        return [report.crossings_among(self.model.touching(body), found) for body in bodies]

    def squeezed(self, body: Body) -> NDArray[np.int64]:
        """Vertices of a body, or of the skin that it carries, that have no room.

        Pins or colliders have forced them through something, or something through them, in the
        last step; or did so before, and they have not come out of everything else yet.

        Returns:
            Shape (k,), ascending. Pinned ones are never among them.
        """
        touching = self.model.touching(body)
        return touching.shown_of(np.flatnonzero(self.state.contact.squeezed[touching.particles]))

    def _crossing(self) -> NDArray[np.int64]:
        return self.state.contact.crossing_faces(self.state.rows, self.state.count)

    def overstretch(self, body: Body) -> float:
        """The overstretch of a body after the last step, as in :class:`.Report`."""
        return self.overstretches_of(body)[0].error

    def bend_error(self, body: Body) -> float:
        """How wrong the last step left a body's bending, as in :class:`.Report`."""
        return self.bend_errors_of(body)[0]

    def bend_errors_of(self, *bodies: Body) -> list[float]:
        """``bend_error`` of each of some bodies."""
        found = self._found_of(bodies, Island.bend_errors)
        return [max((each.error for each in own), default=0.0) for own in found]

    def held_apart(self, body: Body) -> NDArray[np.int64]:
        """Vertices of a body that are left too long however much work is spent.

        They are pinned or touch something that keeps them farther from each other than
        ``XPBD(largest_stretch=…)`` allows. Found only where that is more than a thousandth of
        the body, and only by XPBD with a largest stretch.

        Returns:
            Shape (k,), ascending.
        """
        return self.overstretches_of(body)[0].held_apart

    def overstretches_of(self, *bodies: Body) -> list[Overstretch]:
        """Of each of some bodies what was left longest, with all of its vertices held apart."""
        found = self._found_of(bodies, Island.overstretch)
        return [report.worst_of(body, own) for body, own in zip(bodies, found, strict=True)]

    def _found_of(
        self, bodies: Sequence[Body], find: Callable[[Island], list[Found]]
    ) -> list[list[Found]]:
        """Of each of some bodies what is found of it in the island that it is in."""
        islands, numbers = list(self.islands), self.islands_of(*bodies)
        found = {number: find(islands[number]) for number in set(numbers)}
        return [
            [each for each in found[number] if body.owns(each.particle)]
            for body, number in zip(bodies, numbers, strict=True)
        ]

    def residual(self) -> float:
        """How far the last step is from solved: what one more iteration would move [m] at most."""
        return max(each.residual() for each in self.islands)

    def forces(self, which: str | Group) -> NDArray[Any]:
        """Magnitudes of constraint forces of the last substep, |λ| / Δt².

        Args:
            which: a constraint kind, or the group that ``Model.add_constraints`` returned.

        Returns:
            Shape (m,) in the order in which the constraints were added: newtons for
            ``"distance"``, newton metres for the moments of ``"bending"``, one pressure [Pa] for
            each ``"volume"``; empty where the model has none of the kind.

        Raises:
            ModelError: there is no such kind.
        """
        if isinstance(which, str):
            constraint_of(which)
        chosen = [
            number
            for number, group in enumerate(self.model.groups)
            if group is which or group.constraint.kind == which
        ]
        found: dict[int, NDArray[Any]] = {}
        for island in self.islands:
            found |= island.forces(chosen)
        return np.concatenate([np.empty(0, self.model.dtype), *(found[each] for each in chosen)])
