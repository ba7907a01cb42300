# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain limits of materials: how far springs and triangles may be stretched and compressed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..builder import Described
from ..errors import ModelError
from ..mesh.surface import Indices

StrainLimits = tuple[float, float] | None
"""Least and most stretch (σmin, σmax), 1 being the length at rest; None for none."""


def check_limits(limits: StrainLimits) -> None:
    """Raise ModelError where limits are no two numbers around 1."""
    if limits is None:
        return
    values = np.asarray(limits, np.float64)
    if values.shape != (2,) or not 0.0 <= values[0] <= 1.0 <= values[1] < np.inf:
        raise ModelError(
            f"Strain limits are two numbers with 0 ≤ least ≤ 1 ≤ most, unlike {limits}."
        )


def limits_of(
    kind: str, corners: Indices, shape: NDArray[np.float64], limits: StrainLimits
) -> list[Described]:
    """What keeps springs or triangles within limits, if there are any.

    Args:
        kind: ``"stretch_limit"`` or ``"strain_limit"``.
        corners: particles, shape (count, vertices).
        shape: their rest state without the limits, shape (count, k).

    """
    if limits is None:
        return []
    every = np.broadcast_to(np.asarray(limits, np.float64), (len(corners), 2))
    return [{"kind": kind, "indices": corners, "rest": np.concatenate([shape, every], axis=1)}]
