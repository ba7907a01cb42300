# SPDX-License-Identifier: GPL-3.0-or-later
"""Any number of constraints and chains may meet at a particle, with every solver.

Where two of a batch share a particle, one undoes what the other has done to it: momentum is lost,
and how much depends on what threads do when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import naive
import numpy as np
import pytest

import core
from core.layout.program import Program

pytestmark = pytest.mark.long

Fill = Callable[..., None]

each_number = pytest.mark.parametrize("spokes", [64, 65, 127, 128, 129, 200, 400, 1000])
some_numbers = pytest.mark.parametrize("spokes", [64, 65, 129, 400])


def rings(spokes: int, count: int) -> np.ndarray:
    """A hub and rings of vertices around it in a plane, the first one inside."""
    angle = np.linspace(0.0, 2.0 * np.pi, spokes, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    return np.concatenate([np.zeros((1, 3)), *(k * ring for k in range(1, count + 1))])


def random_velocities(count: int) -> np.ndarray:
    return 0.1 * np.random.default_rng(0).normal(size=(count, 3))


def fan(model: core.Model, spokes: int, **options: Any) -> None:
    """Cloth: triangles around a hub."""
    outer = np.arange(1, spokes + 1)
    triangles = np.stack([0 * outer, outer, np.roll(outer, -1)], axis=1)
    options = {"velocities": random_velocities(spokes + 1), **options}
    model.add_cloth(rings(spokes, 1), triangles, **options)


def star_edges(spokes: int) -> np.ndarray:
    """Three edges a ray, from the hub through ring after ring."""
    first = np.arange(1, spokes + 1)
    stations = [0 * first, first, first + spokes, first + 2 * spokes]
    return np.concatenate([np.stack(ends, axis=1) for ends in pairwise(stations)])


def star(model: core.Model, spokes: int, **options: Any) -> None:
    """Strands that meet at a hub and go on through it."""
    options = {"velocities": random_velocities(3 * spokes + 1), **options}
    model.add_strands(rings(spokes, 3), star_edges(spokes), **options)


each_body = pytest.mark.parametrize("fill", [fan, star])


# --- layout ---------------------------------------------------------------------------------------


def items(program: Program, particle_count: int) -> Iterator[list[np.ndarray]]:
    """Of each batch the particles of what runs at the same time: a constraint or chain each."""
    stride = 4 * program.parameters.itemsize
    for row in program.batches:
        shape = (row.blocks, row.vertices, row.lanes)
        offsets = program.offsets[row.offsets :][: np.prod(shape)]
        particles = offsets.reshape(shape).astype(np.int64) // stride
        runs = program.runs[row.first_run :][: row.runs]
        if len(runs) == 0:
            runs = np.stack([np.arange(row.blocks), np.arange(row.blocks) + 1], axis=1)
        lanes = [particles[a:b, :, lane] for a, b in runs for lane in range(row.lanes)]
        yield [np.unique(each[each < particle_count]) for each in lanes]


def beside_much_more(model: core.Model, spokes: int) -> None:
    """A loose sheet of so many constraints that sweeping all of a hub's again costs little."""
    side = int(2.0 * np.sqrt(spokes)) + 1
    model.add_cloth(*naive.quad_grid(side, side, 1.0, 1.0))


@each_number
@each_body
def test_nothing_in_a_batch_shares_a_particle(fill: Fill, spokes: int) -> None:
    """Neither in sweeps over everything nor in those near pins."""
    model = core.Model()
    fill(model, spokes, pins=[1, 2, spokes // 2, spokes])
    beside_much_more(model, spokes)
    prepared = core.XPBD(near_pins=True).prepare(model)
    assert len(prepared.programs.near.program.batches) >= spokes // 2
    for program in (prepared.program, prepared.programs.near.program):
        for batch in items(program, model.particle_count):
            together = np.concatenate(batch)
            assert len(np.unique(together)) == len(together)


# --- solvers --------------------------------------------------------------------------------------

SOLVERS: dict[str, dict[str, Any]] = {
    "XPBD": {},
    "XPBD, automatic": {"substeps": 20, "largest_stretch": 0.03},
    "XPBD, Jacobi": {"method": "jacobi"},
    "PBD": {"velocity_damping": 0.1},
    "ProjectiveDynamics": {},
    "ProjectiveDynamics, Jacobi": {"method": "jacobi"},
}


def simulated(
    fill: Fill, spokes: int, solver: str, dtype: type, threads: int, **options: Any
) -> core.Simulation:
    model = core.Model(dtype)
    fill(model, spokes, **options)
    method = getattr(core, solver.partition(",")[0])
    simulation = core.Simulation(model, method(**SOLVERS[solver], threads=threads), (0, 0, 0))
    for _ in range(3):
        simulation.advance(1 / 24)
    return simulation


@some_numbers
@each_body
@pytest.mark.parametrize(
    "solver", [name for name in SOLVERS if name != "ProjectiveDynamics, Jacobi"]
)
def test_momentum_is_kept(fill: Fill, solver: str, spokes: int) -> None:
    """Projective dynamics by Jacobi iterations keeps it only where they have converged."""
    simulation = simulated(fill, spokes, solver, np.float64, threads=2)
    masses = simulation.model.masses[:, None]
    before, after = masses * simulation.model.state().velocities, masses * simulation.velocities
    change = np.linalg.norm((after - before).sum(axis=0))
    assert change < 1e-8 * np.linalg.norm(before)


@some_numbers
@each_body
@pytest.mark.parametrize("solver", SOLVERS)
def test_two_threads_give_the_bytes_of_one(fill: Fill, solver: str, spokes: int) -> None:
    one, two = (simulated(fill, spokes, solver, np.float32, threads) for threads in (1, 2))
    assert np.isfinite(one.positions).all()
    assert one.positions.tobytes() == two.positions.tobytes()
    assert one.velocities.tobytes() == two.velocities.tobytes()


@some_numbers
@pytest.mark.parametrize("method", ["direct", "jacobi"])
def test_projective_dynamics_takes_chains_as_it_takes_one_link_after_the_other(
    method: Any, spokes: int
) -> None:
    """It adds up forces: their order is worth rounding, no more."""
    ends = []
    for order in ("chains", "colors", "given"):
        model = core.Model(np.float64)
        model.add_particles(rings(spokes, 3), 1.0, random_velocities(3 * spokes + 1))
        model.add_constraints("distance", star_edges(spokes), compliance=1e-4, order=order)
        solver = core.ProjectiveDynamics(method=method, threads=2 if method == "jacobi" else None)
        simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
        simulation.advance(1 / 24)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[2], atol=1e-9)
    np.testing.assert_allclose(ends[1], ends[2], atol=1e-9)


@some_numbers
def test_constrained_dynamics_takes_chains_as_it_takes_links(spokes: int) -> None:
    """Chains run through half of their links from end to start, which is no matter to it."""
    ends = []
    for order in ("chains", "given"):
        model = core.Model(np.float64)
        model.add_particles(rings(spokes, 1), 1.0, random_velocities(spokes + 1))
        outer = np.arange(1, spokes + 1)
        links = np.stack([0 * outer, outer], axis=1)
        model.add_constraints("distance", links, order=order)
        simulation = core.Simulation(model, core.ConstrainedDynamics(threads=2), (0, 0, 0))
        before = simulation.velocities.sum(axis=0)
        simulation.advance(1 / 24)
        np.testing.assert_allclose(simulation.velocities.sum(axis=0), before, atol=1e-9)
        ends.append(simulation.positions.copy())
    lengths = np.linalg.norm(ends[0][1:] - ends[0][0], axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
