# SPDX-License-Identifier: GPL-3.0-or-later
"""Which constraints of a cloth the time goes to."""

from __future__ import annotations

from functools import partial

import core

from .default_settings import DRAG, FRAME
from .report import Table
from .scenes import square, square_corners
from .setting import Setting
from .timing import interleaved, median, seconds

SIDE = 128
SUBSTEPS = 160
SAMPLES_PER_ROUND = 5
PARTICLES = "particles only"
CASES = {
    PARTICLES: ("springs", ""),
    "distance": ("springs", "distance"),
    "bending": ("springs", "bending"),
    "strain (continuum membrane)": ("continuum", "strain"),
}


def measure(setting: Setting) -> list[Table]:
    """Time frames of a cloth that has only one kind of its constraints, in turn."""
    simulations = {name: _simulation(*case) for name, case in CASES.items()}
    samples = {
        name: partial(seconds, partial(simulation.advance, FRAME))
        for name, simulation in simulations.items()
    }
    interleaved(samples, 1)
    times = interleaved(samples, SAMPLES_PER_ROUND * setting.rounds)
    table = Table(
        f"Where a frame's time goes: {SIDE} x {SIDE} vertices, {SUBSTEPS} substeps, one thread",
        ("constraints", "count", "ms/frame", "least ms", "ns/projection"),
    )
    bare = median(times[PARTICLES])
    for name, taken in times.items():
        count = sum(len(group.indices) for group in simulations[name].model.groups)
        own = (median(taken) - bare) / SUBSTEPS
        row = (name, count, 1e3 * median(taken), 1e3 * min(taken))
        table.rows.append((*row, 1e9 * own / count if count else None))
    table.remarks = [
        f"Median of {SAMPLES_PER_ROUND * setting.rounds} frames, all in turn. Each cloth has only "
        "the constraints named; ns/projection is without what the particles alone take.",
    ]
    return [table]


def _simulation(membrane: str, kind: str) -> core.Simulation:
    positions, quads = square(SIDE)
    model = core.Model()
    model.add_cloth(positions, quads, pins=square_corners(SIDE), drag=DRAG, membrane=membrane)
    model.groups = [group for group in model.groups if group.constraint.kind == kind]
    return core.Simulation(model, core.XPBD(substeps=SUBSTEPS, threads=1))
