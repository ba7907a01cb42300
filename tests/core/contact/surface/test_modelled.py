# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds that a mesh was modelled with are left as they are."""

from __future__ import annotations

import naive
import numpy as np
from naive.crossings import crossing_pairs

import core

FRAME = 1 / 24
CELLS, CELL = 12, 0.02
MIDDLE = 6 * (CELLS + 1) + 6


def sheet() -> tuple[core.Simulation, core.Cloth]:
    """A sheet whose middle vertex was modelled beyond its neighbour, through what is around it."""
    points, faces = naive.quad_grid(CELLS, CELLS, CELLS * CELL, CELLS * CELL)
    points = np.asarray(points, np.float64)
    points[MIDDLE] += np.multiply((1.6, 0.3, -0.1), CELL)
    points[MIDDLE + 1] += np.multiply((0.0, 0.0, -0.6), CELL)
    points[MIDDLE + CELLS + 1] += np.multiply((0.0, 0.0, -0.6), CELL)
    model = core.Model()
    cloth = model.add_cloth(points, faces, thickness=0.002)
    return core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0)), cloth


def test_a_modelled_fold_stays_as_it_is() -> None:
    simulation, cloth = sheet()
    start = simulation.positions.copy()
    assert len(crossing_pairs(start, cloth.triangles)) > 0
    assert simulation.crossings == 0
    for _ in range(12):
        simulation.advance(FRAME)
    np.testing.assert_allclose(simulation.positions, start, atol=0.01 * CELL)
