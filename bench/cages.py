# SPDX-License-Identifier: GPL-3.0-or-later
"""How long it takes to make a cage around a surface of a hundred thousand faces."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from core.mesh.cage import cage_of, default_cell_size

from .report import Table, at_most
from .setting import Setting
from .timing import interleaved, median

AROUND = 320
OPEN = 0.6  # m: where the ball is cut off
CELLS = {16: 2.0, 25: 5.0}
"""Along the longest side, with the bar [s]: the default, and a hundred thousand tetrahedra."""


def measure(setting: Setting) -> list[Table]:
    """Time cages around a ball, whole and cut open."""
    positions, quads = _ball()
    low = quads[(positions[quads, 2] < OPEN).all(axis=1)]
    surfaces = {"a ball": quads, "a ball, cut open": low}
    tasks = {
        (name, cells): partial(cage_of, positions, faces, 16 * default_cell_size(positions) / cells)
        for name, faces in surfaces.items()
        for cells in CELLS
    }
    counts = {key: len(task().tetrahedra) for key, task in tasks.items()}
    samples = {key: partial(_processor_seconds, task) for key, task in tasks.items()}
    times = interleaved(samples, setting.rounds)
    table = Table(
        "Making a cage: processor time of one thread",
        ("surface", "faces", "cells along it", "tetrahedra", "s"),
    )
    for key, count in counts.items():
        name, cells = key
        taken = median(times[key])
        table.rows.append((name, len(surfaces[name]), cells, count, taken))
        table.bars.append(at_most(f"seconds, {name}, {cells} cells", taken, CELLS[cells]))
    return [table]


def _processor_seconds(task: Callable[[], object]) -> float:
    """What one thread needs where nobody else has the processor."""
    start = time.process_time()
    task()
    return time.process_time() - start


def _ball() -> tuple[np.ndarray, np.ndarray]:
    """A ball of quads, those at the poles as good as triangles."""
    along = np.linspace(1e-6, np.pi - 1e-6, AROUND + 1)[:, None]
    turn = np.arange(AROUND) * 2.0 * np.pi / AROUND
    points = [np.sin(along) * np.cos(turn), np.sin(along) * np.sin(turn), -np.cos(along) + 0 * turn]
    i, j = np.meshgrid(np.arange(AROUND), np.arange(AROUND), indexing="ij")
    after = (j + 1) % AROUND
    quads = [i * AROUND + j, i * AROUND + after, (i + 1) * AROUND + after, (i + 1) * AROUND + j]
    return np.stack(points, axis=-1).reshape(-1, 3), np.stack(quads, axis=-1).reshape(-1, 4)
