# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies and colliders are kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..contact import Collider
from ..errors import ModelError
from .handle import Body

Part = Body | Collider

AnyPart = TypeVar("AnyPart", bound=Part)


def meetings(
    bodies: Sequence[Body], colliders: Sequence[Collider], ignored: Sequence[tuple[Body, Part]]
) -> NDArray[np.bool_]:
    """Whether two parts can touch: bodies, behind them colliders.

    Of colliders none can touch another.

    Args:
        ignored: pairs that go through each other.

    Returns:
        Shape (parts, parts), symmetric.
    """
    parts: list[Part] = [*bodies, *colliders]
    meets = np.zeros((len(parts), len(parts)), np.bool_)
    own, count = [body.touch for body in bodies], len(bodies)
    others = np.array([touch.others for touch in own], np.bool_)
    meets[:count, :count] = others[:, None] & others
    meets[range(count), range(count)] = [touch.itself for touch in own]
    meets[:count, count:] = meets[count:, :count] = True
    numbers = {id(part): number for number, part in enumerate(parts)}
    for one, other in ignored:
        first, second = numbers[id(one)], numbers[id(other)]
        meets[first, second] = meets[second, first] = False
    return meets


def number_of(part: Part, parts: Sequence[Part]) -> int:
    """Which one of its model's parts it is. Raises ModelError for one of another model."""
    number = next((number for number, each in enumerate(parts) if each is part), None)
    if number is None:
        raise ModelError(
            f"{getattr(part, 'name', part)!r} is not in this model: give what its add_cloth, "
            "add_strands, add_soft_body or add_collider returned."
        )
    return number
