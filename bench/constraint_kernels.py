# SPDX-License-Identifier: GPL-3.0-or-later
"""What one projection costs: our kernels, the same in C, and plain loops."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from core.solvers.common.sweep import sweep
from core.vector.compiler import native_lanes

from . import c_kernels, plain
from .c_kernels import CError
from .kernel_scenes import COMPLIANCE, NOISE, WORKS, Work, in_c
from .report import Table, at_least, at_most
from .setting import Setting
from .timing import interleaved, median, seconds

SWEEPS = 20
SAMPLES_PER_ROUND = 15
RATE = np.float32(60 * 40)  # 1/s
SAME = 1e-3
"""Positions that differ by less of the way that the sweeps move them are the same to rounding."""

OURS, IN_C = "ours", "C, same layout"
PLAIN, PLAIN_C = "plain numba", "plain C"
State = Callable[[], NDArray[Any]]


@dataclass
class Contender:
    """One way to do the work of a :class:`Work`.

    Attributes:
        reset: put everything back to where it starts.
        run: so many sweeps.
        positions: where the vertices are now [m], shape (n, 3).
        reference: the contender that must come to the same positions; None for none.
    """

    work: Work
    reset: Callable[[], object]
    run: Callable[[int], object]
    positions: State
    reference: str | None = None

    def nanoseconds(self) -> float:
        """Return how long a projection takes [ns]."""
        self.reset()
        return 1e9 * seconds(partial(self.run, SWEEPS)) / (SWEEPS * self.work.count)

    def result(self) -> NDArray[Any]:
        """Return the positions after all sweeps."""
        self.reset()
        self.run(SWEEPS)
        return np.array(self.positions())


Contenders = Mapping[tuple[str, str], Contender]


def measure(setting: Setting) -> list[Table]:
    """Time sweeps of every kernel over its constraints, in turn."""
    every, problem = contenders()
    results = {key: one.result() for key, one in every.items()}
    samples = {key: one.nanoseconds for key, one in every.items()}
    interleaved(samples, 1)
    times = interleaved(samples, SAMPLES_PER_ROUND * setting.rounds)
    table = Table(
        f"Kernels: 64 x 64 vertices, one thread, float32, {native_lanes()} lanes",
        (
            "constraints",
            "kernel",
            "count",
            "ns/projection",
            "least ns",
            "ours / this",
            "apart / moved",
        ),
    )
    for (work, name), one in every.items():
        typical = median(times[work, name])
        distance = apart(one, results[work, name], results.get((work, one.reference or "")))
        row = (work, name, one.work.count, typical, min(times[work, name]))
        table.rows.append((*row, median(times[work, OURS]) / typical, distance))
    _add_bars(table, {key: min(taken) for key, taken in times.items()})
    table.remarks = _remarks(setting, problem)
    return [table]


def apart(one: Contender, found: NDArray[Any], expected: NDArray[Any] | None) -> float | None:
    """Return how far positions are from those expected, over how far the sweeps moved them."""
    if expected is None:
        return None
    moved = np.abs(found - one.work.start[: one.work.vertices, :3]).max()
    return float(np.abs(found - expected).max() / moved)


def contenders() -> tuple[dict[tuple[str, str], Contender], str]:
    """Return all contenders by work and name, and why some are missing."""
    found: dict[tuple[str, str], Contender] = {}
    problem = ""
    for name, make in WORKS.items():
        work = make()
        found[name, OURS] = _by_program(work, work.program)
        if not work.colored:
            continue
        if work.kind == "distance":
            found[name, PLAIN] = _by_loop(work, plain.project)
        try:
            found[name, IN_C] = _by_program(work, in_c(work), OURS)
            if work.kind == "distance":
                found[name, PLAIN_C] = _by_loop(work, _plain_c(), PLAIN)
        except CError as error:
            problem = str(error)
    return found, problem


def _by_program(work: Work, program: Any, reference: str | None = None) -> Contender:
    rows, previous = work.rows, work.rows.copy()

    def reset() -> None:
        rows[:] = work.start
        program.multipliers[:] = 0.0

    def run(sweeps: int) -> None:
        _sweep_often(program, rows, previous, RATE, sweeps)

    return Contender(work, reset, run, lambda: rows[: work.vertices, :3], reference)


@numba.njit(nogil=True, error_model="numpy")
def _sweep_often(program, rows, previous, rate, sweeps):  # type: ignore[no-untyped-def]
    """In one call, because what Python adds to each would count."""
    for _ in range(sweeps):
        sweep(program, rows, previous, program.outputs, rate)


def _by_loop(work: Work, project: Any, reference: str | None = None) -> Contender:
    start = np.ascontiguousarray(work.start[: work.vertices, :3])
    x, inverse_mass = start.copy(), np.ascontiguousarray(work.start[: work.vertices, 3])
    pairs = work.indices.astype(np.int32)
    rest = work.rest.astype(np.float32)
    compliance = np.full(len(pairs), COMPLIANCE["distance"], np.float32)
    multipliers = np.zeros(len(pairs), np.float32)

    def reset() -> None:
        x[:] = start
        multipliers[:] = 0.0

    def run(sweeps: int) -> None:
        for _ in range(sweeps):
            project(x, inverse_mass, pairs, rest, compliance, multipliers, RATE)

    return Contender(work, reset, run, lambda: x, reference)


def _plain_c() -> Callable[..., None]:
    """Return c/plain.c behind the signature of ``plain.project``. Raises CError."""
    function = c_kernels.function("plain", 1)

    def project(*arguments: Any) -> None:
        arrays = [array.ctypes.data_as(ctypes.c_void_p) for array in arguments[:-1]]
        function(*arrays, ctypes.c_float(arguments[-1]), ctypes.c_int64(len(arguments[2])))

    return project


def _add_bars(table: Table, least: Mapping[tuple[str, str], float]) -> None:
    plainly = least["distance", PLAIN] / least["distance", OURS]
    table.bars.append(at_least("distance: times as fast as plain numba", plainly, 4.0))
    for work, bound in (("distance", 1.15), ("strain", 1.2), ("bending", 1.2)):
        if (work, IN_C) in least:
            ratio = least[work, OURS] / least[work, IN_C]
            table.bars.append(at_most(f"{work}: ours / {IN_C}", ratio, bound))
    for row in table.rows:
        if row[-1] is not None:
            what = f"{row[0]}, {row[1]}: positions apart / moved"
            table.bars.append(at_most(what, float(row[-1]), SAME))


def _remarks(setting: Setting, problem: str) -> list[str]:
    remarks = [
        f"Medians of {SAMPLES_PER_ROUND * setting.rounds} samples of {SWEEPS} sweeps, all in "
        f"turn, each from the same start, {1e3 * NOISE:.0f} mm of noise away from rest. Bars "
        "are on the least times, which other programs disturb least.",
        "distance: the 23,938 pairs of the XPBD paper's table 1 in colours; along chains: the "
        "same pairs as threads solved by LDLᵀ; strain, bending: triangles and hinges.",
        f"{IN_C}: the same batches of blocks, by intrinsics and vector extensions (bench/c), "
        f"{c_kernels.compiler_version()} {' '.join(c_kernels.OPTIONS)}.",
        "Plain: one loop over pairs in the order given, C and numba alike.",
        "apart / moved: largest difference of the positions from those of ours (of plain C from "
        "plain numba) over the largest way from the start: the work is the same.",
    ]
    return [*remarks, f"SKIPPED what is in C: {problem}."] if problem else remarks
