# SPDX-License-Identifier: GPL-3.0-or-later
"""How much too long a step left the material, where more work would mend it.

At the solution of equation 8, C = -α̃ λ: the force λ stretches the material by just that. What
C + α̃ λ (equation 9) leaves is error: a constraint that is solved once a substep gives way as if it
were softer by its own share of ∇C M⁻¹ ∇Cᵀ h². It falls with the square of the substep h.

Not every constraint that is too long says that more work is needed:

- Between two pinned particles it mends nothing. Between two that touch something, such as a garment
  that is too tight, the length is given by what they touch, and so it is a little farther on: less
  error means more force and the same length. Near what touches the worst hundredth is left out, as
  only the way along what is touched is open to it; near what is *held apart* as much more error is
  allowed as there is stretch, up to a limit, as it can't be told from that.
- Where bodies push each other, or themselves, their contact comes after the sweeps and takes back
  what these have mended, in every substep anew. That gets less with smaller ones, but in sharp
  folds so slowly that a dozen triangles would rule a garment: there, too, the worst hundredth is
  left out.
- Where cloth is caught on something narrow, such as a head that a curtain is dragged over, a few of
  its links may be torn to three times their length, which four times the substeps cure. The worst
  one that is left out is told of besides, for more to be tried; see :data:`.effort.CAUGHT`.
- Surfaces that go through each other pull at everything around until they are apart: what is near
  such a place is left out.
- Small constraints count by the length, area or volume that they hold, so that a hem of short edges
  does not rule a dress. One that is far shorter or slenderer than those around it counts as if it
  were 0.6 of their width: 0.2 mm that become 0.3 mm among cells of 20 mm can't be seen.
- So it is with objects that are small beside what frames can show; see ``SEEN``.

How far closed seams gape is measured by :meth:`.stitches.Stitches.gape`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...constraints import Constraint
from ...layout.group import Group
from ...layout.layout import Layout
from ...layout.program import Program
from ...state import State
from ...vector.arithmetic import Scalar
from ...vector.specification import KernelSpecification
from ..common.projection import kernel_of, linearised
from ..common.report import NONE, Overstretch
from ..common.sweep import sweep

if TYPE_CHECKING:
    from ...model import Model

LEFT_OUT = 0.001
"""Share of an object that may be stretched more: a single pinned vertex carries a point load, whose
stretch has no bound as the mesh gets finer."""

TYPICAL = 0.01
"""The same share near what touches, and of what counts as the stretch of an object: it changes less
from step to step."""

NEAR = 4
"""Constraints from one place to another that are near each other."""

PULLED = 12
"""Constraints from where surfaces go through each other to what that can pull at."""

WHOLE = 0.25
"""Of the mean length, area or volume: constraints that hold more count alike."""

NARROW = 0.6
"""Of the mean width of constraints near one: below it is a sliver, not just a small triangle."""

TIGHT = 0.5
"""What error near what is held apart counts: there it falls by little with much more work, so that
it may be all that is allowed, not only the half that steps aim at."""

HIDDEN = 8.0
"""Times the overstretch allowed: how much more may be left near what is held apart, at most."""

TORN = 1.0
"""Stretch near what is held apart of an object that is torn by what holds it, as a skirt whose pins
stay behind while its wearer walks off. It looks alike however exact it is: its overstretch counts
less, by as many times as the stretch is this one."""

GRAVITY = 9.81  # m/s²

SEEN = 0.03
"""Of the length of an object; what is shorter counts as if it were just so long that this part of
it is the way g (Δt / π)², 1.7 mm in frames of 1/24 s. What gives way by d under its weight swings
in 2π √(d / g), which is two frames for that way: the shortest swing that frames can show."""


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that puts out the stretch that C + α̃ λ stands for, and that of C."""

    def update(
        x: Sequence[Sequence[Scalar]],
        _inverse_mass: Sequence[Scalar],
        previous: Sequence[Sequence[Scalar]],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[Scalar], list[Scalar]]:
        assert constraint.stretch is not None
        error, _, _ = linearised(
            constraint, x, previous, parameters, multipliers, inverse_time_step
        )
        if damped:
            times = parameters[constraint.rest_size + constraint.compliance_size :]
            error = [
                (1.0 + inverse_time_step * time) * each
                for time, each in zip(times, error, strict=False)
            ]
        rest = parameters[: constraint.rest_size]
        values, _ = constraint.evaluate(x, rest)
        stretches = [constraint.stretch(error, rest), constraint.stretch(values, rest)]
        return stretches, list(multipliers)

    return kernel_of(constraint, damped, "overstretch", update, "values", 2)


