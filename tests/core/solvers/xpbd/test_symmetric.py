# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps back and forth: cloth in folds that are a cell wide gains no energy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from bench.contact_meshes import rectangle

FRAME = 1 / 24  # s
COLUMNS, ROWS, CELL = 11, 15, 0.02  # m
PANEL = 60.0
"""Degrees between neighbouring panels."""


def pleats() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A sheet folded to and fro at each column, cut like a checkerboard."""
    sheet = rectangle(COLUMNS + 1, ROWS + 1, COLUMNS * CELL, ROWS * CELL)
    x, y, _ = sheet.positions.T
    column, half = np.rint((x - x.min()) / CELL), np.radians(0.5 * PANEL)
    places = [np.sin(half) * CELL * column, y, np.cos(half) * CELL * (column % 2)]
    return np.stack(places, axis=1), sheet.triangles


def growth(seconds: float, substeps: int, symmetric: bool) -> float:
    """Of the kinetic energy of a sheet that was set trembling, without anything that damps it."""
    points, triangles = pleats()
    model = core.Model(np.float64)
    cloth = model.add_cloth(
        points, triangles, density=0.2, stretch_compliance=5e-4, shear_compliance=2e-3,
        bend_compliance=1e6, thickness=1e-4, self_collision=False,
    )  # fmt: skip
    solver = core.XPBD(
        substeps=substeps, implicit_bending=True, second_order=True, symmetric=symmetric
    )
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    start = np.random.default_rng(0).normal(0.0, 1e-3, points.shape)
    simulation.velocities[cloth.particles] = start
    for _ in range(round(seconds / FRAME)):
        simulation.advance(FRAME)
    return float(np.sum(simulation.velocities**2) / np.sum(start**2))


@pytest.mark.parametrize("substeps", [20, 40, 80])
def test_narrow_folds_gain_no_energy(substeps: int) -> None:
    assert growth(1.0, substeps, symmetric=True) < 1.0


def test_swept_one_way_they_gain_it() -> None:
    assert growth(1.0, 40, symmetric=False) > 100.0
