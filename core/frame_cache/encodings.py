# SPDX-License-Identifier: GPL-3.0-or-later
"""How the bytes of a frame stand for its numbers: as they are, or positions on a lattice.

The points of a lattice are whole steps from the world's origin along each axis. A step has four
significant digits in base two, one of eight between a power of two and the next, so that it stays
the same over many frames: what is at rest is found at the same place on all of these, to the bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FULL, LATTICE = "FULL", "LATTICE"

_AXES = 3
_BLOCK = 256  # points that are moved in one go
_HEAD_BYTES = 16  # of float32: the base, a point of the lattice, and the step
_MOST_STEPS = 2**16 - 3  # along an axis; the numbers of both ends are rounded
_BASE_DIGITS = 19  # in base two: with those of the step no more than float32 has
_SMALLEST_STEP = 2.0**-126  # that float32 has with all its digits
_FARTHEST = 2.0**126  # so that no way from one point to another is too long for float32


class Full:
    """float32, one number after the other.

    Args:
        shape: of the array of a frame.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self.frame_bytes = 4 * math.prod(shape)

    def encode(self, values: NDArray[np.float32]) -> bytes:
        """The bytes that stand for an array."""
        return np.asarray(values, "<f4").tobytes()

    def decode(self, content: bytes) -> NDArray[np.float32]:
        """The array that bytes stand for, not to be written to."""
        return np.frombuffer(content, "<f4").reshape(self._shape).astype(np.float32, copy=False)


class Lattice:
    """Positions, shape (points, 3), as uint16 from a base on a lattice: half the bytes.

    What is decoded is off by less than 1e-5 of the longest side of the box around all points, along
    each axis, and by half of what float32 resolves at the box's farthest coordinate.
    """

    def __init__(self, points: int) -> None:
        self.frame_bytes = _HEAD_BYTES + 2 * _AXES * points

    def encode(self, positions: NDArray[np.float32]) -> bytes:
        """The bytes that stand for positions; what is beyond 2¹²⁶ along an axis is put there.

        Raises:
            ValueError: one is not a number.
        """
        if not len(positions):
            return bytes(_HEAD_BYTES)
        axes = np.array(positions.T, order="C")
        np.clip(axes, -_FARTHEST, _FARTHEST, out=axes)
        low, high = axes.min(axis=1).astype(np.float64), axes.max(axis=1).astype(np.float64)
        step = _step(low, high)
        base = _base(np.rint(low / step))
        steps = np.divide(axes, step, dtype=np.float64)
        np.rint(steps, out=steps)
        steps -= base[:, None]
        head = np.array([*(base * step), step], "<f4")
        return head.tobytes() + steps.T.astype("<u2").tobytes()

    def decode(self, content: bytes) -> NDArray[np.float32]:
        """The positions that bytes stand for, not to be written to.

        Products are exact, and so is the base: a sum is rounded once, to the float32 that is
        nearest to its point of the lattice, whatever the base is.
        """
        head = np.frombuffer(content, "<f4", _AXES + 1)
        steps = np.frombuffer(content, "<u2", offset=_HEAD_BYTES)
        positions = np.multiply(steps, head[_AXES], dtype=np.float32).reshape(-1, _AXES)
        _move(positions, head[:_AXES])
        positions.setflags(write=False)
        return positions


Encoding = Full | Lattice


def _move(points: NDArray[np.float32], way: NDArray[np.float32]) -> None:
    """Move points, many in one go: numpy takes long over a row, and three numbers are short."""
    together = len(points) // _BLOCK * _BLOCK
    many = np.tile(way, (_BLOCK, 1))
    long_rows = points[:together].reshape(-1, many.size)
    long_rows += many.reshape(-1)
    points[together:] += many[: len(points) - together]


def _step(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """The smallest step with which all between two corners of a box is numbered."""
    lost = np.abs(low) * 2.0 ** (1 - _BASE_DIGITS)  # below the box, where the base is rounded
    wanted = float((high - low + lost).max()) / _MOST_STEPS
    fraction, exponent = math.frexp(wanted)
    return max(math.ldexp(math.ceil(16.0 * fraction), exponent - 4), _SMALLEST_STEP)


def _base(low: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where to number from, in steps: at or below the lowest point, a number of few digits."""
    _fraction, exponents = np.frexp(low)
    units = np.ldexp(1.0, np.maximum(exponents - _BASE_DIGITS, 0))
    return np.floor(low / units) * units
