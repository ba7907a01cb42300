# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a skin lies side by side, and what is left out of its candidates for that."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from bench.jellies import Jelly
from core.contact.surface.candidates import LISTED
from core.contact.surface.data import LANES, NONE, ROW_SHIFT, STREAMS, WIDTH
from core.contact.surface.lists import list_anew
from core.contact.surface.memory import SurfaceArrays
from core.contact.surface.side_by_side import WIDE
from core.contact.surface.tangles import SEEKING
from core.native.threads import run_on_threads

pytestmark = pytest.mark.long

THICKNESS = 0.004  # m, where pieces of the skin are as large
CUBE = Jelly(size=(0.1, 0.1, 0.1), cells=(2, 2, 2), fine=(24, 24, 24))
PLATE = Jelly(size=(0.1, 0.1, 0.005), cells=(2, 2, 1), fine=(24, 24, 2))

Points = NDArray[np.float64]
Fours = set[tuple[int, ...]]


def simulated(jelly: Jelly) -> core.Simulation:
    model = core.Model()
    jelly.add(model, thickness=THICKNESS)
    return core.Simulation(model)


def put(simulation: core.Simulation, cage: Points) -> None:
    """Put the nodes of a cage somewhere, and what they carry with them."""
    (skin,) = simulation.model.skins
    simulation.positions[skin.cage] = cage
    carried = np.einsum("nk,nkd->nd", skin.weights, simulation.positions[skin.corners])
    simulation.positions[skin.particles] = carried


def arrays_of(simulation: core.Simulation) -> SurfaceArrays:
    return simulation.state.contact.surface.arrays


def listed(simulation: core.Simulation) -> Fours:
    """The vertices of all that is listed where everything stands now."""
    state, surface = simulation.state, simulation.state.contact.surface
    surface.begin_frame()
    arrays_of(simulation).tangles.state[SEEKING] = 1.0
    while True:
        arrays = surface.arrays
        arrays.motion.start[:] = state.rows[: len(arrays.motion.start)]
        run_on_threads(1, list_anew, arrays, state.rows, state.count)
        if arrays.candidates.listed[:, :, LISTED].max() <= surface.listed:
            return fours_of(arrays)
        surface.grow()


