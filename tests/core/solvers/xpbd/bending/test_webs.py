# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends that are more than a row: loops, twigs, nets and hubs, and what is no proper strand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.linear.minimum_degree import minimum_degree
from core.materials.strands import STRAND_MATERIALS
from core.solvers.xpbd.bending.rows_of_bends import find_rows
from core.solvers.xpbd.bending.webs import webs_in

pytestmark = pytest.mark.long

ROPE, WIRE = STRAND_MATERIALS["hemp rope"], STRAND_MATERIALS["steel wire"]


def simulated(positions: Any, edges: Any, seconds: float, **options: Any) -> core.Simulation:
    model = core.Model()
    settings = {
        "density": ROPE.density,
        "stretch_compliance": ROPE.stretch_compliance,
        "bend_compliance": ROPE.bend_compliance,
        "drag": 4.0,
        **options,
    }
    model.add_strands(positions, edges, **settings)
    solver = core.XPBD(substeps=400, iterations=8, largest_stretch=0.03, implicit_bending=True)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -9.81))
    for _ in range(int(24 * seconds)):
        simulation.advance(1 / 24)
    return simulation


def hoop(count: int) -> tuple[np.ndarray, np.ndarray]:
    angle = 2 * np.pi * np.arange(count) / count
    numbers = np.arange(count)
    x = 0.2 * np.stack([np.sin(angle), 0.0 * angle, np.cos(angle)], axis=1)
    return x, np.stack([numbers, (numbers + 1) % count], axis=1)


def test_a_hoop_hangs_the_same_at_any_resolution() -> None:
    heights = []
    for count in (24, 48, 200):
        simulation = simulated(*hoop(count), 5.0, pins=[0])
        heights.append(float(np.ptp(simulation.positions[:, 2])))
        middle = simulation.positions[:, 0].max() + simulation.positions[:, 0].min()
        assert abs(middle) < 1e-3
        assert np.abs(simulation.velocities).max() < 1e-3
    assert max(heights) - min(heights) < 0.01 * heights[-1]
    assert heights[-1] > 0.42


def twig(segments: int) -> tuple[np.ndarray, np.ndarray, int]:
    """A trunk of a quarter of a metre, clamped below, and a twig as long at 30° in its middle."""
    step = 0.25 / segments
    trunk = [(0.0, 0.0, step * i) for i in range(-1, segments + 1)]
    middle = 1 + segments // 2
    x, z = step * np.sin(np.pi / 6), step * np.cos(np.pi / 6)
    side = [(i * x, 0.0, trunk[middle][2] + i * z) for i in range(1, segments + 1)]
    numbers = np.arange(len(trunk) + len(side))
    edges = np.stack([numbers[:-1], numbers[1:]], axis=1)
    edges[len(trunk) - 1, 0] = middle
    return np.array(trunk + side), edges, middle


def test_a_twig_is_held_by_its_branch() -> None:
    """Small deflections of the twig, of the trunk below it, and of the trunk's rotation."""
    length, weight, bend = 0.25, WIRE.density * 9.81, WIRE.bend_compliance
    across = weight * np.sin(np.pi / 6)
    turned = 0.5 * across * length**2 * 0.5 * length * bend
    expected = (across * length**4 * bend / 8 + turned * length) * np.sin(np.pi / 6)
    for segments in (6, 24):
        positions, edges, _ = twig(segments)
        simulation = simulated(
            positions, edges, 4.0, pins=[0, 1], density=WIRE.density,
            stretch_compliance=WIRE.stretch_compliance, bend_compliance=bend,
        )  # fmt: skip
        fallen = positions[-1, 2] - simulation.positions[-1, 2]
        assert fallen == pytest.approx(expected, abs=0.004 * length)


