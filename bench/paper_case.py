# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloth of table 1 of the XPBD paper: what every library that simulates it is given.

Needs numpy only, so that every library's Python can import it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .scenes import Indices, Positions, lengths, paper_pairs, square, square_corners

SIDE = 64
ITERATIONS = (20, 40, 80, 160)
STEP = 1 / 60  # s
COMPLIANCE = 1e-7  # m/N
AREAL_DENSITY = 0.2  # kg/m²
STEPS_IN_A_ROUND = 12


def vertices() -> tuple[Positions, Positions]:
    """Return positions [m], shape (n, 3), and inverse masses [1/kg], zero at two corners."""
    positions, _ = square(SIDE)
    inverse = np.full(len(positions), len(positions) / (AREAL_DENSITY * 4.0))
    inverse[square_corners(SIDE)] = 0.0
    return positions, inverse


def springs() -> tuple[Indices, Positions]:
    """Return pairs of vertices, shape (m, 2), and their lengths at rest [m], shape (m,)."""
    pairs = paper_pairs(SIDE)
    return pairs, lengths(vertices()[0], pairs)


def colors(pairs: Indices) -> list[Indices]:
    """Return groups of pairs that share no vertex: each takes the first colour that is free."""
    taken = np.zeros(SIDE * SIDE, np.int64)
    found: list[list[int]] = []
    for number, (a, b) in enumerate(pairs.tolist()):
        busy = int(taken[a] | taken[b])
        color = (~busy & (busy + 1)).bit_length() - 1
        if color == len(found):
            found.append([])
        found[color].append(number)
        taken[[a, b]] |= 1 << color
    return [np.array(group) for group in found]


def timed(step: Callable[[int], object], steps: int = STEPS_IN_A_ROUND) -> dict[str, Any]:
    """Call ``step(iterations)`` in turn for each number of iterations.

    Returns:
        ``seconds`` of each by iterations, and ``threads`` that were at work on average.
    """
    for iterations in ITERATIONS:
        step(iterations)
    taken: dict[int, list[float]] = {iterations: [] for iterations in ITERATIONS}
    begin, used = time.perf_counter(), time.process_time()
    for _ in range(steps):
        for iterations in ITERATIONS:
            start = time.perf_counter()
            step(iterations)
            taken[iterations].append(time.perf_counter() - start)
    threads = (time.process_time() - used) / (time.perf_counter() - begin)
    return {"seconds": taken, "threads": threads}
