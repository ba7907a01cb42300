# SPDX-License-Identifier: GPL-3.0-or-later
"""How time grows with the mesh: linearly, if the exponents below are one."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

import core

from .default_settings import FRAME
from .report import Table
from .scenes import square, square_corners
from .setting import Setting
from .timing import interleaved, median, seconds

SIDES = (32, 64, 128, 256, 512)
SUBSTEPS = 10
SAMPLES_PER_ROUND = 3


def measure(setting: Setting) -> list[Table]:
    """Time frames of the hanging sheet from 1,024 to 262,144 vertices, and building its model."""
    core.kernels.warm_up()
    built = {side: build(side) for side in SIDES}
    samples = {
        side: partial(seconds, partial(simulation.advance, FRAME))
        for side, (simulation, _, _) in built.items()
    }
    interleaved(samples, 1)
    times = interleaved(samples, SAMPLES_PER_ROUND * setting.rounds)
    vertices = [side * side for side in SIDES]
    frames = [median(times[side]) for side in SIDES]
    models = [built[side][1] for side in SIDES]
    layouts = [built[side][2] for side in SIDES]
    table = Table(
        f"Growth with the mesh: {SUBSTEPS} substeps of one iteration, one thread",
        ("vertices", "ms/frame", "model s", "layout s", "ns/vertex/substep"),
    )
    for count, frame, model, layout in zip(vertices, frames, models, layouts):
        table.rows.append((count, 1e3 * frame, model, layout, 1e9 * frame / count / SUBSTEPS))
    exponents = [_exponent(vertices, times) for times in (frames, models, layouts)]
    table.rows.append(("exponent", *exponents, None))
    table.remarks = [
        f"ms/frame: median of {SAMPLES_PER_ROUND * setting.rounds} frames, sizes in turn; model: "
        "Model.add_cloth, layout: Simulation(...), once each.",
        "exponent p: least squares of log(time) = p log(vertices) + c. Above one where a mesh "
        "leaves a cache for a slower one, below one where fixed costs still count.",
    ]
    return [table]


def build(side: int) -> tuple[core.Simulation, float, float]:
    """Return the sheet's simulation, and the seconds for its model and for its layout."""
    positions, quads = square(side)
    start = time.perf_counter()
    model = core.Model()
    model.add_cloth(positions, quads, pins=square_corners(side))
    middle = time.perf_counter()
    simulation = core.Simulation(model, core.XPBD(substeps=SUBSTEPS, threads=1))
    return simulation, middle - start, time.perf_counter() - middle


def _exponent(sizes: list[int], times: list[float]) -> float:
    """Return p of the best fit time = c sizeᵖ."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
