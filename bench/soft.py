# SPDX-License-Identifier: GPL-3.0-or-later
"""What soft bodies cost: a cube that swings, and a ball that lies on a floor, as it is set up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

import core
from core.materials.soft_bodies import SOFT_MATERIALS, SoftPreset
from core.mesh.lattice import body_centred_box

from .default_settings import FRAME, SOLVER
from .jellies import surface_of_box
from .report import Table, at_most
from .setting import Setting
from .timing import interleaved, median, seconds

SIZE = 0.3  # m
CELLS = (8, 12)
"""Across the cube: 6,144 and 20,736 tetrahedra."""

BALL_CELLS = (9, 14)
"""Across the ball: 5,728 and 19,694 tetrahedra."""

MATERIALS = ("fat", "flesh", "foam")
BARS = {8: 15.0, 12: 50.0, 9: 15.0, 14: 50.0}  # ms, of flesh
SAMPLES_PER_ROUND = 5
LYING = 36
"""Frames until the ball lies."""


def measure(setting: Setting) -> list[Table]:
    """Time frames of all materials and sizes in turn."""
    cubes = {
        (name, cells): _cube(SOFT_MATERIALS[name], cells) for cells in CELLS for name in MATERIALS
    }
    balls = {
        (name, cells): _ball(SOFT_MATERIALS["flesh"], cells, floor=name == "on a floor")
        for cells in BALL_CELLS
        for name in ("falling", "on a floor")
    }
    for (name, _), simulation in balls.items():
        if name == "on a floor":
            for _ in range(LYING):
                simulation.advance(FRAME)
    return [
        _table(f"a cube of {SIZE:g} m held at one side", cubes, setting),
        _table(f"a ball of flesh of {SIZE:g} m with its skin", balls, setting),
    ]


def _table(
    what: str, simulations: Mapping[tuple[str, int], core.Simulation], setting: Setting
) -> Table:
    samples = {
        case: partial(seconds, partial(simulation.advance, FRAME))
        for case, simulation in simulations.items()
    }
    interleaved(samples, 1)
    times = interleaved(samples, SAMPLES_PER_ROUND * setting.rounds)
    table = Table(
        f"Soft bodies: {what}, default settings, one thread",
        ("", "tetrahedra", "substeps", "ms/frame", "least ms", "ns/tetrahedron/substep"),
    )
    for (name, cells), simulation in simulations.items():
        taken = times[name, cells]
        (body,) = simulation.model.soft_bodies
        count, substeps = len(body.tetrahedra), simulation.report().substeps
        each = 1e9 * min(taken) / (count * substeps)
        milliseconds = 1e3 * median(taken)
        table.rows.append((name, count, substeps, milliseconds, 1e3 * min(taken), each))
        if name not in MATERIALS or name == "flesh":
            label = f"{name}, {count} tetrahedra: a frame [ms]"
            table.bars.append(at_most(label, milliseconds, BARS[cells]))
    return table


def _cube(preset: SoftPreset, cells: int) -> core.Simulation:
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


def _ball(preset: SoftPreset, cells: int, *, floor: bool) -> core.Simulation:
    cube, quads = surface_of_box((24,) * 3, (2.0,) * 3)
    positions = cube - 1.0
    positions *= 0.5 * SIZE / np.linalg.norm(positions, axis=1, keepdims=True)
    model = core.Model()
    model.add_soft_body(
        positions + np.array((0.0, 0.0, 0.51 * SIZE)),
        quads,
        cell_size=SIZE / cells,
        density=preset.density,
        young_modulus=preset.young_modulus,
        poisson_ratio=preset.poisson_ratio,
        damping=preset.damping,
        thickness=0.001,
    )
    if floor:
        corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
        model.add_collider(corners, [(0, 1, 2), (0, 2, 3)], two_sided=True)
    return core.Simulation(model, core.XPBD(**SOLVER, threads=1))
