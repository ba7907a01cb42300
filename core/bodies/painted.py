# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities that are one number of a body, or one of each vertex: edges and faces take means.

It is the stiffness that is averaged, not the compliance: where a vertex is stiff and the next one
soft, what lies between is half as stiff, and not soft as a weak link makes a chain. Painting one
number everywhere is the same as giving that number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

_MEASURED = ("_compliance", "damping", "_stiffness", "inflation")
_POSITIVE = ("density", "young_modulus")
_SHAPES = ("shrinkage", "rest_angle", "compression", "contraction", "yield_stretch")

Painted = float | NDArray[np.float64]
"""One number, or one of each vertex, shape (n,)."""


def means(values: Painted, corners: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean over the corners of each element, shape (count,).

    Args:
        corners: vertices of elements, shape (count, k).
    """
    if np.ndim(values) == 0:
        return np.full(len(corners), values)
    return np.asarray(np.asarray(values)[corners].mean(axis=1))


def mean_compliances(compliance: Painted, corners: NDArray[np.int64]) -> NDArray[np.float64]:
    """The compliance of elements of which the stiffness is the mean over corners, shape (count,).

    Args:
        corners: vertices of elements, shape (count, k).
    """
    if np.ndim(compliance) == 0:
        return np.full(len(corners), compliance)
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / means(1.0 / np.asarray(compliance), corners))


def check_values(material: Mapping[str, Any]) -> None:
    """Raise ModelError where a density or modulus is not positive, or another quantity negative.

    Args:
        material: by name; what is not a density, modulus, compliance, damping or inflation is left
            alone.
    """
    for name, value in material.items():
        values = np.asarray(value)
        if name in _POSITIVE:
            fine = (values > 0.0) & (values < np.inf)
        elif name.endswith(_MEASURED) and value is not None:
            fine = (values >= 0.0) & (values < np.inf)
        else:
            continue
        if not fine.all():
            wrong = values.flat[int(np.argmin(fine))]
            asked = "must be positive, not" if name in _POSITIVE else "can't be"
            raise ModelError(f"The {name.replace('_', ' ')} {asked} {wrong}.")


def check_shapes(name: str, count: int, material: Mapping[str, Any]) -> None:
    """Raise ModelError where what is painted is not one number a vertex.

    Args:
        name: of the body. count: of its vertices. material: by name.
    """
    for quantity, value in material.items():
        shape = np.shape(value)
        if quantity.endswith((*_MEASURED, *_POSITIVE, *_SHAPES)) and shape not in ((), (count,)):
            raise ModelError(
                f"The {quantity.replace('_', ' ')} of '{name}' must be one number, or one for each "
                f"of its {count} vertices, unlike numbers of shape {shape}."
            )
