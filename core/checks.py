# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning what callers give into arrays of the right shape, or into an error that says why not.

All arrays returned are copies: later changes of the caller's do no harm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ModelError

Numbers = NDArray[np.float64]


def finite(what: str, values: ArrayLike, *, columns: int) -> Numbers:
    """An array of shape (n, columns) without NaN or infinity, or a ModelError that says where."""
    array = np.array(values, np.float64)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ModelError(f"{what} must have shape (n, {columns}), not {array.shape}.")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise ModelError(f"{what}: vertex {bad[0]} is not a finite number ({len(bad)} in all).")
    return array


def spread(what: str, values: ArrayLike, shape: tuple[int, ...]) -> Numbers:
    """Values spread to a shape as numpy does, or a ModelError: they don't fit, or one is NaN."""
    array = np.asarray(values, np.float64)
    try:
        result = np.array(np.broadcast_to(array, shape))
    except ValueError:
        raise ModelError(f"{what} must fit the shape {shape}, not {array.shape}.") from None
    if np.isnan(result).any():
        raise ModelError(f"{what} must be numbers; there is a NaN among them.")
    return result


def not_negative(what: str, values: Numbers) -> Numbers:
    """The values, or a ModelError where one is negative or infinite."""
    if not np.all((values >= 0.0) & np.isfinite(values)):
        raise ModelError(f"{what} must be finite and not negative.")
    return values


def duration(what: str, seconds: float) -> float:
    """A time [s], or a ModelError: it is negative, or no finite number."""
    if not 0.0 <= seconds < np.inf:
        raise ModelError(f"{what} must be finite and not negative, not {seconds}.")
    return float(seconds)


def pins_of(name: str, count: int, pins: ArrayLike | None) -> NDArray[np.int64]:
    """Pinned vertices of a mesh of ``count``, sorted, or a ModelError: one doesn't exist."""
    pinned = np.unique(np.asarray([] if pins is None else pins, np.int64))
    if len(pinned) and not 0 <= pinned[0] <= pinned[-1] < count:
        raise ModelError(f"A pin of '{name}' refers to a vertex that doesn't exist.")
    return pinned