def test_a_net_is_solved_cord_by_cord_and_holds() -> None:
    numbers = np.arange(400).reshape(20, 20)
    x = np.stack([numbers.ravel() // 20, numbers.ravel() % 20, 0 * numbers.ravel()], axis=1) / 19.0
    ways = [(numbers[:-1], numbers[1:]), (numbers[:, :-1], numbers[:, 1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in ways])
    simulation = simulated(x, edges, 4.0, pins=numbers[:2].ravel())
    low = -float(simulation.positions[numbers[-1, 10], 2])
    # A single cord of a metre, the knots' weight shared by the cords that cross it.
    assert 0.85 < low < 0.98
    assert np.abs(simulation.velocities).max() < 5e-3


@pytest.mark.parametrize("bend_compliance", [0.0, 1e30])
def test_what_is_no_proper_strand_stays_finite_and_calm(bend_compliance: float) -> None:
    random = np.random.default_rng(4)
    folded = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.0)]
    hub = [(1.0, 0.0, 0.0), *((1.0, 0.0, 0.0) + 0.1 * random.normal(size=(12, 3)))]
    twins = [(2.0, 0.0, 0.0), (2.1, 0.0, 0.0), (2.1, 0.0, 0.0), (2.2, 0.0, 0.0), (2.3, 0.0, 0.0)]
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), *((5, 6 + i) for i in range(12))]
    edges += [(18, 19), (19, 20), (20, 21), (21, 22)]
    simulation = simulated(
        np.concatenate([folded, hub, twins]), edges, 3.0, pins=[0, 5, 18],
        bend_compliance=bend_compliance,
    )  # fmt: skip
    assert np.isfinite(simulation.positions).all()
    assert np.abs(simulation.velocities).max() < 1.0


@pytest.mark.jit_off
def test_each_bend_is_in_one_row_and_rows_do_not_meet_themselves() -> None:
    corners = np.array([(i, (i + 1) % 9, (i + 2) % 9) for i in range(9)] + [(3, 4, 9), (4, 9, 10)])
    rows = find_rows(corners, np.where(np.arange(11) < 9, 0.1, 1.0), 11)
    assert sorted(rows.bends.tolist()) == list(range(11))
    for first, last in zip(rows.firsts[:-1], rows.firsts[1:], strict=True):
        own = rows.particles[first:last]
        assert len(set(own.tolist())) == len(own)
    for row, start in enumerate(rows.starts[:-1]):
        for place in range(start, rows.starts[row + 1]):
            found = rows.particles[place + 2 * row : place + 2 * row + 3].tolist()
            assert corners[rows.bends[place]].tolist() in (found, found[::-1])


@pytest.mark.jit_off
def test_a_tree_is_a_web_without_fill_and_strands_are_none() -> None:
    model = core.Model()
    positions, edges, _ = twig(8)
    model.add_strands(positions, edges)
    model.add_strands(positions[:5] + np.array([1.0, 0.0, 0.0]), [(0, 1), (1, 2), (2, 3), (3, 4)])
    bends = np.concatenate([g.indices for g in model.groups if g.constraint.kind == "angle"])
    rows = find_rows(bends, np.zeros(len(bends)), model.particle_count)
    (web,), single = webs_in(model, rows)
    assert sorted(web.particles.tolist()) == list(range(len(positions)))
    assert sum(len(own) for own in web.below) <= 2 * len(positions)
    assert len(single) == 1


@pytest.mark.jit_off
def test_eliminating_by_degree_leaves_the_pattern_of_the_factor() -> None:
    random = np.random.default_rng(5)
    matrix = np.eye(12) * 20.0
    for a, b in random.integers(0, 12, size=(18, 2)):
        if a != b:
            matrix[a, b] = matrix[b, a] = random.normal()
    around = [set((np.flatnonzero(row)).tolist()) - {i} for i, row in enumerate(matrix)]
    found = minimum_degree(around, 200)
    assert found is not None
    order, columns = found
    factor = np.linalg.cholesky(matrix[np.ix_(order, order)])
    for place, column in enumerate(columns):
        below = {order[i] for i in np.flatnonzero(factor[:, place]) if i > place}
        assert below <= set(column)
    assert minimum_degree([{1}, {0}], 0) is None
