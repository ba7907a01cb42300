# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds that a mesh was modelled with: edges that go through faces next to them in the rest shape.

Garments have such corners in armpits and at collars, a cell or two large. They can't be led out, as
all that holds the cloth leads back to the rest shape; and as long as they count as tangled nothing
keeps what is around them apart, so that a squeeze makes tangles of them. So what goes through each
other within a fold and the cells around it does not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native_part
from .data import NONE, Shape


def folded_at(
    shape: Shape, edges: NDArray[np.integer], faces: NDArray[np.integer]
) -> NDArray[np.uint8]:
    """Which vertices are part of folds, or next to one, shape (m,).

    Args:
        edges, faces: that go through each other at rest, shape (k,). They are a fold where an edge
            of the mesh joins both.
    """
    folded = np.zeros(len(shape.rest), np.bool_)
    if len(edges) == 0:
        return folded.astype(np.uint8)
    every = shape.edges.corners[shape.edges.corners[:, 0] != NONE]
    joined = _keys(every, len(folded))
    ends, corners = shape.edges.corners[edges], shape.faces.corners[faces]
    for end in ends.T:
        for corner in corners.T:
            near = np.isin(_keys(np.stack([end, corner], axis=1), len(folded)), joined)
            folded[ends[near]] = folded[corners[near]] = True
    folded[every[folded[every].any(axis=1)]] = True
    return folded.astype(np.uint8)


def _keys(pairs: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """One number for each pair of vertices, whatever their order."""
    return np.asarray(pairs.min(axis=1).astype(np.int64) * count + pairs.max(axis=1))


@native_part
def is_modelled(shape, edge, face):  # type: ignore[no-untyped-def]
    """Whether an edge and a face are both of the same part's folds."""
    (a, b), (c, d, e), folded = edge, face, shape.folded
    inside = folded[a] & folded[b] & folded[c] & folded[d] & folded[e]
    return inside != 0 and shape.bits[a] == shape.bits[c]
