# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth clamped at one end hangs as the elastica does, whatever its cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bent_sheets import (
    GRAVITY,
    KINDS,
    Kind,
    at_rest,
    bending_length,
    bias_strip,
    fabric,
    strip,
)
from naive.elastica import elastica_drop

import core
from bench.default_settings import SOLVER

pytestmark = pytest.mark.long


def hung(
    kind: Kind, cells: int, length: float, solver: Any = None, **options: Any
) -> tuple[core.Simulation, np.ndarray]:
    """A clamped strip that has come to rest, and how far each vertex of its end has dropped [m]."""
    points, faces = strip(kind, cells, length)
    simulation = at_rest(points, faces, solver or core.XPBD(**SOLVER), **options)
    end = points[:, 0] > length - 1e-9
    return simulation, -np.asarray(simulation.positions)[end, 2]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["silk", "cotton", "denim", "leather"])
@pytest.mark.parametrize(("ratio", "cell"), [(1.0, 1.5), (2.0, 2.0), (2.0, 5.0), (4.0, 5.0)])
def test_a_clamped_strip_drops_as_the_elastica(
    kind: Kind, name: str, ratio: float, cell: float
) -> None:
    """So many bending lengths long, of cells of so many millimetres and at least six of them."""
    material, length = core.MATERIALS[name], ratio * bending_length(name)
    cells = max(6, round(1000.0 * length / cell))
    simulation, drops = hung(kind, cells, length, **fabric(name))
    weight = material.density * GRAVITY
    expected = elastica_drop(1.0 / material.bend_compliance, weight, length)
    assert abs(drops.mean() - expected) < 0.03 * length
    still = np.asarray(simulation.positions).copy()
    simulation.advance(1 / 24)
    assert np.abs(np.asarray(simulation.positions) - still).max() < 1e-4


@pytest.mark.parametrize("name", ["silk", "denim"])
@pytest.mark.parametrize("across", [4, 12])
def test_a_strip_on_the_bias_drops_as_the_elastica(name: str, across: int) -> None:
    """Squares at 45° bend as those along the strip do: twist counts once."""
    material, length = core.MATERIALS[name], 2.0 * bending_length(name)
    points, faces = bias_strip(20, length, across)
    found = at_rest(points, faces, core.XPBD(**SOLVER), **fabric(name)).positions
    drop = -np.asarray(found)[points[:, 0] > length - 1e-9, 2].mean()
    weight = material.density * GRAVITY
    expected = elastica_drop(1.0 / material.bend_compliance, weight, length)
    assert drop == pytest.approx(expected, abs=0.02 * length)


@pytest.mark.parametrize("name", core.MATERIALS)
def test_fabrics_have_the_bending_length_that_the_cantilever_test_finds(name: str) -> None:
    """ASTM D1388: a strip sticks out by twice as much where its end is 41.5° below its edge."""
    length = 2.0 * bending_length(name)
    points, faces = strip("quads", 16, length)
    found = at_rest(points, faces, core.XPBD(**SOLVER), **fabric(name)).positions
    across, _, down = np.asarray(found)[points[:, 0] > length - 1e-9].mean(axis=0)
    assert np.degrees(np.arctan2(-down, across)) == pytest.approx(41.5, abs=1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compliance", [1.0, 0.0])
@pytest.mark.parametrize("cells", [10, 40, 100])
def test_a_card_stays_straight(kind: Kind, compliance: float, cells: int) -> None:
    """1 N·m and as stiff as can be, in cells of 20 to 2 mm."""
    length = 0.2
    _, drops = hung(kind, cells, length, **fabric("denim", bend_compliance=compliance))
    assert np.abs(drops).max() < 0.02 * length


def test_the_result_does_not_depend_on_threads() -> None:
    results = []
    for threads in (1, 2, 3):
        solver = core.XPBD(substeps=8, implicit_bending=True, threads=threads)
        results.append(hung("irregular", 40, 0.08, solver, **fabric("denim"))[1].tobytes())
    assert results[0] == results[1] == results[2]


def test_moments_are_those_of_the_hinges() -> None:
    """Each has θ / α, and nothing is left for a further iteration."""
    solver = core.XPBD(**SOLVER | {"substeps": 40, "iterations": 1, "largest_stretch": 0.0})
    simulation, _ = hung("quads", 24, 0.06, solver, **fabric("denim", bend_compliance=1000.0))
    (group,) = (g for g in simulation.model.groups if g.constraint.kind == "bending")
    corners = np.asarray(simulation.positions, np.float64)[group.indices]
    angles = np.abs(group.constraint.measure_rest(corners) - group.rest)[:, 0]
    expected = angles / group.compliance[:, 0]
    moments = simulation.forces("bending")
    assert np.abs(moments - expected).max() < 0.02 * expected.max()
    assert simulation.residual() < 1e-4
