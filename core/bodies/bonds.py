# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds loose parts of a soft body together until it breaks.

Nodes of two parts in one place are stitched to each other (:mod:`core.solvers.xpbd.stitches`), each
pair for its share of the area in which they lie on each other. What presses parts together breaks
nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..checks import spread
from ..errors import ModelError
from ..layout.group import Group, Stitching, make_group
from ..mesh.cage.bonds import Bonds

GAPE = 3.0
"""Cells beside which Automatic Quality sees how far bonds gape: what hits a floor opens them for a
frame by a few hundredths of a cell, which nobody sees."""


def make_bonds(
    model: Builder,
    name: str,
    bonds: Bonds,
    nodes: NDArray[np.int64],
    size: float,
    strength: ArrayLike,
) -> Group:
    """Add the stitches between parts; see ``Model.add_soft_body``.

    Args:
        nodes: particles of the cage's nodes, shape (m,). size: edge of a cell [m].
        strength: tension [Pa] that breaks what lies on each other, one or at nodes, shape (m,).
    """
    breaking = spread(f"The strength of '{name}'", strength, (len(nodes),))
    if not np.all(breaking > 0.0):
        raise ModelError(f"The strength of '{name}' must be positive, not {breaking.min():g} Pa.")
    count = len(bonds.nodes)
    if not count:
        raise ModelError(
            f"Nothing of '{name}' can break: it has no loose parts that lie on each other. Cut it "
            "into pieces that are one mesh, or don't let it break."
        )
    group = make_group(
        "stitch",
        nodes[bonds.nodes],
        model.positions,
        rest=0.0,
        compliance=0.0,
        damping=0.0,
        order="colors",
    )
    group.stitching = Stitching(
        strengths=breaking[bonds.nodes].mean(axis=1),
        spans=bonds.areas,
        sizes=np.full(count, GAPE * size),
        neighbours=bonds.around,
        inner=nodes[bonds.inner],
        speeds=np.zeros(count),
        lengths=np.zeros(count),
        holding=np.full(count, np.inf),
        pulls=np.zeros(count),
    )
    model.groups.append(group)
    model.version += 1
    return group
