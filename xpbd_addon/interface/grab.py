# SPDX-License-Identifier: GPL-3.0-or-later
"""Grabbing what is simulated with the mouse; the work is in `by_hand`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import bpy
import numpy as np
from mathutils import Vector

from ..errors import SceneError, shown_to_user
from ..show import display
from ..simulation import by_hand, job, redraw, session, waiting
from . import grab_place, grab_tool, grab_undo
from .drawing import Drawing
from .grab_place import Mouse

_SETTLES = 2.0  # seconds of the scene that what was let go moves on by itself
_STATUS = "XPBD Grab    Drag: lead it    Release: let go    Esc or right click: as it was"


class XPBD_OT_grab(bpy.types.Operator):
    """Takes hold of what is simulated."""

    bl_idname = "xpbd.grab"
    bl_label = "Grab"
    bl_description = (
        "Drag cloth, strands or soft bodies with the mouse, while the timeline plays or stands: "
        "what lies in the circle follows, everything else is simulated. The scene's time stands "
        "still with the timeline"
    )
    bl_options: ClassVar = {"REGISTER"}

    if TYPE_CHECKING:
        center: Vector
        movement: Vector
        radius: float
        frames: int
    else:
        center: bpy.props.FloatVectorProperty(
            name="Center", description="Where in the world it takes hold", subtype="TRANSLATION"
        )
        movement: bpy.props.FloatVectorProperty(
            name="Movement", description="How far it leads it", subtype="TRANSLATION"
        )
        radius: bpy.props.FloatProperty(
            name="Radius",
            description="How far around the center it takes hold",
            default=0.2,
            min=0.0,
            subtype="DISTANCE",
        )
        frames: bpy.props.IntProperty(
            name="Frames",
            description="For how many frames it is simulated, in the first half of which it moves",
            default=24,
            min=1,
        )

    running: ClassVar[XPBD_OT_grab | None] = None

    _drag: by_hand.Drag
    _timer: bpy.types.Timer
    _region: bpy.types.Region
    _view: bpy.types.RegionView3D
    _scene: bpy.types.Scene
    _place: Vector
    _hand: Vector
    _held = True
    _stepped = _settled = 0.0

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not session.simulated_objects(context.scene):
            cls.poll_message_set("Nothing is simulated by XPBD: add it to an object")
            return False
        return job.poll_idle(cls)

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        """Grab the active object without a mouse."""
        scene, obj = context.scene, context.object
        if obj not in session.simulated_objects(scene):
            raise SceneError("Choose an object that XPBD simulates first")
        scale = scene.unit_settings.scale_length
        way = scale * np.array(self.movement, np.float64)
        drag = by_hand.Drag(scene, obj, scale * np.array(self.center), scale * self.radius)
        for frame in range(self.frames):
            drag.lead(way * min(1.0, 2.0 * (frame + 1) / self.frames))
            drag.step()
        drag.release()
        grab_undo.note(scene, drag)
        display.show(scene)
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Grab what is under the mouse, or from other editors choose the tool."""
        if bpy.app.background:
            return self.execute(context)
        if context.region is None or context.region_data is None:
            return grab_tool.choose()
        if (earlier := XPBD_OT_grab.running) is not None:
            earlier.end()
        scene, mouse = context.scene, (event.mouse_region_x, event.mouse_region_y)
        pixels = scene.xpbd.grab_radius * context.preferences.system.ui_scale
        objects = session.simulated_objects(scene)
        found = grab_place.under(context, objects, mouse, pixels)
        if found is None:
            # Passed on, a drag of the mouse would move what is selected.
            return set(
                bpy.ops.view3d.select("EXEC_DEFAULT", True, location=mouse, deselect_all=True)
            )
        try:
            self._take(context, found, pixels)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def _take(self, context: bpy.types.Context, found: grab_place.Place, pixels: float) -> None:
        """Raises SceneError."""
        scene = context.scene
        scale = scene.unit_settings.scale_length
        self._region, self._view, self._scene = context.region, context.region_data, scene
        radius = grab_place.radius_at(self._region, self._view, found.point, pixels)
        self._drag = by_hand.Drag(
            scene,
            found.obj,
            scale * np.array(found.point),
            scale * radius,
            moving=waiting.plays(scene),
        )
        self._place, self._hand = found.point.copy(), found.point.copy()
        manager = context.window_manager
        step = scene.render.fps_base / scene.render.fps
        self._timer = manager.event_timer_add(step, window=context.window)
        manager.modal_handler_add(self)
        context.workspace.status_text_set(_STATUS)
        XPBD_OT_grab.running = self

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if XPBD_OT_grab.running is not self:
            return {"FINISHED", "PASS_THROUGH"}
        try:
            return self._handle(context, event)
        except SceneError as error:
            self.end()
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Raises SceneError."""
        if self._drag.is_over:
            self.end()
            return {"CANCELLED", "PASS_THROUGH"}
        if event.type == "TIMER":
            return self._tick()
        if not self._held:
            return {"PASS_THROUGH"}
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            origin = self._region.x, self._region.y
            self._lead((event.mouse_x - origin[0], event.mouse_y - origin[1]))
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._drag.release()
            self._held = False
            context.workspace.status_text_set(None)
            grab_undo.note(self._scene, self._drag)
        elif event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._drag.cancel(self._scene)
            self.end()
            display.show(self._scene)
            return {"CANCELLED"}
        else:
            return {"PASS_THROUGH"}
        return {"RUNNING_MODAL"}

    def _lead(self, mouse: Mouse) -> None:
        scale = self._scene.unit_settings.scale_length
        self._hand = grab_place.led(self._region, self._view, self._place, mouse)
        self._drag.lead(scale * np.array(self._hand - self._place))
        self._region.tag_redraw()

    def _tick(self) -> set[str]:
        """Simulate on, where the timeline does not. Raises SceneError."""
        now, step = time.monotonic(), self._timer.time_step
        if now < self._stepped + 0.8 * step:  # the timer is somebody else's
            return {"PASS_THROUGH"}
        self._stepped = now
        if not waiting.plays(self._scene):
            self._drag.step()
            display.show(self._scene)
            redraw.physics(viewports=True)
        if not self._held:
            self._settled += step
            if self._settled >= _SETTLES or waiting.plays(self._scene):
                self._drag.release()
                self.end()
                return {"FINISHED", "PASS_THROUGH"}
        return {"PASS_THROUGH"}

    @property
    def circle(self) -> tuple[bpy.types.Region, Mouse] | None:
        """Where what is held is led to, in which region; None where nothing is."""
        seen = grab_place.seen(self._region, self._view, self._hand) if self._held else None
        return None if seen is None else (self._region, seen)

    def end(self) -> None:
        """Stop at once; what was held is let go."""
        XPBD_OT_grab.running = None
        self._drag.let_go()
        manager = bpy.context.window_manager
        manager.event_timer_remove(self._timer)
        for window in manager.windows:
            window.workspace.status_text_set(None)
        redraw.physics(viewports=True)

    def cancel(self, _context: bpy.types.Context) -> None:
        """Blender takes the operator away: another file is loaded, or it closes."""
        self.end()


class XPBD_OT_take_back(bpy.types.Operator):
    """Have the frames back that were there before they were moved by hand"""

    bl_idname = "xpbd.take_back"
    bl_label = "Take Back"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        by_hand.take_back(context.scene)
        display.show(context.scene)
        return {"FINISHED"}


CLASSES = (XPBD_OT_grab, XPBD_OT_take_back)


def stop() -> None:
    """Let go at once, as Blender is about to put other data in the place of the scene's."""
    if (running := XPBD_OT_grab.running) is not None:
        running.end()


def _circle() -> None:
    """Draw around what is held."""
    running = XPBD_OT_grab.running
    found = running.circle if running is not None else None
    if running is not None and found is not None and found[0] == bpy.context.region:
        grab_tool.draw_circle(bpy.context, found[1])


_drawing = Drawing(bpy.types.SpaceView3D, _circle)
_register, _unregister = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    """Offer the operators, and the tool."""
    _register()
    _drawing.register()
    grab_tool.register()


def unregister() -> None:
    """Take them away."""
    if XPBD_OT_grab.running is not None:
        XPBD_OT_grab.running.end()
    grab_tool.unregister()
    _drawing.unregister()
    _unregister()
