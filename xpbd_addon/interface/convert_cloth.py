# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's Cloth and Soft Body and back: operators, where they are offered, what was lost.

The work is in `takeover`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import bpy

from ..errors import SceneError, shown_to_user
from ..scene.conversion import takeover
from ..scene.conversion.clock import Gravity
from .sentences import draw_sentence

CONVERT = "xpbd.convert_from_blender"
BACK = "xpbd.convert_to_blender"
DISMISS = "xpbd.dismiss_conversion"

WHICH = (
    ("ACTIVE", "Active Object", "The active object"),
    ("SELECTED", "Selected Objects", "All selected objects that Blender simulates"),
    ("SCENE", "Whole Scene", "All objects of the scene that Blender simulates"),
)
GRAVITY = (
    (
        "LOOK",
        "As It Looked",
        "As it moved in Blender at this frame rate: gravity is weighed down, as Blender's cloth "
        "falls with a thousandth of it per frame² (0.58 of it at 24 frames a second)",
    ),
    (
        "TRUE",
        "True Gravity",
        "It hangs in the same shape and falls as fast as things do: gravity acts in full, and "
        "all movement is faster, by a third at 24 frames a second",
    ),
)


def _which(which: str, context: bpy.types.Context, wanted: Callable[[Any], bool]) -> list[Any]:
    """The objects that are meant; the active one in any case. Raises SceneError: there is none."""
    if which == "ACTIVE":
        if context.object is None:
            raise SceneError("There is no active object: click an object first")
        return [context.object]
    objects: Iterable[Any] = context.selected_objects
    objects = context.scene.objects if which == "SCENE" else objects
    return [obj for obj in objects if wanted(obj)]


class XPBD_OT_convert_from_blender(bpy.types.Operator):
    """Simulate with XPBD what Blender's Cloth or Soft Body simulates, with the same look. Blender's modifier stays, switched off"""  # noqa: E501 (Blender shows this as it is)

    bl_idname = CONVERT
    bl_label = "Convert from Blender's Cloth"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str
        gravity: Gravity
    else:
        which: bpy.props.EnumProperty(
            name="Objects", description="What is converted", items=WHICH, default="ACTIVE"
        )
        gravity: bpy.props.EnumProperty(
            name="Gravity", description="How it falls", items=GRAVITY, default="LOOK"
        )

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        context.view_layer.update()
        objects = _which(self.which, context, _is_simulated_by_blender)
        if not objects:
            self.report({"ERROR"}, "None of these objects has Blender's Cloth or Soft Body")
            return {"CANCELLED"}
        done, left_alone = takeover.convert(context.scene, objects, self.gravity)
        if not done:
            self.report({"ERROR"}, ". ".join(left_alone))
            return {"CANCELLED"}
        lost = [f"'{obj.name}' lost {_in_a_row(obj)}" for obj in done if obj.xpbd.conversion.lost]
        names = ", ".join(f"'{obj.name}'" for obj in done)
        text = ". ".join([f"{names} converted", *lost, *left_alone])
        self.report({"WARNING"} if lost or left_alone else {"INFO"}, text)
        return {"FINISHED"}


def _is_simulated_by_blender(obj: bpy.types.Object) -> bool:
    """Or was, as what is converted already needs no word."""
    return bool(takeover.sources(obj)) and not takeover.is_converted(obj)


def _in_a_row(obj: bpy.types.Object) -> str:
    return "; ".join(obj.xpbd.conversion.lost.splitlines())


