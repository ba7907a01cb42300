# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE METHOD SIDE FRAMES FACES. Simulates the hanging sheet.

Methods: ``modifier`` (Blender's cloth), ``touching`` (the same with self-collision), ``nodes``
(Blender 5.2's XPBD cloth), ``xpbd`` (this project's extension, without self-collision), each with
its default settings. Faces: as in scenes.py.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np

from .blenders import write_result
from .default_settings import SOLVER
from .scenes import Faces, face_edges, sheet, square_corners
from .strain import StrainRecord
from .timing import Stopwatch

PIN_GROUP = "pins"
ASSETS = Path("assets", "nodes", "geometry_nodes_dynamics_assets.blend")
NODE_GROUP = "Cloth Dynamics (Experimental)"
EXTENSION = "bl_ext.user_default.xpbd"


def main(method: str, side: int, frames: int, faces: Faces) -> dict[str, Any]:
    """Return milliseconds of each frame and the strain; ``missing`` if there's no such method."""
    scene = bpy.context.scene
    for other in list(bpy.data.objects):
        bpy.data.objects.remove(other)
    scene.render.fps = 24
    cloth = add_sheet(side, faces)
    settings = METHODS[method](cloth)
    found = {"blender": bpy.app.version_string, "settings": settings}
    if settings is None:
        return found | {"missing": True}
    positions, polygons = sheet(side, faces)
    record = StrainRecord(positions, face_edges(polygons), square_corners(side))
    scene.frame_set(scene.frame_start)
    watch = Stopwatch()
    for frame in range(scene.frame_start + 1, scene.frame_start + 1 + frames):
        watch.time(partial(scene.frame_set, frame))
        record.add(evaluated_positions(cloth))
    return found | watch.figures() | {"strain": record.summary()}


def add_sheet(side: int, faces: Faces = "quads") -> Any:
    """Return a new mesh object: the square, with its pins in a vertex group."""
    positions, polygons = sheet(side, faces)
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata(positions.tolist(), [], polygons.tolist())
    cloth = bpy.data.objects.new("sheet", mesh)
    bpy.context.scene.collection.objects.link(cloth)
    cloth.vertex_groups.new(name=PIN_GROUP).add(square_corners(side), 1.0, "REPLACE")
    bpy.context.view_layer.objects.active = cloth
    cloth.select_set(True)
    return cloth


def evaluated_positions(cloth: Any) -> np.ndarray:
    """Return where the vertices are now [m], shape (n, 3)."""
    mesh = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", positions)
    return positions.reshape(-1, 3)


def use_modifier(cloth: Any) -> dict[str, Any]:
    """Make it cloth by Blender's modifier."""
    modifier = cloth.modifiers.new("Cloth", "CLOTH")
    modifier.settings.vertex_group_mass = PIN_GROUP
    return {"quality": modifier.settings.quality}


def use_touching_modifier(cloth: Any) -> dict[str, Any]:
    """The same, kept apart from itself."""
    found = use_modifier(cloth)
    cloth.modifiers["Cloth"].collision_settings.use_self_collision = True
    return found


def use_nodes(cloth: Any) -> dict[str, Any] | None:
    """Make it cloth by the node group that comes with Blender 5.2; None where there is none."""
    path = Path(bpy.utils.system_resource("DATAFILES"), ASSETS)
    if not path.is_file():
        return None
    library: Any = bpy.data.libraries
    with library.load(str(path)) as (_, wanted):
        wanted.node_groups = [NODE_GROUP]
    modifier = cloth.modifiers.new("Cloth", "NODES")
    modifier.node_group = wanted.node_groups[0]
    names = {
        item.name: item.identifier
        for item in modifier.node_group.interface.items_tree
        if item.item_type == "SOCKET" and item.in_out == "INPUT"
    }
    inputs = modifier.properties.inputs
    pins = getattr(inputs, names["Pin Group"])
    pins.type, pins.attribute_name = "ATTRIBUTE", PIN_GROUP
    wanted_names = ("Substeps", "Constraint Steps")
    return {name: getattr(inputs, names[name]).value for name in wanted_names}


def use_extension(cloth: Any) -> dict[str, Any]:
    """Make it cloth by this project's extension, kernels compiled."""
    bpy.ops.preferences.addon_enable(module=EXTENSION)
    warmup = sys.modules[f"{EXTENSION}.xpbd_addon.simulation.warmup"]
    warmup.wait()
    while warmup.is_compiling():  # those of soft bodies, too, beside which frames would take longer
        time.sleep(0.1)
    bpy.ops.xpbd.add(kind="CLOTH")
    cloth.xpbd.pin_group = PIN_GROUP
    cloth.xpbd.use_self_collision = False
    scene = bpy.context.scene.xpbd
    solvers = sys.modules[f"{EXTENSION}.xpbd_addon.settings.solvers"]
    options = solvers.options_of(scene) | dict(solvers.entry_of(scene.solver).fixed)
    return {name: options[name] for name in SOLVER} | {"drag": cloth.xpbd.drag}


METHODS = {
    "modifier": use_modifier,
    "touching": use_touching_modifier,
    "nodes": use_nodes,
    "xpbd": use_extension,
}

if __name__ == "__main__":
    method, side, frames, faces = sys.argv[2:]
    write_result(main(method, int(side), int(frames), cast(Faces, faces)))
