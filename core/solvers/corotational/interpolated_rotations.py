# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of sampled elements, blended to those of all others.

After Fukuhara, Saito, Narita, Morishima, "要素間補間による共回転系弾性体シミュレーションの高速化"
(acceleration of co-rotational elasticity by interpolation between elements): samples by farthest
points (section 3.1), weights from harmonic functions (equation 8), quaternion blending
(equation 6). Four things differ:

- Harmonic functions live on the elements, by finite volumes, instead of on the vertices by finite
  elements. A sampled element then has one value to be set instead of four, which it may share with
  the next sample: already 15% of the elements together touch nearly all vertices of a bar.
- The weights are the harmonic functions themselves. Equation 9 takes their reciprocals, with which
  the farthest samples would weigh most.
- A quaternion's sign is that of its product with the quaternion of the element's largest weight,
  not of sample 1 for the whole body (equation 7), which breaks where the body winds by 240°.
- Only the largest few weights of an element are kept. A harmonic function that is zero at all other
  samples falls off so fast that the rest is next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...constraints.patch import deformation_gradient
from ...mesh.connected import connected
from ...mesh.surface import Indices, squared_lengths, triangle_areas
from ...mesh.tetrahedra import TetrahedralBody, shared_faces
from ...native.compiled import native
from ...native.rows import aligned_rows
from ...vector.arithmetic import Scalar, Vector, select, total
from ...vector.elements import ElementKernel, compute_elements
from ...vector.rotation import nearest_quaternion, rotation_of
from ...vector.specification import KernelSpecification, measuring
from .held_matrix import Contributions, HeldMatrix
from .rotation_step import ElementRotations, column_by_column

Numbers = NDArray[np.float64]

AT_ONCE = 64
"""Harmonic functions that are solved for at once."""

TIE = 1.0 + 1e-9
"""Squared distances whose ratio is smaller are alike, so that in a regular mesh the order of the
elements decides and not rounding."""

LEAST_DISTANCE = 1e-6
"""Of the centres of neighbours, over the root of the face they share; nearer ones lie in each
other."""


@dataclass(frozen=True)
class InterpolatedRotations:
    """A local step that computes the rotations of a part of the elements only.

    Attributes:
        fraction: part of the elements that are sampled; every connected part of the body gets a
            sample at least.
        neighbours: how many samples an element is blended from, at most.
    """

    fraction: float = 0.1
    neighbours: int = 4

    def __post_init__(self) -> None:
        if not 0.0 < self.fraction <= 1.0:
            raise ValueError("The fraction of sampled elements lies above 0 and up to 1.")
        if self.neighbours < 1:
            raise ValueError("An element needs at least one sample to be blended from.")

    def bind(self, body: TetrahedralBody, dtype: DTypeLike) -> ElementRotations:
        """See ``core.solvers.corotational.rotation_step.LocalStep``; solves for the weights."""
        count = max(1, round(self.fraction * len(body.tetrahedra)))
        samples = sample_elements(body, count)
        return _BoundInterpolation(body, samples, min(self.neighbours, len(samples)), dtype)


class _BoundInterpolation:
    def __init__(
        self, body: TetrahedralBody, samples: Indices, neighbours: int, dtype: DTypeLike
    ) -> None:
        rest = body.inverse_edges[samples].reshape(-1, 9)
        self._sampled = ElementKernel(QUATERNIONS, body.tetrahedra[samples], rest, dtype)
        self._quaternions = aligned_rows(len(samples), dtype)
        chosen, weights = blending_weights(body, samples, neighbours)
        self._blended = ElementKernel(blend(neighbours), chosen, weights, dtype)
        self.outputs = self._blended.outputs
        self.places = self._blended.places
        self.stride = self._blended.stride

    def update(self, rows: NDArray[Any]) -> None:
        """See :class:`ElementRotations`."""
        sampled, blended = self._sampled, self._blended
        own = (sampled.places, sampled.stride, self._quaternions)
        _interpolate(rows, *own, *sampled.arrays, *blended.arrays)


@native
def _interpolate(  # type: ignore[no-untyped-def]
    rows, places, stride, quaternions, address, offsets, rest, own, blocks,
    blend_address, blend_offsets, weights, outputs, blend_blocks,
):  # fmt: skip
    """The samples' quaternions, each put into a row of its own, then the blend of all elements.

    One call instead of three: at a few thousand elements, calling costs as much as the blend.
    """
    compute_elements(rows, address, offsets, rest, own, blocks)
    for element in range(len(places)):
        for k in range(4):
            quaternions[element, k] = own[places[element] + k * stride]
    compute_elements(quaternions, blend_address, blend_offsets, weights, outputs, blend_blocks)


# --- kernels: a quaternion's row is (x, y, z, w) -------------------------------------------------


def _sampled_quaternion(
    x: Sequence[Vector], _inverse_mass: Sequence[Scalar], rest: Sequence[Scalar]
) -> list[Scalar]:
    w, *axis = nearest_quaternion(deformation_gradient(x, rest))
    return [*axis, w]


QUATERNIONS = measuring(
    "nearest_quaternions", _sampled_quaternion, vertices=4, parameters=9, outputs=4
)


def _blended_rotation(
    axes: Sequence[Vector], reals: Sequence[Scalar], weights: Sequence[Scalar]
) -> list[Scalar]:
    """Equation 6; the quaternions come by falling weight, the first gives the sign."""
    quaternions = [[w, *axis] for w, axis in zip(reals, axes, strict=True)]
    pivot = quaternions[0]
    blended = [weights[0] * c for c in pivot]
    for q, weight in zip(quaternions[1:], weights[1:], strict=True):
        opposite = total([p * c for p, c in zip(pivot, q, strict=True)]) < 0.0
        signed = select(opposite, -weight, weight)
        blended = [b + signed * c for b, c in zip(blended, q, strict=True)]
    return column_by_column(rotation_of(blended))


