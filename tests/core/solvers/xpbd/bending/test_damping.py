# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping of bends says how fast something comes to rest, not where.

What sweeps and contacts bend in a substep is damped as all else is. Were it not, it would be unbent
no faster than damping allows: what a push at one place spoils would be 1 + β / h times as much.
"""

from __future__ import annotations

import naive
import numpy as np
import pytest
from bent_sheets import FRAME, GRAVITY, fabric
from overhangs import GAP, droop, table

import core
from bench.default_settings import SOLVER
from bench.scenes import sphere
from core.materials.strands import STRAND_MATERIALS

FEW = core.XPBD(**SOLVER | {"substeps": 20, "iterations": 1, "largest_stretch": 0.0, "threads": 1})


def test_cloth_hangs_over_an_edge_as_it_does_without() -> None:
    (damped, _), (free, _) = (
        droop("denim", 0.0045, FEW, bend_damping=beta) for beta in (0.006, 0.0)
    )
    assert damped == pytest.approx(free, abs=0.01)


def test_a_strand_hangs_over_an_edge_as_it_does_without() -> None:
    assert hung(0.05) == pytest.approx(hung(0.0), abs=0.02)


def hung(damping: float) -> float:
    """How far the end of a rubber cord of 90 mm has sunk below a table [its length]."""
    preset, cells, length = STRAND_MATERIALS["rubber cord"], 20, 0.09
    x = (np.arange(3 * cells + 1) - 0.3) / cells * length - 2.0 * length
    model = core.Model()
    model.add_strands(
        np.stack([x, np.zeros_like(x), np.full_like(x, GAP)], axis=1),
        np.stack([np.arange(3 * cells), np.arange(1, 3 * cells + 1)], axis=1),
        pins=[0, 1],
        thickness=GAP,
        drag=4.0,
        density=preset.density,
        bend_compliance=preset.bend_compliance,
        bend_damping=damping,
    )
    model.add_collider(*table(), thickness=GAP)
    simulation = core.Simulation(model, FEW, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(96):
        simulation.advance(FRAME)
    return (GAP - float(simulation.positions[-1, 2])) / length


def test_stiff_cloth_of_small_cells_rests_without_teeth() -> None:
    """A patch of 5 cm lies on a ball; half of its rows went to and fro by more than a tooth."""
    side, width = 25, 0.05
    points, faces = naive.quad_grid(side - 1, side - 1, width, width)
    points = np.asarray(points) - [width / 2, width / 2, 0.0]
    model = core.Model()
    cloth = model.add_cloth(points, faces, thickness=2e-4, **fabric("denim"))
    ball, triangles = sphere(3)
    model.add_collider(0.25 * width * ball - [0, 0, 0.27 * width], triangles, thickness=2e-4)
    simulation = core.Simulation(model, FEW, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(24):
        simulation.advance(FRAME)
    grid = simulation.positions[cloth.particles].reshape(side, side, 3)
    bends = grid[:, 2:] - 2.0 * grid[:, 1:-1] + grid[:, :-2]
    to_and_fro = np.einsum("ijk,ijk->ij", bends[:, 1:], bends[:, :-1])
    tooth = 0.05 * width / (side - 1)
    assert np.mean(to_and_fro < -(tooth**2)) < 0.05
