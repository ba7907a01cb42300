# SPDX-License-Identifier: GPL-3.0-or-later
"""The sheet of the cases on sameness: cotton of 2 m on meshes of any resolution."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import naive
import numpy as np
from numpy.typing import DTypeLike, NDArray

import core
from bench.default_settings import SOLVER

from .fabrics import fabric_options
from .reasons import seen

Array = NDArray[np.float64]
Mesh = Literal["quads", "triangles", "irregular"]
Pinning = Literal["patches", "edge", "points"]

SIZE, PATCH = 2.0, 0.14  # m
FAR = 0.2  # m from the pins
COTTON = core.MATERIALS["cotton"]
DRAG = 4.0  # 1/s
RATE, SECONDS = 24, 2.0  # frames a second; s until it hangs still
SETTLED = 0.25  # s at the end that count

SUBSTEPS, ITERATIONS = SOLVER["substeps"], SOLVER["iterations"]
LARGEST_STRETCH = SOLVER["largest_stretch"]
"""What the add-on has where nobody has changed anything."""

SAG = 2.0  # % of the height
SAG_SEEN = seen(SAG, SIZE, "a sheet")
STRAIN = 100.0 * LARGEST_STRETCH  # %
STRAIN_ALLOWED = f"what the default settings allow to be left: {STRAIN:g}%"

PINNINGS: dict[Pinning, str] = {
    "patches": f"two corner patches of {PATCH:g} m",
    "edge": "one edge",
    "points": "two corner vertices",
}

IN_WORDS = (
    f"Cotton as the preset has it ({1 / COTTON.stretch_compliance:.0f} N/m along its yarns, "
    f"{1 / COTTON.shear_compliance:.0f} N/m against shear, {1e6 / COTTON.bend_compliance:.0f} "
    f"µN·m against bending, {COTTON.density:g} kg/m²), a sheet of {SIZE:g} × {SIZE:g} m that "
    f"starts level and swings down; air drag of {DRAG:g} 1/s lets it come to rest in "
    f"{SECONDS:g} s"
)


def default_solver(**options: Any) -> core.XPBD:
    """XPBD as the add-on has it, but for these options."""
    return core.XPBD(**{**SOLVER, "threads": 1} | options)


@dataclass(frozen=True)
class Sheet:
    """A square in the plane z = 0, pinned at y = 0.

    Attributes:
        positions: [m], shape (n, 3); on quads and triangles in rows of equal y, x ascending.
        faces: quads or triangles.
        pins: vertices.
    """

    positions: Array
    faces: NDArray[np.int64]
    pins: NDArray[np.int64]

    @staticmethod
    def of(side: int, pinning: Pinning = "patches", mesh: Mesh = "quads") -> Sheet:
        """A sheet of side × side vertices."""
        make = naive.irregular_triangles if mesh == "irregular" else naive.quad_grid
        positions, found = make(side - 1, side - 1, SIZE, SIZE)
        faces = np.array(found)
        if mesh == "triangles":
            faces = _halves(faces)
        return Sheet(positions, faces, _pins(positions, pinning))

    def is_far(self) -> NDArray[np.bool_]:
        """Which vertices are farther than `FAR` from every pin, shape (n,)."""
        nearest = np.full(len(self.positions), np.inf)
        for pin in self.pins:
            gaps = np.linalg.norm(self.positions - self.positions[pin], axis=1)
            np.minimum(nearest, gaps, out=nearest)
        return np.asarray(nearest > FAR)

    def add_to(self, model: core.Model) -> Any:
        """Add it as cotton; returns the handle."""
        return model.add_cloth(
            self.positions, self.faces, pins=self.pins, drag=DRAG, **fabric_options("cotton")
        )

    def triangles(self) -> NDArray[np.int64]:
        """Its faces, quads cut in two."""
        return _halves(self.faces) if self.faces.shape[1] == 4 else self.faces

    def yarn_strain(self, points: Array) -> Array:
        """How much longer than at rest warp and weft are in each triangle, shape (t, 2).

        On any mesh the same: edges that run across the yarns are lengthened by shear as well.
        """
        corners, triangles = self.positions[:, :2], self.triangles()
        rest = (corners[triangles[:, 1:]] - corners[triangles[:, :1]]).transpose(0, 2, 1)
        now = (points[triangles[:, 1:]] - points[triangles[:, :1]]).transpose(0, 2, 1)
        return np.asarray(np.linalg.norm(now @ np.linalg.inv(rest), axis=1) - 1.0)


def _halves(quads: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _pins(positions: Array, pinning: Pinning) -> NDArray[np.int64]:
    x, y, _ = positions.T
    if pinning == "edge":
        return np.flatnonzero(y == 0.0)
    size = PATCH + 1e-9 if pinning == "patches" else 0.0
    return np.flatnonzero((np.minimum(x, SIZE - x) <= size) & (y <= size))


@dataclass
class Hung:
    """A sheet that hangs.

    Attributes:
        sheet: at rest.
        points: in the end [m], shape (n, 3).
        strain: of each edge in the end, shape (e,).
        far: whether the edge is far from the pins, shape (e,).
        lows: the lowest point [m] after each frame.
        peaks: the largest strain of an edge far from the pins after each frame [%].
        efforts: substeps and iterations of each frame.
        seconds: processor time of each frame.
    """

    sheet: Sheet
    points: Array
    strain: Array
    far: NDArray[np.bool_]
    lows: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    efforts: list[tuple[int, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def settled(self) -> int:
        """How many frames at the end count."""
        return max(1, round(SETTLED * len(self.lows) / SECONDS))

    @property
    def low(self) -> float:
        """The lowest point in the end [m], the mean of the frames that count."""
        return float(np.mean(self.lows[-self.settled :]))

    @property
    def far_strain(self) -> float:
        """Of the edges far from pins the largest in any frame that counts [%]."""
        return max(self.peaks[-self.settled :])

    @property
    def percentile(self) -> float:
        """99 of 100 edges are strained less in the end [%]."""
        return 100.0 * float(np.percentile(self.strain, 99.0))

    def far_yarn_strain(self, percentile: float = 100.0) -> float:
        """Of warp and weft far from pins the largest strain in the end, or a percentile [%]."""
        far = self.sheet.is_far()[self.sheet.triangles()].all(axis=1)
        strain = self.sheet.yarn_strain(self.points)[far]
        return 100.0 * float(np.percentile(strain, percentile))

    @property
    def milliseconds(self) -> float:
        """Processor time of a frame [ms], the median."""
        return 1e3 * float(np.median(self.seconds))

    @property
    def effort(self) -> str:
        """Least and most substeps of a frame once it is under way, in words."""
        substeps, iterations = np.array(self.efforts[1:]).T
        text = (
            f"{substeps.min()}" if np.ptp(substeps) == 0 else f"{substeps.min()}–{substeps.max()}"
        )
        return text if iterations.max() == 1 else f"{text} × {iterations.max()}"


def hang(
    sheet: Sheet,
    solver: Any,
    *,
    rate: int = RATE,
    chains: bool = True,
    precision: DTypeLike = np.float32,
) -> Hung:
    """Let a sheet hang for `SECONDS`.

    Args:
        sheet: at rest.
        solver: of `core`.
        rate: frames a second.
        chains: whether chains are solved at once, as they are in `core`, or link by link.
        precision: of the model.
    """
    model = core.Model(precision)
    cloth = sheet.add_to(model)
    if not chains:
        for group in model.groups:
            group.chains = None
    return run(core.Simulation(model, solver), sheet, cloth, rate)


def run(simulation: core.Simulation, sheet: Sheet, cloth: Any, rate: int = RATE) -> Hung:
    """Let a simulation of a sheet run for `SECONDS`."""
    points, lengths, nothing = simulation.positions, cloth.rest_lengths, np.zeros(len(cloth.edges))
    hung = Hung(sheet, sheet.positions, nothing, sheet.is_far()[cloth.edges].all(axis=1))
    for _ in range(round(rate * SECONDS)):
        start = time.process_time()
        simulation.advance(1 / rate)
        hung.seconds.append(time.process_time() - start)
        hung.strain = core.edge_strain(points, cloth.edges, lengths)
        hung.lows.append(float(points[:, 2].min()))
        hung.peaks.append(100.0 * float(hung.strain[hung.far].max()))
        hung.efforts.append(simulation.prepared.counts)
    hung.points = points.astype(np.float64)
    return hung


@cache
def hung_by_default(side: int, pinning: Pinning = "patches", mesh: Mesh = "quads") -> Hung:
    """A sheet at the default settings, simulated once for all cases."""
    return hang(Sheet.of(side, pinning, mesh), default_solver())


def spread(values: list[float]) -> float:
    """Largest less smallest, in percent of the sheet's height."""
    return float(100.0 * np.ptp(values) / SIZE)
