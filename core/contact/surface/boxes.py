# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes around vertices, edges and faces, and normals of faces, as kernels over blocks of WIDTH.

What they are given for positions are lower corners of hulls, for previous positions the upper ones,
and for the rate by how much boxes are extended; normals are those of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ...native.compiled import native_part
from ...native.rows import numbers_of
from ...vector.arithmetic import (
    Scalar,
    Vector,
    cross,
    length_and_direction,
    maximum,
    minimum,
    subtract,
)
from ...vector.call import call_kernel
from ...vector.specification import KernelSpecification, measuring
from .data import WIDTH


def _box(
    low: Sequence[Vector],
    inverse_mass: Sequence[Scalar],
    high: Sequence[Vector],
    parameters: Sequence[Scalar],
    multipliers: Sequence[Scalar],
    reach: Scalar,
) -> tuple[list[Scalar], list[Scalar]]:
    lower = [reduce(minimum, each) - reach for each in zip(*low, strict=True)]
    upper = [reduce(maximum, each) + reach for each in zip(*high, strict=True)]
    return [*lower, *upper], []


def _normal(x: Sequence[Vector], *_: Any) -> list[Any]:
    _, direction = length_and_direction(cross(subtract(x[1], x[0]), subtract(x[2], x[0])))
    return direction


AROUND = tuple(
    KernelSpecification(
        name=f"box_around_{name}",
        update=_box,
        vertices=size,
        parameters=0,
        components=0,
        reads_previous=True,
        writes="values",
        outputs=6,
    )
    for size, name in enumerate(("vertex", "edge", "face"), 1)
)
"""Of vertices, edges, faces."""

NORMALS = measuring("unit_normal", _normal, vertices=3, parameters=0, outputs=3)

NORMAL_KERNEL = 3
"""Place in ``Shape.fits`` behind those of boxes."""


@native_part
def fit_blocks(shape, hulls, blocks, first, last, reach):  # type: ignore[no-untyped-def]
    """Boxes of the faces, edges or vertices of blocks [first, last), extended by so much [m]."""
    size = blocks.corners.shape[1]
    boxes = numbers_of(blocks.boxes, first, last)
    call_kernel(
        shape.fits[size - 1], hulls.lows, hulls.highs, blocks.offsets, boxes, boxes, boxes,
        (WIDTH * size * first, 0, 0, 0), hulls.lows.dtype.type(reach), last - first,
    )  # fmt: skip


@native_part
def find_normals(shape, rows, leaf, normals, place):  # type: ignore[no-untyped-def]
    """Unit normals of a leaf's faces: WIDTH x, WIDTH y and WIDTH z from a place in an array on.

    Where it is not full those of its first face once more.
    """
    call_kernel(
        shape.fits[NORMAL_KERNEL], rows, rows, shape.face_offsets, normals, normals, normals,
        (3 * WIDTH * leaf, 0, 0, place), rows.dtype.type(1.0), 1,
    )  # fmt: skip
