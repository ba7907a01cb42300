# SPDX-License-Identifier: GPL-3.0-or-later
"""What kernels compute: a constraint body and an update rule on scalars, and how much of what.

Nothing here knows how it becomes machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from .arithmetic import Scalar, Vector

Update = Callable[..., tuple[list[Any], list[Scalar]]]
"""``(positions, inverse masses, previous, parameters, λ, 1/Δt) -> (written, λ)`` on scalars."""

Measure = Callable[[Sequence[Vector], Sequence[Scalar], Sequence[Scalar]], list[Any]]
"""``(positions, inverse masses, parameters) -> written`` on scalars."""

Writes = Literal["positions", "rows", "values"]


@dataclass(frozen=True)
class KernelSpecification:
    """What one kernel computes and how its blocks are laid out.

    Attributes:
        name: unique among kernels; names the machine code on disk.
        update: the update rule.
        vertices, parameters, components: sizes of one constraint.
        reads_previous: whether the update looks at the positions at the start of the substep.
        writes: what the update returns beside λ.
            ``"positions"``: the new positions of its vertices, which replace the old ones;
            ``"rows"``: four numbers a vertex, added to the particles' rows of ``outputs``, (n, 4);
            ``"values"``: numbers of its own, put into ``outputs``, [block][value][lane].
        outputs: how many ``"values"`` there are.
    """

    name: str
    update: Update
    vertices: int
    parameters: int
    components: int
    reads_previous: bool
    writes: Writes = "positions"
    outputs: int = 0


def measuring(
    name: str,
    measure: Measure,
    *,
    vertices: int,
    parameters: int,
    writes: Writes = "values",
    outputs: int = 0,
) -> KernelSpecification:
    """A kernel that measures elements as they are: it moves nothing and knows no λ and no time.

    Args:
        measure: what it puts out.
        name, vertices, parameters, writes, outputs: as in :class:`KernelSpecification`.
    """

    def update(
        x: Sequence[Vector],
        inverse_mass: Sequence[Scalar],
        _: Any,
        given: Sequence[Scalar],
        *__: Any,
    ) -> tuple[list[Any], list[Scalar]]:
        return measure(x, inverse_mass, given), []

    return KernelSpecification(
        name=name,
        update=update,
        vertices=vertices,
        parameters=parameters,
        components=0,
        reads_previous=False,
        writes=writes,
        outputs=outputs,
    )


class Link(NamedTuple):
    """A link of a chain, between two particles.

    Attributes:
        x, inverse_mass: of both particles, position and inverse mass.
        previous: their positions at the start of the substep; none where links don't look at them.
        parameters: rest state, compliance, and with damping its time [s].
        multiplier: λ.
        inverse_time_step: [1/s].
    """

    x: Sequence[Vector]
    inverse_mass: Sequence[Scalar]
    previous: Sequence[Vector]
    parameters: Sequence[Scalar]
    multiplier: Scalar
    inverse_time_step: Scalar


@dataclass(frozen=True)
class ChainSpecification:
    """What a chain kernel computes; see :mod:`core.solvers.xpbd.chain_projection` for the
    functions.

    Attributes:
        name: unique among kernels; names the machine code on disk.
        parameters: numbers that describe one link.
        ahead, back: numbers that one link hands on to the next on the way along, and back.
        kept: numbers that a link leaves for the way back.
        released: numbers, no more than those, that it leaves for the pass that moves particles.
        reads_previous: whether links look at the positions at the start of the substep.
        begin, close: of closed chains: what the first link is handed by the last one, and the
            elimination of this one; None for chains with ends.
    """

    name: str
    eliminate: Callable[..., tuple[list[Scalar], list[Scalar]]]
    substitute: Callable[..., tuple[Scalar, list[Scalar], list[Scalar]]]
    release: Callable[..., list[Scalar]]
    move: Callable[..., tuple[list[Scalar], list[Scalar]]]
    parameters: int
    ahead: int
    kept: int
    back: int
    released: int
    reads_previous: bool
    begin: Callable[..., list[Scalar]] | None = None
    close: Callable[..., list[Scalar]] | None = None


@dataclass(frozen=True)
class RecurrenceSpecification:
    """One pass along W rows of numbers, each of which depends on those before.

    There are four arrays, [row][number][lane] each.

    Attributes:
        name: unique among kernels; names the machine code on disk.
        step: ``(numbers of each array, carried) -> (numbers to write into each array, carried)`` on
            scalars; of an array that is not read it gets none, where it gives none nothing is
            written, and what is written are the first numbers of a row.
        sizes: numbers of a row of each array.
        reads: which arrays it reads.
        carried: how many numbers a row hands on to the next; zeros for the first.
        backward: whether it goes from the last row to the first.
    """

    name: str
    step: Callable[..., tuple[list[list[Scalar]], list[Scalar]]]
    sizes: tuple[int, int, int, int]
    reads: tuple[bool, bool, bool, bool]
    carried: int
    backward: bool
