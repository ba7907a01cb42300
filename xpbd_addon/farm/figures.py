# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured of a simulation, to compare it with others of the same scene."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np

from ..scene.physics import simulated_objects
from ..simulation import session
from .record import Figures


@dataclass(frozen=True)
class Column:
    """A figure as people see it.

    Attributes:
        name: in :data:`Figures`.
        label: short.
        shown: how its value is written.
    """

    name: str
    label: str
    shown: Callable[[float], str]


COLUMNS = (
    Column("largest_stretch", "Stretch", lambda part: f"{100.0 * part:.1f} %"),
    Column("crossings", "Crossings", lambda count: f"{count:.0f}"),
    Column("height", "Height", lambda metres: f"{metres:.3f} m"),
    Column("seconds", "Time", lambda seconds: f"{seconds:.1f} s"),
)
"""What panels and pictures show; files hold all."""


def text(figures: Figures) -> str:
    """Figures for people, in one line."""
    shown = [
        f"{each.label} {each.shown(figures[each.name])}" for each in COLUMNS if each.name in figures
    ]
    return ", ".join(shown)


class Timing:
    """Tells the progress of a simulation, and how long its frames take."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self._progress = progress
        self._begun: tuple[int, float] | None = None
        self._last = (0, 0.0)

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done != self._last[0]:
            self._last = (done, now)
        if self._begun is None:
            self._begun = self._last
        self._progress(done, total)

    @property
    def seconds_per_frame(self) -> float | None:
        """None where no frame was simulated."""
        if self._begun is None or self._last[0] <= self._begun[0]:
            return None
        return (self._last[1] - self._begun[1]) / (self._last[0] - self._begun[0])


def measured(scene: bpy.types.Scene) -> Figures:
    """The figures of the frames in the scene's cache, of all its objects together.

    ``largest_stretch`` of an edge over its rest length, ``overstretch`` beyond what its stiffness
    allows and ``most_crossings`` are the largest of all frames; ``mean_stretch``, ``crossings`` and
    the size [m] of the box around all objects, with its lowest point, are those of the last frame.
    """
    objects, frames = simulated_objects(scene), _range(scene)
    found = [session.measures_of(scene, objects, frame).values() for frame in frames]
    every = [measures for of_frame in found for measures in of_frame]
    last = list(found[-1])
    points = [session.cached_positions(scene, obj, frames[-1]) for obj in objects]
    known = np.concatenate([each for each in points if each is not None])
    low, high = known.min(axis=0).astype(float), known.max(axis=0).astype(float)
    return {
        "largest_stretch": max(each.largest_strain for each in every),
        "mean_stretch": max(each.mean_strain for each in last),
        "overstretch": max(each.overstretch for each in every),
        "crossings": max(each.crossings for each in last),
        "most_crossings": max(each.crossings for each in every),
        "width": float(high[0] - low[0]),
        "depth": float(high[1] - low[1]),
        "height": float(high[2] - low[2]),
        "lowest": float(low[2]),
    }


def _range(scene: bpy.types.Scene) -> range:
    return range(scene.xpbd.frame_start, scene.xpbd.frame_end + 1)
