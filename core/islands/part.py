# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a model, each as if nothing else had ever been added."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Model

Indices = NDArray[np.int64]

_OF_PARTICLES = (
    "positions", "velocities", "rest_positions", "contact_rest", "masses", "thickness",
    "friction", "restitution", "drag",
)  # fmt: skip

_KINDS = "cloths", "strands", "soft_bodies", "skins"
"""Lists of a model whose bodies are numbered one after the other."""


class Parts:
    """A model in which is looked up what belongs to some particles.

    That takes as long as what is found is large, however large the model is.

    Args:
        whole: the model, complete.

    Attributes:
        whole: as given.
    """

    def __init__(self, whole: Model) -> None:
        self.whole = whole
        self._bodies = whole.bodies
        self._kinds = [kind for kind in _KINDS for _ in getattr(whole, kind)]
        self._at = _Standing([int(body.particles[0]) for body in self._bodies])
        self._groups_at = _Standing(whole.group_places)
        self._numbers = np.full(whole.particle_count, -1)
        self._ignored = defaultdict(list)
        for one, other in whole.ignored:
            self._ignored[id(one)].append((one, other))

    def bodies_of(self, particles: Indices) -> list[int]:
        """Numbers of the bodies that are some particles', as a whole; ascending."""
        return self._at.among(particles)

    def groups_of(self, particles: Indices) -> list[int]:
        """The same of groups; what is empty counts as the first particle's."""
        return self._groups_at.among(particles)

    def model_of(self, particles: Indices) -> Model:
        """A model of some particles only, of bodies and groups that are theirs as a whole.

        Args:
            particles: ascending, shape (k,); the model's i-th is the particle ``particles[i]``.

        Returns:
            With handles of its own, those of colliders among them.
        """
        whole, numbers = self.whole, self._numbers
        part = Model(whole.dtype)
        for values in _OF_PARTICLES:
            setattr(part, values, getattr(whole, values)[particles])
        numbers[particles] = np.arange(len(particles))
        kept = self.bodies_of(particles)
        for number in kept:
            getattr(part, self._kinds[number]).append(self._bodies[number].renumbered(numbers))
        part.groups = [whole.groups[g].renumbered(numbers) for g in self.groups_of(particles)]
        part.colliders = [copy(each) for each in whole.colliders]
        part.ignored = self._ignored_in(part, kept)
        numbers[particles] = -1
        return part

    def _ignored_in(self, part: Model, kept: Sequence[int]) -> list[tuple[Any, Any]]:
        """The pairs of its own that don't touch in a part, of these bodies of the whole."""
        bodies = [self._bodies[number] for number in kept]
        pairs = [pair for body in bodies for pair in self._ignored.get(id(body), ())]
        if not pairs:
            return []
        own = zip([*bodies, *self.whole.colliders], [*part.bodies, *part.colliders], strict=True)
        counterparts: dict[int, Any] = {id(each): its for each, its in own}
        return [
            (counterparts[id(one)], counterparts[id(other)])
            for one, other in pairs
            if id(other) in counterparts
        ]


class _Standing:
    """Things that each stand at a particle.

    Args:
        places: the particle of each.
    """

    def __init__(self, places: Sequence[int]) -> None:
        self._order = np.argsort(places, kind="stable")
        self._places = np.asarray(places, np.int64)[self._order]

    def among(self, particles: Indices) -> list[int]:
        """Numbers of those that stand at any of some particles, ascending."""
        firsts = np.searchsorted(self._places, particles, "left")
        counts = np.searchsorted(self._places, particles, "right") - firsts
        before = np.cumsum(counts) - counts
        found = np.repeat(firsts - before, counts) + np.arange(int(counts.sum()))
        return sorted(self._order[found].tolist())
