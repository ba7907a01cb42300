# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with vertices on a frame, in words for the user, and showing which they are."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ..errors import SceneError
from ..scene.selection import select_vertices
from . import job, session


class Fault(NamedTuple):
    """Something wrong with vertices of an object.

    Attributes:
        measure: which of :class:`.Measures` counts it.
        label: for buttons and menus.
        state: what such vertices are, to go on with after "vertices that".
        sentence: what the panel says of the ``count`` at an object of some ``name``.
    """

    measure: str
    label: str
    state: str
    sentence: str

    @property
    def identifier(self) -> str:
        """For scripts."""
        return self.label.upper()


FAULTS = {
    fault.identifier: fault
    for fault in (
        Fault(
            "held_apart",
            "Overstretched",
            "pins or colliders hold too far apart",
            "Pins or colliders hold {count} vertices of '{name}' too far apart, which more "
            "substeps can't mend",
        ),
        Fault(
            "squeezed",
            "Squeezed",
            "have no room between pins or colliders",
            "{count} vertices of '{name}' have no room between pins or colliders, which have "
            "forced it through something: leave more room there, or make it thinner",
        ),
        Fault(
            "crossings",
            "Crossing",
            "go through something",
            "'{name}' goes through itself or something else at {count} places, which are "
            "being pulled apart",
        ),
    )
}
"""By identifier, in the order of the panel."""

ITEMS = [
    (fault.identifier, fault.label, f"Vertices that {fault.state}") for fault in FAULTS.values()
]
"""For a menu."""


def select(scene: bpy.types.Scene, obj: bpy.types.Object, identifier: str = "OVERSTRETCHED") -> int:
    """Select such vertices in the object's mesh, as they are on the frame that panels tell of.

    Args:
        identifier: of one of FAULTS.

    Returns:
        How many there are.

    Raises:
        SceneError: that is not known of this frame, there are none, or the mesh has changed.
    """
    fault = FAULTS[identifier]
    known = session.faults(scene, obj, job.shown_frame(scene))
    if known is None:
        raise SceneError(
            "Which vertices they are is only known of frames simulated since the file was opened: "
            "simulate again"
        )
    vertices = known.get(fault.measure, np.empty(0, np.int64))
    if len(vertices) == 0:
        raise SceneError(f"'{obj.name}' has no vertices on this frame that {fault.state}")
    select_vertices(obj, vertices)
    return len(vertices)
