# SPDX-License-Identifier: GPL-3.0-or-later
"""Further sweeps around pinned vertices: which constraints, and that they solve the same thing."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.layout.layout import Layout
from core.layout.program import WORK_PER_THREAD
from core.solvers.xpbd.near_pins import (
    LEAST_RINGS,
    MOST_WORK,
    SHARE,
    NearPins,
    near_pins,
    nothing_near,
)

pytestmark = pytest.mark.long

STEP = 0.01
CELLS, SIDE = 48, 49
POINTS = (0, CELLS)
LONG = 400
"""Links of a chain of which 5% are swept more often."""


def sheet(
    pins: Any = POINTS, dtype: Any = np.float64, turn: np.ndarray | None = None
) -> core.Model:
    """A square of 1 m, held at two corners."""
    positions, faces = naive.quad_grid(CELLS, CELLS, 1.0, 1.0)
    model = core.Model(dtype)
    turned = positions if turn is None else positions @ turn.T
    warp = (1.0, 0.0, 0.0) if turn is None else tuple(turn[:, 0])
    # Stiff bending is swept in every substep, so that counts are those given.
    model.add_cloth(turned, faces, pins=pins, warp=warp, bend_compliance=10.0)
    return model


def chain(links: int) -> core.Model:
    """It hangs from its first particle."""
    model = core.Model(np.float64)
    depth = np.zeros((links + 1, 3))
    depth[:, 2] = -0.1 * np.arange(links + 1)
    model.add_particles(depth, [np.inf] + [0.1] * links)
    pairs = np.stack([np.arange(links), np.arange(1, links + 1)], axis=1)
    model.add_constraints("distance", pairs, compliance=1e-5)
    return model


def near(model: core.Model) -> tuple[NearPins, list[set[tuple[int, int]]]]:
    """The further sweeps, and group and number of the constraints of each region."""
    layout = Layout(model.groups, model.particle_count, model.dtype)
    found = near_pins(model, model.groups, layout.slots).near
    owner = {
        int(place): (g, i)
        for g, slots in enumerate(layout.slots)
        for i, places in enumerate(slots)
        for place in places
    }
    regions = np.split(found.there, found.ends[:-1]) if len(found.ends) else []
    return found, [{owner[int(place)] for place in region} for region in regions]


@pytest.mark.jit_off
def test_regions_around_the_pin_get_narrower_and_are_swept_more_often() -> None:
    found, regions = near(chain(LONG))
    assert regions == [{(0, link) for link in range(width)} for width in (20, 10, 5, 2)]
    assert found.sweeps.tolist() == [1, 2, 4, 8]
    wider, _ = near(chain(2 * LONG))
    assert np.diff(wider.ends, prepend=0).tolist() == [40, 20, 10, 5, 2]
    assert wider.sweeps.tolist() == [1, 2, 4, 8, 8]


@pytest.mark.jit_off
def test_what_only_bends_or_only_joins_pins_is_left_out() -> None:
    model = sheet(pins=[0, 1, SIDE, SIDE + 1])
    _, regions = near(model)
    assert {model.groups[g].constraint.kind for region in regions for g, _ in region} == {
        "distance"
    }
    pinned = {0, 1, SIDE, SIDE + 1}
    chosen = regions[0]
    corners = [set(model.groups[group].indices[i].tolist()) for group, i in chosen]
    assert all(pair - pinned for pair in corners)
    assert {1, 2} in corners
    reach = max(max(vertex % SIDE, vertex // SIDE) for pair in corners for vertex in pair)
    assert 1 + LEAST_RINGS < reach < CELLS / 2


@pytest.mark.jit_off
def test_chains_through_the_middle_are_swept_whole() -> None:
    model = sheet()
    found, regions = near(model)
    assert found.sweeps[-1] == 1
    middle = regions[0] if len(regions) == 2 else regions[2]
    for g, group in enumerate(model.groups):
        if group.chains is None:
            continue
        for chain_links in np.split(group.chains.links, group.chains.starts[1:-1]):
            whole = {(g, int(link)) for link in chain_links}
            assert whole <= regions[-1] or not whole & regions[-1]
            assert bool(whole & middle) == bool(whole & regions[-1])


@pytest.mark.jit_off
def test_a_region_takes_a_fifth_of_the_work_at_most() -> None:
    for links in (LONG, 100, 40, 30, 20, 15):
        found, _ = near(chain(links))
        work = found.sweeps * np.diff(found.ends, prepend=0)
        assert len(work) > 0
        assert (work <= MOST_WORK * links).all()
    assert len(near(chain(9))[0].sweeps) == 0
    model = sheet()
    every = sum(len(group.indices) for group in model.groups)
    sizes = np.diff(near(model)[0].ends, prepend=0)
    assert len(sizes) >= 3
    assert 0.5 * SHARE * every < sizes[0] <= SHARE * every


@pytest.mark.jit_off
def test_nothing_is_near_where_nothing_is_pinned() -> None:
    found, regions = near(sheet(pins=[]))
    assert len(found.sweeps) == 0
    assert regions == []
    model = chain(10)
    assert len(nothing_near(model).near.sweeps) == 0


@pytest.mark.jit_off
def test_they_are_off_unless_asked_for() -> None:
    for solver in (core.XPBD(), core.XPBD(largest_stretch=0.03)):
        assert len(solver.prepare(chain(LONG)).programs.near.sweeps) == 0
    assert len(core.XPBD(near_pins=True).prepare(chain(LONG)).programs.near.sweeps) > 0


def solved(model: core.Model, iterations: int, often: bool) -> core.Simulation:
    """Ten steps of so many iterations each."""
    solver = core.XPBD(substeps=1, iterations=iterations, near_pins=often)
    simulation = core.Simulation(model, solver)
    for _ in range(10):
        simulation.advance(STEP)
    return simulation


def test_many_iterations_find_the_same_with_them_and_without() -> None:
    """Along a line, where gradients don't turn, there is one solution."""
    alone, helped = (solved(chain(70), 4000, often) for often in (False, True))
    assert len(helped.prepared.programs.near.sweeps) > 0
    np.testing.assert_allclose(helped.positions, alone.positions, atol=1e-10)
    forces = alone.forces("distance")
    assert forces.max() > 1.0
    np.testing.assert_allclose(helped.forces("distance"), forces, atol=1e-6 * forces.max())


