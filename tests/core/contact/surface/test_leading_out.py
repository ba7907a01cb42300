# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that colliders have gone through comes off them, where they leave it room."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from contact_presses import Press
from contact_scenes import box
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

import core

pytestmark = pytest.mark.long

FRAME = 1 / 24
HALF = 0.3

MOST = 15
"""Frames within which what is hooked must have come off."""


def test_cloth_that_hangs_on_a_corner_comes_off_it_whatever_its_friction() -> None:
    """One vertex is hooked over the corner, what is around it is below the box.

    Stretched cloth snaps back, and where it then is differs by how a processor rounds: so many are
    looked at.
    """
    frames = [
        frames_on_a_corner(stretch, substeps)
        for stretch in (1.0, 1.1, 1.2, 1.3)
        for substeps in (30, 40, 50)
    ]
    assert max(frames) < MOST
    assert np.mean(np.less_equal(frames, 1)) >= 0.75


def frames_on_a_corner(stretch: float, substeps: int) -> int:
    """After how many frames cloth has come off the corner of a box."""
    model = core.Model()
    points, faces = naive.quad_grid(17, 17, 0.4, 0.4)
    points = np.subtract(points, (0.2, 0.2, 0.0))
    sheet = model.add_cloth(points, faces, friction=1.0)
    corners, triangles = box((0.0, -HALF, 0.0), (HALF, 0.0, HALF))
    model.add_collider(corners, triangles, friction=1.0)
    simulation = core.Simulation(model, core.XPBD(substeps=substeps))
    start = stretch * points - (0.0, 0.0, 0.004)
    start[np.argmin(np.abs(points).sum(axis=1))] = -0.0009, 0.0002, 0.0065
    simulation.positions[:] = start
    assert crossings(simulation, sheet, corners, triangles) > 0
    for frame in range(1, MOST):
        simulation.advance(FRAME)
        if crossings(simulation, sheet, corners, triangles) == 0:
            return frame
    return MOST


def crossings(
    simulation: core.Simulation,
    sheet: Any,
    corners: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> int:
    """Pairs of faces of a sheet and a box that intersect, counted exactly."""
    return len(crossing_pairs(simulation.positions, sheet.triangles, (corners, triangles)))


@pytest.mark.parametrize("substeps", [40, 50, 70])
def test_boxes_that_close_on_cloth_do_not_tear_it_and_let_it_go(substeps: int) -> None:
    """While there is room, thickness gives way. Shut, they push what is at their sides away from
    what they hold, by a thickness that is half of a cell.
    """
    press = Press(4, substeps, 0.02)
    press.close(0.1, 4)
    assert max(press.close(0.0, 6)) < 0.2
    assert crossings_in(press) > 0
    assert max(press.close(0.0, 8)) < 0.5
    press.close(0.2, 24)
    assert crossings_in(press) == 0


def crossings_in(press: Press) -> int:
    """The same of a sheet and both boxes of a press."""
    return sum(crossings(press.simulation, press.sheet, *box) for box in press.boxes())


@pytest.mark.parametrize(
    ("cells", "thickness", "pinned"),
    [(5, 0.002, False), (5, 0.004, True), (5, 0.002, True), (8, 0.002, True)],
)
def test_a_tip_that_is_through_a_single_face_does_not_hold_it(
    cells: int, thickness: float, pinned: bool
) -> None:
    """All vertices of the cloth are outside, and the tip is beyond the edges that go through it.

    What is beside it rubs on it, but not so that what leads it out is held.
    """
    model = core.Model()
    points, faces = naive.quad_grid(cells, cells, 0.4, 0.4)
    rim = [k for k, (x, y, _) in enumerate(points) if pinned and {x, y} & {0.0, 0.4}]
    start = np.subtract(points, (0.19, 0.21, 0.0))
    sheet = model.add_cloth(start, faces, thickness=thickness, pins=rim)
    rings = (0.04, -0.06), (0.02, -0.02), (0.012, -0.003), (0.008, 0.002), (0.003, 0.004)
    tip = cone(*rings)
    model.add_collider(*tip)
    simulation = core.Simulation(model, core.XPBD(substeps=40))
    assert crossings(simulation, sheet, *tip) > 0
    for _ in range(8):
        simulation.advance(FRAME)
    assert crossings(simulation, sheet, *tip) == 0


def cone(*rings: tuple[float, float]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A closed shape of revolution by radii and heights [m] of its rings, the lowest first."""
    around = 8
    angles = 2.0 * np.pi * np.arange(around) / around
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(around)], axis=1)
    points = [radius * circle + (0.0, 0.0, height) for radius, height in rings]
    ends = [(0.0, 0.0, rings[0][1]), (0.0, 0.0, rings[-1][1])]
    bottom, top = around * len(rings), around * len(rings) + 1
    faces = []
    for k in range(around):
        following = (k + 1) % around
        for ring in range(0, bottom - around, around):
            a, b = ring + k, ring + following
            faces += [(a, b, b + around), (a, b + around, a + around)]
        faces += [(bottom, following, k), (top, bottom - around + k, bottom - around + following)]
    return np.concatenate([*points, ends]), np.array(faces)


def test_what_hangs_on_pins_inside_a_body_is_not_led_away_from_them() -> None:
    """A skirt whose waistband lies 4 mm deep in the body keeps its lengths."""
    around, rows, size = 60, 12, 0.0105
    angles = 2.0 * np.pi * np.arange(around) / around
    radii = np.where(np.arange(rows) == 0, 0.096, 0.104)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = np.concatenate(
        [np.insert(r * circle, 2, -k * size, axis=1) for k, r in enumerate(radii)]
    )
    quads = np.arange(around * (rows - 1)).reshape(rows - 1, around)
    turned = np.roll(quads, -1, axis=1)
    faces = np.stack([quads, turned, turned + around, quads + around], axis=2).reshape(-1, 4)
    model = core.Model()
    skirt = model.add_cloth(points, faces, thickness=0.002, pins=list(range(around)))
    heights = np.linspace(-0.3, 0.1, 41)
    model.add_collider(*cone(*((0.1, height) for height in heights)), thickness=0.001)
    simulation = core.Simulation(model, core.XPBD(substeps=40))
    for _ in range(12):
        simulation.advance(FRAME)
    ways = np.subtract(*simulation.positions[skirt.edges.T])
    strain = np.linalg.norm(ways, axis=1) / skirt.rest_lengths - 1.0
    assert strain.max() < 0.3
