# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeping checkpoints while a simulation runs, which other sessions may go on from.

A simulation that was begun in a render keeps none: it goes on in that render only. Nothing here
touches Blender: it may run in any thread. All raise CacheError where the cache can't be written.
"""

from __future__ import annotations

from ...core.frame_cache import FrameCache, checkpoints
from . import live
from .live import Live


def is_due(simulation: Live) -> bool:
    """Whether a checkpoint is to be kept of the frame that was stored."""
    inputs, frame = simulation.inputs, simulation.frame
    interval = inputs.checkpoint_interval
    at_interval = interval > 0 and (frame - inputs.frame) % interval == 0
    return (at_interval or frame == inputs.end) and inputs.mode != "RENDER"


def keep(cache: FrameCache, simulation: Live) -> None:
    """Keep a checkpoint of the frame that was stored last, and fewer of the older ones."""
    inputs = simulation.inputs
    checkpoints.write(
        cache,
        simulation.frame,
        simulation.object_ids,
        live.checkpoint_of(simulation),
        spacing=max(1, inputs.checkpoint_interval),
        first=inputs.frame,
    )


def is_kept(cache: FrameCache, simulation: Live) -> bool:
    """Whether there is no need of a checkpoint of a simulation that stops."""
    if simulation.inputs.mode == "RENDER" or simulation.frame == simulation.inputs.frame:
        return True
    ids = simulation.object_ids
    return any(
        head.frame == simulation.frame and list(head.frames) == ids
        for head in checkpoints.held(cache)
    )
