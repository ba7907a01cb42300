# SPDX-License-Identifier: GPL-3.0-or-later
"""What is compared before and after it is converted: presets of Blender, hobbyists' scenes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import hobby_scenes
from .hobby_scenes import cloth, collider, grid, pin

PRESETS = ("Cotton", "Denim", "Leather", "Rubber", "Silk")
CELLS = 20
FRAMES = (12, 24, 48, 100)
"""Frames on which shapes are compared."""


@dataclass(frozen=True)
class Setup:
    """A set-up.

    Attributes:
        make: fills an empty scene; returns the object that Blender simulates.
        frames: how many are played. away: of the camera, in sizes of the object.
    """

    name: str
    make: Callable[[], Any]
    frames: int = FRAMES[-1]
    away: float = 1.0


def hung(fabric: str) -> Any:
    """A sheet of 1 m that is held at two corners and let go level."""
    sheet = grid("Sheet", CELLS, CELLS, 1.0, 1.0)
    cloth(sheet, fabric, [CELLS * (CELLS + 1), (CELLS + 1) ** 2 - 1])
    return sheet


def on_a_table(fabric: str) -> Any:
    """A sheet of 1 m on a round table."""
    collider("cylinder", vertices=64, radius=0.3, depth=0.05, location=(0.0, 0.0, -0.065))
    sheet = grid("Sheet", CELLS, CELLS, 1.0, 1.0)
    cloth(sheet, fabric)
    return sheet


def on_soft_pins() -> Any:
    """A curtain whose upper rows have ever less weight."""
    sheet = grid("Curtain", CELLS, CELLS, 1.0, 1.0)
    sheet.rotation_euler.x = math.radians(80.0)
    cloth(
        sheet, "Cotton", range(CELLS * (CELLS + 1), (CELLS + 1) ** 2)
    ).settings.pin_stiffness = 0.2
    for row in range(1, 6):
        first = (CELLS - row) * (CELLS + 1)
        pin(sheet, range(first, first + CELLS + 1), 1.0 - row / 6.0)
    return sheet


def soft_body() -> Any:
    """A sheet as Soft Body, held at two corners by goals of weight 1."""
    sheet = grid("Soft Sheet", CELLS, CELLS, 1.0, 1.0)
    pin(sheet, [CELLS * (CELLS + 1), (CELLS + 1) ** 2 - 1])
    settings = sheet.modifiers.new("Softbody", "SOFT_BODY").settings
    settings.vertex_group_goal, settings.goal_default = "Pins", 1.0
    settings.pull = settings.push = 0.95
    settings.use_stiff_quads, settings.friction = True, 1.0
    return sheet


def hobbyist(name: str) -> Any:
    """A hobbyist's scene."""
    (obj,) = hobby_scenes.SCENES[name]()
    return obj


FABRICS = (
    *(Setup(f"{fabric}, two corners", partial(hung, fabric)) for fabric in PRESETS),
    *(Setup(f"{fabric}, table", partial(on_a_table, fabric)) for fabric in PRESETS),
    Setup("Cotton, soft pins", on_soft_pins),
    Setup("Soft Body, two corners", soft_body),
)
HOBBYISTS = tuple(
    Setup(name.replace("_", " ").capitalize(), partial(hobbyist, name), frames=40, away=0.9)
    for name in hobby_scenes.SCENES
)
PARTS = {"fabrics": FABRICS, "hobbyists": HOBBYISTS}
