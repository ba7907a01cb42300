# SPDX-License-Identifier: GPL-3.0-or-later
"""Many small objects: each takes the work that it takes by itself, and does what it would do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import naive
import numpy as np

import core

FRAME = 1 / 24

LOOKED_AT = tuple(str(Path(core.__file__).parent / name) for name in ("islands", "bodies"))
LOOKED_AT += tuple(
    str(Path(core.__file__).parent / f"{name}.py")
    for name in ["earlier", "going_on", "model", "lasting", "readings", "simulation", "starting"]
)


def described(count: int, chosen: range | None = None) -> core.Model:
    """Napkins in rows, far from each other over a floor, every second one held at two corners."""
    positions, faces = naive.quad_grid(2, 2, 0.2, 0.2)
    model = core.Model()
    for number in chosen or range(count):
        at = np.array([0.75 * (number % 6), 1.25 * (number // 6), 0.05])
        model.add_cloth(positions + at, faces, pins=[0, 2] if number % 2 else None)
    floor, triangles = naive.irregular_triangles(2, 2, 20.0, 20.0)
    floor[:, 2] = 0.0
    model.add_collider(floor - (8.0, 8.0, 0.0), triangles)
    return model


def simulation_of(model: core.Model) -> core.Simulation:
    solver = core.XPBD(
        substeps=50, largest_stretch=0.03, implicit_bending=True, second_order=True, threads=1
    )
    return core.Simulation(model, solver)


def operations(work: Callable[[], Any]) -> int:
    """How many of Python's operations are done in what looks after bodies and islands."""
    count = 0

    def note(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(LOOKED_AT):
            return None
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def read_and_resumed(model: core.Model) -> None:
    """A frame, all that is told of it, and going on from it."""
    simulation = simulation_of(model)
    simulation.watch()
    simulation.advance(FRAME)
    bodies = model.bodies
    simulation.reports_of(*bodies)
    simulation.overstretches_of(*bodies)
    simulation.bend_errors_of(*bodies)
    simulation.reach_of(*bodies)
    simulation.surround(core.Surroundings(), *bodies)
    simulation.restore(simulation.checkpoint())
    simulation.go_on_with(described(len(bodies)))


def test_what_looks_after_them_does_as_much_for_each_however_many_there_are() -> None:
    read_and_resumed(described(2))  # what is done once only
    models = [described(count) for count in (6, 12, 24)]
    few, more, many = (operations(partial(read_and_resumed, model)) for model in models)
    assert many - more < 2.05 * (more - few)


def test_describing_one_more_takes_as_much_however_many_there_are() -> None:
    described(2)
    few, more, many = (operations(partial(described, count)) for count in (6, 12, 24))
    assert many - more < 2.05 * (more - few)


def test_each_of_many_does_what_it_does_alone() -> None:
    simulation = simulation_of(described(24))
    for _ in range(6):
        simulation.advance(FRAME)
    assert len(list(simulation.islands)) == 24
    for number in (0, 13, 23):
        alone = simulation_of(described(24, range(number, number + 1)))
        for _ in range(6):
            alone.advance(FRAME)
        own = simulation.model.cloths[number].particles
        assert simulation.positions[own].tobytes() == alone.positions.tobytes()
