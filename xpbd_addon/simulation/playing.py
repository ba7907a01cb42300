# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulating while the timeline plays, in a window, a render or an export.

Playing onto the frame after the last cached one simulates that frame. The start is read just
before the timeline leaves the first frame (`prepare`), the step is made just after (`play`).
Playing from the first frame again replaces what is outdated, unless the cache is locked. What is
changed meanwhile is taken over at once, as by a hand.
"""

from __future__ import annotations

import bpy

from ...core.frame_cache import CheckpointHead
from ..errors import SceneError
from ..scene.fingerprint import Fingerprint
from ..scene.physics import simulated_objects
from . import live, resuming, scene_cache, scene_input, session, taking_part, tuning, waiting
from .depsgraphs import evaluated_depsgraph, is_evaluated
from .live import Live
from .scene_input import SceneInput
from .scene_session import Session


def prepare(scene: bpy.types.Scene) -> None:
    """Before the timeline moves on: see what was changed; from the first frame, read the start."""
    known = session.of(scene)
    if scene.frame_current == scene.xpbd.frame_start:
        known.render_start = None
    if known.goes_on is None or scene.frame_current > known.goes_on.frame:
        known.start = known.goes_on = None
    depsgraph = evaluated_depsgraph(scene)
    start = scene.xpbd.frame_start
    if depsgraph is None or not is_evaluated(depsgraph):
        return
    if known.edited:
        session.compare(scene, depsgraph)
    if scene.frame_current != start + 1 or scene.frame_subframe != 0.0:
        return
    shown = depsgraph.scene_eval
    if (shown.frame_current, shown.frame_subframe) == (start, 0.0) and simulated_objects(scene):
        _read_start(scene, depsgraph, known)


def prepare_render(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """While the first frame is rendered: read the start, in the first of the view layers."""
    known = session.of(scene)
    if known.render_start is None:
        _read_start(scene, depsgraph, known)


def forget_render(scene: bpy.types.Scene) -> None:
    """A render begins: what another one has read is not its start."""
    session.of(scene).render_start = None


def _read_start(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, known: Session) -> None:
    in_render = depsgraph.mode == "RENDER"
    known.error, known.start, known.goes_on = "", None, None
    try:
        if in_render:
            taking_part.check_in_render(scene, evaluated_depsgraph(scene), depsgraph)
        known = session.with_folder(scene)
        scene_cache.look_at_files(known)
        session.compare(scene, depsgraph)
        objects = simulated_objects(scene)
        now = session.look(scene, depsgraph)
        if not scene_cache.is_shared(known):
            known.take_back(now)
        if known.live is not None and known.live.inputs.mode != depsgraph.mode:
            known.live = None
        if _starts_anew(scene, known, now):
            scene_cache.have_own(scene, known)
            finished = known.finished(now, scene.xpbd.frame_end)
            heads = resuming.usable(known, now, scene.xpbd.frame_end)
            if heads and not in_render:
                known.goes_on, finished = heads[0], resuming.others(heads[0], now)
            start = scene_input.read_scene(scene, depsgraph, objects, now, finished)
            known.refuse(start)
            if start.bodies and in_render:
                known.render_start = start
            elif start.bodies:
                known.start = start
    except SceneError as error:
        known.error = str(error)


def play(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """After the timeline moved to a frame: simulate it if it is the next one, else compare it."""
    if not _advance(scene, depsgraph, session.of(scene)):
        session.compare(scene, depsgraph)


def _advance(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, known: Session) -> bool:
    """Whether the frame was simulated now, and so is what the scene gives."""
    frame = scene.frame_current
    if frame > scene.xpbd.frame_end or not waiting.may_simulate(scene, depsgraph, known):
        return False
    try:
        if known.goes_on is not None and depsgraph.mode != "RENDER":
            if frame == known.goes_on.frame and known.start is not None:
                _go_on(scene, depsgraph, known, known.goes_on, known.start)
            return False
        start = known.start_of(depsgraph)
        if start is not None and frame == start.frame + 1:
            known.begin(live.build(start), "play")
        known.start = known.render_start = None
        if known.live is not None and _comes_next(known.live, frame, depsgraph):
            scene_cache.have_own(scene, known)
            return _step(scene, depsgraph, known, known.live)
    except SceneError as error:
        known.error, known.live, known.status = str(error), None, None
    return False


def _go_on(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    known: Session,
    head: CheckpointHead,
    start: SceneInput,
) -> None:
    """Playing has come to a checkpoint through cached frames. Raises SceneError."""
    known.start = known.goes_on = None
    session.compare(scene, depsgraph)
    now = session.look(scene, depsgraph)
    if (start.fingerprint, start.mode) != (now, depsgraph.mode):
        return
    if head not in resuming.usable(known, now, scene.xpbd.frame_end):
        return
    scene_cache.have_own(scene, known)
    there = scene_input.read_frame(scene, depsgraph, start)
    resuming.go_on(known, resuming.build(known, head, start, there))


def _comes_next(simulation: Live, frame: int, depsgraph: bpy.types.Depsgraph) -> bool:
    return simulation.frame == frame - 1 and simulation.inputs.mode == depsgraph.mode


def _starts_anew(scene: bpy.types.Scene, known: Session, now: Fingerprint) -> bool:
    """Whether playing from the first frame needs the solver."""
    end = scene.xpbd.frame_end
    if not known.unfinished(now, end):
        return False
    if scene.xpbd.lock_cache and known.losing(now):
        return False
    return not known.holds_end(now, end)


def _step(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, known: Session, simulation: Live
) -> bool:
    now = session.look(scene, depsgraph)
    locked = scene.xpbd.lock_cache or depsgraph.mode == "RENDER"
    others = tuning.not_following(known, simulation, now)
    if not tuning.can_step(known, simulation, now, others, locked=locked):
        return False
    changed = tuning.take_over(known, simulation, now, others)
    inputs = scene_input.read_frame(scene, depsgraph, simulation.inputs, all_settings=changed)
    live.advance(simulation, inputs)
    if met := known.store():
        raise SceneError(
            f"Frame {simulation.frame}: {_names(scene, met)} was simulated without what comes near "
            "it now: play or simulate again from the first frame"
        )
    return True


def _names(scene: bpy.types.Scene, object_ids: set[str]) -> str:
    """The names of objects, for the user."""
    found = [f"'{obj.name}'" for obj in scene.objects if obj.xpbd.cache_id in object_ids]
    return " and ".join(found)
