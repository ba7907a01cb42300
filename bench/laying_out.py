# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a simulation takes to be laid out, of meshes that are new and of those known before."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import core
from core.remembered import forget

from .default_settings import SOLVER
from .report import Table, at_most
from .scenes import sheet, sphere, square_corners
from .setting import Setting
from .timing import interleaved, median

SIDES = (32, 64, 128)
DIVISIONS = 6  # of the ball: 32,768 triangles
KEYED = {"friction": 0.5, "bend_compliance": 1e4, "density": 0.2}
"""What is keyed, and from where on."""

BAR = 0.6
"""What a changed number may take, over what a new mesh takes."""


def measure(setting: Setting) -> list[Table]:
    """Lay out a sheet over a ball, in turn: both new, with another stiffness, with other pins; and
    go on with another friction, stiffness and mass, as where they are keyed.
    """
    core.warm_up.warm_up(**SOLVER)
    table = Table(
        "Laying out a sheet and a ball of triangles",
        (
            "vertices",
            "triangles of the ball",
            "new ms",
            "other stiffness ms",
            "other pins ms",
            *(f"going on with other {name} ms" for name in KEYED),
        ),
    )
    ball = sphere(DIVISIONS)
    for side in SIDES:
        samples = _samples(side, ball)
        interleaved(samples, 1)
        taken = {name: median(of) for name, of in interleaved(samples, setting.rounds).items()}
        table.rows.append((side * side, len(ball[1]), *taken.values()))
        if side == SIDES[-1]:
            share = taken["stiffness"] / taken["new"]
            table.bars = [at_most("other stiffness over new, time", share, BAR)]
    table.remarks = [
        f"Processor milliseconds, medians of {setting.rounds} rounds, kernels loaded before."
    ]
    return [table]


def _samples(side: int, ball: tuple[Any, Any]) -> dict[str, Callable[[], float]]:
    numbers = itertools.count(1)

    def new() -> None:
        forget()
        _lay_out(side, ball)

    def other_stiffness() -> None:
        _lay_out(side, ball, stretch_compliance=1e-4 * (1.0 + 1e-3 * next(numbers)))

    def other_pins() -> None:
        _lay_out(side, ball, pins=[next(numbers) % side])

    simulations = {name: core.Simulation(_model(side, ball), core.XPBD(**SOLVER)) for name in KEYED}

    def go_on(name: str) -> None:
        value = KEYED[name] * (1.0 + 1e-3 * next(numbers))
        simulations[name].go_on_with(_model(side, ball, **{name: value}))

    named: dict[str, Callable[[], None]]
    named = {"new": new, "stiffness": other_stiffness, "pins": other_pins}
    named |= {f"keyed {name}": partial(go_on, name) for name in KEYED}
    return {name: partial(_timed, action) for name, action in named.items()}


def _timed(action: Callable[[], object]) -> float:
    """Processor milliseconds."""
    start = time.process_time()
    action()
    return 1e3 * (time.process_time() - start)


def _lay_out(side: int, ball: tuple[Any, Any], **material: Any) -> None:
    core.Simulation(_model(side, ball, **material), core.XPBD(**SOLVER))


def _model(side: int, ball: tuple[Any, Any], **material: Any) -> core.Model:
    positions, quads = sheet(side, "quads")
    model = core.Model()
    model.add_cloth(positions, quads, **{"pins": square_corners(side)} | material)
    model.add_collider(*ball)
    return model
