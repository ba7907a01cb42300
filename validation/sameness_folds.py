# SPDX-License-Identifier: GPL-3.0-or-later
"""How high and how steep the folds of a hanging sheet are, wavelength by wavelength."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LINES = np.linspace(0.1, 1.0, 37)
"""Yarns that are looked at: their places along the sheet, 0 being the pinned edge."""

ALIKE = 25.0  # %
ALIKE_SEEN = f"by eye: in pictures folds look alike whose slopes differ by {ALIKE:g}%"

SAMPLES = 256
"""Along each yarn."""


@dataclass(frozen=True)
class Folds:
    """The spectrum of a sheet's folds.

    Attributes:
        lengths: wavelengths [m], long ones first, shape (m,).
        heights: root mean square of the depth in each [m], shape (m,).
    """

    lengths: Array
    heights: Array

    @property
    def slopes(self) -> Array:
        """Root mean square of the slope in each wavelength, shape (m,)."""
        return 2.0 * np.pi * self.heights / self.lengths

    @property
    def height(self) -> float:
        """Root mean square of the depth of all [m]."""
        return float(np.linalg.norm(self.heights))

    @property
    def steepness(self) -> float:
        """Root mean square of the slope of all."""
        return float(np.linalg.norm(self.slopes))


def folds_of(points: Array, width: float, shortest: float) -> Folds:
    """The folds across the yarns that run level, by cosine transforms of their depth.

    Args:
        points: a grid [m], shape (rows, columns, 3), rows from the pinned edge down, columns
            evenly along x at rest; depth is along y.
        width: of the sheet at rest [m].
        shortest: wavelengths that are taken along, from ``width`` to this one [m].
    """
    rows, columns = points.shape[:2]
    depth = _interpolated(points[..., 1], LINES * (rows - 1), 0)
    middles = (np.arange(SAMPLES) + 0.5) / SAMPLES
    depth = _interpolated(depth, middles * (columns - 1), 1)
    modes = np.arange(2, int(2.0 * width / shortest) + 1)
    waves = np.cos(np.pi * np.outer(middles, modes))
    amplitudes = 2.0 / SAMPLES * depth @ waves
    return Folds(2.0 * width / modes, np.sqrt(0.5 * (amplitudes**2).mean(axis=0)))


def _interpolated(values: Array, places: Array, axis: int) -> Array:
    """Values between those of a grid, linearly, at places counted in rows or columns."""
    first = np.minimum(places.astype(int), values.shape[axis] - 2)
    share = np.expand_dims(places - first, 1 - axis)
    return np.asarray(
        (1.0 - share) * values.take(first, axis) + share * values.take(first + 1, axis)
    )
