# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloth of 10,000 vertices that falls onto Suzanne: what constraints cost, what contact costs."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import core

from .blenders import run_plain
from .default_settings import DRAG, FRAME, ITERATIONS, SUBSTEPS
from .report import Table
from .scenes import Indices, Positions, sphere, square
from .setting import Setting
from .timing import median, seconds

SIDE = 100
SIZE = 3.0  # m
HEIGHT = 1.2  # m
FRAMES = 60
SPHERE_DIVISIONS = 5
COLLIDER_THICKNESS = 0.02  # m


def measure(setting: Setting) -> list[Table]:
    """Advance the cloth with and without the collider frame by frame in turn."""
    core.kernels.warm_up()
    name, vertices, triangles = _collider(setting)
    table = Table(
        f"{SIDE * SIDE:,} vertices of cloth fall onto {name} ({len(triangles):,} triangles)",
        ("frames", "ms/frame", "constraints", "contact", "contact part %", "lowest m"),
    )
    halves: dict[str, list[list[float]]] = {"falling": [], "draped": [], "all": []}
    lowest: dict[str, float] = {}
    for _ in range(setting.rounds):
        with_contact, without, heights = _fall(vertices, triangles)
        for part, choice in _parts().items():
            halves[part].append([np.mean(with_contact[choice]), np.mean(without[choice])])
            lowest[part] = min(heights[choice])
    for part, runs in halves.items():
        whole, constraints = (1e3 * median([run[k] for run in runs]) for k in range(2))
        contact = whole - constraints
        share = 100 * contact / whole
        table.rows.append((part, whole, constraints, contact, share, lowest[part]))
    table.remarks = [
        f"{SUBSTEPS} substeps of {ITERATIONS} iteration, default threads, friction 0.5, collider "
        f"thickness {COLLIDER_THICKNESS} m; mean over the frames, median of {setting.rounds} runs.",
        "constraints: the same cloth without the collider, advanced in turn; contact: the rest.",
    ]
    return [table]


def _parts() -> dict[str, slice]:
    half = FRAMES // 2
    return {"falling": slice(0, half), "draped": slice(half, FRAMES), "all": slice(0, FRAMES)}


def _fall(vertices: Positions, triangles: Indices) -> tuple[list[float], list[float], list[float]]:
    """Return seconds a frame with and without contact, and the cloth's lowest point."""
    on_collider, free = _simulation(vertices, triangles), _simulation(None, None)
    with_contact, without, heights = [], [], []
    for _ in range(FRAMES):
        with_contact.append(seconds(partial(on_collider.advance, FRAME)))
        without.append(seconds(partial(free.advance, FRAME)))
        heights.append(float(on_collider.positions[:, 2].min()))
    return with_contact, without, heights


def _simulation(vertices: Positions | None, triangles: Indices | None) -> core.Simulation:
    positions, quads = square(SIDE, SIZE)
    model = core.Model()
    model.add_cloth(positions + np.array([0.0, 0.0, HEIGHT]), quads, drag=DRAG)
    if vertices is not None:
        model.add_collider(vertices, triangles, thickness=COLLIDER_THICKNESS)
    return core.Simulation(model, core.XPBD(substeps=SUBSTEPS, iterations=ITERATIONS))


def _collider(setting: Setting) -> tuple[str, Positions, Indices]:
    """Return Suzanne, subdivided twice, if there's a Blender to ask for her, else a sphere."""
    if not setting.blenders.plain:
        return ("a sphere of radius 1 m", *sphere(SPHERE_DIVISIONS))
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        path = Path(folder) / "suzanne.npz"
        run_plain(setting.blenders.plain[0], "suzanne_blender", str(path))
        with np.load(path, allow_pickle=False) as mesh:
            return "Suzanne", mesh["vertices"], mesh["triangles"]
