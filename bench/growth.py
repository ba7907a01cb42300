# SPDX-License-Identifier: GPL-3.0-or-later
"""How time grows with the mesh, and with how many there are: linearly, if exponents are one."""

from __future__ import annotations

import time
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

import core

from .default_settings import FRAME, SOLVER, described
from .report import Table, at_most
from .scenes import square, square_corner_patches, square_corners
from .setting import Setting
from .sheet import simulate
from .timing import interleaved, median, seconds

SIDES = (32, 64, 128, 256, 512)
CLOTHS = (64, 256, 1024)
ROW = 32
SUBSTEPS = 10
SAMPLES_PER_ROUND = 3
FRAMES = 24
BAR = 1.1


def measure(setting: Setting) -> list[Table]:
    """Time the hanging sheet from 1,024 to 262,144 vertices, and many small ones."""
    core.warm_up.warm_up()
    return [_equal_effort(setting), _equal_quality(), _many_small(setting)]


def _equal_effort(setting: Setting) -> Table:
    """Time frames of so many substeps, and building the model."""
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
    return table


def _equal_quality() -> Table:
    """Time the first second of the sheet, each size with what the solver finds that it needs."""
    table = Table(
        f"Growth with the mesh at equal quality: {described()}, one thread",
        ("vertices", "ms/frame", "sweeps a frame", "p99 %", "strain max %", "lowest m"),
    )
    for side in SIDES:
        table.rows.append((side * side, *_one_second(side)))
    rows: list[Any] = table.rows
    exponent = _exponent([row[0] for row in rows], [row[1] for row in rows])
    table.rows.append(("exponent", exponent, *[None] * 4))
    table.bars = [at_most("exponent of time over vertices at equal quality", exponent, BAR)]
    table.remarks = [
        f"The first {FRAMES} frames of a sheet held by two corner patches of 0.14 m, once each, "
        "mean; strain and lowest point at the last of them.",
    ]
    return table


def _one_second(side: int) -> tuple[float, ...]:
    run = simulate(side, 1, pinned=square_corner_patches, frames=FRAMES)
    strain = run["strain"]
    return (
        fmean(run["milliseconds"]),
        run["sweeps"],
        100 * strain["percentile_99"],
        100 * strain["largest"],
        strain["lowest"],
    )


def _many_small(setting: Setting) -> Table:
    """Time sheets of 25 vertices far from each other, each an island of its own."""
    table = Table(
        f"Growth with the number of small cloths: {described()}",
        ("cloths", "model s", "layout s", "ms/frame"),
    )
    for count in CLOTHS:
        model_of_small(count)
        start = time.perf_counter()
        model = model_of_small(count)
        middle = time.perf_counter()
        simulation = core.Simulation(model, core.XPBD(**SOLVER))
        end = time.perf_counter()
        simulation.advance(FRAME)
        times = [seconds(partial(simulation.advance, FRAME)) for _ in range(3 * setting.rounds)]
        table.rows.append((count, middle - start, end - middle, 1e3 * median(times)))
    rows: list[Any] = table.rows
    exponents = [_exponent(list(CLOTHS), [row[k] for row in rows]) for k in (1, 2, 3)]
    table.rows.append(("exponent", *exponents))
    table.bars = [
        at_most(f"exponent of {what} over small cloths", exponent, BAR)
        for what, exponent in zip(("model", "layout", "frames"), exponents, strict=True)
    ]
    table.remarks = ["Sheets of 5 × 5 vertices 3 m apart over a floor, every second one hangs."]
    return table


def model_of_small(count: int) -> core.Model:
    """Describe so many small cloths over a floor."""
    positions, quads = square(5, 0.2)
    model = core.Model()
    for number in range(count):
        row, column = divmod(number, ROW)
        at = np.array([3.0 * column, 3.0 * row, 0.5])
        model.add_cloth(positions + at, quads, pins=square_corners(5) if number % 2 else None)
    far = 3.0 * max(count, ROW)
    corners = [(-far, -far, 0.0), (far, -far, 0.0), (far, far, 0.0), (-far, far, 0.0)]
    model.add_collider(corners, [(0, 1, 2), (0, 2, 3)])
    return model


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
