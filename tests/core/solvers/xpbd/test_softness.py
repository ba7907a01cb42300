# SPDX-License-Identifier: GPL-3.0-or-later
"""Which constraints of a group are softer than others."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from core.layout.layout import Layout
from core.solvers.xpbd import softness


def hinges(compliance: list[float]) -> core.Model:
    """Hinges apart from each other that differ in nothing else."""
    count = len(compliance)
    shape = np.array([(0.0, 0, 0), (1, 0, 0), (0.3, 1, 0), (0.6, -1, 0)])
    positions = (shape + 3.0 * np.arange(count)[:, None, None] * [1, 0, 0]).reshape(-1, 3)
    model = core.Model(np.float64)
    model.add_particles(positions, 1.0)
    model.add_constraints("bending", np.arange(4 * count).reshape(count, 4), compliance=compliance)
    return model


def classes_of(model: core.Model) -> list[np.ndarray]:
    return [
        softness.softness_classes(group, model.positions, model.masses) for group in model.groups
    ]


@pytest.mark.jit_off
def test_each_class_is_softer_than_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(softness, "LEAST", 1)
    (found,) = classes_of(hinges([1.0, 1.0, 2.1, 2.3, 4.8, 5.1, 100.0, 1.0]))
    np.testing.assert_array_equal(found, [2, 2, 2, 1, 1, 0, 0, 2])


@pytest.mark.jit_off
def test_few_stay_with_stiffer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hinges([1.0, 1.0, 1.0, 2.5, 10.0, 10.0])
    monkeypatch.setattr(softness, "LEAST", 3)
    np.testing.assert_array_equal(classes_of(model)[0], [2, 2, 2, 1, 1, 1])
    monkeypatch.setattr(softness, "LEAST", 4)
    np.testing.assert_array_equal(classes_of(model)[0], [2, 2, 2, 2, 2, 2])


@pytest.mark.jit_off
def test_constraints_of_every_substep_and_fixed_ones_are_one_class() -> None:
    model = hinges([1.0, 2.0, 9.0])
    model.masses[:] = np.inf
    model.add_constraints("distance", [(0, 1), (4, 5)], compliance=[1.0, 9.0])
    assert [np.unique(found).size for found in classes_of(model)] == [1, 1]


@pytest.mark.jit_off
def test_the_model_knows_nothing_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each constraint has the place of its multiplier where its class is laid out."""
    monkeypatch.setattr(softness, "LEAST", 1)
    model = hinges([1.0, 1.0, 2.1, 2.3, 4.8, 5.1, 100.0, 1.0])
    model.add_constraints("distance", [(0, 1), (4, 5)], compliance=[1.0, 9.0])
    classes = softness.divided(model.groups, model.positions, model.masses)
    assert [part.owner for part in classes] == [0, 0, 0, 1]
    layout = Layout([part.group for part in classes], model.particle_count, model.dtype)
    slots = softness.slots_of(model.groups, classes, layout.slots)
    assert [len(places) for places in slots] == [8, 2]
    assert len(np.unique(np.concatenate(slots))) == 10
    for part, places in zip(classes[:3], layout.slots, strict=False):
        np.testing.assert_array_equal(slots[0][part.chosen], places)
        np.testing.assert_array_equal(part.group.indices, model.groups[0].indices[part.chosen])


def test_soft_hinges_of_a_cloth_are_swept_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two halves of one group, and what the cloth does is what it does otherwise."""
    positions, faces = naive.quad_grid(24, 24, 1.0, 1.0)
    positions[:, 0] = np.sign(positions[:, 0]) * np.abs(positions[:, 0]) ** 1.4
    settled = []
    for least in (200, 10**9):
        monkeypatch.setattr(softness, "LEAST", least)
        model = core.Model(np.float64)
        model.add_cloth(positions, faces, bend_compliance=2e4, pins=[0, 24], drag=4.0)
        simulation = core.Simulation(model, core.XPBD(substeps=40, multirate=True))
        for _ in range(60):
            simulation.advance(1 / 24)
        periods = set(simulation.prepared.periods.tolist())
        settled.append((len(periods), simulation.positions.copy()))
    assert settled[0][0] > settled[1][0]
    np.testing.assert_allclose(settled[0][1], settled[1][1], atol=2e-3)
