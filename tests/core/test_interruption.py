# SPDX-License-Identifier: GPL-3.0-or-later
"""What takes long is ended by whoever began it, in the midst of a single object, too."""

from __future__ import annotations

import naive
import pytest

import core
from core.interruption import asking, may_go_on
from core.remembered import forget


class Enough(Exception):
    """Raised by who is asked."""


class Asked:
    """Says stop at the so-manieth question."""

    def __init__(self, last: int) -> None:
        self.count, self.last = 0, last

    def __call__(self) -> None:
        self.count += 1
        if self.count == self.last:
            raise Enough


def simulation() -> core.Simulation:
    """Of a sheet of which nothing is known from before."""
    forget()
    model = core.Model()
    model.add_cloth(*naive.quad_grid(20, 20, 1.0, 1.0), pins=[0])
    return core.Simulation(model)


@pytest.mark.jit_off
def test_nobody_is_asked_outside_and_only_the_inner_one_inside() -> None:
    may_go_on()
    outer, inner = Asked(9), Asked(9)
    with asking(outer):
        may_go_on()
        with asking(inner):
            may_go_on()
        may_go_on()
    may_go_on()
    assert (outer.count, inner.count) == (2, 1)


def test_making_one_sheet_asks_again_and_again_and_ends_at_any_question() -> None:
    asked = Asked(1000)
    with asking(asked):
        simulation()
    assert asked.count >= 5
    for last in range(1, asked.count + 1):
        with pytest.raises(Enough), asking(Asked(last)):
            simulation()
    simulation().advance(1 / 24)
