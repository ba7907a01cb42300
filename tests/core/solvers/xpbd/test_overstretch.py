# SPDX-License-Identifier: GPL-3.0-or-later
"""How much too long a step has left the material, against a plain computation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import naive
import numpy as np
import pytest

import core
from core.bodies.corotational import add_corotational
from core.mesh.tetrahedra import box_of_tetrahedra
from core.solvers.xpbd.quality import LEFT_OUT, NARROW, NEAR, gauge_of, measure

STEP = 0.01
GRAVITY = (1.0, 2.0, -9.81)


def springs(model: core.Model, damping: float) -> None:
    add_sheet(model, naive.quad_grid(5, 4, 1.0, 0.8), "springs", damping)


def triangles(model: core.Model, damping: float) -> None:
    add_sheet(model, naive.irregular_triangles(5, 4, 1.0, 0.8), "continuum", damping)


def add_sheet(model: core.Model, mesh: Any, membrane: Any, damping: float) -> None:
    model.add_cloth(
        *mesh, pins=[0, 5], membrane=membrane, stretch_damping=damping, shear_damping=damping
    )


def tetrahedra(model: core.Model, damping: float) -> None:
    corners = box_of_tetrahedra((3, 1, 1), (0.3, 0.1, 0.1))
    add_corotational(
        model,
        *corners,
        density=1000.0,
        young_modulus=2e4,
        poisson_ratio=0.0,
        damping=damping,
        pins=range(4),
    )


BODIES = {"distance": springs, "strain": triangles, "corotational": tetrahedra}


def moving(kind: str, damping: float) -> core.Simulation:
    """A body some steps after it was let go."""
    model = core.Model(np.float64)
    BODIES[kind](model, damping)
    simulation = core.Simulation(model, core.XPBD(substeps=3, iterations=2), gravity=GRAVITY)
    for _ in range(4):
        simulation.advance(3 * STEP)
    return simulation


def stretch_of(kind: str, values: np.ndarray, rest: np.ndarray) -> float:
    """The stretch that values of a constraint function mean."""
    if kind == "distance":
        return float(values[0] / rest[0])
    if kind == "strain":
        tensor = np.array([[values[0], values[2]], [values[2], values[1]]])
        return float(np.linalg.eigvalsh(tensor)[1])
    return float(values[0])


def stretches(simulation: core.Simulation) -> list[tuple[Any, np.ndarray]]:
    """Each group that knows of lengths, and the stretch of its constraints."""
    slots = simulation.prepared.slots
    return [
        (
            group,
            np.array(
                [too_long(simulation, group, i, places[i]) for i in range(len(group.indices))]
            ),
        )
        for group, places in zip(simulation.model.groups, slots, strict=True)
        if group.constraint.kind in BODIES and len(group.indices)
    ]


def too_long(simulation: core.Simulation, group: Any, i: int, places: np.ndarray) -> float:
    """C + α̃ λ + γ ∇C (x - xⁿ) of a constraint as a stretch."""
    kind, corners, rest = group.constraint.kind, group.indices[i], group.rest[i]
    function, h = naive.FUNCTIONS[kind], simulation.state.span
    x, before = simulation.positions[corners], simulation.state.previous[corners, :3]
    gradients = naive.differentiate(lambda points: function(points, rest), np.array(x))
    rates = np.einsum("mki,ki->m", gradients, x - before) / h
    forces = simulation.prepared.program.multipliers[places] / h**2
    elastic = naive.block_of(group.compliance[i]) @ forces
    return stretch_of(kind, function(x, rest) + elastic + group.damping[i] * rates, rest)


def overstretch(simulation: core.Simulation, step: float = STEP) -> float:
    """The largest of any group, nothing being held apart."""
    gauge = gauge_of(simulation.prepared.layout, simulation.model)
    found = measure(gauge, simulation.state, step, np.inf)
    return max((each.error for each in found), default=0.0)


def narrowness(group: Any) -> np.ndarray:
    """Width over a part of the mean, weighted by content, of those that share particles, those
    that share particles with them and so on."""
    content, width = group.constraint.sizes(group.rest)
    around = {
        particle: np.flatnonzero((group.indices == particle).any(axis=1))
        for particle in np.unique(group.indices)
    }
    mean = width
    for _ in range(NEAR):
        at = {
            particle: np.average(mean[which], weights=content[which])
            for particle, which in around.items()
        }
        mean = np.array([np.mean([at[particle] for particle in row]) for row in group.indices])
    return np.minimum(width / (NARROW * mean), 1.0)


@pytest.mark.jit_off
@pytest.mark.parametrize("damping", [0.0, 0.004])
@pytest.mark.parametrize("kind", BODIES)
def test_it_is_the_largest_of_any_group(kind: str, damping: float) -> None:
    """Groups of up to a thousand constraints: all but the very largest of each."""
    simulation = moving(kind, damping)
    expected = 0.0
    for group, values in stretches(simulation):
        pinned = np.isinf(simulation.model.masses)[group.indices].sum(axis=1)
        expected = max(expected, np.sort((values * narrowness(group))[pinned < 2])[-2])
    assert expected > 1e-4
    # The reference differentiates numerically.
    assert overstretch(simulation) == pytest.approx(expected, rel=1e-5)


def separate_springs(count: int) -> core.Simulation:
    """Springs of 0.25 m that share nothing, one after the other, each held at one end."""
    model = core.Model(np.float64)
    along = np.zeros((2 * count, 3))
    along[:, 0] = np.arange(2 * count)
    model.add_particles(along, np.where(np.arange(2 * count) % 2, 1.0, np.inf))
    pairs = 2 * np.arange(count)[:, None] + [0, 1]
    model.add_constraints("distance", pairs, rest=0.25)
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0, 0, 0))
    simulation.advance(STEP)
    return simulation


def test_a_thousandth_of_a_large_group_is_left_out() -> None:
    """So few springs may be too long, as those at a point load are; one more may not."""
    simulation = separate_springs(4000)
    assert overstretch(simulation) == pytest.approx(0.0, abs=1e-12)
    few = int(LEFT_OUT * 4000)
    simulation.positions[1 : 2 * few : 2, 0] += 0.25
    assert overstretch(simulation) == pytest.approx(0.0, abs=1e-12)
    simulation.positions[1 : 2 * few + 2 : 2, 0] = (
        simulation.positions[0 : 2 * few + 2 : 2, 0] + 0.5
    )
    assert overstretch(simulation) == pytest.approx(1.0)


def test_the_fifth_largest_of_four_thousand_counts() -> None:
    """README: only a thousandth of the cloth may get longer than *Max Stretch*."""
    simulation = separate_springs(4000)
    too_long = np.random.default_rng(0).permutation(4000) / 4000
    simulation.positions[1::2, 0] = simulation.positions[::2, 0] + 0.25 * (1.0 + too_long)
    assert overstretch(simulation) == pytest.approx(3995 / 4000, rel=1e-10)


@pytest.mark.jit_off
def test_a_converged_spring_is_as_long_as_its_stiffness_allows() -> None:
    """It is stretched a lot, by its compliance, and by nothing else."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1)], [np.inf, 2.0])
    model.add_constraints("distance", [(0, 1)], compliance=0.01)
    simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=5))
    longest = 0.0
    for _ in range(20):
        simulation.advance(STEP)
        longest = max(longest, -1.0 - simulation.positions[1, 2])
        assert overstretch(simulation) < 1e-13
    assert longest > 0.1


