# SPDX-License-Identifier: GPL-3.0-or-later
"""A strip of cotton, clamped at one end, that nothing but its resistance to bending holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
from numpy.typing import NDArray

import core

from .fabrics import fabric_options

Array = NDArray[np.float64]

COTTON = core.MATERIALS["cotton"]
RATE = 24  # frames a second
ROOT = 1.8751040687119611
"""The least root of cos β cosh β = -1: a beam's first mode (Rao, Mechanical Vibrations)."""


@dataclass(frozen=True)
class Flap:
    """A strip in the plane z = 0 of square cells along x, held at x ≤ 0 by two columns of vertices.

    Attributes:
        cells: along what is free.
        across: cells along y.
        cell: [m].
    """

    cells: int = 6
    across: int = 4
    cell: float = 0.02

    @property
    def length(self) -> float:
        """Of what is free [m]."""
        return self.cells * self.cell

    @property
    def beam_frequency(self) -> float:
        """Angular frequency of the first mode of an Euler–Bernoulli beam [1/s]."""
        rigidity = 1.0 / COTTON.bend_compliance
        return ROOT**2 * math.sqrt(rigidity / COTTON.density) / self.length**2

    @property
    def mesh(self) -> tuple[Array, NDArray[np.int64]]:
        """Vertices [m] and quads."""
        size = (self.length + self.cell, self.across * self.cell)
        positions, quads = naive.quad_grid(self.cells + 1, self.across, *size)
        return positions - (self.cell, 0.0, 0.0), np.array(quads)

    def mode(self) -> Array:
        """The deflection of a beam's first mode at the vertices, 1 at the tip, shape (n,)."""
        angle = ROOT * np.maximum(self.mesh[0][:, 0], 0.0) / self.length
        part = (math.cosh(ROOT) + math.cos(ROOT)) / (math.sinh(ROOT) + math.sin(ROOT))
        shape = np.cosh(angle) - np.cos(angle) - part * (np.sinh(angle) - np.sin(angle))
        return np.asarray(0.5 * shape)

    def simulation(self, solver: Any, gravity: float = 0.0, drag: float = 0.0) -> core.Simulation:
        """The flap in double precision under a gravity [m/s²] along -z and a drag [1/s]."""
        positions, quads = self.mesh
        model = core.Model(np.float64)
        pins = np.flatnonzero(positions[:, 0] < 0.5 * self.cell)
        model.add_cloth(positions, quads, pins=pins, drag=drag, **fabric_options("cotton"))
        return core.Simulation(model, solver, gravity=(0.0, 0.0, -gravity))

    def swing(self, solver: Any, amplitude: float, swings: int) -> Array:
        """The part of the first mode [m] after each frame, let go from it without gravity."""
        simulation, mode = self.simulation(solver), self.mode()
        simulation.positions[:, 2] += amplitude * mode
        masses = simulation.model.masses
        weights = np.where(np.isfinite(masses), masses, 0.0) * mode
        weights /= weights @ mode
        frames = round(swings * RATE * 2.0 * math.pi / self.beam_frequency)
        path = np.empty(frames)
        for frame in range(frames):
            simulation.advance(1 / RATE)
            path[frame] = weights @ simulation.positions[:, 2]
        return path

    def sag(self, solver: Any, gravity: float, drag: float, seconds: float) -> float:
        """How far the tip has sunk after a while [m]."""
        simulation = self.simulation(solver, gravity, drag)
        for _ in range(round(seconds * RATE)):
            simulation.advance(1 / RATE)
        tip = self.mesh[0][:, 0] > self.length - 0.5 * self.cell
        return float(-simulation.positions[tip, 2].mean())


def frequency_and_decay(path: Array, apart: int, interval: float) -> tuple[float, float]:
    """Angular frequency and rate of decay [1/s] of a damped cosine in even samples.

    Samples z that lie a time t apart obey z'' = c z' - d z, where c is 2 exp(-decay t) cos(ω t) and
    d is exp(-2 decay t); these come from least squares.

    Args:
        path: samples, shape (n,).
        apart: so many samples lie between those compared, best an eighth of a swing.
        interval: between samples [s].
    """
    before, now, after = path[: -2 * apart], path[apart:-apart], path[2 * apart :]
    (c, d), *_ = np.linalg.lstsq(np.stack([now, -before], axis=1), after, rcond=None)
    time = apart * interval
    return math.acos(0.5 * c / math.sqrt(d)) / time, -0.5 * math.log(d) / time


def bending_period(simulation: core.Simulation) -> float:
    """Every how many substeps of the last frame bending was swept."""
    prepared = simulation.prepared
    layout = prepared.layout
    kinds = [layout.groups[owner].constraint.kind for owner in layout.owners]
    return float(max(p for p, kind in zip(prepared.periods, kinds) if kind == "bending"))