class XPBD_OT_convert_to_blender(bpy.types.Operator):
    """Let Blender simulate again what was converted, as it was set up before"""

    bl_idname = BACK
    bl_label = "Convert Back to Blender's Cloth"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str
    else:
        which: bpy.props.EnumProperty(
            name="Objects", description="What is converted back", items=WHICH, default="ACTIVE"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        failed, done = [], 0
        try:
            objects = _which(self.which, context, takeover.is_converted)
        except SceneError as error:
            objects, failed = [], [str(error)]
        for obj in objects:
            try:
                takeover.give_back(context.scene, obj)
                done += 1
            except SceneError as error:
                failed.append(str(error))
        if not done:
            text = ". ".join(failed) or "None of these objects was converted from Blender's Cloth"
            self.report({"ERROR"}, text)
            return {"CANCELLED"}
        if failed:
            self.report({"WARNING"}, ". ".join(failed))
        return {"FINISHED"}


class XPBD_OT_dismiss_conversion(bpy.types.Operator):
    """Hide the list of what could not be carried over"""

    bl_idname = DISMISS
    bl_label = "Dismiss"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.object.xpbd.conversion.lost = ""
        return {"FINISHED"}


def draw_converted(layout: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    """The way back of an object that was converted, and what it lost."""
    if not takeover.is_converted(obj):
        return
    record = obj.xpbd.conversion
    label = takeover.LABELS[record.source]
    layout.operator(BACK, text=f"Convert Back to Blender's {label}", icon="LOOP_BACK")
    if not record.lost:
        return
    box = layout.box()
    row = box.row()
    row.label(text=f"Not carried over from {label}:")
    row.operator(DISMISS, text="", icon="X")
    for sentence in record.lost.splitlines():
        draw_sentence(box, f"{sentence[0].upper()}{sentence[1:]}", icon="INFO")


def draw_offer(self: Any, context: bpy.types.Context) -> None:
    """A button wherever Blender simulates the active object."""
    obj = context.object
    if obj is None or not takeover.is_convertible(obj):
        return
    label = takeover.LABELS[takeover.sources(obj)[0].type]
    text = f"Convert {label} to XPBD"
    self.layout.operator(CONVERT, text=text, icon="LOOP_FORWARDS").which = "ACTIVE"


def draw_way_back(self: Any, context: bpy.types.Context) -> None:
    """A button among the physics buttons: Blender's panels stand between these and ours."""
    obj = context.object
    if obj is not None and takeover.is_converted(obj):
        text = f"Convert Back to {takeover.LABELS[obj.xpbd.conversion.source]}"
        self.layout.operator(BACK, text=text, icon="LOOP_BACK").which = "ACTIVE"


def draw_switched_off(self: Any, context: bpy.types.Context) -> None:
    """A word among settings that do nothing since XPBD has taken the object over."""
    obj = context.object
    if obj is None or not takeover.is_converted(obj):
        return
    if not any(modifier.show_viewport for modifier in takeover.sources(obj)):
        draw_sentence(self.layout, "Switched off: XPBD simulates it, see below", icon="INFO")


def draw_menu(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Entries of Object > Convert, for the selection."""
    if any(map(takeover.is_convertible, context.selected_objects)):
        entry = self.layout.operator(CONVERT, text="Blender's Cloth to XPBD", icon="MOD_CLOTH")
        entry.which = "SELECTED"
    if any(map(takeover.is_converted, context.selected_objects)):
        entry = self.layout.operator(BACK, text="XPBD to Blender's Cloth", icon="LOOP_BACK")
        entry.which = "SELECTED"


CLASSES = (XPBD_OT_convert_from_blender, XPBD_OT_convert_to_blender, XPBD_OT_dismiss_conversion)
PLACES = (
    ("PHYSICS_PT_add", draw_offer),
    ("PHYSICS_PT_add", draw_way_back),
    ("PHYSICS_PT_cloth", draw_offer),
    ("PHYSICS_PT_softbody", draw_offer),
    ("PHYSICS_PT_cloth", draw_switched_off),
    ("PHYSICS_PT_softbody", draw_switched_off),
    ("VIEW3D_MT_object_convert", draw_menu),
)
"""Panels and menus of Blender's that are added to."""


def register() -> None:
    """Offer both ways."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for name, draw in PLACES:
        getattr(bpy.types, name).append(draw)


def unregister() -> None:
    """Withdraw them."""
    for name, draw in PLACES:
        getattr(bpy.types, name).remove(draw)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
