# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of one kind, and how what callers give becomes a group of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Numbers, not_negative, spread
from ..constraints import REGISTRY, Constraint
from ..errors import ModelError
from .chains import Chains, find_chains

Order = Literal["colors", "given", "chains"]
"""How a sweep goes through constraints; see ``Model.add_constraints``."""


@dataclass(frozen=True)
class Twist:
    """What resists twisting at the bends of strands; no function of positions alone.

    Attributes:
        compliance: of the angle [1/(N m)], shape (count,); infinite where nothing resists.
        damping: Rayleigh's stiffness-proportional coefficient [s], shape (count,).
    """

    compliance: NDArray[np.float64]
    damping: NDArray[np.float64]


class Stitching(NamedTuple):
    """How constraints are sewn, and what changes of them meanwhile.

    Attributes:
        strengths: force [N/m] at which seams tear there, infinite where they never do, (count,).
            Of faces that lie on each other: tension [Pa].
        spans: length of the seam [m] that each holds, or area [m²], shape (count,).
        sizes: beside which it is seen how far each gapes [m], shape (count,).
        neighbours: the stitches before and after each in its seam, or around it in its face, -1
            for none, shape (count, k).
        inner: of faces, a particle of each side: what pulls along the way from the first to the
            other presses nothing together; -1 where either pulls, shape (count, 2).
        speeds: at which each is drawn together [m/s], shape (count,).
        lengths: of the threads that are left [m], shape (count,).
        holding: greatest force [N] of each, none of what is torn, shape (count,).
        pulls: mean force [N] of each of late, shape (count,).
    """

    strengths: NDArray[np.float64]
    spans: NDArray[np.float64]
    sizes: NDArray[np.float64]
    neighbours: NDArray[np.int64]
    inner: NDArray[np.int64]
    speeds: NDArray[np.float64]
    lengths: NDArray[np.float64]
    holding: NDArray[np.float64]
    pulls: NDArray[np.float64]

    def renumbered(self, numbers: NDArray[np.int64]) -> Stitching:
        """The same with ``numbers[i]`` for particle i."""
        return self._replace(inner=np.where(self.inner < 0, -1, numbers[self.inner]))


@dataclass(frozen=True)
class Plastic:
    """How constraints yield: what is beyond a limit becomes their rest state.

    Attributes:
        limits: strain or angle [rad] up to which each is elastic, shape (count,).
        rates: at which the rest of it dies away [1/s], infinite for at once, shape (count,).
    """

    limits: NDArray[np.float64]
    rates: NDArray[np.float64]


@dataclass
class Group:
    """Constraints of one kind, added together.

    Attributes:
        indices: particles, shape (count, vertices).
        rest: rest state, shape (count, rest_size).
        compliance: α, lower triangles, shape (count, compliance_size).
        damping: Rayleigh's stiffness-proportional coefficient [s], shape (count, components).
            Of a summed constraint there is one for all elements.
        keep_order: sweep in the order given instead of by colours.
        chains: how links hang together that are to be solved along chains.
        twist: of bends that resist twisting, too; only who bends strands as a whole looks at it.
        stitching: how these are sewn that ``Model.add_stitches`` made.
        plastic: how they yield, if they do.
        described: the rest state that the model was described with, where that may change.
        before: of a sum that may change the rest state in which the last step ended.
        sewn: where chains go on through stitches, which are the last constraints then: the numbers
            of these among all stitches; the model knows nothing of it.
    """

    constraint: Constraint
    indices: NDArray[np.int64]
    rest: NDArray[np.float64]
    compliance: NDArray[np.float64]
    damping: NDArray[np.float64]
    keep_order: bool = False
    chains: Chains | None = None
    twist: Twist | None = None
    stitching: Stitching | None = None
    plastic: Plastic | None = None
    described: NDArray[np.float64] | None = None
    before: NDArray[np.float64] | None = None
    sewn: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def first_rest(self) -> NDArray[np.float64]:
        """The rest state as it was described, shape (count, rest_size).

        What is made of that is the same whenever it is made, as where a simulation goes on.
        """
        return self.rest if self.described is None else self.described

    @property
    def way(self) -> float:
        """By how much the rest state of a sum becomes larger in the next step, evenly."""
        return 0.0 if self.before is None else float((self.rest - self.before).sum())

    @property
    def damped(self) -> bool:
        """Whether any constraint of the group is damped."""
        return bool(np.any(self.damping != 0.0))

    @property
    def unsewn(self) -> Group:
        """The same without the stitches that its chains go through."""
        if len(self.sewn) == 0:
            return self
        return self.subset(np.arange(len(self.indices) - len(self.sewn)))

    def subset(self, chosen: NDArray[np.int64]) -> Group:
        """Some of the constraints, without chains."""
        twist = self.twist
        return Group(
            self.constraint,
            self.indices[chosen],
            self.rest[chosen],
            self.compliance[chosen],
            self.damping[chosen],
            self.keep_order,
            twist=twist and Twist(twist.compliance[chosen], twist.damping[chosen]),
            described=self.first_rest[chosen],
        )

    def renumbered(self, numbers: NDArray[np.int64]) -> Group:
        """The same with ``numbers[i]`` for particle i."""
        chains = None if self.chains is None else self.chains.renumbered(numbers)
        stitching = None if self.stitching is None else self.stitching.renumbered(numbers)
        return replace(self, indices=numbers[self.indices], chains=chains, stitching=stitching)


