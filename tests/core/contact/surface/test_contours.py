# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes through what, along which contour."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from contact_scenes import box
from numpy.typing import NDArray

import core
from bench import contact_run, contact_scenes
from bench.contact_judge import count_crossings
from bench.default_settings import SOLVER
from core.contact.surface.data import MOST_MET
from core.contact.surface.pairs import FOUND, GOAL, LEAST, NEVER_PROVED

pytestmark = pytest.mark.long


def loop(along: NDArray[np.float64], across: NDArray[np.float64]) -> NDArray[np.float64]:
    """A sheet whose every section is a loop, which crosses itself at t = -1 and t = 1."""
    t = -1.31 + 2.68 * along
    return np.stack([0.1 * (t**3 - t), across, 0.1 * t**2], axis=1)


def test_two_that_go_through_one_body_do_not_go_through_each_other() -> None:
    """One of them goes through itself where it goes through the body."""
    points, faces = naive.quad_grid(13, 5, 1.0, 0.3)
    points = np.asarray(points)
    model = core.Model()
    looped = model.add_cloth(points, faces)
    other = model.add_cloth(np.add(points, (-0.5, 0.0, 0.189)), faces)
    model.add_collider(*box((-1.0, 0.16, -1.0), (1.0, 1.0, 1.0)))
    simulation = core.Simulation(model, core.XPBD(substeps=1))
    simulation.positions[looped.particles] = loop(points[:, 0], points[:, 1])
    simulation.advance(1e-5)
    arrays = simulation.state.contact.surface.arrays
    shape = arrays.shape
    own, others = shape.bits[looped.particles[0]], shape.bits[other.particles[0]]
    assert np.any(arrays.tangles.tangled[looped.particles] & own)
    assert np.any(arrays.tangles.lost[looped.particles])
    assert not np.any(arrays.tangles.tangled[looped.particles] & others)


@pytest.mark.parametrize("seed", range(12))
def test_only_what_contours_cut_off_is_lost_beyond_their_neighbours(seed: int) -> None:
    """In a crumpled sheet there is a strip that no way leads around from what is lost."""
    points, faces = naive.quad_grid(16, 16, 0.4, 0.4)
    model = core.Model()
    cloth = model.add_cloth(points, faces)
    simulation = core.Simulation(model, core.XPBD(substeps=1))
    simulation.positions[:] += waves(np.asarray(points), seed)
    simulation.advance(1e-5)
    arrays = simulation.state.contact.surface.arrays
    shape = arrays.shape
    real = shape.edges.corners[:, 0] >= 0
    edges, cut = shape.edges.corners[real], arrays.tangles.cut[real] != 0
    part = np.arange(len(cloth.particles))
    for _ in part:
        for one, other in edges[~cut]:
            part[one] = part[other] = min(part[one], part[other])
    places = MOST_MET * shape.beside[real][cut, 0]  # there is one part only
    strip = np.array([root(arrays.contours.strips, place) for place in places])
    ends = part[edges[cut]]
    around = np.isin(strip, strip[ends[:, 0] == ends[:, 1]])
    beyond = np.setdiff1d(np.flatnonzero(arrays.tangles.lost[cloth.particles]), edges[cut])
    assert np.isin(part[beyond], ends[~around]).all()


def test_what_is_beside_a_contour_is_kept_but_not_pushed_apart() -> None:
    """Of two sheets that go through each other in their middle."""
    points, faces = naive.quad_grid(16, 16, 0.4, 0.4)
    flat = np.subtract(points, (0.2, 0.2, 0.0))
    upright = flat[:, [2, 0, 1]] + (0.013, 0.007, 0.0)
    model = core.Model()
    for positions in (flat, upright):
        model.add_cloth(positions, faces, thickness=0.004)
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0.0, 0.0, 0.0))
    simulation.advance(1e-5)
    arrays = simulation.state.contact.surface.arrays
    pairs = arrays.pairs
    kept = slice(0, pairs.counts[0, FOUND])
    tangled = (arrays.tangles.tangled[pairs.vertices[kept]] != 0).all(axis=1)
    tangled &= pairs.goals[kept, LEAST] != np.float32(NEVER_PROVED)  # those lead out
    assert np.count_nonzero(tangled) > 20
    pushed = pairs.goals[kept, GOAL] - pairs.normals[kept, 3]
    assert pushed[tangled].max() < 1e-6


