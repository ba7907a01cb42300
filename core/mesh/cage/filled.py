# SPDX-License-Identifier: GPL-3.0-or-later
"""How far tetrahedra, and the fragments in them, are filled.

A voxel is full or empty as its centre is, but where the surface crosses the lines through the
centre: there it is full as far as the line is inside, of the axis that is steepest to the surface.
So the volume of plates that are thinner than a voxel is right, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native, native_part
from .crossings import SUB
from .fragments import Fragments
from .inside import WHOLE
from .joints import NONE, Samples, is_inside, way_from
from .lattice import PER_CUBE
from .voxels import VOXELS, offsets_of, shares

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

LEFT_OUT = -1e9
"""Of a tetrahedron that has no fragment."""


def fill_of(
    samples: Samples, triangles_met: Indices, fragments: Fragments, normals: Numbers
) -> Numbers:
    """The part of its tetrahedron that each fragment fills, shape (p,).

    Args:
        samples: voxels and points of the surface.
        triangles_met: the triangle of each crossing.
        fragments: what hangs together.
        normals: of the surface's triangles, of any length, shape (t, 3).
    """
    size = np.abs(normals[triangles_met])
    steepest = size[np.arange(len(size)), samples.axis] >= size.max(axis=1, initial=0.0)
    halves, parts = shares()
    offsets = offsets_of(samples.cubes)[halves]
    # What has no fragment, as it holds neither a centre nor a point of the surface, is left out.
    filled = np.full(PER_CUBE * int(np.prod(samples.cubes)), LEFT_OUT)
    filled[fragments.tetrahedra] = 0.0
    _fill_voxels(samples, offsets, parts, filled)
    axes = np.zeros(len(samples.winding), np.uint8)
    _count_axes(samples, steepest, axes)
    _correct(samples, axes, offsets, parts, filled)
    amounts = np.zeros(len(fragments.tetrahedra))
    _weigh(samples, fragments.of_samples, amounts)
    whole = np.clip(filled[fragments.tetrahedra] / VOXELS, 0.0, 1.0)
    return _divided(whole, amounts, fragments.tetrahedra)


def _divided(whole: Numbers, amounts: Numbers, tetrahedra: Indices) -> Numbers:
    """What fills a tetrahedron divided among its fragments, in proportion to their amounts."""
    first = np.concatenate([[True], tetrahedra[1:] != tetrahedra[:-1]])
    group = np.cumsum(first) - 1
    count, total = np.bincount(group), np.bincount(group, amounts)
    share = np.where(total[group] > 0.0, amounts / np.maximum(total[group], 1e-300), 0.0)
    return np.where(total[group] > 0.0, share, 1.0 / count[group]) * whole


@native_part
def _add(samples, voxel, amount, offsets, parts, filled):  # type: ignore[no-untyped-def]
    """Add so much of a voxel to the tetrahedra that it lies in, but for those left out."""
    i = voxel // samples.steps[0]
    j, k = voxel // samples.steps[1] % samples.shape[1], voxel % samples.shape[2]
    cube = (i // SUB * samples.cubes[1] + j // SUB) * samples.cubes[2] + k // SUB
    place, total = (i % SUB * SUB + j % SUB) * SUB + k % SUB, 0.0
    for half in range(parts.shape[1]):
        if parts[place, half] > 0.0 and filled[12 * cube + offsets[place, half]] != LEFT_OUT:
            total += parts[place, half]
    for half in range(parts.shape[1]):
        if parts[place, half] > 0.0 and filled[12 * cube + offsets[place, half]] != LEFT_OUT:
            filled[12 * cube + offsets[place, half]] += amount * parts[place, half] / total


@native
def _fill_voxels(samples, offsets, parts, filled):  # type: ignore[no-untyped-def]
    """Count every voxel as its centre is."""
    for voxel in range(len(samples.winding)):
        if is_inside(samples.winding[voxel]):
            _add(samples, voxel, 1.0, offsets, parts, filled)


@native
def _count_axes(samples, steepest, axes):  # type: ignore[no-untyped-def]
    """Mark on which axes a voxel is crossed by what is steepest to them, a bit each."""
    for crossing in range(len(samples.upper)):
        if steepest[crossing]:
            voxel = samples.upper[crossing]
            if samples.along[crossing] < 0.5:
                voxel -= samples.steps[samples.axis[crossing]]
            axes[voxel] |= 1 << samples.axis[crossing]


@native
def _correct(samples, axes, offsets, parts, filled):  # type: ignore[no-untyped-def]
    """Count voxels that are crossed by how much of their lines is inside."""
    start = 0
    while start < len(samples.upper):
        upper, axis = samples.upper[start], samples.axis[start]
        lower = upper - samples.steps[axis]
        end, drift = way_from(samples, start)
        winding, before = float(samples.winding[lower]), 0.0
        near, far, at_near, at_far = 0.0, 0.0, False, False
        for crossing in range(start, end):
            here = samples.along[crossing]
            if is_inside(winding):
                near += min(here, 0.5) - min(before, 0.5)
                far += max(here, 0.5) - max(before, 0.5)
            at_near |= here < 0.5
            at_far |= here >= 0.5
            winding += drift - WHOLE * samples.sign[crossing]
            before = here
        if is_inside(winding):
            near += 0.5 - min(before, 0.5)
            far += 1.0 - max(before, 0.5)
        if at_near and axes[lower] >> axis & 1:
            near -= 0.5 * is_inside(samples.winding[lower])
            _add(samples, lower, near / _bits(axes[lower]), offsets, parts, filled)
        if at_far and axes[upper] >> axis & 1:
            far -= 0.5 * is_inside(samples.winding[upper])
            _add(samples, upper, far / _bits(axes[upper]), offsets, parts, filled)
        start = end


@native_part
def _bits(axes):  # type: ignore[no-untyped-def]
    return (axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1)


@native
def _weigh(samples, fragments, amounts):  # type: ignore[no-untyped-def]
    """How much each fragment has beside others of its tetrahedron.

    Voxels count, and what lies between two crossings without a centre.
    """
    first = len(samples.winding) + samples.first_crossing
    for voxel in range(len(samples.winding)):
        if fragments[voxel] != NONE:
            amounts[fragments[voxel]] += 1.0
    for crossing in range(1, len(samples.upper)):
        before = crossing - 1
        same = samples.upper[crossing] == samples.upper[before]
        same &= samples.axis[crossing] == samples.axis[before]
        if same and fragments[first + crossing] == fragments[first + before]:
            length = samples.along[crossing] - samples.along[before]
            amounts[fragments[first + crossing]] += length
