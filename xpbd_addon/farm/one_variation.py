# SPDX-License-Identifier: GPL-3.0-or-later
"""One variation, simulated and measured in the Blender that is running. Nothing is saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy

from ..errors import SceneError
from ..simulation import job, session
from . import figures, pictures, record, varying
from .record import Figures, Result
from .sweep import Plan

FRAMES = "frames"
"""Folder of a variation's cache, in its own."""


def simulate(
    scene: bpy.types.Scene, plan: Plan, number: int, progress: Callable[[int, int], None]
) -> Result:
    """Simulate what the variation's cache lacks, and leave the result in its folder.

    The scene keeps the variation's settings, and its cache lies in the folder.

    Raises:
        SceneError: the folder can't be used. What a scene can't be simulated for is the result's.
    """
    variation, frames = plan.variations[number - 1], plan.frames
    before = record.read_result(plan.output, variation, frames, None)
    record.remove_result(plan.output, variation)
    folder = record.folder_of(plan.output, variation)
    try:
        varying.apply(scene, variation)
        scene.xpbd.cache_directory = str(folder / FRAMES)
        timing = figures.Timing(progress)
        job.run_blocking(scene, *frames, timing)
        found = figures.measured(scene) | _times(timing, frames, before)
        result = Result(variation, frames, found, left_out=tuple(session.left_out(scene)))
    except SceneError as error:
        result = Result(variation, frames, error=str(error))
    result = replace(result, shot=plan.checksum)
    record.write_result(plan.output, result)
    if plan.stills and not result.error:
        result = _with_still(scene, plan, number, result)
    return result


def _with_still(scene: bpy.types.Scene, plan: Plan, number: int, result: Result) -> Result:
    """Render its still; the result then says why there is none, where that fails."""
    path = record.folder_of(plan.output, result.settings) / record.STILL
    try:
        pictures.render_still(scene, path, pictures.label(scene, number, result))
    except SceneError as error:
        result = replace(result, left_out=(*result.left_out, str(error)))
        record.write_result(plan.output, result)
    return result


def _times(timing: figures.Timing, frames: tuple[int, int], before: Result | None) -> Figures:
    """How long it took, or had taken before where nothing was left to do."""
    if timing.seconds_per_frame is None:
        known = before.figures if before else {}
        return {name: known[name] for name in ("seconds", "seconds_per_frame") if name in known}
    each = timing.seconds_per_frame
    return {"seconds": each * (frames[1] - frames[0]), "seconds_per_frame": each}
