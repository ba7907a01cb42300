# SPDX-License-Identifier: GPL-3.0-or-later
"""The tension map over the objects in 3D viewports, with a legend.

Overlays switches it off, Text Info the legend, with Blender's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

from ..scene import tension_nodes
from .drawing import Drawing, objects_overlaid
from .viewport_line import is_wanted

COLORS = np.array(
    [(0.1, 0.15, 0.6), (0.1, 0.65, 0.85), (0.25, 0.8, 0.3), (0.95, 0.85, 0.15), (0.85, 0.1, 0.1)],
    np.float32,
)
"""From nothing to the whole range and more, at equal distances."""

_OPACITY = 0.9
_NEARER = 2e-5  # in front of the mesh itself, as a share of the depth of the view
_FONT = 0
_SIZE, _MARGIN, _WIDTH, _HEIGHT = 11.0, 20.0, 160.0, 10.0  # pixels, before the user's scale


def shown(scene: bpy.types.Scene) -> tuple[str, str, float, str]:
    """What is looked at: attribute, label, the value of the last colour, and this in words."""
    settings = scene.xpbd
    if settings.tension_shown == "BENDING":
        value = settings.tension_bending
        return tension_nodes.BENDING, "Bending", value, f"{value:.4g} 1/m"
    if settings.tension_shown == "FORCE":
        value = settings.tension_force
        return tension_nodes.FORCES[0], "Force", value, f"{value:.4g} N/m"
    name = {"STRETCH": tension_nodes.STRETCH, "COMPRESSION": tension_nodes.COMPRESSION}
    value = settings.tension_strain
    label = settings.tension_shown.title()
    return name[settings.tension_shown], label, 0.01 * value, f"{value:.3g} %"


def colors(values: NDArray[np.floating], most: float) -> NDArray[np.float32]:
    """Red, green, blue and opacity of values, shape (n, 4)."""
    places = np.linspace(0.0, most, len(COLORS))
    channels = [np.interp(values, places, channel) for channel in COLORS.T]
    return np.stack([*channels, np.full(len(values), _OPACITY)], axis=1).astype(np.float32)


def mapped_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Objects in the view layer that have a map."""
    return [
        obj
        for obj in context.view_layer.objects
        if obj.type == "MESH" and obj.xpbd.use_tension_map and obj.visible_get()
    ]


def draw() -> None:
    """Draw the map on the objects in the viewport that is being drawn."""
    objects = objects_overlaid(mapped_objects)
    if not objects:
        return
    context = bpy.context
    attribute, _, most, _ = shown(context.scene)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    with gpu.matrix.push_pop_projection():
        gpu.matrix.load_projection_matrix(_nearer(gpu.matrix.get_projection_matrix()))
        for points, triangles, values in _meshes(context, objects, attribute):
            _fill(points, colors(values, most), triangles)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _fill(points: Any, shades: Any, triangles: Any) -> None:
    """Draw triangles in colours of their corners."""
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    content = {"pos": points, "color": shades}
    batch_for_shader(shader, "TRIS", content, indices=triangles).draw(shader)


def _nearer(projection: Any) -> Any:
    """A projection by which all is a little nearer."""
    moved = projection.copy()
    moved[2] = projection[2] - _NEARER * projection[3]
    return moved


def _meshes(
    context: bpy.types.Context, objects: list[bpy.types.Object], attribute: str
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]]:
    """World positions, triangles and values of each object that has the attribute."""
    depsgraph = context.evaluated_depsgraph_get()
    for obj in objects:
        evaluated = obj.evaluated_get(depsgraph)
        mesh: Any = evaluated.data
        found = mesh.attributes.get(attribute)
        if found is None or found.domain != "POINT" or found.data_type != "FLOAT":
            continue
        points = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.attributes["position"].data.foreach_get("vector", points.ravel())
        values = np.empty(len(points), np.float32)
        found.data.foreach_get("value", values)
        mesh.calc_loop_triangles()
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
        matrix = np.array(evaluated.matrix_world, np.float32)
        yield points @ matrix[:3, :3].T + matrix[:3, 3], triangles, values


def draw_legend() -> None:
    """Draw what the colours mean in the region that is being drawn."""
    context = bpy.context
    space, region = context.space_data, context.region
    if not isinstance(space, bpy.types.SpaceView3D) or not is_wanted(space.overlay):
        return
    if not mapped_objects(context):
        return
    _, label, _, most = shown(context.scene)
    scale = context.preferences.system.ui_scale
    right = region.width - _MARGIN * scale
    left, low = right - _WIDTH * scale, 3.0 * _MARGIN * scale
    high = low + _HEIGHT * scale
    across = np.linspace(left, right, len(COLORS))
    corners = [(x, y) for x in across for y in (low, high)]
    quads = range(0, 2 * len(COLORS) - 2, 2)
    indices = [face for at in quads for face in ((at, at + 1, at + 2), (at + 1, at + 3, at + 2))]
    shades = np.repeat(colors(across - left, right - left), 2, axis=0)
    _fill(np.array([(x, y, 0.0) for x, y in corners], np.float32), shades, indices)
    blf.size(_FONT, _SIZE * scale)
    blf.color(_FONT, 0.95, 0.95, 0.95, 1.0)
    over = high + 4.0 * scale
    for text, place in ((f"{label}: 0", left), (most, right - blf.dimensions(_FONT, most)[0])):
        blf.position(_FONT, place, over, 0.0)
        blf.draw(_FONT, text)


_DRAWINGS = (
    Drawing(bpy.types.SpaceView3D, draw, "POST_VIEW"),
    Drawing(bpy.types.SpaceView3D, draw_legend),
)


def register() -> None:
    """Draw from now on."""
    for each in _DRAWINGS:
        each.register()


def unregister() -> None:
    """Draw no more."""
    for each in _DRAWINGS:
        each.unregister()
