# SPDX-License-Identifier: GPL-3.0-or-later
"""What soft bodies cost: a cube of flesh that swings, at default settings."""

from __future__ import annotations

from functools import partial

import numpy as np

import core
from core.materials.soft_bodies import SOFT_MATERIALS, SoftPreset
from core.mesh.lattice import body_centred_box

from .default_settings import FRAME, SOLVER
from .report import Table, at_most
from .setting import Setting
from .timing import interleaved, median, seconds

SIZE = 0.3  # m
CELLS = (8, 12)
"""Across: 6,144 and 20,736 tetrahedra."""

MATERIALS = ("fat", "flesh", "foam")
BARS = {("flesh", 8): 15.0, ("flesh", 12): 50.0}  # ms
SAMPLES_PER_ROUND = 5


def measure(setting: Setting) -> list[Table]:
    """Time frames of all materials and sizes in turn."""
    cases = [(name, cells) for cells in CELLS for name in MATERIALS]
    simulations = {case: _simulation(SOFT_MATERIALS[case[0]], case[1]) for case in cases}
    samples = {
        f"{name} {cells}": partial(seconds, partial(simulation.advance, FRAME))
        for (name, cells), simulation in simulations.items()
    }
    interleaved(samples, 1)
    times = interleaved(samples, SAMPLES_PER_ROUND * setting.rounds)
    table = Table(
        f"Soft bodies: a cube of {SIZE:g} m held at one side, default settings, one thread",
        ("material", "tetrahedra", "substeps", "ms/frame", "least ms", "ns/tetrahedron/substep"),
    )
    for (name, cells), simulation in simulations.items():
        taken = times[f"{name} {cells}"]
        (body,) = simulation.model.soft_bodies
        count, substeps = len(body.tetrahedra), simulation.report().substeps
        each = 1e9 * min(taken) / (count * substeps)
        milliseconds = 1e3 * median(taken)
        table.rows.append((name, count, substeps, milliseconds, 1e3 * min(taken), each))
        if (name, cells) in BARS:
            what = f"{name}, {count} tetrahedra: a frame [ms]"
            table.bars.append(at_most(what, milliseconds, BARS[name, cells]))
    return [table]


def _simulation(preset: SoftPreset, cells: int) -> core.Simulation:
    positions, tetrahedra = body_centred_box((cells,) * 3, (SIZE,) * 3)
    model = core.Model()
    model.add_soft_body(
        positions,
        tetrahedra=tetrahedra,
        density=preset.density,
        young_modulus=preset.young_modulus,
        poisson_ratio=preset.poisson_ratio,
        damping=preset.damping,
        pins=np.flatnonzero(positions[:, 0] == 0.0),
        thickness=0.0,
        self_collision=False,
    )
    return core.Simulation(model, core.XPBD(**SOLVER, threads=1))
