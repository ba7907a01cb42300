# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the README's pictures of the five steps from a mesh to a baked cloth.

python tests/ui/run.py --zip dist/xpbd-0.1.0-linux-x64.zip --script pictures.py --shots dist/steps
cp dist/steps/step-*.png docs/images/
"""

from __future__ import annotations

import math
import os
import subprocess
from pathlib import Path
from typing import Any

import bpy
import mathutils
import stage
from driver import (
    CONTEXT,
    OPERATORS,
    Place,
    Steps,
    area,
    click,
    find,
    log,
    move,
    region,
    run,
    screenshot,
    scroll,
    tap,
    until,
    window,
)

NAME = "Cloth"
CELLS = 70
SIZE = 2.6  # metres
HEIGHT = 1.15  # metres, of the cloth above Suzanne's middle
FRAMES = 90
SHOWN_WHILE_RUNNING = 34  # frames done in the picture of a running simulation
FABRIC = "Cotton.py"
LOOK_AT, DISTANCE = (0.0, 0.1, 0.1), 5.6  # metres
ASIDE = 1.83  # metres from the viewport's middle to the right, into the pictures
PANEL_WIDER = 50  # pixels than Blender's default
VIEW_WIDTH = 640  # pixels of the 3D viewport in a picture
PHYSICS_BUTTONS = 126  # pixels from the top that are left out once they have served
ROW = 23  # pixels
LAST_ROW = 16  # pixels from the middle of a panel's last row to its end
HEADER = 31  # pixels from a panel's header to its first row
NEXT_PANEL = 32  # pixels from a panel's last row to the next header
CLOSED_PANEL = 26  # pixels from a closed panel's header to the next
POINTER = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))


def scenario() -> Steps:
    make_scene()
    yield 0.5
    yield from arrange_window()
    yield from stage.wait_for_kernels()
    yield from add()
    yield from choose_fabric()
    yield from pin()
    yield from simulate()
    yield from bake()


def cloth() -> Any:
    return bpy.data.objects[NAME]


def make_scene() -> None:
    """A sheet above Suzanne, its back rows in a vertex group."""
    OPERATORS.object.select_all(action="SELECT")
    OPERATORS.object.delete()
    OPERATORS.mesh.primitive_monkey_add(size=1.7, rotation=(-0.25, 0.0, 0.0))
    OPERATORS.object.modifier_add(type="SUBSURF")
    CONTEXT.object.modifiers[0].levels = 2
    OPERATORS.object.shade_smooth()
    OPERATORS.object.modifier_add(type="COLLISION")
    CONTEXT.object.color = (0.75, 0.66, 0.5, 1.0)
    OPERATORS.mesh.primitive_grid_add(
        x_subdivisions=CELLS, y_subdivisions=CELLS, size=SIZE, location=(0.0, 0.0, HEIGHT)
    )
    CONTEXT.object.name = NAME
    OPERATORS.object.shade_smooth()
    CONTEXT.object.color = (0.62, 0.1, 0.1, 1.0)
    edge = SIZE / 2 - 2.5 * SIZE / CELLS
    side = [v.index for v in cloth().data.vertices if v.co.y > edge]
    cloth().vertex_groups.new(name=stage.PIN_GROUP).add(side, 1.0, "REPLACE")
    scene = stage.scene()
    scene.frame_end = scene.xpbd.frame_end = FRAMES


def arrange_window() -> Steps:
    """The Physics tab from top to bottom beside a calm viewport."""
    for kind in ("OUTLINER", "DOPESHEET_EDITOR"):
        closed = area(kind)
        with CONTEXT.temp_override(window=window(), area=closed, region=closed.regions[0]):
            OPERATORS.screen.area_close()
        yield 0.5
    properties = area("PROPERTIES")
    edge, middle = properties.x - 1, properties.y + properties.height // 2
    OPERATORS.screen.area_move(x=edge, y=middle, delta=-PANEL_WIDER)
    properties.spaces.active.context = "PHYSICS"
    CONTEXT.preferences.system.viewport_aa = "8"
    space: Any = area("VIEW_3D").spaces.active
    space.show_gizmo = space.show_region_toolbar = space.show_region_header = False
    space.show_region_tool_header = False
    overlay, shading = space.overlay, space.shading
    overlay.show_text = overlay.show_cursor = overlay.show_object_origins = False
    overlay.show_outline_selected = False
    shading.color_type, shading.show_shadows, shading.show_cavity = "OBJECT", True, True
    view = space.region_3d
    view.view_rotation = mathutils.Euler((math.radians(66), 0.0, math.radians(28))).to_quaternion()
    to_the_right = view.view_rotation @ mathutils.Vector((1.0, 0.0, 0.0))
    view.view_location = mathutils.Vector(LOOK_AT) - ASIDE * to_the_right
    view.view_distance = DISTANCE
    yield 1.0


def add() -> Steps:
    place = yield from find("xpbd.add(kind='CLOTH'")
    yield 0.5
    picture("step-1-add", place, bottom=560)
    yield from click(place)
    yield until(lambda: cloth().xpbd.use, "XPBD to be added", 5)


def choose_fabric() -> Steps:
    fabrics = stage.addon("interface.presets").SHIPPED / "presets" / "xpbd_cloth"
    OPERATORS.script.execute_preset(filepath=str(fabrics / FABRIC), menu_idname="XPBD_PT_presets")
    name = "step-2-stiffness"
    _x, y = yield from find("xpbd.kind")
    _x, lowest = yield from find("xpbd.show_compliance", pages=1)
    r = region("PROPERTIES")
    header = y + ROW + HEADER  # a line that says what is cached stands between
    presets = (r.x + r.width - 50, header)
    yield from move(presets)
    yield 0.5
    part = (r.x, lowest - LAST_ROW, r.x + r.width, header + ROW)
    values = cut(screenshot(name), part)
    yield from click(presets)
    yield 1.0
    opened = cut(screenshot(f"{name}-presets"), part, presets)
    beside = ["+append", "-dither", "None", "-colors", "256", f"PNG8:{values}"]
    subprocess.run(["convert", str(values), str(opened), *beside], check=True)
    opened.unlink()
    yield from tap("ESC")
    yield 0.5


def pin() -> Steps:
    yield from scroll("PROPERTIES", 30)
    x, y = yield from find("xpbd.bake_shape_keys", pages=1)
    yield from click((x, y - NEXT_PANEL - CLOSED_PANEL))  # By Hand lies between
    cloth().xpbd.pin_group = stage.PIN_GROUP
    OPERATORS.object.mode_set(mode="WEIGHT_PAINT")
    yield 0.5
    place = yield from find("xpbd.pin_group", pages=1)
    yield from move(place)
    yield 0.5
    picture("step-3-pins", place, top=PHYSICS_BUTTONS)
    OPERATORS.object.mode_set(mode="OBJECT")
    yield 0.5


def simulate() -> Steps:
    place = yield from find("xpbd.simulate(", column=0.2, pages=1)
    yield from click(place)
    job = stage.addon("simulation.job")
    yield until(lambda: job.current().frames_done >= SHOWN_WHILE_RUNNING, "the first frames")
    picture("step-4-simulate", place, top=PHYSICS_BUTTONS)
    yield until(lambda: not stage.simulating(), "the simulation to end", 120)


def bake() -> Steps:
    place = yield from find("xpbd.bake_shape_keys", pages=1)
    yield from click(place)
    yield until(lambda: cloth().data.shape_keys is not None, "the shape keys", 60)
    stage.scene().frame_set(FRAMES)
    place = yield from find("xpbd.unbake", pages=1)
    yield 0.5
    picture("step-5-bake", place, top=PHYSICS_BUTTONS)


def picture(name: str, pointer: Place, *, top: int = 0, bottom: int | None = None) -> None:
    """The properties editor and the viewport beside it, in pixels from the editor's top."""
    editor = area("PROPERTIES")
    end = editor.y + editor.height
    lowest = editor.y if bottom is None else end - bottom
    part = (editor.x - VIEW_WIDTH, lowest, editor.x + editor.width, end - top)
    cut(screenshot(name), part, pointer)


def cut(path: Path, part: tuple[float, float, float, float], pointer: Place | None = None) -> Path:
    """Keep a part of a screenshot (left, bottom, right, top), small enough for git.

    Draws the mouse pointer, which screenshots lack, with its tip at `pointer`.
    """
    left, bottom, right, top = (int(edge) for edge in part)
    screen = window().height
    crop = f"{right - left}x{top - bottom}+{left}+{screen - top}"
    draw: list[str] = []
    if pointer is not None:
        arrow = " ".join(f"{pointer[0] + x:.0f},{screen - pointer[1] + y:.0f}" for x, y in POINTER)
        draw = ["-fill", "white", "-stroke", "black", "-draw", f"polygon {arrow}"]
    small = ["-crop", crop, "+repage", "-dither", "None", "-colors", "256", "-strip"]
    subprocess.run(["convert", path, *draw, *small, f"PNG8:{path}"], check=True)
    log(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
    return path


run(scenario, float(os.environ["LIMIT"]))
