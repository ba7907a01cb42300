# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the vectors of hinges that are not flat at rest would point now.

b₀ of a hinge is 2 sin θ₀/2 along the bisector of its triangles' normals. With the angle θ₀ the
hinge's own b is 2 sin θ₀/2 and the sum of the normals 2 cos θ₀/2 along the bisector. The one tells
it where the hinge is sharp, the other where it is flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ....native.by_address import by_address
from ....native.compiled import native_part
from ....native.rows import Rows, aligned_rows
from ....native.team import meet, own_share
from ....vector.arithmetic import (
    Scalar,
    Vector,
    add,
    cross,
    length_and_direction,
    scale,
    subtract,
)
from ....vector.call import call_kernel
from ....vector.elements import ElementKernel
from ....vector.specification import measuring

GIVEN, SINE, COSINE = 5, 3, 4
"""Numbers of a hinge: three coefficients, sin θ₀/2 and cos θ₀/2; and places among them."""


@by_address
class RestVectors(NamedTuple):
    """Of some hinges, in blocks of lanes, for native code.

    Attributes:
        kernel, offsets, parameters, values: as in :class:`core.vector.elements.ElementArrays`.
        lanes: hinges in a block.
        found: b₀ of each hinge, in full blocks, shape (h or more, 4).
    """

    kernel: int
    offsets: NDArray[np.uint32]
    parameters: NDArray[Any]
    values: NDArray[Any]
    lanes: int
    found: Rows


def _rest_vector(
    x: Sequence[Vector], _inverse_mass: Sequence[Scalar], given: Sequence[Scalar]
) -> list[Scalar]:
    """Of b = Σ c x, of places beside x₀, and the triangles (x₀, x₁, x₂) and (x₁, x₀, x₃)."""
    first, second, third = (subtract(corner, x[0]) for corner in x[1:])
    bend = add(add(scale(given[0], first), scale(given[1], second)), scale(given[2], third))
    _, normal = length_and_direction(cross(first, second))
    _, other = length_and_direction(cross(third, first))
    way = add(scale(given[COSINE], add(normal, other)), scale(given[SINE], bend))
    _, direction = length_and_direction(way)
    return scale(2.0 * given[SINE], direction)


REST_VECTORS = measuring(
    "rest_vector_of_hinge", _rest_vector, vertices=4, parameters=GIVEN, outputs=3
)


def rest_vectors_of(
    corners: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    angles: NDArray[np.float64],
    dtype: DTypeLike,
) -> RestVectors:
    """Hinges as :class:`.Plates` has them, some or none."""
    given = np.concatenate([coefficients[:, 1:], np.zeros((len(corners), 2))], axis=1)
    elements = ElementKernel(REST_VECTORS, corners, given, dtype)
    arrays, lanes = elements.arrays, elements.stride
    found = aligned_rows(lanes * arrays.blocks, dtype)
    rest = RestVectors(
        arrays.address, arrays.offsets, arrays.parameters, arrays.outputs, lanes, found
    )
    set_angles(rest, angles)
    return rest


def set_angles(rest: RestVectors, angles: NDArray[np.float64]) -> None:
    """Let hinges have these angles at rest [rad], shape (h,)."""
    given = rest.parameters.reshape(-1, GIVEN, rest.lanes)
    block, lane = np.divmod(np.arange(len(angles)), rest.lanes)
    given[block, SINE, lane] = np.sin(0.5 * angles)
    given[block, COSINE, lane] = np.cos(0.5 * angles)


@native_part
def find_rest_vectors(rows, rest, team):  # type: ignore[no-untyped-def]
    """b₀ of all hinges, where their corners are now."""
    lanes, values, found = rest.lanes, rest.values, rest.found
    first, last = own_share(len(found) // lanes, team)
    call_kernel(
        rest.kernel, rows, rows, rest.offsets, rest.parameters, values, values,
        (4 * lanes * first, GIVEN * lanes * first, 0, 3 * lanes * first),
        rows.dtype.type(1.0), last - first,
    )  # fmt: skip
    for block in range(first, last):
        for k in range(3):
            for lane in range(lanes):
                found[lanes * block + lane, k] = values[lanes * (3 * block + k) + lane]
    meet(team)
