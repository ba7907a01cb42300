# SPDX-License-Identifier: GPL-3.0-or-later
"""How much each constraint counts in the overstretch of its object."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.solvers.xpbd.quality import GRAVITY, SEEN, all_but, gauge_of, measure

pytestmark = pytest.mark.jit_off

STEP = 1 / 24


def overstretch(simulation: core.Simulation, step: float = STEP) -> float:
    gauge = gauge_of(simulation.prepared.layout, simulation.model)
    return max(each.error for each in measure(gauge, simulation.state, step, np.inf))


def springs(lengths: Any, starts: Any) -> core.Simulation:
    """Springs along x between free particles, after a step in which nothing happens."""
    model = core.Model(np.float64)
    lengths, starts = np.asarray(lengths, float), np.asarray(starts, float)
    ends = np.stack([starts, starts + lengths], axis=1).ravel()
    model.add_particles(np.stack([ends, 0 * ends, 0 * ends], axis=1), 1.0)
    pairs = np.arange(2 * len(lengths)).reshape(-1, 2)
    model.add_constraints("distance", pairs)
    return at_rest(model)


def at_rest(model: core.Model) -> core.Simulation:
    simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0.0, 0.0, 0.0))
    simulation.advance(STEP)
    return simulation


def chain(lengths: Any) -> core.Simulation:
    model = core.Model(np.float64)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    model.add_particles(np.stack([along, 0 * along, 0 * along], axis=1), 1.0)
    links = np.arange(len(lengths))
    model.add_constraints("distance", np.stack([links, links + 1], axis=1))
    return at_rest(model)


# --- the quantile ---------------------------------------------------------------------------------


def plain_all_but(values: np.ndarray, content: np.ndarray, budget: float) -> float:
    """One by one, largest first."""
    if budget > content.sum():
        return 0.0
    left, order = budget, list(np.argsort(-values, kind="stable"))
    while len(order) > 1:
        left -= content[order.pop(0)]
        if left <= 1e-12:
            break
    return float(values[order[0]])


@pytest.mark.parametrize("count", [1, 2, 3, 50, 1000, 5000])
@pytest.mark.parametrize("share", [1e-6, 1e-3, 0.01, 0.5, 0.97, 1.5])
def test_the_largest_but_for_a_share_of_the_content(count: int, share: float) -> None:
    random = np.random.default_rng(count)
    values = np.round(random.normal(size=count), 2)  # some are equal
    content = random.uniform(0.1, 1.0, count) ** 4
    budget = share * content.sum()
    assert all_but(values, content, budget) == plain_all_but(values, content, budget)


def test_few_that_hold_much_are_looked_at_as_well_as_many_that_hold_little() -> None:
    values = np.arange(4000.0)
    content = np.where(values > 3000.0, 1e-9, 1.0)
    assert all_but(values, content, 0.5) == 2999.0


def test_what_is_not_a_number_is_no_error() -> None:
    assert all_but(np.full(5, np.nan), np.ones(5), 0.1) == 0.0


# --- by content -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("short", "counts"), [(0.0003, False), (0.02, True)])
def test_short_springs_count_by_their_length(short: float, counts: bool) -> None:
    """A tenth of all is twice too long, and holds less or more than a thousandth of the length."""
    lengths = np.where(np.arange(1000) % 10, 0.2, short)
    simulation = springs(lengths, np.arange(1000.0))
    few = np.flatnonzero(lengths == short)
    simulation.positions[2 * few + 1, 0] += 2.0 * short
    assert overstretch(simulation) == pytest.approx(2.0 if counts else 0.0, abs=1e-10)


def test_springs_of_ordinary_lengths_count_alike() -> None:
    """Three of a thousand are more than a thousandth, though they hold less of the length."""
    lengths = np.where(np.arange(1000) % 2, 1.0, 0.3)
    simulation = springs(lengths, 3.0 * np.arange(1000.0))
    simulation.positions[[1, 5, 9], 0] += 0.3
    assert overstretch(simulation) == pytest.approx(1.0)


def test_a_few_of_another_kind_in_a_large_object_are_left_out() -> None:
    """A thousandth of the object, not of the kind: here its only triangle is too long."""
    found = []
    for count in (3, 4000):
        model = core.Model(np.float64)
        places = np.zeros((count, 3))
        places[:, 0] = np.arange(count)
        model.add_particles(places, 1.0)
        links = np.arange(count - 1)
        model.add_constraints("distance", np.stack([links, links + 1], axis=1))
        corners = model.add_particles([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)], 1.0)
        model.add_constraints("strain", [corners])
        simulation = at_rest(model)
        simulation.positions[corners] *= 2.0
        found.append(overstretch(simulation))
    assert found[0] == pytest.approx(1.5)
    assert found[1] == pytest.approx(0.0, abs=1e-12)


# --- by width -------------------------------------------------------------------------------------


def test_a_short_link_among_long_ones_counts_as_if_it_were_little_shorter() -> None:
    """0.2 mm that have become 1.2 mm, among links of 20 mm."""
    lengths = np.full(41, 0.02)
    lengths[20] = 0.0002
    simulation = chain(lengths)
    simulation.positions[21:, 0] += 0.001
    simulation.positions[:3, 0] -= 1.0  # what is left out
    assert overstretch(simulation) == pytest.approx(0.001 / (0.6 * 0.02), rel=0.05)


def test_a_finer_part_counts_as_the_rest() -> None:
    """A collar of cells of 2 mm on a cape of cells of 20 mm: they lengthen nothing but itself."""
    lengths = np.concatenate([np.full(60, 0.02), np.full(60, 0.002)])
    simulation = chain(lengths)
    simulation.positions[90:, 0] += 0.001
    simulation.positions[110:, 0] += 0.001
    assert overstretch(simulation) == pytest.approx(0.5, rel=0.01)


def test_a_sliver_does_not_rule_a_sheet() -> None:
    """A vertex 0.2 mm beside another one, drawn away by 1 mm."""
    positions, faces = naive.irregular_triangles(12, 12, 1.0, 1.0)
    first, second, third = corners = faces[len(faces) // 2]
    inward = positions[[second, third]].mean(axis=0) - positions[first]
    inward /= np.linalg.norm(inward)
    new = len(positions)
    kept = [list(face) for face in faces if set(face) != set(corners)]
    around = [[first, second, new], [second, third, new], [third, first, new]]
    model = core.Model(np.float64)
    cloth = model.add_cloth([*positions, positions[first] + 0.0002 * inward], kept + around)
    simulation = at_rest(model)
    simulation.positions[new] += 0.001 * inward
    strain = core.edge_strain(simulation.positions, cloth.edges, cloth.rest_lengths)
    assert strain.max() == pytest.approx(5.0)
    assert overstretch(simulation) < 0.03


# --- by the size of the object --------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.001, 0.02, 0.2])
def test_what_is_small_beside_the_way_of_a_frame_counts_less(size: float) -> None:
    simulation = springs([size, size], [0.0, 0.0])
    simulation.positions[1::2, 0] += 0.5 * size
    least = GRAVITY * (STEP / np.pi) ** 2 / SEEN
    assert 0.05 < least < 0.06, "the 57 mm of the docstring"
    assert overstretch(simulation) == pytest.approx(0.5 * min(1.0, size / least))


def test_the_length_is_that_of_the_object() -> None:
    """A short spring far from the others is a part of something large."""
    simulation = springs([0.01, 0.01], [0.0, 5.0])
    simulation.positions[1::2, 0] += 0.005
    assert overstretch(simulation) == pytest.approx(0.5)


def test_the_shorter_the_frames_the_more_is_seen() -> None:
    simulation = springs([0.02, 0.02], [0.0, 0.0])
    simulation.positions[1::2, 0] += 0.01
    assert overstretch(simulation, 1 / 120) == pytest.approx(0.5)
    assert overstretch(simulation, 1 / 24) < 0.2


def test_objects_do_not_count_for_each_other() -> None:
    """Two cloths, a large one and a small one, whose sizes and thousandths are their own."""
    model = core.Model(np.float64)
    large = model.add_cloth(*naive.quad_grid(30, 30, 3.0, 3.0), name="large")
    positions, faces = naive.quad_grid(3, 3, 0.3, 0.3)
    small = model.add_cloth(positions + np.array([9.0, 0, 0]), faces, name="small")
    simulation = at_rest(model)
    simulation.positions[small.particles] *= 1.5
    assert simulation.overstretch(small) == pytest.approx(0.5)
    assert simulation.overstretch(large) == pytest.approx(0.0, abs=1e-12)
    assert simulation.report().worst == "small"
