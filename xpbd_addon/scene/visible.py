# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects take part, as they are shown and have some extent."""

from __future__ import annotations

import bpy
import numpy as np

from ..errors import SceneError

SMALLEST_SCALE = 1e-8
"""Of an axis: below it there is nothing left to be simulated."""


def is_shown(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the object takes part: it is in the view layer, and not switched off.

    Others are evaluated, too, where something refers to them. Of these a render takes those that
    the viewport shows: what is rendered may follow them.
    """
    if not obj.evaluated_get(depsgraph).is_evaluated:
        return False
    if obj.name in depsgraph.view_layer_eval.objects:
        return True
    in_render = depsgraph.mode == "RENDER"
    return in_render and obj.visible_get(view_layer=depsgraph.view_layer)


def check_shown(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Raise SceneError for an object that does not take part."""
    if not is_shown(obj, depsgraph):
        raise SceneError(
            f"'{obj.name}' is hidden or its collection is switched off: show it, or remove XPBD"
        )


def check_placed(obj: bpy.types.Object, evaluated: bpy.types.Object) -> None:
    """Raise SceneError for an object whose animation puts it nowhere."""
    if not np.isfinite(np.array(evaluated.matrix_world)).all():
        raise SceneError(
            f"The place of '{obj.name}' is not a number: mend its keyframes, drivers or constraints"
        )
