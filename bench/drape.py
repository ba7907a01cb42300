# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloth of 10,000 vertices that falls onto Suzanne: what constraints cost, what contact costs."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import core

from .blenders import run_plain
from .default_settings import DRAG, FRAME
from .report import Table
from .scenes import Indices, Positions, sphere, square
from .setting import Setting
from .timing import robust_mean, seconds

SIDE = 100
SIZE = 3.0  # m
HEIGHT = 1.2  # m
FRAMES = 60
SUBSTEPS = 160
PARTS = {"falling": slice(0, 20), "draped": slice(20, FRAMES), "all": slice(0, FRAMES)}
SPHERE_DIVISIONS = 5
COLLIDER_THICKNESS = 0.02  # m


def measure(setting: Setting) -> list[Table]:
    """Advance the cloth with and without the collider frame by frame in turn."""
    core.warm_up.warm_up()
    name, vertices, triangles = _collider(setting)
    table = Table(
        f"{SIDE * SIDE:,} vertices of cloth fall onto {name} ({len(triangles):,} triangles)",
        ("frames", "ms/frame", "constraints ms", "contact ms", "contact part %", "lowest m"),
    )
    runs = [_fall(vertices, triangles) for _ in range(setting.rounds)]
    for part, choice in PARTS.items():
        whole, constraints = (robust_mean([run[k][choice] for run in runs]) for k in range(2))
        share = 100 * (whole - constraints) / whole
        lowest = min(runs[-1][2][choice])
        table.rows.append((part, whole, constraints, whole - constraints, share, lowest))
    table.remarks = [
        f"{SUBSTEPS} substeps of one iteration, one thread, friction 0.5, collider "
        f"thickness {COLLIDER_THICKNESS} m; each frame's median over {setting.rounds} runs, mean.",
        "constraints: the same cloth without the collider, advanced in turn; contact: the rest.",
    ]
    return [table]


def _fall(vertices: Positions, triangles: Indices) -> tuple[list[float], list[float], list[float]]:
    """Return milliseconds of each frame with and without contact, and the cloth's lowest point."""
    on_collider, free = _simulation(vertices, triangles), _simulation(None, None)
    with_contact, without, heights = [], [], []
    for _ in range(FRAMES):
        with_contact.append(1e3 * seconds(partial(on_collider.advance, FRAME)))
        without.append(1e3 * seconds(partial(free.advance, FRAME)))
        heights.append(float(on_collider.positions[:, 2].min()))
    return with_contact, without, heights


def _simulation(vertices: Positions | None, triangles: Indices | None) -> core.Simulation:
    positions, quads = square(SIDE, SIZE)
    model = core.Model()
    model.add_cloth(positions + np.array([0.0, 0.0, HEIGHT]), quads, drag=DRAG)
    if vertices is not None:
        model.add_collider(vertices, triangles, thickness=COLLIDER_THICKNESS)
    return core.Simulation(model, core.XPBD(substeps=SUBSTEPS, threads=1))


def _collider(setting: Setting) -> tuple[str, Positions, Indices]:
    """Return Suzanne, subdivided twice, if there's a Blender to ask for her, else a sphere."""
    if not setting.blenders.plain:
        return ("a sphere of radius 1 m", *sphere(SPHERE_DIVISIONS))
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        path = Path(folder) / "suzanne.npz"
        run_plain(setting.blenders.plain[0], "suzanne_blender", str(path))
        with np.load(path, allow_pickle=False) as mesh:
            return "Suzanne", mesh["vertices"], mesh["triangles"]
