# SPDX-License-Identifier: GPL-3.0-or-later
"""How finding what may touch grows with the mesh: the same pile of cloth, subdivided."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import core
from core.contact.surface.candidates import AT_ONCE
from core.contact.surface.lists import list_anew
from core.contact.surface.surface import Surface
from core.native.threads import run_on_threads
from core.state import State

from . import contact_run
from .contact_scenes import make
from .report import Table, at_most
from .scenes import Indices, Positions
from .setting import Setting
from .timing import interleaved, median, seconds

SIDE, FRAMES, LEVELS = 64, 36, 3
THICKNESSES = (0.001, 0.002)
"""[m]: layers keep a half of the finest mesh's edge, or all of it."""

GROWTH = 1.3
"""Times as long per vertex as with a sixteenth of the vertices."""

COLUMNS = ("thickness mm", "vertices", "ns/vertex", "candidates/vertex")


def measure(setting: Setting) -> Table:
    """Time listing candidates anew in a pile, and twice subdivided, in turn."""
    scene = make("fold_on_floor", n=SIDE, frames=FRAMES)
    simulation = contact_run.build(scene)
    for _ in contact_run.steps(scene, simulation):
        pass
    cloth, pile = scene.cloths[0], simulation.positions.astype(float)
    table = Table("Finding what may touch in a pile of cloth", COLUMNS)
    for thickness in THICKNESSES:
        _measure(setting, table, np.hstack([cloth.positions, pile]), cloth.triangles, thickness)
    table.remarks = [
        f"fold_on_floor after {FRAMES} frames, subdivided where it lies; one thread; medians of "
        f"{3 * setting.rounds}, sizes in turn.",
        "Where layers keep as much as an edge is long, each vertex has more that is near.",
    ]
    return table


def _measure(
    setting: Setting, table: Table, points: Positions, triangles: Indices, thickness: float
) -> None:
    """Add rows and a bar for a thickness [m].

    Args:
        points: of the sheet at rest and in the pile, shape (n, 6).
    """
    samples: dict[int, Callable[[], float]] = {}
    listed: dict[int, int] = {}
    for level in range(LEVELS):
        if level > 0:
            points, triangles = subdivided(points, triangles)
        listing = _listing(points[:, :3], points[:, 3:], triangles, thickness)
        samples[len(points)] = partial(seconds, listing)
        listed[len(points)] = listing()
    times = interleaved(samples, 3 * setting.rounds)
    each = {count: 1e9 * median(taken) / count for count, taken in times.items()}
    table.rows += [(1e3 * thickness, n, each[n], listed[n] / n) for n in each]
    few, many = min(each), max(each)
    what = f"{1e3 * thickness:g} mm: detection per vertex, {many:,} over {few:,}"
    table.bars.append(at_most(what, each[many] / each[few], GROWTH))


def subdivided(points: Positions, triangles: Indices) -> tuple[Positions, Indices]:
    """Each triangle cut into four at the middles of its edges.

    Args:
        points: any values of vertices, shape (n, k).
        triangles: shape (f, 3).
    """
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, number = np.unique(edges, axis=0, return_inverse=True)
    middle = len(points) + number.reshape(-1, 3)
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return (
        np.concatenate([points, points[unique].mean(axis=1)]),
        np.concatenate([np.column_stack(part) for part in parts]),
    )


def _listing(
    rest: Positions, pile: Positions, triangles: Indices, thickness: float
) -> Callable[[], int]:
    """What lists all candidates of a pile and returns how many there are."""
    model = core.Model()
    model.add_cloth(rest, triangles, thickness=thickness, membrane="continuum")
    simulation = core.Simulation(model)
    simulation.positions[:] = pile
    state, surface = simulation.state, simulation.state.contact.surface
    while _most(surface, state) > surface.listed:
        surface.grow()
    return partial(_list, surface, state)


def _list(surface: Surface, state: State) -> int:
    """List candidates; returns how many there are."""
    arrays = surface.arrays
    arrays.motion.start[:] = state.rows[: len(arrays.motion.start)]
    run_on_threads(1, list_anew, surface.arrays, state.rows, state.count)
    return int(arrays.candidates.listed[:, :, AT_ONCE].sum())


def _most(surface: Surface, state: State) -> int:
    """List candidates; returns how many there are of the kind that has most."""
    _list(surface, state)
    return int(surface.arrays.candidates.listed[:, :, AT_ONCE].max())