def fours_of(arrays: SurfaceArrays) -> Fours:
    """The vertices of all that is listed."""
    found: Fours = set()
    lanes, shift = (int(arrays.shape.numbers[k]) for k in (LANES, ROW_SHIFT))
    for stream in range(STREAMS):
        count = int(arrays.candidates.listed[0, stream, LISTED])
        blocks = arrays.candidates.offsets[0, stream, : 4 * lanes * -(-count // lanes)]
        fours = blocks.reshape(-1, 4, lanes).transpose(0, 2, 1).reshape(-1, 4) >> shift
        found.update((stream, *four) for four in fours[:count].tolist())
    return found


def look_at_everything(simulation: core.Simulation) -> None:
    arrays_of(simulation).sides.bits[:] = 0


def normals_of(arrays: SurfaceArrays) -> Points:
    """Of the faces of each leaf at rest, that of its first face where it is not full."""
    corners = arrays.shape.faces.corners.reshape(-1, WIDTH, 3)
    corners = np.where(corners == NONE, corners[:, :1], corners)
    a, b, c = arrays.shape.rest[corners, :3].astype(float).transpose(2, 0, 1, 3)
    normals = np.cross(b - a, c - a)
    return np.asarray(normals / np.linalg.norm(normals, axis=2, keepdims=True))


@pytest.mark.parametrize("jelly", [CUBE, PLATE])
def test_no_two_that_lie_side_by_side_look_away_from_each_other(jelly: Jelly) -> None:
    arrays = arrays_of(simulated(jelly))
    one = np.repeat(np.arange(len(arrays.shape.parts)), np.diff(arrays.sides.starts))
    normals, other = normals_of(arrays), arrays.sides.others
    assert len(other) > 5 * len(np.unique(one))
    least = np.einsum("kid,kjd->kij", normals[one], normals[other]).min()
    assert least > np.cos(2.0 * WIDE) - 1e-6
    # Around an edge they do.
    assert least < 0.1


def test_both_sides_of_a_thin_wall_are_listed() -> None:
    simulation = simulated(PLATE)
    few = listed(simulation)
    look_at_everything(simulation)
    left_out = np.array(sorted(listed(simulation) - few))
    heights = arrays_of(simulation).shape.rest[left_out[:, 1:], 2]
    through = heights.max(axis=1) - heights.min(axis=1) > 0.99 * PLATE.size[2]
    # At the rim both sides are next to each other, too.
    rim = arrays_of(simulation).shape.rest[left_out[:, 1:], :2]
    inside = ((rim > 0.011) & (rim < 0.089)).all(axis=(1, 2))
    assert inside.sum() > 1000
    assert not (through & inside).any()


@pytest.mark.parametrize("way", ["as it is", "turned", "sheared", "flattened by half"])
def test_a_fine_skin_hardly_lists_itself(way: str) -> None:
    simulation = simulated(CUBE)
    cage = simulation.model.positions[simulation.model.skins[0].cage]
    turned = np.array([(0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
    sheared = np.eye(3) + 0.7 * np.eye(3, k=1)
    maps = {"turned": turned, "sheared": sheared, "flattened by half": np.diag([1.2, 1.2, 0.5])}
    put(simulation, cage @ maps.get(way, np.eye(3)).T)
    few = listed(simulation)
    look_at_everything(simulation)
    every = listed(simulation)
    assert few < every
    assert len(few) < 0.4 * len(every)


@pytest.mark.parametrize("height", [0.1, -1.0])
def test_all_is_listed_where_a_cage_is_crushed(height: float) -> None:
    simulation = simulated(CUBE)
    cage = simulation.model.positions[simulation.model.skins[0].cage]
    put(simulation, cage * (1.0, 1.0, height))
    crushed = listed(simulation)
    look_at_everything(simulation)
    assert listed(simulation) == crushed


def test_a_crushed_cell_has_all_listed_around_it() -> None:
    """The cage of the upper half is turned inside out; what is far below is left out still."""
    simulation = simulated(CUBE)
    (skin,) = simulation.model.skins
    cage = simulation.model.positions[skin.cage].copy()
    middle = 0.5 * (cage[:, 2].min() + cage[:, 2].max())
    cage[:, 2] = middle - np.abs(cage[:, 2] - middle)
    put(simulation, cage)
    few = listed(simulation)
    look_at_everything(simulation)
    left_out = np.array(sorted(listed(simulation) - few))
    assert len(left_out) > 1000
    assert arrays_of(simulation).shape.rest[left_out[:, 1:], 2].min(axis=1).max() < middle


def test_all_is_listed_where_something_goes_through_it() -> None:
    """Also where there is no memory for it at first, and it is listed once more."""
    model = core.Model()
    skin = CUBE.add(model, thickness=THICKNESS)
    needle = np.array([(0.05, 0.05, -0.1), (0.052, 0.05, 0.2), (0.05, 0.052, 0.2)])
    model.add_cloth(needle, np.array([(0, 1, 2)]), thickness=THICKNESS)
    simulation = core.Simulation(model)
    found = listed(simulation)
    state, arrays = simulation.state, arrays_of(simulation)
    assert simulation.state.contact.surface.tangled().size > 0
    run_on_threads(1, list_anew, arrays, state.rows, state.count)
    assert fours_of(arrays) == found
    look_at_everything(simulation)
    left_out = np.array(sorted(listed(simulation) - found))
    tangled = np.isin(np.arange(len(arrays.shape.rest)), simulation.state.contact.surface.tangled())
    assert len(left_out) > 1000
    assert not tangled[left_out[:, 1:]].any()
    assert tangled[skin.particles].any()
