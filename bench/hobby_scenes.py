# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that hobbyists set up with Blender's Cloth, small and made by procedure.

Each function fills the current scene and returns what Blender simulates in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

_LINE = re.compile(r"bpy\.context\.cloth\.settings\.(\w+) = (.+)")
COLOR = (0.12, 0.3, 0.55, 1.0)


def preset(settings: Any, name: str) -> None:
    """Set up Blender's Cloth by one of Blender's own presets: its lines on stiffness and weight."""
    (folder,) = [Path(path) for path in bpy.utils.preset_paths("cloth") if Path(path).is_dir()][:1]
    for line in (folder / f"{name}.py").read_text(encoding="utf-8").splitlines():
        found = _LINE.fullmatch(line)
        if found and found[1].partition("_")[0] not in {"internal", "uniform", "use", "target"}:
            number = float(found[2])
            setattr(settings, found[1], int(number) if found[1] == "quality" else number)


def grid(name: str, columns: int, rows: int, width: float, height: float) -> Any:
    """A level sheet of quads around the origin, x from left to right, the last row at the back."""
    x, y = np.meshgrid(
        np.linspace(-0.5 * width, 0.5 * width, columns + 1),
        np.linspace(-0.5 * height, 0.5 * height, rows + 1),
    )
    points = np.stack([x, y, np.zeros_like(x)], axis=2).reshape(-1, 3)
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    faces = first[:, None] + np.array([0, 1, columns + 2, columns + 1])
    return mesh_object(name, points.tolist(), faces.tolist())


def mesh_object(name: str, points: Any, faces: Any, edges: Any = ()) -> Any:
    """A new object of the scene, active and smooth."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, list(edges), faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    return painted(made, COLOR)


def painted(made: Any, color: Any) -> Any:
    """The object in a colour."""
    made.color = color
    return made


def cloth(made: Any, fabric: str = "Cotton", pins: Any = ()) -> Any:
    """Blender's Cloth for an object, with the vertices pinned by weight."""
    modifier = made.modifiers.new("Cloth", "CLOTH")
    preset(modifier.settings, fabric)
    if len(pins):
        pin(made, pins)
        modifier.settings.vertex_group_mass = "Pins"
    return modifier


def pin(made: Any, vertices: Any, weight: float = 1.0) -> None:
    """A vertex group of pins."""
    group = made.vertex_groups.get("Pins") or made.vertex_groups.new(name="Pins")
    group.add([int(vertex) for vertex in vertices], weight, "REPLACE")


def collider(primitive: str, **options: Any) -> Any:
    """A primitive with Collision physics."""
    getattr(bpy.ops.mesh, f"primitive_{primitive}_add")(**options)
    made = bpy.context.object
    made.modifiers.new("Collision", "COLLISION")
    return painted(made, (0.6, 0.55, 0.45, 1.0))


def sheet_over_column() -> list[Any]:
    """A coarse sheet falls on a column with a ball on top, with self-collision."""
    collider("cylinder", radius=0.3, depth=1.6, location=(0.0, 0.0, 0.8))
    collider("uv_sphere", radius=0.38, location=(0.0, 0.0, 1.75))
    sheet = grid("Sheet", 16, 16, 2.6, 2.6)
    sheet.location = (0.0, 0.0, 2.3)
    cloth(sheet).collision_settings.use_self_collision = True
    sheet.modifiers.new("Subdivision", "SUBSURF")
    return [sheet]


def banner_at_wall() -> list[Any]:
    """A banner hangs from its upper edge in front of a board, pinned by weights that fade."""
    collider("cube", size=1.0, scale=(2.4, 0.1, 2.6), location=(0.0, 0.65, 1.3))
    banner = grid("Banner", 18, 24, 1.2, 1.8)
    banner.location, banner.rotation_euler = (0.0, 0.05, 1.5), (math.radians(60.0), 0.0, 0.0)
    cloth(banner, "Denim", range(24 * 19, 25 * 19))
    pin(banner, range(23 * 19, 24 * 19), 0.6)
    return [banner]


