# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a model's rest states changes while it is simulated.

Rest shapes that follow an animation, what swells, and material that yields. A simulation has a
model of its own for that, so that the one it was made of stays as it was described.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bodies.cloth import Cloth
from .bodies.growth import Growth
from .bodies.handle import Body
from .bodies.rest_shape import follow_rest, shrunk
from .bodies.skin import Skin
from .bodies.soft_body import SoftBody
from .constraints import Constraint
from .contact.carried import carried_rest
from .contact.surface.data import FACTOR
from .errors import ModelError
from .lasting import Lasting, array_of, fill, fill_if_fitting, named, numbers_of, part_of
from .layout.group import Group
from .model import Model

Numbers = NDArray[np.float64]


class RestStates:
    """Rest states of all constraints of a model, and of contact, as they are now.

    Args:
        model: as it was described.
        earlier: of the same bodies with other materials and pins, as they are now.
        was: the particle of that one's model that each of the model was, -1 for none, shape (n,).

    Attributes:
        model: the same with rest states that may change; they stay in the same arrays.
    """

    def __init__(
        self,
        model: Model,
        earlier: RestStates | None = None,
        was: NDArray[np.int64] | None = None,
    ) -> None:
        self._described = model
        self.model = copy(model)
        self.model.groups = [_own(group) for group in model.groups]
        self.model.contact_rest = model.contact_rest.copy()
        self._bases = [group.rest for group in model.groups]
        self._shapes: dict[int, Numbers] = {}
        self._grown: dict[int, Growth] = {}
        self._elapsed: float = 0.0 if earlier is None else earlier._elapsed
        self._inflate(*self._swelling())
        self.arrive()
        if earlier is not None and was is not None:
            self._go_on(earlier, was)

    def _go_on(self, earlier: RestStates, was: NDArray[np.int64]) -> None:
        """Carry over what has changed of constraints that are still there."""
        for cloth in self.model.cloths:
            shape = earlier._shapes.get(int(was[cloth.particles[0]]))
            if shape is not None:
                self._reshape(cloth, shape)
        numbers: dict[tuple[int, bytes], int] = {}
        for number, group in enumerate(earlier.model.groups):
            numbers.setdefault(_key(group.constraint, group.indices), number)
        for group, base in zip(self.model.groups, self._bases, strict=True):
            corners = was[group.indices]
            known = numbers.get(_key(group.constraint, corners))
            if known is None:
                self._go_on_in_part(group, base, corners, earlier)
                continue
            former = earlier.model.groups[known]
            before, now = earlier._bases[known], former.rest
            sewn, before_it = group.stitching, former.stitching
            if sewn is not None and before_it is not None:
                sewn.lengths[:], sewn.pulls[:] = before_it.lengths, before_it.pulls
                sewn.holding[before_it.holding == 0.0] = 0.0
            elif group.before is not None and former.before is not None:
                group.before[:] = former.before
            elif group.constraint.carry is not None and not np.array_equal(now, before):
                group.rest[:] = group.constraint.carry(now, before, base)

    @staticmethod
    def _go_on_in_part(
        group: Group, base: Numbers, corners: NDArray[np.int64], earlier: RestStates
    ) -> None:
        """The same of a group of which some are new or gone, as hinges at a clamp are.

        Args:
            corners: of the group, as the earlier model numbers them, shape (count, vertices).
        """
        for known, other in zip(earlier._bases, earlier.model.groups, strict=True):
            if other.constraint is group.constraint and not np.array_equal(other.rest, known):
                assert group.constraint.carry is not None
                own, theirs = _shared_rows(corners, other.indices)
                now, before = other.rest[theirs], known[theirs]
                group.rest[own] = group.constraint.carry(now, before, base[own])

    def lasting(self) -> Lasting:
        """What of the rest states has changed; see :mod:`.lasting`."""
        found: dict[str, NDArray[Any]] = {"elapsed": np.array([self._elapsed])}
        for number, group in enumerate(self.model.groups):
            described = self._described.groups[number].rest
            for name, rest in (("rest", group.rest), ("base", self._bases[number])):
                if not np.array_equal(rest, described):
                    found[f"{number}/{name}"] = rest
            if (sewn := group.stitching) is not None:
                own = {"lengths": sewn.lengths, "holding": sewn.holding, "pulls": sewn.pulls}
                found |= named(f"{number}", own)
        found |= {f"shapes/{first}": each for first, each in self._shapes.items()}
        for particle, growth in self._grown.items():
            found |= named(f"grown/{particle}", growth.lasting())
        scales, first = (each.contact_rest[:, FACTOR] for each in (self.model, self._described))
        for body in self.model.soft_bodies:
            particles = body.particles
            if not np.array_equal(scales[particles], first[particles]):
                found[f"scales/{particles[0]}"] = scales[particles]
        return found

    def go_on_from(self, lasting: Lasting, changed: bool = False) -> None:
        """Be the rest states that others of the same model were.

        Args:
            changed: whether constraints may be others: what does not fit is left, and what swells
                and grows does so as the model says.

        Raises:
            CheckpointError: they are of another model.
        """
        take = fill_if_fitting if changed else fill
        for number, group in enumerate(self.model.groups):
            own, described = part_of(lasting, f"{number}"), self._described.groups[number].rest
            self._bases[number] = described
            group.rest[:] = described
            if "rest" in own:
                take(group.rest, own, "rest")
            if "base" in own:
                self._bases[number] = described.copy()
                take(self._bases[number], own, "base")
            if (sewn := group.stitching) is not None:
                for name in ("lengths", "holding", "pulls"):
                    take(getattr(sewn, name), own, name)
        self._contact_goes_on_from(lasting)
        self._growth_goes_on_from(lasting, changed)
        self.arrive()

    def _growth_goes_on_from(self, lasting: Lasting, changed: bool) -> None:
        """The same of what bodies grow to."""
        (self._elapsed,) = numbers_of(lasting, "elapsed", 1)
        self._grown = {}
        if changed:
            self._inflate(*self.model.cloths, *self.model.soft_bodies)
            return
        for body in self.model.soft_bodies:
            if own := part_of(lasting, f"grown/{body.particles[0]}"):
                self._grown[int(body.particles[0])] = body.growth.restored(own)

    def _contact_goes_on_from(self, lasting: Lasting) -> None:
        """The same of shapes and scales that contact has."""
        self.model.contact_rest[:] = self._described.contact_rest
        self._shapes = {}
        for cloth in self.model.cloths:
            if (name := f"shapes/{cloth.particles[0]}") in lasting:
                count = len(cloth.particles)
                self._reshape(cloth, array_of(lasting, name, np.float64, (count, 3)).copy())
        for body in self.model.soft_bodies:
            if (name := f"scales/{body.particles[0]}") in lasting:
                count = len(body.particles)
                self._scale(body, array_of(lasting, name, np.float64, (count,)))

    def follow(self, body: Cloth, positions: Numbers) -> None:
        """Let the rest shape of a body be another one.

        Args:
            positions: of its vertices [m], shape (n, 3).
        """
        model = self._described
        before = model.rest_positions.copy()
        before[body.particles] = body.shape
        now = before.copy()
        now[body.particles] = positions
        angle = np.zeros(model.particle_count)
        angle[body.particles] = body.rest_angle
        for number in model.groups_of(body.own):
            group, described = self.model.groups[number], model.groups[number]
            if group.constraint.carry is not None:
                self._rebase(number, follow_rest(described, described.rest, before, now, angle))
        self._reshape(body, positions.copy())

    def grow(self, body: SoftBody, growth: Growth) -> None:
        """Let a soft body have grown otherwise than it was described."""
        self._grown[int(body.particles[0])] = growth
        self._inflate(body)

    def swell(self, dt: float) -> bool:
        """Let what is inflated over a time be as it is after dt [s] more; whether there is any."""
        swelling = self._swelling()
        self._elapsed += dt
        self._inflate(*swelling)
        return len(swelling) > 0

    def arrive(self) -> None:
        """Let a step have ended in the rest states of now."""
        for group in self.model.groups:
            if group.before is not None:
                group.before[:] = group.rest

    def _swelling(self) -> list[Cloth | SoftBody]:
        """Bodies whose inflation goes on."""
        now, bodies = self._elapsed, self.model.soft_bodies
        return [
            *(each for each in self.model.cloths if each.filling and each.filling.is_swelling(now)),
            *(each for each in bodies if self._growth_of(each).is_swelling(now)),
        ]

    def _growth_of(self, body: SoftBody) -> Growth:
        """What a body grows to."""
        return self._grown.get(int(body.particles[0]), body.growth)

    def _inflate(self, *bodies: Cloth | SoftBody) -> None:
        """Let bodies be at rest as they are inflated by now."""
        for body in bodies:
            if isinstance(body, SoftBody):
                growth = self._growth_of(body).at(self._elapsed)
                for growing in body.growing:
                    self._rebase(self._number(growing.group), growing.rest(growth))
                self._scale(body, body.scales(growth))
            elif (filling := body.filling) is not None:
                self._rebase(self._number(filling.group), filling.rest(self._elapsed))

    def _reshape(self, body: Cloth, shape: Numbers) -> None:
        """Let a cloth have another rest shape [m] for contact, and where its lengths are told."""
        self._shapes[int(body.particles[0])] = shape
        self.model.contact_rest[body.particles, :FACTOR] = shrunk(shape, body.shrinkage)[0]
        self._carry(body)

    def _scale(self, body: SoftBody, scales: Numbers) -> None:
        """Let contact know that lengths at rest are longer by these factors, shape (n,)."""
        self.model.contact_rest[body.particles, FACTOR] = scales
        self._carry(body)

    def _carry(self, body: Body) -> None:
        """Let the skin of a body that carries one be at rest where that is."""
        skin, rest = self.model.touching(body), self.model.contact_rest
        if isinstance(skin, Skin):
            rest[skin.particles] = carried_rest(rest, skin.corners, skin.weights)

    def _rebase(self, number: int, base: Numbers) -> None:
        """Let a group be at rest in another state; what has yielded is carried over."""
        group, before = self.model.groups[number], self._bases[number]
        if np.array_equal(group.rest, before):
            group.rest[:] = base
        else:
            assert group.constraint.carry is not None
            group.rest[:] = group.constraint.carry(group.rest, before, base)
        self._bases[number] = base

    def _number(self, group: Group) -> int:
        """Which of the groups that were described one is."""
        return next(k for k, each in enumerate(self._described.groups) if each is group)

    def torn(self, stitches: Group) -> NDArray[np.bool_]:
        """Which of a group of stitches have given way, shape (count,)."""
        sewn = self.model.groups[self._number(stitches)].stitching
        if sewn is None:
            raise ModelError("Only what add_stitches returned can be torn.")
        return np.asarray(sewn.holding == 0.0)

    def lengths_of(self, body: Any) -> Numbers:
        """Lengths at rest of the edges of a body now [m], shape (e,)."""
        shape = self._shapes.get(int(body.particles[0]))
        if shape is None:
            return body.rest_lengths
        ends = body.edges - body.particles[0]
        sides = (points[ends] for points in (body.shape, shape))
        old, new = (np.linalg.norm(pair[:, 1] - pair[:, 0], axis=1) for pair in sides)
        return np.asarray(body.rest_lengths * new / np.where(old > 0, old, 1))

    def flow(self, positions: NDArray[Any], dt: float) -> bool:
        """Let what has yielded stay, after a frame of dt [s]; returns whether anything has."""
        flowed = False
        for group in self.model.groups:
            if group.plastic is None or not len(group.indices):
                continue
            assert group.constraint.flow is not None
            points = positions[group.indices].astype(np.float64)
            share = -np.expm1(-group.plastic.rates * dt)
            rest = group.constraint.flow(group.rest, points, group.plastic.limits, share)
            if not np.array_equal(rest, group.rest):
                group.rest[:] = rest
                flowed = True
        return flowed


def _own(group: Group) -> Group:
    """The same with arrays of its own for what may change."""
    sewn = group.stitching
    if sewn is not None:
        sewn = sewn._replace(
            lengths=sewn.lengths.copy(), holding=sewn.holding.copy(), pulls=sewn.pulls.copy()
        )
    before = group.rest.copy() if group.constraint.summed else None
    return replace(
        group, rest=group.rest.copy(), stitching=sewn, described=group.rest, before=before
    )


def _key(constraint: Constraint, indices: NDArray[np.int64]) -> tuple[int, bytes]:
    """What two groups of the same constraints have in common, and no others."""
    return id(constraint), indices.tobytes()


def _shared_rows(
    one: NDArray[np.int64], other: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where rows are that both have, shape (k,) each."""
    whole = np.dtype((np.void, one.dtype.itemsize * one.shape[1]))
    first, second = (np.ascontiguousarray(each).view(whole).ravel() for each in (one, other))
    _, own, theirs = np.intersect1d(first, second, return_indices=True)
    return own, theirs