class Corners(Protocol):
    """Constraints of which only the particles matter, shape (count, vertices)."""

    @property
    def corners(self) -> NDArray[np.int64]:
        """Particles of each."""


@dataclass(frozen=True)
class Measured:
    """Constraints of a group, all of one kind and one object.

    Attributes:
        corners: particles, shape (count, vertices).
        places: where their overstretch and their stretch are put, shape (2, count).
        content: length [m], area [m²] or volume [m³] that each holds, up to what counts as whole,
            shape (count,).
        narrowness: 1, or less where they are narrow among those near them, shape (count,).
        pinned: which have two or more kinematic particles, shape (k,).
        share: of the object's particles, how many are theirs.
        length: of the object [m].
    """

    corners: NDArray[np.int64]
    places: NDArray[np.int64]
    content: NDArray[np.float64]
    narrowness: NDArray[np.floating]
    pinned: NDArray[np.int64]
    share: float
    length: float

    def most(
        self,
        values: NDArray[np.floating],
        *,
        chosen: NDArray[Any] | None = None,
        share: float = LEFT_OUT,
    ) -> float:
        """The largest value but for those of a share of the object; 0 where all are negative.

        Args:
            values: of all constraints, shape (count,).
            chosen: those that are looked at; by default all.
        """
        content = self.content
        budget = share * float(content.sum()) / self.share
        if chosen is not None:
            values, content = values[chosen], content[chosen]
        return max(0.0, all_but(values, content, budget))


class Gauge(NamedTuple):
    """What measures the overstretch of a model.

    Attributes:
        program: the sweep that measures every constraint that knows of lengths.
        groups: of them.
    """

    program: Program
    groups: list[Measured]


class Touching(NamedTuple):
    """Particles that are not free to move, or near such; each of shape (n,).

    Attributes:
        held: whether they are pinned or touch something.
        near: whether they are near what touches, or are pushed by bodies,
        tangled: and near where surfaces go through each other.
    """

    held: NDArray[np.bool_]
    near: NDArray[np.bool_]
    tangled: NDArray[np.bool_]


def gauge_of(layout: Layout, model: Model) -> Gauge:
    """The gauge for constraints of a model laid out like this."""
    taken = [
        group.constraint.stretch is not None and len(group.indices) > 0 for group in layout.groups
    ]
    program = layout.program(specification, only=taken, sums="correct")
    places = layout.places([2 if each else 0 for each in taken])
    groups = [
        _measured(group.unsewn, where[: len(group.unsewn.indices)], model)
        for group, where, each in zip(layout.groups, places, taken, strict=True)
        if each
    ]
    return Gauge(program, groups)


def _measured(group: Group, places: NDArray[np.int64], model: Model) -> Measured:
    assert group.constraint.sizes is not None
    content, width = group.constraint.sizes(group.first_rest)
    kinematic = np.isinf(model.masses)
    own = model.together_with(int(group.indices[0, 0]))
    return Measured(
        group.indices,
        np.ascontiguousarray(places.T),
        np.minimum(content, WHOLE * content.mean()),
        _narrowness(group.indices, content, width).astype(model.dtype),
        np.flatnonzero(kinematic[group.indices].sum(axis=1) > 1),
        len(np.unique(group.indices)) / len(own),
        float(np.ptp(model.rest_positions[own], axis=0).max()),
    )


