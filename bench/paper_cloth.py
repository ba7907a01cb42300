# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloth of table 1 of the XPBD paper, by us and by other libraries with XPBD."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import core

from .blenders import run_script
from .paper_case import COMPLIANCE, ITERATIONS, STEP, STEPS_IN_A_ROUND, springs, timed, vertices
from .report import Table, at_least
from .scenes import Indices, Positions
from .setting import Setting, thread_counts
from .timing import median, spread

GPU_MILLISECONDS = {20: 0.97, 40: 1.78, 80: 3.34, 160: 5.65}
OURS, GRID = "ours, any mesh, 1 thread", "ours, detected grid, 1 thread"
BARS = {"Warp": 5.0, "Newton": 9.0, "pyPBD": 9.0}
PEERS = {
    "Warp, a launch a colour": ("warp", "peer_warp", "colours"),
    "Warp, one serial launch": ("warp", "peer_warp", "serial"),
    "Newton SolverXPBD": ("newton", "peer_newton"),
    "pyPBD": ("pypbd", "peer_pypbd"),
}
"""By title: the library, and the script with its arguments."""

Run = Callable[[], dict[str, Any]]
Times = dict[str, dict[int, list[float]]]


def measure(setting: Setting) -> list[Table]:
    """Time one step of one substep at each number of iterations, all in turn."""
    methods = _methods(setting)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in methods}
    for _ in range(setting.rounds):
        for name, run in methods.items():
            runs[name].append(run())
    times = {
        name: {k: [t for run in found for t in _seconds(run, k)] for k in ITERATIONS}
        for name, found in runs.items()
    }
    pairs = springs()[0]
    table = Table(
        f"The XPBD paper's cloth: 64 x 64, {len(pairs):,} distance constraints, one substep",
        (
            "method",
            "iterations",
            "ms/step",
            "least ms",
            "spread",
            "ns/projection",
            "times ours",
            "threads used",
            "lowest m",
        ),
    )
    for name, by_count in times.items():
        last = runs[name][-1]
        for iterations, taken in by_count.items():
            typical = median(taken)
            table.rows.append(
                (
                    name,
                    iterations,
                    1e3 * typical,
                    1e3 * min(taken),
                    spread(taken),
                    1e9 * typical / (iterations * len(pairs)),
                    typical / median(times[OURS][iterations]),
                    last["threads"],
                    last["lowest"],
                )
            )
    for iterations, milliseconds in GPU_MILLISECONDS.items():
        each = 1e6 * milliseconds / (iterations * len(pairs))
        ratio = 1e-3 * milliseconds / median(times[OURS][iterations])
        name = "the paper's GPU of 2016"
        table.rows.append((name, iterations, milliseconds, None, None, each, ratio, None, None))
    _add_bars(table, times)
    table.remarks = _remarks(setting, runs)
    return [table]


def cloth(solver: core.XPBD, grid: bool = False) -> core.Simulation:
    """Return the cloth hanging by two corners.

    Args:
        grid: as where rows and columns are detected: threads along both are solved at once.
    """
    positions, inverse = vertices()
    pairs, _ = springs()
    masses = np.full(len(inverse), np.inf)
    np.divide(1.0, inverse, out=masses, where=inverse > 0.0)
    model = core.Model()
    model.add_particles(positions, masses)
    along = _along_threads(positions, pairs) if grid else np.zeros(len(pairs), bool)
    if grid:
        model.add_constraints("distance", pairs[along], compliance=COMPLIANCE, order="chains")
    model.add_constraints("distance", pairs[~along], compliance=COMPLIANCE)
    return core.Simulation(model, solver)


def _along_threads(positions: Positions, pairs: Indices) -> Any:
    """Return which pairs are sides of the quads: the threads of both directions."""
    way = np.abs(positions[pairs[:, 1]] - positions[pairs[:, 0]])
    step = np.linalg.norm(way, axis=1)
    return np.isclose(step, step.min())


def _methods(setting: Setting) -> dict[str, Run]:
    methods: dict[str, Run] = {OURS: partial(_ours, 1, False), GRID: partial(_ours, 1, True)}
    for threads in thread_counts()[1:]:
        methods[f"ours, any mesh, {threads} threads"] = partial(_ours, threads, False)
        methods[f"ours, detected grid, {threads} threads"] = partial(_ours, threads, True)
    for title, (library, *script) in PEERS.items():
        if library in setting.peers:
            # pyPBD spreads its work by OpenMP, the others use one thread on a processor.
            methods[title] = partial(
                run_script, setting.peers[library], *script, variables={"OMP_NUM_THREADS": "1"}
            )
    return methods


def _ours(threads: int, grid: bool) -> dict[str, Any]:
    """One cloth for all numbers of iterations, as the peers have."""
    solver = core.XPBD(substeps=1, threads=threads)
    simulation = cloth(solver, grid)

    def step(iterations: int) -> None:
        solver.iterations = iterations
        simulation.advance(STEP)

    found = timed(step)
    return found | {"lowest": float(simulation.positions[:, 2].min())}


def _seconds(run: dict[str, Any], iterations: int) -> list[float]:
    """Return the times of a run in this process, or of one that came as JSON."""
    found = run["seconds"]
    return list(found.get(iterations) or found[str(iterations)])


def _add_bars(table: Table, times: Times) -> None:
    for peer, bound in BARS.items():
        found = [name for name in times if name.startswith(peer)]
        if found:
            ratios = [
                min(min(times[name][k]) for name in found) / min(times[OURS][k]) for k in ITERATIONS
            ]
            table.bars.append(
                at_least(f"any mesh, 20 to 160 iterations: {peer} / ours", min(ratios), bound)
            )
    ratios = [GPU_MILLISECONDS[k] / (1e3 * min(times[GRID][k])) for k in ITERATIONS]
    table.bars.append(at_least("detected grid: the paper's GPU / ours", min(ratios), 1.0))


def _remarks(setting: Setting, runs: dict[str, list[dict[str, Any]]]) -> list[str]:
    remarks = [
        f"Medians of {STEPS_IN_A_ROUND * setting.rounds} steps of {STEP:.4f} s, all methods in "
        "turn; ns/projection: whole step, prediction and velocities included. Bars: of "
        "the least times, which other programs disturb least, the least ratio over the numbers of "
        "iterations, against the peer's faster method.",
        f"The same for all: masses of 0.2 kg/m², {COMPLIANCE:g} m/N, two corners fixed, "
        "float32 but for pyPBD.",
        "detected grid: rows and columns of the quads as threads solved by LDLᵀ, the other pairs "
        "by colours: one of our iterations then does more.",
        "Newton: one Jacobi sweep an iteration without relaxation, which diverges with these "
        "springs (see lowest): only its time counts. Particles of radius 0, so that it looks for "
        "no contacts.",
        "threads used: processor time over time. The paper's GPU: its table 1, another computer.",
    ]
    versions = [
        f"{name} {found[-1]['version']}" for name, found in runs.items() if "version" in found[-1]
    ]
    if versions:
        remarks.append(f"Versions: {'; '.join(versions)}.")
    missing = sorted({library for library, *_ in PEERS.values()} - set(setting.peers))
    if missing:
        remarks.append(f"SKIPPED {', '.join(missing)}: could not be installed (bench/setting.py).")
    return remarks
