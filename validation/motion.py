# SPDX-License-Identifier: GPL-3.0-or-later
"""The first swing of a chain that hangs by one end (Daniel Bernoulli 1732), and how swings die."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FIRST_ZERO = 2.404825557695773
"""Of J₀: the frequency is half of it times √(g / L)."""

FINE = 2001

Points = NDArray[np.float64]


def first_swing(down: Points, reach: float) -> tuple[Points, Points]:
    """Where points of a chain of length 1 are at the farthest of its first mode.

    Args:
        down: how far along the chain from its upper end, shape (n,).
        reach: how far the free end is out.

    Returns:
        The way out and the height, shape (n,) each.
    """
    along = np.linspace(0.0, 1.0, FINE)
    way = reach * _bessel(FIRST_ZERO * np.sqrt(1.0 - along))
    fall = np.sqrt(np.diff(along) ** 2 - np.diff(way) ** 2)
    height = -np.concatenate([[0.0], np.cumsum(fall)])
    return np.interp(down, along, way), np.interp(down, along, height)


def _bessel(x: Points) -> Points:
    """J₀, by Bessel's integral."""
    angles = np.pi * (np.arange(200) + 0.5) / 200
    return np.asarray(np.cos(x[:, None] * np.sin(angles)).mean(axis=1))


def swing_of(ways: Points, frame: float) -> tuple[float, float]:
    """The period [s] of a swing, and what part of its reach is left after one.

    Args:
        ways: from the middle, after each frame, shape (n,), over two periods at least.
        frame: [s].
    """
    slope = np.diff(ways)
    turns = np.flatnonzero(slope[:-1] * slope[1:] < 0.0) + 1
    rise = ways[turns + 1] - ways[turns - 1]
    bend = ways[turns - 1] - 2.0 * ways[turns] + ways[turns + 1]
    peaks = np.abs(ways[turns] - rise**2 / (8.0 * bend))
    through = np.flatnonzero(ways[1:] * ways[:-1] < 0.0)
    moments = frame * (through + ways[through] / (ways[through] - ways[through + 1]))
    period = 2.0 * float(np.diff(moments).mean())
    rate = np.polyfit(frame * turns, np.log(peaks), 1)[0]
    return period, float(np.exp(rate * period))