def make_group(
    kind: str,
    indices: ArrayLike,
    positions: Numbers,
    *,
    rest: ArrayLike | None,
    compliance: ArrayLike,
    damping: ArrayLike,
    order: Order,
) -> Group:
    """A group from what a caller gives; see ``Model.add_constraints``.

    Args:
        positions: of all particles [m], shape (n, 3).
    """
    constraint = constraint_of(kind)
    corners = _corners_of(constraint, indices, len(positions))
    _check_order(constraint, order)
    points = positions[corners]
    if constraint.check is not None:
        constraint.check(corners, points)
    count = 1 if constraint.summed else len(corners)
    if rest is None:
        rest = constraint.measure_rest(points)
        rest = rest.sum(axis=0, keepdims=True) if constraint.summed else rest
    group = Group(
        constraint,
        corners,
        _rest_of(constraint, rest, count),
        _compliance_of(constraint, compliance, count),
        _damping_of(constraint, damping, count),
        keep_order=order == "given",
        chains=find_chains(positions, corners) if order == "chains" else None,
    )
    if constraint.inequality and (group.damped or np.any(group.compliance != 0.0)):
        raise ModelError(f"'{kind}' is a limit: it has neither compliance nor damping.")
    if constraint.summed:
        group.rest = np.repeat(group.rest / max(1, len(corners)), len(corners), axis=0)
    return group


def constraint_of(kind: str) -> Constraint:
    """The registered constraint type, or a ModelError that lists them."""
    if kind not in REGISTRY:
        known = ", ".join(sorted(REGISTRY))
        raise ModelError(f"There is no constraint kind '{kind}'; there are: {known}.")
    return REGISTRY[kind]


def _check_order(constraint: Constraint, order: str) -> None:
    """Raise ModelError for an order that does not exist, or not for this constraint type."""
    if order not in get_args(Order):
        raise ModelError(f"The order is 'colors', 'given' or 'chains', not '{order}'.")
    if order == "chains" and (constraint.vertices != 2 or constraint.stretch is None):
        raise ModelError(
            "Only what holds the length between two particles makes chains, "
            f"unlike '{constraint.kind}'."
        )


def _corners_of(constraint: Constraint, indices: ArrayLike, count: int) -> NDArray[np.int64]:
    """Particles of constraints, shape (m, vertices), each one of ``count`` that exist."""
    corners = np.array(indices, np.int64)
    shape = f"(m, {constraint.vertices})"
    if corners.size == 0:
        return np.empty((0, constraint.vertices), np.int64)
    if corners.ndim != 2 or corners.shape[1] != constraint.vertices:
        raise ModelError(
            f"'{constraint.kind}' needs indices of shape {shape}, not {corners.shape}."
        )
    if not 0 <= corners.min() <= corners.max() < count:
        raise ModelError(f"'{constraint.kind}' constraints refer to particles that don't exist.")
    ordered = np.sort(corners, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise ModelError(f"A '{constraint.kind}' constraint names the same particle twice.")
    return corners


def _rest_of(constraint: Constraint, rest: ArrayLike, count: int) -> Numbers:
    """Rest states, shape (m, rest_size)."""
    values = np.asarray(rest, np.float64)
    if values.ndim == 1 and constraint.rest_size == 1:
        values = values[:, None]
    return spread(f"The rest of '{constraint.kind}'", values, (count, constraint.rest_size))


def _compliance_of(constraint: Constraint, compliance: ArrayLike, count: int) -> Numbers:
    """α as lower triangles, shape (m, compliance_size); see ``Model.add_constraints``."""
    what, size = f"The compliance of '{constraint.kind}'", constraint.components
    values = np.asarray(compliance, np.float64)
    if values.ndim < 2:
        blocks = spread(what, values, (count,))[:, None, None] * np.eye(size)
    else:
        blocks = spread(what, values, (count, size, size))
    not_negative(what, np.einsum("ijj->ij", blocks))
    rows, columns = np.tril_indices(size)
    return np.ascontiguousarray(blocks[:, rows, columns])


def _damping_of(constraint: Constraint, damping: ArrayLike, count: int) -> Numbers:
    """Damping times [s], shape (m, components)."""
    what, values = f"The damping of '{constraint.kind}'", np.asarray(damping, np.float64)
    shape = (count, constraint.components)
    return not_negative(what, spread(what, values[:, None] if values.ndim == 1 else values, shape))