def flag_in_wind() -> list[Any]:
    """A flag on a pole with Wind and Turbulence."""
    flag = grid("Flag", 24, 16, 1.5, 1.0)
    flag.location, flag.rotation_euler = (0.0, 0.0, 1.5), (math.radians(90.0), 0.0, 0.0)
    cloth(flag, "Silk", range(0, 25 * 17, 25)).settings.air_damping = 1.0
    bpy.ops.object.effector_add(
        type="WIND", location=(-3.0, 0.5, 1.5), rotation=(0.0, math.radians(90.0), -0.3)
    )
    bpy.context.object.field.strength = 1500.0
    bpy.ops.object.effector_add(type="TURBULENCE", location=(0.0, 0.0, 1.5))
    bpy.context.object.field.strength = 300.0
    bpy.context.object.field.size = 0.7
    return [flag]


def net_with_hook() -> list[Any]:
    """A net on an animated Hook, with Decimate before the cloth and Wireframe after it."""
    net = grid("Net", 16, 16, 1.6, 1.6)
    net.location = (0.0, 0.0, 1.8)
    corners = [0, 16, 16 * 17, 17 * 17 - 1]
    pin(net, corners)
    empty = bpy.data.objects.new("Hook", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (0.0, 0.0, 1.8)
    empty.keyframe_insert("location", frame=1)
    empty.location.z = 2.1
    empty.keyframe_insert("location", frame=40)
    hook = net.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group = empty, "Pins"
    decimate = net.modifiers.new("Decimate", "DECIMATE")
    decimate.decimate_type, decimate.iterations = "UNSUBDIV", 1
    cloth(net).settings.vertex_group_mass = "Pins"
    net.modifiers.new("Wireframe", "WIREFRAME").thickness = 0.03
    return [net]


def cushion() -> list[Any]:
    """Two sheets, joined at the rim, blown up by pressure, on a floor."""
    collider("plane", size=4.0)
    count, depth = 14, 0.02
    x, y = np.meshgrid(*2 * [np.linspace(-0.5, 0.5, count + 1)])
    rim = np.minimum(0.5 - abs(x), 0.5 - abs(y)) < 1e-6
    upper = np.stack([x, y, np.where(rim, 0.0, depth)], axis=2).reshape(-1, 3)
    inner = np.flatnonzero(~rim.ravel())
    lower = np.arange(upper.shape[0])
    lower[inner] = len(upper) + np.arange(len(inner))
    points = np.concatenate([upper, upper[inner] * (1.0, 1.0, -1.0)])
    first = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    faces = first[:, None] + np.array([0, 1, count + 2, count + 1])
    made = mesh_object(
        "Cushion", points.tolist(), [*faces.tolist(), *lower[faces[:, ::-1]].tolist()]
    )
    made.location = (0.0, 0.0, 0.4)
    settings = cloth(made).settings
    settings.use_pressure, settings.uniform_pressure_force = True, 5.0
    return [made]


def mirrored_shirt() -> list[Any]:
    """Half a shirt and its mirror image, before the cloth."""
    shirt = grid("Shirt", 8, 16, 0.5, 1.0)
    shirt.data.transform(((1, 0, 0, 0.25), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)))
    shirt.location, shirt.rotation_euler = (0.0, 0.0, 1.5), (math.radians(90.0), 0.0, 0.0)
    shirt.modifiers.new("Mirror", "MIRROR").use_clip = True
    cloth(shirt, "Cotton", range(16 * 9, 16 * 9 + 4))
    return [shirt]


def wide_sheet() -> list[Any]:
    """A sheet 35 m wide over a ball, as scenes in wrong units have it."""
    collider("uv_sphere", radius=9.0, location=(0.0, 0.0, 0.0))
    sheet = grid("Wide Sheet", 16, 16, 35.0, 35.0)
    sheet.location = (0.0, 0.0, 11.0)
    cloth(sheet)
    return [sheet]


SCENES: dict[str, Callable[[], list[Any]]] = {
    made.__name__: made
    for made in (
        sheet_over_column,
        banner_at_wall,
        flag_in_wind,
        net_with_hook,
        cushion,
        mirrored_shirt,
        wide_sheet,
    )
}
