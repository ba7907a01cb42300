# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scenario works on: the scene, the add-on's own state, the cloth's vertices."""

from __future__ import annotations

import importlib
import time
from typing import Any

import bpy
import numpy as np
from driver import CONTEXT, OPERATORS, LongestGap, Steps, area, log, until
from numpy.typing import NDArray

ADDON = "bl_ext.user_default.xpbd.xpbd_addon"
CELLS = 30
SIZE = 2.0  # metres
PIN_GROUP = "Pins"
HEIGHT = 2.0  # metres, of the cloth above the ground


def addon(module: str) -> Any:
    """A module of the installed extension."""
    return importlib.import_module(f"{ADDON}.{module}")


def scene() -> Any:
    return CONTEXT.scene


def cloth() -> Any:
    """The cloth object, looked up anew: undo invalidates references."""
    return bpy.data.objects["Flag"]


def prepare() -> None:
    """A sheet with one side in a vertex group, Physics tab in front."""
    CONTEXT.preferences.system.viewport_aa = "OFF"  # half the time a frame in software
    OPERATORS.object.delete()
    hang_a_sheet(CELLS)
    view = area("VIEW_3D").spaces.active.region_3d
    view.view_location, view.view_distance = (0.0, SIZE / 4, HEIGHT * 0.6), 3.5 * SIZE
    area("PROPERTIES").spaces.active.context = "PHYSICS"
    OPERATORS.ed.undo_push(message="Test scene")


def hang_a_sheet(cells: int) -> None:
    """Squares in the cloth object, in place of the one before, with one side in a vertex group."""
    for before in [each for each in bpy.data.objects if each.name == "Flag"]:
        bpy.data.objects.remove(before)
    OPERATORS.mesh.primitive_grid_add(
        x_subdivisions=cells, y_subdivisions=cells, size=SIZE, location=(0.0, 0.0, HEIGHT)
    )
    CONTEXT.object.name = "Flag"
    obj = cloth()
    side = [v.index for v in obj.data.vertices if v.co.y > SIZE / 2 - 1e-4]
    obj.vertex_groups.new(name=PIN_GROUP).add(side, 1.0, "REPLACE")


def wait_for_kernels() -> Steps:
    """Until the solver is compiled; Blender must not freeze meanwhile."""
    warmup = addon("simulation.warmup")
    started = time.monotonic()
    gap = LongestGap()
    yield until(lambda: warmup.state()[0] in {"READY", "FAILED"}, "the compiled solver", 300)
    state, _, message = warmup.state()
    assert state == "READY", message
    waited = time.monotonic() - started
    log(f"solver ready {waited:.1f} s after the window, longest freeze {gap.seconds:.2f} s")
    gap.check(5.0)  # generous: all of a machine's cores may be busy with the compiling


def simulating() -> bool:
    return addon("simulation.job").current() is not None


def cached() -> Any:
    """What the cache holds: `first`, `last`, `outdated`."""
    return addon("simulation.session").status(scene())


def pinned() -> NDArray[np.bool_]:
    """(n,) which vertices are in the pin group."""
    return np.array([len(v.groups) > 0 for v in cloth().data.vertices])


def rest() -> NDArray[np.float32]:
    """(n, 3) positions of the untouched mesh [m, object space]."""
    return _positions(cloth().data)


def shown() -> NDArray[np.float32]:
    """(n, 3) positions the viewport shows at the current frame [m, object space]."""
    return _positions(cloth().evaluated_get(CONTEXT.evaluated_depsgraph_get()).data)


def shown_at(frame: int) -> NDArray[np.float32]:
    """Go to `frame`, then as `shown`."""
    scene().frame_set(frame)
    return shown()


def _positions(mesh: Any) -> NDArray[np.float32]:
    positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    return positions
