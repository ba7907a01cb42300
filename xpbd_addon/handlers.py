# SPDX-License-Identifier: GPL-3.0-or-later
"""When Blender calls us, and who is told of changed settings.

Handlers only look up or advance; the work is in `session` and `display`.
"""

from __future__ import annotations

import functools
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import main_thread
from .farm import background_sweep
from .interface import grab, grab_undo
from .scene import applied, display_modifier, fingerprint, ids, sizes, stack, tension_map
from .settings import changes
from .show import display
from .simulation import job, playing, redraw, rendering, session

_rendering = False
_unshown: dict[int, bool] = {}  # scenes in no window when their positions went, by session_uid


@persistent
def before_frame(scene: bpy.types.Scene, _depsgraph: Any = None) -> None:
    """Read the start before the timeline leaves it; who plays from there sees what is simulated."""
    if not _plays(scene):
        return
    playing.prepare(scene)
    if scene.frame_current - scene.xpbd.frame_start in {0, 1}:
        display_modifier.put_back(session.simulated_objects(scene))


@persistent
def after_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Simulate the frame if it is the next one, and show it."""
    objects = session.simulated_objects(scene)
    if not objects:
        return
    ids.ensure_all(scene, objects)
    whole, in_render = scene.frame_subframe == 0.0, depsgraph.mode == "RENDER"
    if whole and in_render:
        rendering.advance(scene, depsgraph)
    elif whole and _plays(scene):
        playing.play(scene, depsgraph)
        redraw.timelines()
    display.show(scene, depsgraph)
    if whole and (in_render or rendering.is_export(scene, depsgraph)):
        rendering.note(scene, depsgraph)


@persistent
def after_edit(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Look at meshes and settings again, because the user changed something."""
    if depsgraph.id_type_updated("MESH") or any(map(_makes_other_mesh, depsgraph.updates)):
        fingerprint.forget_meshes()
    if depsgraph.id_type_updated("ACTION"):
        session.forget_errors()  # they may be of keyframes on another frame
    session.touch()
    applied.settle(session.simulated_objects(scene))
    display_modifier.prepare(session.simulated_objects(scene))
    is_other = not job.is_simulating(scene) and session.take_back(scene)
    if _unshown.pop(scene.session_uid, False) or is_other:
        display.show(scene, depsgraph)
    if session.simulated_objects(scene):
        redraw.physics(viewports=True)  # an edit of a rig redraws viewports only


def _makes_other_mesh(update: bpy.types.DepsgraphUpdate) -> bool:
    """Whether modifiers may have made other vertices that are simulated."""
    changed = update.id
    return (
        update.is_updated_geometry
        and isinstance(changed, bpy.types.Object)
        and stack.is_made(changed)
    )


@persistent
def before_undo(_scene: bpy.types.Scene, _ignored: Any = None) -> None:
    """What the mouse leads, or has just let go, belongs to a scene that undo replaces."""
    grab.stop()


@persistent
def after_undo(_scene: bpy.types.Scene, _ignored: Any = None) -> None:
    """Undo brings old positions and ids back: repair both."""
    fingerprint.forget_meshes()
    session.touch()
    for scene in bpy.data.scenes:
        if not job.is_simulating(scene):  # else when that has ended
            grab_undo.follow(scene)
            session.take_back(scene)
    show_all()


@persistent
def before_load(_path: Any, _ignored: Any = None) -> None:
    """Nothing may go on in a file that goes away."""
    job.stop()
    background_sweep.stop()


@persistent
def after_load(_path: Any, _ignored: Any = None) -> None:
    """Begin with what the new file and its caches hold."""
    _set_rendering(False)
    rendering.begin()
    _unshown.clear()
    grab_undo.forget()
    session.forget()
    for scene in bpy.data.scenes:
        display_modifier.put_back(session.simulated_objects(scene))
    show_all()


@persistent
def before_save(_path: Any, _ignored: Any = None) -> None:
    """Simulated positions stay out of the file, ids of their caches get into it."""
    _ensure_ids()
    display_modifier.strip_all()


@persistent
def after_save(_path: Any, _ignored: Any = None) -> None:
    """Show them again."""
    session.remember_file()
    show_all()


@persistent
def before_render(scene: bpy.types.Scene, _ignored: Any = None) -> None:
    """Playing does not simulate while a render does."""
    _set_rendering(True)
    rendering.begin()
    playing.forget_render(scene)


@persistent
def after_render(_scene: bpy.types.Scene, _ignored: Any = None) -> None:
    """Playing simulates again, and the user is told what the render lacks."""
    _set_rendering(False)
    if not bpy.app.background:
        main_thread.later(functools.partial(_report, rendering.summary()))


def _report(text: str) -> None:
    """In the status bar, and wherever it is said else."""
    redraw.physics(viewports=True)
    for window in bpy.context.window_manager.windows[:1] if text else ():
        with bpy.context.temp_override(window=window):
            bpy.ops.xpbd.report("INVOKE_DEFAULT", text=text)


HANDLERS = (
    ("frame_change_pre", before_frame),
    ("frame_change_post", after_frame),
    ("depsgraph_update_post", after_edit),
    ("undo_pre", before_undo),
    ("redo_pre", before_undo),
    ("undo_post", after_undo),
    ("redo_post", after_undo),
    ("load_pre", before_load),
    ("load_post", after_load),
    ("save_pre", before_save),
    ("save_post", after_save),
    ("save_post_fail", after_save),
    ("render_init", before_render),
    ("render_complete", after_render),
    ("render_cancel", after_render),
)


def _map(obj: bpy.types.Object) -> None:
    """A tension map has come or gone."""
    tension_map.follow(obj)
    show_all()


def _look() -> None:
    """Viewports are to show something else."""
    redraw.physics(viewports=True)


def show_all() -> None:
    """Show what is cached: in the window's scene now, in others when they are next looked at."""
    _ensure_ids()
    for scene in bpy.data.scenes:
        objects = session.simulated_objects(scene)
        if scene == bpy.context.scene:
            display.show(scene, bpy.context.evaluated_depsgraph_get())
        elif objects:
            _unshown[scene.session_uid] = True


def _ensure_ids() -> None:
    for scene in bpy.data.scenes:
        if objects := session.simulated_objects(scene):
            ids.ensure_all(scene, objects)


def _plays(scene: bpy.types.Scene) -> bool:
    """Whether it is the user who moves the timeline, not a render or a long simulation."""
    rendering = _rendering or bpy.app.is_job_running("RENDER")
    return not rendering and not job.is_simulating(scene)


def _set_rendering(value: bool) -> None:
    global _rendering
    _rendering = value


def register() -> None:
    """Install the handlers, and tell the session and the display of changed settings."""
    changes.on_use.append(display_modifier.follow_use)
    changes.on_use.append(sizes.follow_use)
    changes.on_use.append(tension_map.follow)
    changes.on_map.append(_map)
    changes.on_look.append(_look)
    changes.on_change.append(session.touch)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Stop what is running, remove the handlers and all traces in memory."""
    job.stop()
    background_sweep.stop()
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    changes.on_change.remove(session.touch)
    changes.on_look.remove(_look)
    changes.on_map.remove(_map)
    changes.on_use.remove(tension_map.follow)
    changes.on_use.remove(sizes.follow_use)
    changes.on_use.remove(display_modifier.follow_use)
    display_modifier.strip_all()
    session.forget()
    _set_rendering(False)
