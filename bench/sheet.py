# SPDX-License-Identifier: GPL-3.0-or-later
"""The sheet that hangs by two corners: our time and strain beside Blender's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import core

from .blenders import run_plain, run_script
from .default_settings import DRAG, FRAME, SOLVER, described
from .report import Table, at_least, at_most
from .scenes import Faces, face_edges, sheet, square_corners
from .setting import Setting
from .sheet_lines import (
    EXTENSION,
    MODIFIER,
    MODIFIER_TOUCHING,
    NODES,
    OURS,
    OURS_TOUCHING,
)
from .strain import StrainRecord
from .timing import Stopwatch, least_mean, median, robust_mean

SIDES = (32, 64, 128)
LARGE_SIDES = (256,)
"""Simulated by us alone, and once."""

FRAMES = 60
BAR_VERTICES = 128 * 128
COLUMNS = (
    "vertices",
    "method",
    "ms/frame",
    "least ms",
    "processor ms",
    "times ours",
    "strain max %",
    "p99 %",
    "mean %",
    "max: typical frame %",
    "any frame %",
    "pin slip mm",
    "lowest m",
    "sweeps a frame",
)

Run = Callable[[], dict[str, Any]]


def measure(setting: Setting) -> list[Table]:
    """Simulate the sheet by every method there is, in turn."""
    core.warm_up.warm_up()
    table = Table(
        f"A 2 m square sheet hung by two corners, {FRAMES} frames at 24 per second", COLUMNS
    )
    differences: set[str] = set()
    for side in SIDES:
        results = take_turns(_methods(side, setting), setting.rounds)
        results |= take_turns(_slow_methods(side, setting), 1)
        ours = robust_mean(frame_times(results[OURS]))
        for name, runs in results.items():
            table.rows.append((side * side, name, *_figures(runs, ours)))
            differences |= _differing_defaults(name, runs[0])
    for side in LARGE_SIDES:
        run = simulate(side, 1)
        table.rows.append((side * side, OURS, *_figures([run], robust_mean(frame_times([run])))))
    _add_bars(table)
    table.remarks = [*_remarks(setting), *sorted(differences)]
    return [table]


def simulate(
    side: int,
    threads: int | None,
    options: Mapping[str, Any] = SOLVER,
    faces: Faces = "quads",
    pinned: Callable[[int], list[int]] = square_corners,
    frames: int = FRAMES,
    self_collision: bool = False,
) -> dict[str, Any]:
    """Simulate with the core alone; what ``peers_blender.main`` returns for the others.

    Args:
        options: of the solver.
        faces: of which mesh.
        pinned: vertices by which a square of this side hangs.
        frames: how many.
        self_collision: whether it is kept apart from itself; nothing touches.
    """
    positions, polygons = sheet(side, faces)
    pins = pinned(side)
    model = core.Model()
    model.add_cloth(positions, polygons, pins=pins, drag=DRAG, self_collision=self_collision)
    simulation = core.Simulation(model, core.XPBD(**options, threads=threads))
    record = StrainRecord(positions, face_edges(polygons), pins)
    watch = Stopwatch()
    efforts = []
    for _ in range(frames):
        watch.time(partial(simulation.advance, FRAME))
        record.add(simulation.positions)
        substeps, iterations = simulation.prepared.counts
        efforts.append(substeps * iterations)
    return watch.figures() | {"strain": record.summary(), "sweeps": fmean(efforts)}


def _methods(side: int, setting: Setting) -> dict[str, Run]:
    methods: dict[str, Run] = {
        OURS: partial(simulate, side, 1),
        "core, default threads": partial(simulate, side, None),
        OURS_TOUCHING: partial(simulate, side, 1, self_collision=True),
    }
    if setting.blenders.extended is not None:
        extended = setting.blenders.extended
        methods["the extension, live"] = partial(
            run_script, extended, "peers_blender", "xpbd", str(side), str(FRAMES), "quads"
        )
    for python in setting.blenders.plain:
        for method in ("modifier", "nodes"):
            methods[f"{method} {python}"] = partial(run_peer, python, method, side)
    return methods


def _slow_methods(side: int, setting: Setting) -> dict[str, Run]:
    """What takes minutes, and is measured once."""
    plain = setting.blenders.plain
    return {f"touching {python}": partial(run_peer, python, "touching", side) for python in plain}


def run_peer(python: Path, method: str, side: int, faces: Faces = "quads") -> dict[str, Any]:
    """Simulate by one of the methods of ``peers_blender`` in a Blender of its own."""
    return run_plain(python, "peers_blender", method, str(side), str(FRAMES), faces)


def take_turns(methods: Mapping[str, Run], rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Run all in turn; methods that a Blender lacks drop out after the first round."""
    results: dict[str, list[dict[str, Any]]] = {key: [] for key in methods}
    for _ in range(rounds):
        for key in list(results):
            run = methods[key]()
            if run.get("missing"):
                del results[key]
            else:
                results[key].append(run)
    return {_title(key, runs[0]): runs for key, runs in results.items()}


