# SPDX-License-Identifier: GPL-3.0-or-later
"""How strongly Blender's goals hold vertices, as a group of pins.

In both Cloth and Soft Body a vertex of the weight w has the goal w⁴: nearly 1 holds it exactly,
below that a spring pulls it.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import stack, weights

Weights = NDArray[np.float32]
_NEARLY = 0.998
"""The greatest weight of a pin that is not held."""


@dataclass(frozen=True)
class Pins:
    """A pin group of ours.

    Attributes:
        weights: of all vertices, shape (n,).
        stiffness: of a spring of the weight 1 [N/m for each m², or m of strands].
        group: the vertex group that has these weights; empty where it has to be made.
        name: of the group that has to be made.
    """

    weights: Weights
    stiffness: float
    group: str
    name: str


def pins(given: Weights, springs: NDArray[np.float64], full: float, group: str) -> Pins | None:
    """A pin group for goals; None where nothing is pinned.

    Args:
        given: what Blender's group, or what stands for it, says of each vertex, shape (n,).
        springs: what pulls each that is not held, in units of `full`, shape (n,).
        full: stiffness of the stiffest [N/m for each m² or m].
        group: name of Blender's group, empty where it has none.
    """
    held = is_held(given)
    if not (held | (springs > 0.0)).any():
        return None
    wanted = np.where(held, 1.0, np.minimum(springs, _NEARLY)).astype(np.float32)
    is_same = group and ((given >= weights.HELD) == held).all() and (held | (given == 0.0)).all()
    return Pins(wanted, full, group if is_same else "", f"{group or 'Goal'} Pins")


def made_by_modifiers(obj: bpy.types.Object, full: float, group: str) -> Pins:
    """A pin group that is empty as painted, taken as modifiers fill it."""
    return Pins(np.zeros(len(obj.data.vertices), np.float32), full, group, group)


def is_held(given: Weights) -> NDArray[np.bool_]:
    """Which vertices Blender puts exactly where they are led."""
    return given.astype(np.float64) ** 4 >= weights.HELD


def group_weights(obj: bpy.types.Object, name: str) -> Weights | None:
    """Of a vertex group, shape (n,); None where there is no such group, or nothing in it.

    Raises SceneError: a weight is not between 0 and 1.
    """
    if not name or obj.vertex_groups.get(name) is None:
        return None
    found = weights.read_weights(obj, name, "vertex group")
    return found if found.any() else None


def has_weights(obj: bpy.types.Object, name: str, modifier: bpy.types.Modifier) -> bool:
    """Whether a vertex group says anything to a modifier: painted, or by modifiers before it.

    Raises SceneError: a weight is not between 0 and 1.
    """
    if group_weights(obj, name) is not None:
        return True
    return obj.vertex_groups.get(name) is not None and stack.may_weigh_before(obj, modifier)