@cache
def blend(neighbours: int) -> KernelSpecification:
    """The kernel that blends this many quaternions to a rotation."""
    return measuring(
        f"blended_rotations_{neighbours}",
        _blended_rotation,
        vertices=neighbours,
        parameters=neighbours,
        outputs=9,
    )


# --- samples --------------------------------------------------------------------------------------


def sample_elements(body: TetrahedralBody, count: int) -> Indices:
    """Elements far from each other: each is the one farthest from those chosen before.

    Distances are those of the centres, within connected parts of the body. Each part starts with
    the element that lies farthest from its middle.

    Returns:
        Distinct elements, ``count`` of them but at least one in each part and at most all.
    """
    part = connected_parts(body.tetrahedra)
    parts = int(part.max()) + 1
    centroids = body.centroids
    sizes = np.bincount(part)
    middles = np.stack([np.bincount(part, c) / sizes for c in centroids.T], axis=1)
    samples = np.empty(min(max(count, parts), len(part)), np.int64)
    _farthest_points(centroids, part, middles, samples)
    return samples


@native
def _farthest_points(centroids, part, middles, samples):  # type: ignore[no-untyped-def]
    """Fill ``samples``; a sample's own distance is negative, so that none is taken twice."""
    # At first from the middle of the part: its first sample is the element farthest from there.
    distance = np.empty(len(centroids))
    for element in range(len(centroids)):
        offset = centroids[element] - middles[part[element]]
        distance[element] = (offset * offset).sum()
    for number in range(len(samples)):
        parts = len(middles)
        chosen = -1
        for element in range(len(centroids)):
            # The first samples are one for each part, the others may lie in any.
            wanted = number >= parts or part[element] == number
            if wanted and (chosen < 0 or distance[element] > TIE * distance[chosen]):
                chosen = element
        samples[number] = chosen
        for element in range(len(centroids)):
            if part[element] == part[chosen]:
                offset = centroids[element] - centroids[chosen]
                square = (offset * offset).sum()
                if number < parts or square < distance[element]:
                    distance[element] = square
        distance[chosen] = -1.0


def connected_parts(tetrahedra: Indices) -> NDArray[np.int64]:
    """Number of the part that each element belongs to, shape (m,), by shared faces."""
    first = connected([shared_faces(tetrahedra)[1]], np.ones(len(tetrahedra), np.bool_))
    _, part = np.unique(first, return_inverse=True)
    return np.asarray(part.reshape(-1), np.int64)


# --- weights --------------------------------------------------------------------------------------


def blending_weights(
    body: TetrahedralBody, samples: Indices, neighbours: int
) -> tuple[Indices, Numbers]:
    """Samples from which each element is blended, and their weights.

    The weight of a sample is a function on the elements that is one for the sampled element itself,
    zero for other sampled elements, and harmonic in between: what flows through the faces of an
    element adds up to zero. So weights lie between zero and one and add up to one before the
    smallest are dropped, and again afterwards.

    Args:
        neighbours: samples kept for an element.

    Returns:
        Numbers of samples (places in ``samples``), shape (m, neighbours), by falling weight, and
        weights of the same shape. A sampled element has the weight one for itself.
    """
    count = len(body.tetrahedra)
    chosen = np.zeros((count, 0), np.int64)
    weights = np.zeros((count, 0))
    harmonic = _HarmonicFunctions(body, samples)
    # A few functions at a time: all of them would be as many numbers as elements times samples.
    for first in range(0, len(samples), AT_ONCE):
        numbers = np.arange(first, min(first + AT_ONCE, len(samples)))
        weights = np.concatenate([weights, harmonic.solve(numbers)], axis=1)
        chosen = np.concatenate([chosen, np.tile(numbers, (count, 1))], axis=1)
        best = np.argsort(-weights, axis=1, kind="stable")[:, :neighbours]
        weights = np.take_along_axis(weights, best, axis=1)
        chosen = np.take_along_axis(chosen, best, axis=1)
    # Rounding leaves some a little below zero.
    weights = np.maximum(weights, 0.0)
    return chosen, weights / weights.sum(axis=1, keepdims=True)


class _HarmonicFunctions:
    """Equation 8 on elements, the matrix factored once."""

    def __init__(self, body: TetrahedralBody, samples: Indices) -> None:
        held = np.zeros(len(body.tetrahedra), bool)
        held[samples] = True
        self._samples = samples
        self._count = len(held)
        self._matrix = HeldMatrix(_flows(body), held)

    def solve(self, numbers: NDArray[np.int64]) -> Numbers:
        """The functions of these samples, shape (m, len(numbers))."""
        result = np.zeros((self._count, len(numbers)))
        result[self._samples[numbers], np.arange(len(numbers))] = 1.0
        right = self._matrix.right_side(np.zeros_like(result), result)
        result[self._matrix.free] = self._matrix.solve(right)
        return result


def _flows(body: TetrahedralBody) -> Contributions:
    """Finite volumes: through a shared face flows its area times the difference of values over the
    distance of the two centres.
    """
    faces, pairs = shared_faces(body.tetrahedra)
    areas = triangle_areas(body.positions, faces)
    distances = np.sqrt(squared_lengths(body.centroids, pairs))
    flow = areas / np.maximum(distances, LEAST_DISTANCE * np.sqrt(areas))
    first, second = pairs.T
    return (
        np.concatenate([first, second, first, second]),
        np.concatenate([first, second, second, first]),
        np.concatenate([flow, flow, -flow, -flow]),
    )