def _title(key: str, run: dict[str, Any]) -> str:
    if "blender" not in run:
        return key
    method = key.split()[0]
    names = {
        "modifier": MODIFIER,
        "touching": MODIFIER_TOUCHING,
        "nodes": NODES,
        "the": EXTENSION,
    }
    return f"{names[method]}, Blender {run['blender']}"


def frame_times(runs: list[dict[str, Any]]) -> list[list[float]]:
    """Return each run's milliseconds of every frame."""
    return [run["milliseconds"] for run in runs]


def _figures(runs: list[dict[str, Any]], ours: float) -> list[float | None]:
    times = frame_times(runs)
    strain = runs[-1]["strain"]
    return [
        robust_mean(times),
        least_mean(times),
        median([run["processor"] for run in runs]),
        robust_mean(times) / ours,
        100 * strain["largest"],
        100 * strain["percentile_99"],
        100 * strain["mean"],
        100 * strain["largest_in_typical_frame"],
        100 * strain["largest_in_any_frame"],
        1e3 * strain["pin_slip"],
        strain["lowest"],
        runs[-1].get("sweeps"),
    ]


def _add_bars(table: Table) -> None:
    """Hold the largest sheet that all methods simulate against the fastest modifier."""
    columns = {name: k for k, name in enumerate(table.columns)}
    rows: dict[Any, Sequence[Any]] = {row[1]: row for row in table.rows if row[0] == BAR_VERTICES}
    for name, rival_name in ((OURS, MODIFIER), (OURS_TOUCHING, MODIFIER_TOUCHING)):
        ours = rows[name]
        modifiers = [row for other, row in rows.items() if other.startswith(rival_name)]
        if modifiers:
            time, stretch = columns["ms/frame"], columns["strain max %"]
            fastest = min(modifiers, key=lambda row: row[time])
            rival = f"{BAR_VERTICES:,} vertices: {fastest[1]}"
            strain = fastest[stretch] / ours[stretch]
            table.bars += [
                at_least(f"{rival} / {name}, time", fastest[time] / ours[time], 10.0),
                at_least(f"{rival} / {name}, largest strain", strain, 2.0),
            ]
        what = f"{BAR_VERTICES:,} vertices: {name}, 99th percentile of strain [%]"
        table.bars.append(at_most(what, ours[columns["p99 %"]], 3.0))


def _differing_defaults(name: str, run: dict[str, Any]) -> set[str]:
    """Say so when the extension's defaults aren't those of default_settings.py."""
    settings = run.get("settings", {})
    ours = SOLVER | {"drag": DRAG}
    differing = {
        key: value
        for key, value in settings.items()
        if key in ours and not math.isclose(value, ours[key], rel_tol=1e-6)
    }
    return {f"NOT COMPARABLE: {name} ran with {differing}"} if differing else set()


def _remarks(setting: Setting) -> list[str]:
    remarks = [
        f"ms/frame: each frame's median over {setting.rounds} runs taken in turn (Blender's "
        "self-collision: one run), mean over the frames; least: each frame's least. Compiling and "
        "starting Blender are not in it.",
        "processor ms: what all threads of the process used for a frame, waiting for each other "
        "included; other programs disturb it less.",
        "core: core.Simulation alone; Blender's methods and the live extension: "
        "scene.frame_set, so with what Blender does around it, "
        "and of the extension with building the simulation in its first frame.",
        f"Default settings of each. Ours: {described()}, default material, "
        f"drag {DRAG} 1/s, no collider; Blender's modifier: quality 5; Cloth Dynamics: 5 substeps "
        "of 15 constraint steps. Without self-collision, unless it says with; nothing touches.",
        "strain: length / rest length - 1 of the edges of the quads (not diagonals), at the last "
        "frame; p99: 99th percentile; mean: of all edges, shortened ones negative. max: typical "
        "frame: median over the frames of each one's largest; any frame: the largest of all.",
        "The materials are not the same: Cloth Dynamics aims at no stretch at all, we at "
        "2000 N/m. Compare the time at the strain reached.",
    ]
    if not setting.blenders.plain:
        remarks.append("SKIPPED Blender's own methods: no bpy was named (see bench/blenders.py).")
    if setting.blenders.extended is None:
        remarks.append("SKIPPED the extension in Blender: none was named (see bench/blenders.py).")
    return remarks