def test_with_few_iterations_they_hold_pins_better() -> None:
    """The edges at the pins, to which all the sheet hangs."""
    longest = []
    for often in (False, True):
        simulation = core.Simulation(sheet(), core.XPBD(substeps=20, near_pins=often))
        for _ in range(12):
            simulation.advance(1 / 24)
        (cloth,) = simulation.model.cloths
        strain = core.edge_strain(simulation.positions, cloth.edges, cloth.rest_lengths)
        longest.append(strain[np.isin(cloth.edges, POINTS).any(axis=1)].max())
    assert longest[1] < 0.5 * longest[0]


def test_elsewhere_nothing_changes_and_pins_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far from the pins, on no chain through the middle of a region."""
    ends = []
    for often in (False, True):
        solver = core.XPBD(substeps=1, near_pins=often)
        simulation = core.Simulation(sheet(), solver)
        simulation.advance(0.002)
        ends.append(simulation.positions.copy())
    _, regions = near(sheet())
    groups = sheet().groups
    touched = [groups[g].indices[i] for region in regions for g, i in region]
    moved = np.flatnonzero((ends[0] != ends[1]).any(axis=1))
    assert 0 < len(moved) < 0.5 * SIDE**2
    assert set(moved.tolist()) <= set(np.concatenate(touched).tolist())
    np.testing.assert_array_equal(ends[1][list(POINTS)], sheet().positions[list(POINTS)])


def test_inner_forces_keep_momentum() -> None:
    """What they change is paid by the pins: the multipliers are those of the impulses.

    M (x - x̃) = Σ ∇Cᵀ λ (equation 17), where gradients have not turned: on a flat sheet.
    """
    model = sheet()
    solver = core.XPBD(substeps=1, near_pins=True)
    simulation = core.Simulation(model, solver, gravity=(0.3, 9.81, 0.0))
    simulation.advance(0.001)
    masses = np.where(np.isinf(model.masses), 0.0, model.masses)[:, None]
    inertial = model.positions + 0.001**2 * np.array([0.3, 9.81, 0.0])
    pushed = masses * (simulation.positions - inertial)
    impulses = np.zeros_like(pushed)
    program = simulation.prepared.program
    for group, slots in zip(model.groups, simulation.prepared.slots, strict=True):
        if group.constraint.kind != "distance":
            continue
        points = model.positions[group.indices]
        along = (points[:, 1] - points[:, 0]) / np.linalg.norm(points[:, 1] - points[:, 0], axis=1)[
            :, None
        ]
        force = program.multipliers[slots] * along
        np.add.at(impulses, group.indices[:, 0], -force)
        np.add.at(impulses, group.indices[:, 1], force)
    free = masses[:, 0] > 0.0
    scale = np.abs(impulses).max()
    assert scale > 0.0
    np.testing.assert_allclose(pushed[free], impulses[free], atol=1e-3 * scale)


def test_turning_everything_turns_the_result() -> None:
    axes = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn = axes * np.sign(np.linalg.det(axes))
    ends = []
    for rotation in (np.eye(3), turn):
        solver = core.XPBD(substeps=60, iterations=4, near_pins=True)
        gravity = tuple(rotation @ (0.0, 0.0, -9.81))
        simulation = core.Simulation(sheet(turn=rotation), solver, gravity=gravity)
        for _ in range(3):
            simulation.advance(1 / 24)
        ends.append(simulation.positions @ rotation)
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


@pytest.mark.parametrize("cells", [CELLS, 150])
def test_the_result_does_not_depend_on_threads(cells: int) -> None:
    """Whether the first thread sweeps a region alone, or, on the finer sheet, all do."""
    positions, faces = naive.quad_grid(cells, cells, 1.0, 1.0)
    results = set()
    for threads in (1, 2, 3):
        model = core.Model(np.float32)
        model.add_cloth(positions, faces, pins=(0, cells))
        solver = core.XPBD(substeps=60, iterations=2, near_pins=True, threads=threads)
        simulation = core.Simulation(model, solver)
        for _ in range(4):
            simulation.advance(1 / 24)
        results.add(simulation.positions.tobytes())
        near = simulation.prepared.programs.near
        widest = near.program.batches[near.batches[: near.batch_ends[0]]]
        shared = 2 * WORK_PER_THREAD <= (widest.blocks * widest.lanes).mean()
        assert shared == (cells > CELLS)
    assert len(results) == 1
