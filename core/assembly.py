# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies of a model: which there are, whose a particle is, and what goes through what."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .bodies.cloth import Cloth
from .bodies.handle import Body
from .bodies.meetings import AnyPart, Part, number_of
from .bodies.skin import Skin, touching
from .bodies.soft_body import SoftBody
from .bodies.strands import Strands
from .builder import Builder
from .errors import ModelError


class Assembly(Builder):
    """Bodies that share particles, constraints and colliders; see :class:`core.Model`.

    Attributes:
        cloths, strands, soft_bodies, skins: handles to all that were added.
        ignored: pairs of bodies and colliders that go through each other.
    """

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        super().__init__(dtype)
        self.cloths: list[Cloth] = []
        self.strands: list[Strands] = []
        self.soft_bodies: list[SoftBody] = []
        self.skins: list[Skin] = []
        self.ignored: list[tuple[Body, Part]] = []

    @property
    def bodies(self) -> list[Body]:
        """All cloths, strands, soft bodies and skins."""
        return [*self.cloths, *self.strands, *self.soft_bodies, *self.skins]

    def touching(self, part: AnyPart) -> AnyPart | Skin:
        """What of a body or collider touches: its skin where it carries one."""
        return touching(part, self.skins)

    def body_of(self, particle: int) -> Body | None:
        """The body that a particle belongs to, if any."""
        return next((body for body in self.bodies if body.owns(particle)), None)

    def owner_of(self, particle: int) -> str:
        """Name of the body that a particle belongs to, or of the particle itself."""
        body = self.body_of(particle)
        return body.name if body else f"particle {particle}"

    def together_with(self, particle: int) -> NDArray[np.int64]:
        """The particles of its body; of one that belongs to none, all that belong to none."""
        loose = np.ones(self.particle_count, bool)
        for body in self.bodies:
            if body.owns(particle):
                return body.particles
            loose[body.particles] = False
        return np.flatnonzero(loose)

    def ignore_contact(self, body: Body, other: Part) -> None:
        """Let a body and another one, or a collider, go through each other.

        Args:
            body: what :meth:`add_cloth`, :meth:`add_strands` or :meth:`add_soft_body` has returned;
                of one that carries a skin, that goes through.
            other: the same, or what :meth:`add_collider` has returned.

        Raises:
            ModelError: one of them is not in the model, or both are the same body, which
                ``self_collision`` is for.
        """
        number_of(body, self.bodies)
        number_of(other, [*self.bodies, *self.colliders])
        if other is body:
            raise ModelError(
                f"'{body.name}' goes through itself if it is added with self_collision=False."
            )
        self.ignored.append((body, other))
        self.version += 1
