# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of one kind on which kernels are timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import core
from core.mesh import surface

from . import c_kernels
from .c_kernels import CError
from .scenes import Indices, paper_pairs, square, square_corners

SIDE = 64
NOISE = 3e-3  # m
AREAL_DENSITY = 0.2  # kg/m²
COMPLIANCE = {"distance": 1e-7, "strain": 1e-5, "bending": 1e-1}

C_LAYOUT = {"distance": (2, 2, 1), "strain": (3, 10, 3), "bending": (4, 2, 1)}
"""Vertices, parameters and components of one constraint, as the files in c/ expect them."""


@dataclass
class Work:
    """A square with constraints of one kind.

    Attributes:
        colored: swept by colours; else along chains.
        indices, rest: of the constraints.
        program: our sweep; rows: the positions and inverse masses that it works on.
        start: rows with noise.
    """

    kind: str
    colored: bool
    indices: Indices
    rest: NDArray[np.float64]
    program: Any
    rows: NDArray[np.float32]
    start: NDArray[np.float32]

    @property
    def count(self) -> int:
        """Number of constraints."""
        return len(self.indices)

    @property
    def vertices(self) -> int:
        """Number of particles."""
        return SIDE * SIDE


def in_c(work: Work) -> Any:
    """Return the work's sweep, by colours, with the C kernel in ours' place. Raises CError."""
    table = work.program.batches.copy()
    expected = dict(zip(("vertices", "values", "components"), C_LAYOUT[work.kind]))
    if any(np.any(table[column] != size) for column, size in expected.items()):
        raise CError(f"the core lays {work.kind} constraints out in another way than bench/c")
    table.address = c_kernels.address(work.kind, int(table.lanes[0]))
    return work.program._replace(batches=table)


def _work(kind: str, order: Literal["colors", "chains"] = "colors") -> Work:
    positions, quads = square(SIDE)
    masses = np.full(len(positions), AREAL_DENSITY * 4.0 / len(positions))
    masses[square_corners(SIDE)] = np.inf
    model = core.Model()
    model.add_particles(positions, masses)
    group = model.add_constraints(
        kind, _indices(kind, quads), compliance=COMPLIANCE[kind], order=order
    )
    simulation = core.Simulation(model, core.XPBD(substeps=1, threads=1))
    rows = simulation.state.rows
    start = rows.copy()
    noise = np.random.default_rng(0).normal(0.0, NOISE, positions.shape)
    start[: len(positions), :3] += noise
    program = simulation.prepared.program
    return Work(kind, order == "colors", group.indices, group.rest[:, 0], program, rows, start)


def _indices(kind: str, quads: Indices) -> Indices:
    if kind == "distance":
        return paper_pairs(SIDE)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return triangles if kind == "strain" else surface.hinges(triangles)[0]


WORKS: dict[str, Callable[[], Work]] = {
    "distance": partial(_work, "distance"),
    "distance, along chains": partial(_work, "distance", "chains"),
    "strain": partial(_work, "strain"),
    "bending": partial(_work, "bending"),
}
