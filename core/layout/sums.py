# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that are sums over elements: one C, one multiplier for a whole group.

Their elements (triangles) share particles, so kernels add up ∇C and C particle by particle, and
what follows from them needs all of it: Δλ of equation 18 of Macklin et al. 2016. Particles are
copied relative to the first one, where single precision has digits to spare for a volume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..constraints import Constraint
from ..native.by_address import by_address
from ..native.rows import PADDING, aligned_rows
from ..vector.arithmetic import Scalar, Vector
from ..vector.specification import KernelSpecification, measuring
from .group import Group

Use = Literal["move", "add", "warm", "correct"]
"""What a sweep does with a sum: ``"move"``: move particles, add to λ; ``"add"``: put movements
into the rows of ``outputs``, each particle split among its constraints, and add to λ; ``"warm"``:
move particles by λ as it is; ``"correct"``: put movements and how many into ``outputs``."""

USES: tuple[Use, ...] = ("move", "add", "warm", "correct")
MOVE, ADD, WARM, CORRECT = range(4)

SUM = np.dtype(
    [
        ("first_batch", np.int64),  # ranges of batches of elements
        ("last_batch", np.int64),
        ("first_particle", np.int64),  # and of particles
        ("last_particle", np.int64),
        ("multiplier", np.int64),  # place of λ among the program's
        ("compliance", np.float64),  # α
        ("damping", np.float64),  # Rayleigh's coefficient [s]
        ("stiffness", np.float64),  # PBD's k', 1 for XPBD
    ]
)
"""A summed group."""


@by_address
class Sums(NamedTuple):
    """All summed groups of a layout.

    Attributes:
        groups: SUM of each group.
        ways: by how much the rest state of each becomes larger in a step, evenly, shape (s,).
        left: how much of that is still to come at a substep's end, shape (s,).
        particles: of the groups, each particle once in a group, shape (p,).
        splits: to how many constraints each of them belongs, shape (p,).
        rows: copies of the particles, shape (p + PADDING, 4).
        gradients: ∇C, and in the fourth column each particle's share of C, same shape.
        batches, offsets, parameters, multipliers: of the elements' kernels, as in a program;
            elements have no multipliers.
    """

    groups: Any
    ways: NDArray[np.float64]
    left: NDArray[np.float64]
    particles: NDArray[np.int64]
    splits: NDArray[np.float64]
    rows: NDArray[Any]
    gradients: NDArray[Any]
    batches: Any
    offsets: NDArray[np.uint32]
    parameters: NDArray[Any]
    multipliers: NDArray[Any]

    def load(self, groups: Sequence[Group]) -> None:
        """Take over which way the rest states of the model's groups go in the next step."""
        self.ways[:] = [group.way for group in groups if group.constraint.summed]


def elements_of(groups: Sequence[Group]) -> tuple[list[Group], list[NDArray[np.int64]]]:
    """Groups of elements that count particles among their own, and these particles."""
    elements, particles, first = [], [], 0
    for group in groups:
        own, local = np.unique(group.indices, return_inverse=True)
        count = len(group.indices)
        elements.append(
            replace(
                group,
                constraint=replace(group.constraint, summed=False, order=0),
                indices=first + local.reshape(group.indices.shape),
                compliance=np.empty((count, 0)),
                damping=np.zeros((count, 1)),
            )
        )
        particles.append(own)
        first += len(own)
    return elements, particles


def memberships(groups: Sequence[Group], particle_count: int) -> NDArray[np.float64]:
    """To how many constraints each particle belongs, shape (n,)."""
    counts = np.zeros(particle_count)
    for group in groups:
        members = np.unique(group.indices) if group.constraint.summed else group.indices.ravel()
        counts += np.bincount(members, minlength=particle_count)
    return counts


def new_rows(count: int, dtype: DTypeLike) -> NDArray[Any]:
    """Copies of particles and what pads them."""
    return aligned_rows(count + PADDING, dtype)


@cache
def specification(constraint: Constraint, _damped: bool) -> KernelSpecification:
    """The kernel that adds ∇C to the rows of an element's vertices, and C to their last columns."""
    share = 1.0 / constraint.vertices

    def shares(
        x: Sequence[Vector], _inverse_mass: Sequence[Scalar], rest: Sequence[Scalar]
    ) -> list[list[Scalar]]:
        (value,), (gradient,) = constraint.evaluate(x, rest)
        return [[*corner, share * value] for corner in gradient]

    return measuring(
        f"sum_{constraint.kind}",
        shares,
        vertices=constraint.vertices,
        parameters=constraint.rest_size,
        writes="rows",
    )
