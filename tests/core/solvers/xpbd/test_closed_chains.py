# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleeves that are too tight are stretched evenly all around, nowhere along a line."""

from __future__ import annotations

import numpy as np
import pytest

import core

AROUND, ROWS = 24, 10
RADIUS = 0.0525
"""Of what keeps its thickness off the arm [m]."""


def tube(radius: float, around: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices, row after row, and quads."""
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    heights = 0.0075 * (np.arange(rows) - 0.5 * rows)
    points = [
        np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(around, height)], axis=1)
        for height in heights
    ]
    lower = around * np.arange(rows - 1)[:, None] + np.arange(around)
    beside = around * np.arange(rows - 1)[:, None] + (np.arange(around) + 1) % around
    quads = np.stack([lower, beside, beside + around, lower + around], axis=-1)
    return np.concatenate(points), quads.reshape(-1, 4)


@pytest.mark.parametrize("tight", [0.1, 0.2])
def test_a_tight_sleeve_is_as_tight_everywhere(tight: float) -> None:
    positions, quads = tube(1.02 * RADIUS, AROUND, ROWS)
    rest, _ = tube(RADIUS / (1.0 + tight), AROUND, ROWS)
    arm, sides = tube(0.05, 64, 40)
    model = core.Model()
    model.add_cloth(positions, quads, rest_positions=rest, thickness=0.001)
    model.add_collider(arm, np.concatenate([sides[:, :3], sides[:, [0, 2, 3]]]), thickness=0.001)
    solver = core.XPBD(
        substeps=30, near_pins=True, implicit_bending=True, second_order=True, symmetric=True
    )
    simulation = core.Simulation(model, solver)
    for _ in range(15):
        simulation.advance(1 / 24)
    rings = np.asarray(simulation.positions, np.float64).reshape(ROWS, AROUND, 3)
    lengths = np.linalg.norm(np.roll(rings, -1, axis=1) - rings, axis=2)
    ends = rest.reshape(ROWS, AROUND, 3)
    strain = lengths / np.linalg.norm(np.roll(ends, -1, axis=1) - ends, axis=2) - 1.0
    assert np.median(strain) == pytest.approx(tight, abs=0.02)
    assert strain.max() < np.median(strain) + 0.03