@pytest.mark.parametrize("side", [24, 40])
def test_sheets_that_start_halfway_through_each_other_get_apart(side: int) -> None:
    """Each ends within the other: no half of either is cut off, and they stayed so for ever."""
    scene = contact_scenes.make("tangled_start", n=side, frames=48)
    simulation = contact_run.build(scene, core.XPBD(**SOLVER))
    left = []
    for frame in contact_run.watch(scene, contact_run.steps(scene, simulation)):
        left.append(count_crossings(scene, frame.positions, frame.number).between)
        assert frame.strain_99 < 0.06
        assert frame.speed < 4.0  # fallen by 0.8 m
    assert left[0] > 50
    assert left[-1] == 0


@pytest.mark.parametrize("seed", [1, 4])
def test_three_layers_that_start_through_each_other_get_apart(seed: int) -> None:
    """Where all three meet, contours of different pairs of them passed for one."""
    points, faces = naive.quad_grid(20, 20, 0.6, 0.6)
    model = core.Model()
    for layer in range(3):
        layered = np.add(points, (0.0, 0.0, 0.005 * layer))
        layered[:, 2] += hills(layered, 10 * seed + layer)
        model.add_cloth(layered, faces, thickness=0.001)
    simulation = core.Simulation(model, core.XPBD(**SOLVER), gravity=(0.0, 0.0, 0.0))
    simulation.advance(1 / 24)
    assert simulation.crossings > 400
    for _ in range(30):
        simulation.advance(1 / 24)
    assert simulation.crossings == 0


@pytest.mark.parametrize("pinned", [False, True])
def test_where_pins_hold_something_only_what_is_next_to_a_contour_is_lost(pinned: bool) -> None:
    """Of two sheets of which either ends within the other."""
    points, faces = naive.quad_grid(16, 16, 0.4, 0.4)
    upright = np.asarray(points)[:, [0, 2, 1]] + (0.213, 0.207, -0.15)
    model = core.Model()
    cloths = [
        model.add_cloth(points, faces, pins=[0] if pinned else None, thickness=0.001),
        model.add_cloth(upright, faces, thickness=0.001),
    ]
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0.0, 0.0, 0.0))
    simulation.advance(1e-5)
    arrays = simulation.state.contact.surface.arrays
    shape = arrays.shape
    real = shape.edges.corners[:, 0] >= 0
    beside = shape.edges.corners[real][arrays.tangles.cut[real] != 0]
    lost = np.concatenate(
        [cloth.particles[arrays.tangles.lost[cloth.particles] != 0] for cloth in cloths]
    )
    assert len(lost) > 0
    assert np.isin(lost, beside).all() == pinned


def root(parents: NDArray[np.int32], face: int) -> int:
    while parents[face] != face:
        face = int(parents[face])
    return face


def hills(points: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Heights [m] of 2 cm that are the sum of some plane waves."""
    random, found = np.random.default_rng(seed), np.zeros(len(points))
    for _ in range(4):
        found += 0.01 * plane_wave(points, 9.0, random)
    return found


def waves(points: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Displacements [m] that are the sum of some plane waves."""
    random = np.random.default_rng(seed)
    found = np.zeros_like(points)
    for _ in range(6):
        wave = plane_wave(points, 14.0, random)
        found += wave[:, None] * random.normal(size=3) * 0.05
    return found


def plane_wave(
    points: NDArray[np.float64], steepness: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """A wave in a random direction, of about so many radians a metre."""
    direction = steepness * random.normal(size=2)
    return np.asarray(np.sin(points[:, :2] @ direction + random.uniform(0.0, 2.0 * np.pi)))
