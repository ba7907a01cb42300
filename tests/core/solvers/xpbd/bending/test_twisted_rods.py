# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands that resist twisting, at the settings of the add-on: springs, hooks, curls that fly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from bench.default_settings import SOLVER
from validation.rods import FRAME
from validation.twist import (
    HELD,
    coil,
    coil_extension,
    hook,
    hook_drop,
    level_drop,
    rigidities,
    sunk,
    twisting,
)


def solver(**options: Any) -> core.XPBD:
    return core.XPBD(**SOLVER | options)


@pytest.mark.parametrize("segments", [16, 40])
def test_a_coil_of_wire_hangs_as_a_spring(segments: int) -> None:
    found = sunk(twisting("steel wire", coil(0.05, 0.004, 4.0, segments), HELD, solver()))
    free = 4.0 - (HELD - 1) / segments
    assert found == pytest.approx(coil_extension("steel wire", 0.05, free), rel=0.03)


def test_without_twist_it_unwinds() -> None:
    """What torsion is for."""
    positions = coil(0.05, 0.004, 4.0, 16)
    found = sunk(twisting("steel wire", positions, HELD, solver(), twist_compliance=None))
    assert found > 3.0 * coil_extension("steel wire", 0.05, 4.0)


@pytest.mark.parametrize("segments", [10, 40, 200])
def test_a_hook_bends_and_twists(segments: int) -> None:
    found = sunk(twisting("steel wire", hook(0.1, segments), 2, solver()))
    assert found == pytest.approx(hook_drop("steel wire", 0.1), rel=0.03)


@pytest.mark.parametrize("segments", [10, 200])
@pytest.mark.parametrize(("name", "length"), [("hair", 0.1), ("steel wire", 1.0)])
def test_a_straight_strand_bends_as_without(name: str, length: float, segments: int) -> None:
    found, expected = level_drop(name, length, segments, solver())
    assert abs(found - expected) < 0.01 * length


@pytest.mark.parametrize("ratio", [1e-6, 0.6, 1e9])
@pytest.mark.parametrize("substeps", [5, 20, 100])
def test_curls_that_are_flung_about_stay_whole(substeps: int, ratio: float) -> None:
    positions = coil(0.006, 0.01, 8.0, 14)
    count = len(positions)
    velocities = np.zeros_like(positions)
    velocities[:, 1] = 3.0 * np.linspace(0.0, 1.0, count)
    simulation = twisting(
        "hair", positions, 2, solver(substeps=substeps, iterations=1, largest_stretch=0.0),
        velocities=velocities, drag=1.0, twist_compliance=rigidities("hair")[0] ** -1 / ratio,
    )  # fmt: skip
    lengths = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    for _ in range(24):
        simulation.advance(FRAME)
        found = np.linalg.norm(np.diff(simulation.positions, axis=0), axis=1)
        # In five substeps the tip flies twice as far as curls are wide in each.
        assert np.abs(found / lengths - 1.0).max() < (0.1 if substeps > 5 else 0.5)
        assert np.abs(simulation.positions).max() < 0.6


def free(positions: np.ndarray, velocities: np.ndarray, **options: Any) -> core.Simulation:
    return twisting(
        "hair", positions, 0, solver(), velocities=velocities, drag=0.0, dtype=np.float64,
        gravity=0.0, **options,
    )  # fmt: skip


@pytest.mark.parametrize("damping", [0.0, 1e-3])
def test_a_free_strand_keeps_its_momentum(damping: float) -> None:
    positions = coil(0.02, 0.01, 2.0, 16)
    velocities = np.random.default_rng(2).normal(scale=0.1, size=positions.shape)
    simulation = free(positions, velocities, bend_damping=damping, twist_damping=damping)
    masses = simulation.model.masses[:, None]
    before = (masses * velocities).sum(axis=0)
    for _ in range(6):
        simulation.advance(FRAME)
    after = (masses * simulation.velocities).sum(axis=0)
    np.testing.assert_allclose(after, before, atol=1e-10 * masses.sum())


def test_a_root_turns_its_curl_with_its_neighbours() -> None:
    """Roots in a row on a scalp that turns by a right angle about the hairs' own direction."""
    curl = coil(0.01, 0.02, 2.0, 16)
    curl = np.concatenate([[curl[0] + np.array([0.0, 0.0, 0.003])], curl])
    count = len(curl)
    positions = np.concatenate([curl, curl + np.array([0.05, 0.0, 0.0])])
    numbers = np.arange(2 * count - 1)
    edges = np.stack([numbers, numbers + 1], axis=1)[numbers != count - 1]
    flexural, torsional, _ = rigidities("hair")
    model = core.Model()
    strands = model.add_strands(
        positions, edges, pins=[0, 1, count, count + 1], density=5e-4, stretch_compliance=6.5e-4,
        bend_compliance=1.0 / flexural, twist_compliance=1.0 / torsional, drag=20.0,
        self_collision=False,
    )  # fmt: skip
    simulation = core.Simulation(model, solver(), gravity=(0.0, 0.0, 0.0))
    centre = positions[1]
    for frame in range(48):
        angle = 0.5 * np.pi * min(1.0, (frame + 1) / 24)
        turn = np.array(
            [
                [np.cos(angle), -np.sin(angle), 0.0],
                [np.sin(angle), np.cos(angle), 0.0],
                [0.0, 0.0, 1.0],
            ]
        )
        wanted = (positions - centre) @ turn.T + centre
        simulation.set_targets(strands.pins, wanted[strands.pins])
        simulation.advance(FRAME)
    np.testing.assert_allclose(simulation.positions, wanted, atol=2e-3)


def test_the_same_bytes_on_any_number_of_threads() -> None:
    found = []
    for threads in (1, 3):
        model = core.Model()
        for i in range(20):
            positions = coil(0.01, 0.01, 0.5 + 0.1 * i, 12) + np.array([0.1 * i, 0.0, 0.0])
            numbers = np.arange(len(positions))
            edges = np.stack([numbers[:-1], numbers[1:]], axis=1)
            model.add_strands(positions, edges, pins=[0, 1], twist_compliance=3e6)
        simulation = core.Simulation(
            model, solver(threads=threads, largest_stretch=0.0, substeps=9)
        )
        for _ in range(3):
            simulation.advance(FRAME)
        found.append(simulation.positions.tobytes())
    assert found[0] == found[1]


@pytest.mark.jit_off
def test_what_branches_or_closes_does_not_resist() -> None:
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    tree = [(4, 5), (5, 6), (5, 7)]
    line = [(8, 9), (9, 10), (10, 11)]
    model = core.Model()
    positions = np.random.default_rng(0).normal(size=(12, 3))
    model.add_strands(positions, ring + tree + line, twist_compliance=2.0)
    (bends,) = (group for group in model.groups if group.constraint.kind == "angle")
    assert bends.twist is not None
    resists = np.isfinite(bends.twist.compliance)
    np.testing.assert_array_equal(resists, bends.indices[:, 1] >= 8)


@pytest.mark.parametrize("name", ["twist_compliance", "twist_damping"])
def test_less_than_nothing_is_refused(name: str) -> None:
    with pytest.raises(core.ModelError, match=f"The {name.replace('_', ' ')} can't be -1"):
        core.Model().add_strands(np.eye(3), [(0, 1), (1, 2)], **{name: -1.0})  # type: ignore[arg-type]
