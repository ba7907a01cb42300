# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation into a cache, which goes on from what it finds there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache as remembered
from pathlib import Path
from typing import Any

import numpy as np

import core
from core.frame_cache import CachedObject, FrameCache, checkpoints

LAST = 24
"""Frames of the simulation, from 1 on."""

INTERVAL = 5
"""Frames from checkpoint to checkpoint."""

OBJECT = "cloth"


def simulation() -> core.Simulation:
    """Cloth that falls on a table, folds and hangs from two corners."""
    model = core.Model()
    places = np.stack(np.meshgrid(np.arange(10), np.arange(10), indexing="ij"), axis=-1)
    points = np.append(places.reshape(-1, 2) / 9.0 - 0.5, np.full((100, 1), 0.06), axis=1)
    corners = np.array([10 * i + j for i in range(9) for j in range(9)])
    faces = np.stack([corners, corners + 10, corners + 11, corners + 1], axis=1)
    model.add_cloth(points, faces, pins=[0, 9], thickness=0.01)
    table = np.array([(x, y, z) for z in (-0.2, 0.0) for y in (-0.3, 0.3) for x in (-0.3, 0.3)])
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
    model.add_collider(table, [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])
    options: dict[str, Any] = {"largest_stretch": 0.05, "near_pins": True, "implicit_bending": True}
    solver = core.XPBD(substeps=20, second_order=True, threads=1, **options)
    return core.Simulation(model, solver)


def advance(running: core.Simulation, frame: int) -> None:
    """Simulate up to a frame from the one before it."""
    (table,), (cloth,) = running.model.colliders, running.model.cloths
    table.set_target(table.rest + np.array([0.0, 0.004 * frame, 0.1 * np.sin(0.2 * frame)]))
    running.set_targets(cloth.pins, running.model.positions[cloth.pins] + [0.0, 0.0, 0.005 * frame])
    running.advance(1 / 24)


@remembered
def reference() -> tuple[bytes, ...]:
    """The positions of all frames, the first one's first, as they come without a stop."""
    running = simulation()
    frames = [running.positions.tobytes()]
    for frame in range(2, LAST + 1):
        advance(running, frame)
        frames.append(running.positions.tobytes())
    return tuple(frames)


def simulate(folder: Path, stored: Callable[[int], None] = lambda _frame: None) -> None:
    """Make what a cache lacks, from its last checkpoint on.

    Args:
        stored: called with the number of each frame that is in the cache.

    Raises:
        CacheError: the folder can't be read or written.
    """
    cache = FrameCache(folder)
    try:
        running, frame = _begun(cache)
        while frame < LAST:
            frame += 1
            advance(running, frame)
            held = cache.last_frame_of(OBJECT)
            if held is None or held < frame:
                cache.append(frame, {OBJECT: running.positions})
            stored(frame)
            if frame % INTERVAL == 0 or frame == LAST:
                arrays = running.checkpoint()
                checkpoints.write(cache, frame, [OBJECT], arrays, spacing=INTERVAL, first=1)
    finally:
        cache.close()


def _begun(cache: FrameCache) -> tuple[core.Simulation, int]:
    """A simulation that goes on from the cache's last checkpoint, or begins; and its frame."""
    cache.verify()
    for head in checkpoints.held(cache):
        arrays = checkpoints.read(cache, head)
        if arrays is not None:
            running = simulation()
            running.restore(arrays)
            return running, head.frame
    running = simulation()
    cache.create("stress", {OBJECT: CachedObject(100)}, 1, "simulate")
    cache.append(1, {OBJECT: running.positions})
    checkpoints.drop_stale(cache)
    return running, 1