@pytest.mark.jit_off
def test_what_is_compressed_or_knows_no_lengths_is_not_too_long() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], 1.0)
    assert overstretch(core.Simulation(model)) == 0.0
    model.add_constraints("bending", [(0, 1, 2, 3)], rest=0.3)
    model.add_constraints("distance", [(0, 1)], rest=2.0, compliance=1e3)
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0, 0, 0))
    assert overstretch(simulation) == 0.0  # nothing has been solved yet
    simulation.advance(STEP)
    assert overstretch(simulation) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.jit_off
def test_measuring_changes_nothing() -> None:
    simulation = moving("strain", 0.004)
    program = simulation.prepared.program
    before = (simulation.positions.tobytes(), program.multipliers.tobytes())
    overstretch(simulation)
    assert (simulation.positions.tobytes(), program.multipliers.tobytes()) == before


@pytest.mark.parametrize("membrane", ["springs", "continuum"])
def test_it_falls_about_with_the_square_of_the_substeps(membrane: str) -> None:
    positions, faces = naive.quad_grid(24, 24, 1.0, 1.0)
    found = []
    for substeps in (20, 40, 80):
        model = core.Model(np.float64)
        options: dict[str, Any] = {"membrane": membrane, "drag": 4.0}
        model.add_cloth(positions, faces, pins=[0, 24], **options)
        simulation = core.Simulation(model, core.XPBD(substeps=substeps))
        for _ in range(24):
            simulation.advance(1 / 24)
        found.append(overstretch(simulation))
    for coarse, fine in pairwise(found):
        assert 2.3 < coarse / fine < 5.0
