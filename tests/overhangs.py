# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that lies on a table and hangs over its edge, for tests and validation."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
from bent_sheets import DRAG, FRAME, GRAVITY, bending_length, fabric

import core

ACROSS, LYING = 6, 2  # cells; times as long as what hangs
GAP = 1e-3  # m
LENGTHS = 2.0  # bending lengths hang over the edge
SECONDS = 3.0  # until it is at rest


def overhang(name: str, cell: float, **options: Any) -> tuple[core.Model, np.ndarray]:
    """A fabric at the edge of a table, pinned where it begins.

    Args:
        name: of a preset.
        cell: of its squares [m].
        options: of its material, other than the preset's.

    Returns:
        The model, and the particles at the end that hangs.
    """
    length = LENGTHS * bending_length(name)
    cells = max(1, round(length / cell))
    cell = length / cells
    count = (1 + LYING) * cells
    points, faces = naive.quad_grid(count, ACROSS, count * cell, ACROSS * cell)
    # No row of vertices at the edge, where it would lie or hang by chance.
    points[:, 0] -= LYING * length + 0.3 * cell
    points[:, 2] += GAP
    pins = np.flatnonzero(points[:, 0] < 1.3 * cell - LYING * length)
    model = core.Model()
    model.add_cloth(points, faces, pins=pins, drag=DRAG, thickness=GAP, **fabric(name, **options))
    model.add_collider(*table(), thickness=GAP)
    return model, np.flatnonzero(points[:, 0] > length - 0.8 * cell)


def table() -> tuple[np.ndarray, np.ndarray]:
    """A box of which the upper face ends at x = 0, a gap below z = 0."""
    signs = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
    corners = signs * [2.0, 4.0, -0.3] + [-2.0, -2.0, -GAP]
    quads = np.array(
        [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (1, 5, 7, 3), (3, 7, 6, 2), (2, 6, 4, 0)]
    )
    return corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def droop(
    name: str, cell: float, solver: core.XPBD, **options: Any
) -> tuple[float, core.Simulation]:
    """How far the end hangs below the table once it is at rest, of the length, and how."""
    model, end = overhang(name, cell, **options)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(int(SECONDS / FRAME)):
        simulation.advance(FRAME)
    sunk = GAP - float(simulation.positions[end, 2].mean())
    return sunk / (LENGTHS * bending_length(name)), simulation
