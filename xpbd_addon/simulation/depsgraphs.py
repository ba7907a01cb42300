# SPDX-License-Identifier: GPL-3.0-or-later
"""The dependency graph in which a scene is read."""

from __future__ import annotations

import bpy

from ..errors import SceneError


def evaluated_depsgraph(scene: bpy.types.Scene) -> bpy.types.Depsgraph | None:
    """The dependency graph of the window, or of the scene's first view layer."""
    layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
    return layer.depsgraph


def depsgraph_of(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """The same. Raises SceneError where there is none."""
    depsgraph = evaluated_depsgraph(scene)
    if depsgraph is None:
        raise SceneError(f"The scene '{scene.name}' has no view layer to simulate in")
    return depsgraph


def is_evaluated(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether there is a scene in it: in that of a copied scene there is none at first."""
    return isinstance(depsgraph.scene_eval, bpy.types.Scene)
