# SPDX-License-Identifier: GPL-3.0-or-later
"""What pins and colliders leave no room is named, as long as it has none."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
from contact_scenes import box
from numpy.typing import NDArray

import core
from core.contact.surface.pairs import FOUND, LEAST

FRAME = 1 / 24
HALF = 0.3
OPEN, SHUT = 0.1, -0.02
"""Between the boxes [m]."""


class Press:
    """A box that comes down on a lower one, with a sheet of 1 m between both."""

    def __init__(self, model: core.Model, place: NDArray[Any] | tuple[float, ...] = (0, 0, 0)):
        self.place = np.asarray(place, float)
        points, faces = naive.quad_grid(17, 17, 1.0, 1.0)
        self.sheet = model.add_cloth(np.add(points, (-0.5037, -0.5023, 0.01)) + self.place, faces)
        lower, triangles = box((-HALF, -HALF, -0.2), (HALF, HALF, 0.0))
        model.add_collider(lower + self.place, triangles)
        self.upper, _ = box((-HALF, -HALF, 0.0), (HALF, HALF, 0.2))
        self.collider = model.add_collider(
            np.add(self.upper, (0.0, 0.0, OPEN)) + self.place, triangles
        )

    def move(self, simulation: core.Simulation, gap: float, frames: int) -> list[int]:
        """How many vertices have no room after each frame, while the boxes close to this gap."""
        begin = self.collider.vertices
        end = np.add(self.upper, (0.0, 0.0, gap)) + self.place
        found = []
        for part in np.linspace(0.0, 1.0, frames + 1)[1:]:
            self.collider.set_target(begin + part * (end - begin))
            simulation.advance(FRAME)
            found.append(len(simulation.squeezed(self.sheet)))
        return found


def test_cloth_has_no_room_between_closed_boxes_and_gets_it_when_they_open() -> None:
    model = core.Model()
    press = Press(model)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    shut = press.move(simulation, SHUT, 12)
    assert shut[4] == 0
    assert shut[-1] > 0
    between = np.abs(simulation.positions[simulation.squeezed(press.sheet), :2]).max()
    assert between < HALF + 0.1
    assert press.move(simulation, 2.0 * OPEN, 36)[-1] == 0


def test_boxes_that_leave_room_squeeze_nothing() -> None:
    model = core.Model()
    press = Press(model)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    assert max(press.move(simulation, 0.03, 12)) == 0


def test_pins_that_leave_no_room_do_so_too() -> None:
    """A free sheet between two that are pinned and pass each other."""
    model = core.Model()
    points, faces = naive.quad_grid(9, 9, 0.5, 0.5)
    middle = model.add_cloth(np.add(points, (0.113, 0.107, 0.05)), faces)
    plates = [
        model.add_cloth(np.add(points, (0, 0, z)), faces, pins=range(100)) for z in (0.0, 0.1)
    ]
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    for frame in range(1, 9):
        for plate, way in zip(plates, (0.01, -0.01), strict=True):
            start = np.add(points, (0, 0, 0.0 if way > 0.0 else 0.1))
            simulation.set_targets(plate.particles, np.add(start, (0.0, 0.0, frame * way)))
        simulation.advance(FRAME)
    assert len(simulation.squeezed(middle)) > 0
    assert [len(simulation.squeezed(plate)) for plate in plates] == [0, 0]


def test_what_starts_inside_of_a_collider_has_room_to_come_out() -> None:
    model = core.Model()
    points, faces = naive.quad_grid(9, 9, 0.4, 0.4)
    sheet = model.add_cloth(np.add(points, (-0.2, -0.2, -0.01)), faces)
    model.add_collider(*box((-HALF, -HALF, -0.2), (HALF, HALF, 0.0)))
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(4):
        simulation.advance(FRAME)
        assert len(simulation.squeezed(sheet)) == 0


def test_an_object_that_comes_along_changes_nothing_of_it() -> None:
    """The island that the sheet is in becomes another one."""
    model = core.Model()
    press = Press(model)
    points, faces = naive.quad_grid(4, 4, 0.1, 0.1)
    far = model.add_cloth(np.add(points, (3.0, 0.0, 0.0)), faces)
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    islands = {len(list(simulation.islands))}
    press.move(simulation, SHUT, 12)
    for _ in range(4):
        beside = simulation.positions[press.sheet.particles, 0].max() + 0.005
        simulation.positions[far.particles] = np.add(points, (beside, 0.0, 0.02))
        simulation.advance(FRAME)
        islands.add(len(list(simulation.islands)))
        assert len(simulation.squeezed(press.sheet)) > 0
        assert len(simulation.squeezed(far)) == 0
    assert islands == {1, 2}


def test_two_sheets_at_the_same_place_have_room() -> None:
    """They cannot be told apart, but nothing that moves as prescribed is in their way."""
    model = core.Model()
    points, faces = naive.quad_grid(9, 9, 0.5, 0.5)
    sheets = [model.add_cloth(points, faces) for _ in range(2)]
    model.add_collider(*box((0.1, 0.1, -0.3), (0.4, 0.4, -0.1)))
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(10):
        simulation.advance(FRAME)
        assert [len(simulation.squeezed(sheet)) for sheet in sheets] == [0, 0]


def test_what_is_as_near_as_can_be_told_gets_no_nearer() -> None:
    """Halved in each substep, as farther apart, the distance would soon be none."""
    model = core.Model()
    points, faces = naive.quad_grid(5, 5, 0.4, 0.4)
    for z in (0.0, 2e-6):
        model.add_cloth(np.add(points, (0.1, 0.1, z)), faces)
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0.0, 0.0, 0.0))
    simulation.advance(1e-4)
    pairs = simulation.state.contact.surface.arrays.pairs
    found = int(pairs.counts[0, FOUND])
    start, least = pairs.normals[:found, 3], pairs.goals[:found, LEAST]
    near = start < 3e-6
    assert near.sum() > 10
    assert (least[near] / start[near]).min() > 0.6
