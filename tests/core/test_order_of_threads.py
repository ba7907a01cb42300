# SPDX-License-Identifier: GPL-3.0-or-later
"""The same bytes for any number of threads, whichever of them is first from meeting to meeting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import naive
import numpy as np
import pytest
from resumed_scenes import AUTOMATIC, SCENES, TAMED, Scene, sheet
from taking_turns import Order, ascending, descending, take_turns

import core

pytestmark = pytest.mark.long

Shown = list[bytes]


def stiff(_frame: int) -> core.Model:
    """A patch so small and stiff that its bending is solved as a whole, more than once."""
    points, quads = naive.quad_grid(6, 6, 0.006, 0.006)
    model = core.Model()
    model.add_cloth(points, quads, pins=[0, 6], bend_compliance=10.0, thickness=1e-4)
    return model


def coincident(_frame: int) -> core.Model:
    """Sheets in the same place: thousands of pairs, for which there is no memory at first."""
    model = core.Model()
    sheet(model, 1.0, 6, pins=[0, 1, 2, 3, 4, 5, 6], **TAMED)
    sheet(model, 1.0, 6, **TAMED)
    return model


def crossing(_frame: int) -> core.Model:
    """Sheets that all go through each other."""
    model = core.Model()
    for angle in (0.0, 0.1, 0.2, 0.3):
        points, quads = naive.quad_grid(8, 8, 1.0, 1.0)
        turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [0.0, 0, 1]])
        model.add_cloth((points - 0.5 * points.max(axis=0)) @ turn, quads, thickness=0.01, **TAMED)
    return model


def settled(make: Callable[[int], core.Model], **options: Any) -> Scene:
    return Scene(make, lambda: core.XPBD(**AUTOMATIC | options))


OWN = {
    "stiff": settled(stiff),
    "coincident": settled(coincident),
    "crossing": settled(crossing),
}


def shown(scene: Scene, threads: int, frames: int = 3) -> Shown:
    """All that there is after some frames, each in a few substeps of several iterations."""
    simulation = scene.simulation()
    solver: Any = simulation.solver
    solver.threads, solver.substeps = threads, min(solver.substeps, 4)
    solver.iterations, solver.largest_stretch = max(solver.iterations, 3), 0.0
    for frame in range(1, frames + 1):
        scene.advance(simulation, frame)
    state = simulation.state
    arrays = simulation.positions, simulation.velocities, state.accelerations
    forces = [simulation.forces(group) for group in simulation.model.groups]
    touched = state.contact.touched(), state.contact.squeezed
    return [array.tobytes() for array in (*arrays, *forces, *touched)]


@pytest.mark.parametrize("order", [ascending, descending])
@pytest.mark.parametrize("name", [*SCENES, *OWN])
def test_whichever_thread_is_first_the_bytes_are_the_same(
    name: str, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = {**SCENES, **OWN}[name]
    alone = shown(scene, 1)
    take_turns(monkeypatch, order)
    assert shown(scene, 3) == alone
