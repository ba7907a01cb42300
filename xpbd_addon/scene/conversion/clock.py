# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast time goes in Blender's Cloth and Soft Body.

Both count time in frames, whatever the frame rate, and fall with a thousandth of gravity per
frame². So a force of f kg m/frame² is f rate² newtons, where rate is the number of those frames in
a second.
"""

from __future__ import annotations

import math
from typing import Literal

import bpy
import numpy as np

Gravity = Literal["LOOK", "TRUE"]

_PART_OF_GRAVITY = 1e-3
TRUE_RATE = math.sqrt(1.0 / _PART_OF_GRAVITY)
"""The frames in a second at which what Blender simulates falls as it should."""


def rate(scene: bpy.types.Scene, speed: float, gravity: Gravity) -> float:
    """Frames of Blender's simulations in a second [1/s].

    Args:
        speed: how many of them Blender goes on by in a frame.
        gravity: ``"LOOK"``: as it is played; ``"TRUE"``: such that things fall as they should.
    """
    if gravity == "TRUE":
        return TRUE_RATE
    return speed * scene.render.fps / scene.render.fps_base


def part_of_gravity(rate: float) -> float:
    """What of gravity acts in them."""
    return _PART_OF_GRAVITY * rate**2


def cloth_speed(quality: int, time_scale: float) -> float:
    """How many frames Blender's Cloth goes on by in a frame.

    It adds up its steps in single precision until the frame is full, with some numbers of steps
    (12, that of Denim, among them) one too many.
    """
    end = np.float32(time_scale)
    step = np.float32(1.0) / np.float32(quality) * end
    time, steps = np.float32(0.0), 0
    while time < end:
        time += step
        steps += 1
    return steps * float(step)