def _narrowness(
    corners: NDArray[np.int64], content: NDArray[np.float64], width: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Width of constraints over that below which they are narrow among those near them, at most 1.

    Of those near them it is the mean by content that matters.
    """
    each, size = corners.ravel(), corners.shape[1]
    held = np.bincount(each, np.repeat(content, size))
    held[held == 0.0] = 1.0
    mean = width
    for _ in range(NEAR):
        sums = np.bincount(each, np.repeat(content * mean, size))
        mean = (sums / held)[corners].mean(axis=1)
    return np.minimum(width / np.where(mean > 0.0, NARROW * mean, 1.0), 1.0)


def measure(
    gauge: Gauge, state: State, dt: float, allowed: float, *, thorough: bool = False
) -> list[Overstretch]:
    """The overstretch of each group.

    Args:
        state: after a step.
        dt: of that step [s].
        allowed: overstretch above which something counts as held apart.
        thorough: whether the stretch is asked for, too.
    """
    if state.span == 0.0 or not gauge.groups:
        return []
    outputs, rate = gauge.program.outputs, state.rows.dtype.type(1.0 / state.span)
    sweep(gauge.program, state.rows, state.previous, outputs, rate)
    touched = state.contact.touched()
    pushed = state.contact.touched_by_bodies()
    touching = None
    if touched.any() or pushed.any():
        pinned = state.rows[: state.count, 3] == 0.0
        near = around(touched, gauge.groups, NEAR) | pushed
        tangled = around(state.contact.tangled, gauge.groups, PULLED)
        touching = Touching(touched | pinned, near, tangled)
    least = GRAVITY * (dt / np.pi) ** 2 / SEEN
    found = []
    for group in gauge.groups:
        counts = group.narrowness * outputs.dtype.type(group.length / max(group.length, least))
        error = outputs[group.places[0]] * counts
        stretch = outputs[group.places[1]] * counts if thorough or touching else None
        found.append(overstretch_of(group, error, stretch, touching, allowed))
    return found


def overstretch_of(
    group: Measured,
    error: NDArray[np.floating],
    stretch: NDArray[np.floating] | None,
    touching: Touching | None,
    allowed: float,
) -> Overstretch:
    """The overstretch of a group.

    Args:
        error, stretch: of its constraints, shape (count,); the stretch is needed where something
            touches. Overwritten.
        touching: None where nothing does.
    """
    apart = group.pinned
    if touching is not None:
        apart = np.flatnonzero(touching.held[group.corners].sum(axis=1) > 1)
    beyond = max(0.0, group.most(error, chosen=apart) - allowed) if len(apart) else 0.0
    culprits = apart[error[apart] > allowed] if beyond > 0.0 else apart[:0]
    if touching is not None:
        error[touching.tangled[group.corners].any(axis=1)] = 0.0
    free = error.copy()
    free[apart] = 0.0
    caught = 0.0
    if touching is None or stretch is None:
        left = group.most(free)
    else:
        tight = group.most(stretch, chosen=apart) - allowed if len(apart) else 0.0
        error[group.pinned] = 0.0
        close = np.asarray(touching.near[group.corners].any(axis=1))
        left = _beside(group, error, free, stretch, close, tight, allowed)
        caught = group.most(error * close, share=0.0)
    seen = 0.0 if stretch is None else group.most(stretch, share=TYPICAL)
    held = np.unique(group.corners[culprits]) if len(culprits) else NONE.held_apart
    return Overstretch(int(group.corners[0, 0]), left, seen, held, caught)


def _beside(
    group: Measured,
    error: NDArray[np.floating],
    free: NDArray[np.floating],
    stretch: NDArray[np.floating],
    close: NDArray[np.bool_],
    tight: float,
    allowed: float,
) -> float:
    """The overstretch of a group of which something touches.

    Args:
        error, free: overstretch of constraints that are not pinned, and of those that are not
            held apart either; elsewhere 0. Shape (count,).
        stretch: of all, shape (count,).
        close: which are near what touches, shape (count,).
        tight: how much longer than allowed those are that are held apart.
    """
    around = group.most(error * close, share=TYPICAL)
    apart = 0.0
    if tight > 0.0:
        apart = min(tight, group.most(stretch * close, share=TYPICAL))
        around *= TIGHT * allowed / (allowed + min(apart, HIDDEN * allowed))
    return max(around, group.most(free * ~close)) / max(1.0, apart / TORN)


def all_but(values: NDArray[np.floating], content: NDArray[np.float64], budget: float) -> float:
    """The largest value but for the largest that together hold the budget, at least one of them.

    Returns:
        The only value where there is one; 0 where the budget is more than all of them hold.
    """
    count, total = len(values), float(content.sum())
    looked_at = min(count, 64 + int(4.0 * count * budget / total)) if budget < total else count
    while True:
        bound = np.partition(values, count - looked_at)[count - looked_at]
        largest = np.flatnonzero(values >= bound)
        order = largest[np.argsort(-values[largest], kind="stable")]
        place = int(np.searchsorted(np.cumsum(content[order]), budget))
        if place + 1 < len(order):
            return float(values[order[place + 1]])
        if looked_at == count:
            return float(values[order[-1]]) if place < len(order) else 0.0
        looked_at = min(count, 4 * looked_at)


def around(
    chosen: NDArray[np.bool_], groups: Sequence[Corners], constraints: int
) -> NDArray[np.bool_]:
    """Which particles are at most so many constraints from a chosen one, shape (n,)."""
    if not chosen.any():
        return chosen
    reached = chosen
    for _ in range(constraints):
        further = reached.copy()
        for group in groups:
            further[group.corners[reached[group.corners].any(axis=1)]] = True
        reached = further
    return reached
