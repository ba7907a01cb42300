# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to what: rows of varying length, one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def grouped(keys: Indices, values: Indices, count: int) -> tuple[Indices, Indices]:
    """Values by key: where those of each key start, shape (count + 1,), and all of them.

    Those of a key keep their order. With ``keys`` the corners of elements, flat, and ``values``
    their numbers, it finds the elements around each vertex.
    """
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=starts[1:])
    return starts, values[np.argsort(keys, kind="stable")]
