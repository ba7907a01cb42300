# SPDX-License-Identifier: GPL-3.0-or-later
"""The local step of co-rotational elasticity: for given positions the rotation of every element.

How it is done can be exchanged: :class:`AllRotations` computes every element's own, and
:mod:`.interpolated_rotations` those of samples, from which it blends the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...constraints.patch import deformation_gradient
from ...mesh.tetrahedra import TetrahedralBody
from ...vector.arithmetic import Scalar, Vector
from ...vector.elements import ElementKernel
from ...vector.rotation import nearest_rotation
from ...vector.specification import measuring


class ElementRotations(Protocol):
    """A local step bound to a body.

    Attributes:
        outputs: the rotations, flat.
        places: where in ``outputs`` the first entry of each element's rotation lies, shape (m,).
        stride: how far apart the nine entries lie, which are R column by column.
    """

    outputs: NDArray[Any]
    places: NDArray[np.int64]
    stride: int

    def update(self, rows: NDArray[Any]) -> None:
        """Compute all rotations for vertices at x, y, z of aligned rows, shape (n + k, 4)."""


class LocalStep(Protocol):
    """A way to compute rotations."""

    def bind(self, body: TetrahedralBody, dtype: DTypeLike) -> ElementRotations:
        """Make it ready for a body; dtype is that of the rows."""


def column_by_column(R: Sequence[Vector]) -> list[Scalar]:
    """vec(R)."""
    return [R[i][j] for j in range(3) for i in range(3)]


def _nearest(
    x: Sequence[Vector], _inverse_mass: Sequence[Scalar], rest: Sequence[Scalar]
) -> list[Scalar]:
    return column_by_column(nearest_rotation(deformation_gradient(x, rest)))


NEAREST = measuring("nearest_rotations", _nearest, vertices=4, parameters=9, outputs=9)


@dataclass(frozen=True)
class AllRotations:
    """Every element's own rotation, by ``core.vector.rotation``."""

    def bind(self, body: TetrahedralBody, dtype: DTypeLike) -> ElementRotations:
        """See :class:`LocalStep`."""
        return _BoundAllRotations(body, dtype)


class _BoundAllRotations:
    def __init__(self, body: TetrahedralBody, dtype: DTypeLike) -> None:
        rest = body.inverse_edges.reshape(-1, 9)
        self._kernel = ElementKernel(NEAREST, body.tetrahedra, rest, dtype)
        self.outputs = self._kernel.outputs
        self.places = self._kernel.places
        self.stride = self._kernel.stride

    def update(self, rows: NDArray[Any]) -> None:
        self._kernel.run(rows)
