# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise in space: the improved noise of Perlin 2002 with the permutation that Blender uses."""

from __future__ import annotations

from math import floor

import numpy as np

from ..native.compiled import native_part
from ..native.vectors import Vector

PERMUTATION = np.frombuffer(
    bytes.fromhex(
        "a2a0193bf8ebaaeef31c67281ded00de952edc3f3a82354d6cba36d0f60c7932"
        "d159f4088b63892fb8b49783f28f18c751146587482042a880b54013b2227e57"
        "bc7f6b9d864cc8db7cd5254e5a557450cdb37abbc3cbb6e2e4ecfd980b96d39e"
        "5ca164f18161e1c42472498c904b843438ab78ca1f01d79311c158a931f9446d"
        "bf339c5f0994a38506c69a1e7b461530272b1b713c5bd66f62ac4fc2c00eb123"
        "a7df47b0776905e9e6e776730ffe6e9b56ef12a537fcaed9038edd10b9cec98d"
        "da2abd68179fbed40accd2e8433d70b7027d99d80d608a042c3e92e5af5307e0"
        "29a6c5e3f5f74a41266a165e522d21adf091ffea54fa661a4539cf75a488fb5d"
    ),
    np.uint8,
).astype(np.int64)

OCTAVES = 3


@native_part
def turbulence(x: float, y: float, z: float) -> float:
    """Three octaves of noise, each half as strong as the one before; about ±0.5."""
    total, strength, scale = 0.0, 4.0 / 7.0, 1.0
    for _ in range(OCTAVES):
        total += strength * _noise(scale * x, scale * y, scale * z)
        strength, scale = 0.5 * strength, 2.0 * scale
    return total


@native_part
def turbulence_vector(q: Vector) -> Vector:
    """One for each axis, of different places."""
    x, y, z = q
    return turbulence(x, y, z), turbulence(y, z, x), turbulence(z, x, y)


@native_part
def _noise(x: float, y: float, z: float) -> float:
    """Between the corners of a cell: what gradients there tell, by smooth weights."""
    i, j, k = floor(x), floor(y), floor(z)
    u, v, w = x - i, y - j, z - k
    a, b, c = int(i) % 256, int(j) % 256, int(k) % 256
    total = 0.0
    for di in range(2):
        row = PERMUTATION[(a + di) % 256]
        for dj in range(2):
            column = PERMUTATION[(row + b + dj) % 256]
            for dk in range(2):
                code = PERMUTATION[(column + c + dk) % 256] % 16
                share = _share(u, di) * _share(v, dj) * _share(w, dk)
                total += share * _slope(code, u - di, v - dj, w - dk)
    return total


@native_part
def _share(t: float, side: int) -> float:
    """The weight of the cell's far side, or of its near one."""
    far = t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    return far if side == 1 else 1.0 - far


@native_part
def _slope(code: int, x: float, y: float, z: float) -> float:
    """The way from a corner along its gradient, one of twelve."""
    u = x if code < 8 else y
    v = y if code < 4 else (x if code == 12 or code == 14 else z)
    return (u if code % 2 == 0 else -u) + (v if code % 4 < 2 else -v)
