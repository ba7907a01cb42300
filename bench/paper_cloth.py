# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloth of table 1 of the XPBD paper: 64 × 64 vertices, 23,938 distance constraints."""

from __future__ import annotations

from functools import partial

import numpy as np

import core

from .report import Table
from .scenes import paper_pairs, square, square_corners
from .setting import Setting, thread_counts
from .timing import interleaved, median, seconds, spread

SIDE = 64
PAPER_MILLISECONDS = {20: 0.97, 40: 1.78, 80: 3.34, 160: 5.65}
STEP = 1 / 60  # s
SAMPLES_PER_ROUND = 15


def measure(setting: Setting) -> list[Table]:
    """Time one step of one substep at each number of iterations, single thread and all."""
    settings = [
        (iterations, threads) for iterations in PAPER_MILLISECONDS for threads in thread_counts()
    ]
    samples = {key: partial(seconds, partial(paper_cloth(*key).advance, STEP)) for key in settings}
    interleaved(samples, 2)
    times = interleaved(samples, SAMPLES_PER_ROUND * setting.rounds)
    count = len(paper_pairs(SIDE))
    table = Table(
        f"{SIDE} x {SIDE} cloth, {count:,} distance constraints, one substep, float32",
        (
            "iterations",
            "threads",
            "ms/step",
            "least ms",
            "spread",
            "ns/projection",
            "times 1 thread",
            "paper's GPU ms",
            "paper / ours",
        ),
    )
    for (iterations, threads), taken in times.items():
        typical = median(taken)
        table.rows.append(
            (
                iterations,
                threads,
                1e3 * typical,
                1e3 * min(taken),
                spread(taken),
                1e9 * typical / (iterations * count),
                typical / median(times[iterations, 1]),
                PAPER_MILLISECONDS[iterations],
                PAPER_MILLISECONDS[iterations] / (1e3 * typical),
            )
        )
    table.remarks = [
        f"Median of {SAMPLES_PER_ROUND * setting.rounds} steps of {STEP:.4f} s, all settings in "
        "turn. ns/projection: whole step, prediction and velocities included.",
        "The paper's figures: a GPU of 2016, from its table 1; another computer, so the last "
        "column compares hardware too.",
    ]
    return [table]


def paper_cloth(iterations: int, threads: int) -> core.Simulation:
    """Return the cloth hanging by two corners: springs of compliance 1e-7 m/N, 0.2 kg/m²."""
    positions, _ = square(SIDE)
    masses = np.full(len(positions), 0.2 * 4.0 / len(positions))
    masses[square_corners(SIDE)] = np.inf
    model = core.Model()
    model.add_particles(positions, masses)
    model.add_constraints("distance", paper_pairs(SIDE), compliance=1e-7)
    solver = core.XPBD(substeps=1, iterations=iterations, threads=threads)
    return core.Simulation(model, solver)
