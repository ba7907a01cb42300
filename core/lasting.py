# SPDX-License-Identifier: GPL-3.0-or-later
"""What lasts from one frame to the next: all that the next frame depends on, as named arrays.

Whoever has any offers it by ``lasting()``, as views or copies that nobody writes to, and goes on
from it by ``go_on_from(lasting)``, which copies. What is found anew in each frame does not last.
Names of parts begin with the part's name and a slash. A checkpoint is nothing else, so that what
is added to one of these two methods is in every checkpoint; where it holds places, `PLACES` has its
name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .errors import CheckpointError

Lasting = Mapping[str, NDArray[Any]]


def named(part: str, lasting: Lasting) -> dict[str, NDArray[Any]]:
    """What lasts of a part, with its name before each."""
    return {f"{part}/{name}": array for name, array in lasting.items()}


def part_of(lasting: Lasting, part: str) -> dict[str, NDArray[Any]]:
    """What lasts of a part, by names without the part's."""
    start = f"{part}/"
    return {
        name.removeprefix(start): array for name, array in lasting.items() if name.startswith(start)
    }


def parts_of(lasting: Lasting) -> dict[str, dict[str, NDArray[Any]]]:
    """What lasts of each part, by the part's name; what has none is of no part."""
    found: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in lasting.items():
        part, slash, own = name.partition("/")
        if slash:
            found.setdefault(part, {})[own] = array
    return found


PLACES = frozenset(
    {"positions", "wanted", "vertices", "anchor", "free", "left", "older_rows", "predicted"}
)
"""Last words of the names of those that hold places: x, y, z [m] in the first three columns."""


def moved(lasting: Lasting, way: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """The same as seen from an origin that has gone a way [m]."""
    found = dict(lasting)
    for name, array in lasting.items():
        if name.rpartition("/")[2] in PLACES:
            found[name] = array.copy()
            found[name][..., :3] -= way.astype(array.dtype)
    return found


def array_of(
    lasting: Lasting, name: str, dtype: DTypeLike, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """One of the arrays.

    Args:
        shape: that it must have; None where any length will do.

    Raises:
        CheckpointError: it is missing, or of another type or shape.
    """
    array = lasting.get(name)
    if array is None:
        raise CheckpointError(f"The checkpoint is of another simulation: it has no '{name}'.")
    lengths = zip(array.shape, shape, strict=False)
    fits = len(array.shape) == len(shape) and all(b is None or a == b for a, b in lengths)
    if array.dtype != np.dtype(dtype) or not fits:
        raise CheckpointError(
            f"The checkpoint is of another simulation: its '{name}' is {array.dtype} of shape "
            f"{array.shape} instead of {np.dtype(dtype)} of {shape}."
        )
    return array


def fill(target: NDArray[Any], lasting: Lasting, name: str) -> None:
    """Copy one of the arrays into another of its type and shape. Raises CheckpointError."""
    target[...] = array_of(lasting, name, target.dtype, target.shape)


def fill_if_fitting(target: NDArray[Any], lasting: Lasting, name: str) -> None:
    """Copy one of the arrays into another where it is there and of its type and shape."""
    array = lasting.get(name)
    if array is not None and (array.dtype, array.shape) == (target.dtype, target.shape):
        target[...] = array


def numbers_of(lasting: Lasting, name: str, count: int) -> list[float]:
    """One of the arrays, of so many numbers in double precision. Raises CheckpointError."""
    found: list[float] = array_of(lasting, name, np.float64, (count,)).tolist()
    return found
