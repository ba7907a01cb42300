# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that try contact: cloth on itself, cloth on cloth, cloth on what is in its way.

Needs numpy only. All start free of crossings but ``tangled_start``. Each takes its resolution,
mostly the vertices along a sheet's side. Here cloth moves by itself; ``contact_scenes_driven`` has
those in which pins or colliders force it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import contact_scenes_driven as driven
from .contact_meshes import Sheet, bent, box, moved, plane, rectangle, rotation
from .contact_objects import Cloth, Collider, Scene
from .contact_scenes_worn import WORN, worn
from .scenes import Positions, sphere


def fold_on_floor(n: int = 64, irregular: bool = False) -> Scene:
    """A sheet of 1 m, slightly wavy and askew, falls upright onto a floor and folds into a pile."""
    sheet = _wavy(rectangle(n, n, 1.0, 1.0, irregular))
    positions = _upright(sheet.positions, 0.05)
    cloth = Cloth("sheet", positions, sheet.triangles, sheet.edges)
    return Scene("fold_on_floor", (cloth,), (Collider("floor", *plane(4.0)),), frames=60)


def stack_on_sphere(layers: int = 5, n: int = 48, irregular: bool = False) -> Scene:
    """Sheets of 1 m fall onto a sphere of radius 0.3 m, one upon the other."""
    radius = 0.3
    cloths = []
    for layer in range(layers):
        sheet = rectangle(n, n, 1.0, 1.0, irregular)
        positions = sheet.positions @ rotation("z", 7.0 * layer).T
        positions[:, 2] += radius + 0.02 * (layer + 1)
        cloths.append(Cloth(f"layer {layer + 1}", positions, sheet.triangles, sheet.edges))
    vertices, triangles = sphere(4)
    ball = Collider("sphere", radius * vertices, triangles)
    return Scene("stack_on_sphere", tuple(cloths), (ball,), frames=48)


def column(n: int = 12) -> Scene:
    """A sheet of 5 m falls onto a column and a ball that both fit between its vertices."""
    sheet = rectangle(n, n, 5.0, 5.0)
    vertices, triangles = sphere(3)
    cloth = Cloth("sheet", moved(sheet.positions, z=2.2), sheet.triangles, sheet.edges)
    colliders = (
        Collider("column", *box((-0.9, 0.1, 0.0), (-0.7, 0.3, 2.0))),
        Collider("ball", moved(0.18 * vertices, 1.15, -0.2, 1.6), triangles),
        Collider("floor", *plane(20.0)),
    )
    return Scene("column", (cloth,), colliders, frames=72)


def tangled_start(n: int = 48) -> Scene:
    """Two sheets that start through each other, and beside them one that starts through itself."""
    level, tilted = rectangle(n, n, 1.0, 1.0), rectangle(n, n, 1.0, 1.0)
    rolled = rectangle(n // 2, n // 2, 0.5, 0.5)
    rest = moved(rolled.positions, 1.2, 0.0, 0.3)
    loop = [(0.2, 0.0), (0.04 * 1.5 * math.pi, 1.0 / 0.04)]
    cloths = (
        Cloth("level", moved(level.positions, z=0.35), level.triangles, level.edges),
        Cloth(
            "tilted",
            moved(tilted.positions @ rotation("y", 35.0).T, 0.3, 0.1, 0.35),
            tilted.triangles,
            tilted.edges,
        ),
        Cloth(
            "rolled",
            rest,
            rolled.triangles,
            rolled.edges,
            start=moved(bent(rolled, loop), 1.2, 0.0, 0.3),
        ),
    )
    return Scene("tangled_start", cloths, (Collider("floor", *plane(6.0)),), frames=60)


def thick_stack(n: int = 64, layers: int = 3) -> Scene:
    """Sheets of 0.5 m fall onto a small box; what they keep is 2.5 times as long as their edges."""
    thickness = 1.25 * 0.5 / (n - 1)
    cloths = []
    for layer in range(layers):
        sheet = rectangle(n, n, 0.5, 0.5)
        positions = sheet.positions @ rotation("z", 7.0 * layer).T
        positions[:, 2] += 0.15 + 2.5 * thickness * (layer + 1)
        cloth = Cloth(
            f"layer {layer + 1}", positions, sheet.triangles, sheet.edges, thickness=thickness
        )
        cloths.append(cloth)
    colliders = (
        Collider("box", *box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.15))),
        Collider("floor", *plane(4.0)),
    )
    return Scene("thick_stack", tuple(cloths), colliders, frames=48)


def pleats(n: int = 48) -> Scene:
    """A curtain of 1 m hangs in pleats that are closer at rest than twice the thickness."""
    rows = max(n // 2, 3)
    sheet = rectangle(n, rows, 1.0, 0.5)
    width = max(round((n - 1) / 12), 2)
    edge, advance = 1.0 / (n - 1), 0.0015 / width
    across = np.arange(n)
    deep = np.abs((across + width) % (2 * width) - width) * math.sqrt(edge**2 - advance**2)
    positions = np.column_stack(
        [np.tile(advance * across, rows), np.tile(deep, rows), sheet.positions[:, 1] + 0.25]
    )
    pins = np.arange((rows - 1) * n, rows * n)
    cloth = Cloth("curtain", positions, sheet.triangles, sheet.edges, pins)
    return Scene("pleats", (cloth,), frames=48)


def free_fall(n: int = 64, irregular: bool = False) -> Scene:
    """A wavy sheet of 1 m falls, and there is nothing to touch."""
    sheet = _wavy(rectangle(n, n, 1.0, 1.0, irregular))
    cloth = Cloth("sheet", _upright(sheet.positions, 0.0), sheet.triangles, sheet.edges)
    return Scene("free_fall", (cloth,), frames=24)


def two_free_sheets(n: int = 24, irregular: bool = False) -> Scene:
    """Two sheets of 0.5 m fly into each other at 2 m/s; there is no gravity, nothing else."""
    cloths = []
    for name, height, turn, speed in (("lower", 0.0, 0.0, 1.0), ("upper", 0.1, 20.0, -1.0)):
        sheet = rectangle(n, n, 0.5, 0.5, irregular)
        turned = sheet.positions @ (rotation("z", turn) @ rotation("x", turn / 4.0)).T
        positions = moved(turned, height, 0.5 * height, height)
        cloths.append(
            Cloth(name, positions, sheet.triangles, sheet.edges, velocity=(0.0, 0.0, speed))
        )
    return Scene("two_free_sheets", tuple(cloths), frames=24, gravity=(0.0, 0.0, 0.0))


def make(name: str, frames: int | None = None, **options: Any) -> Scene:
    """A scene by its name, with another number of frames if one is given.

    Args:
        name: a key of ``SCENES``, or that of garments that are worn.
        frames: how many.
        **options: of the scene: ``n``, ``irregular``, …
    """
    scene = worn(**options) if name == WORN else SCENES[name](**options)
    return scene if frames is None else dataclasses.replace(scene, frames=frames)


def _wavy(sheet: Sheet) -> Sheet:
    """The sheet bent into one and a half waves of 2 cm along y."""
    x, y, _ = sheet.positions.T
    return sheet._replace(positions=np.stack([x, y, 0.02 * np.sin(3.0 * math.pi * y)], axis=1))


def _upright(positions: Positions, lowest: float) -> Positions:
    """Set on edge, one corner first, which is that high [m] above the floor."""
    turned = positions @ (rotation("y", 3.0) @ rotation("x", 90.0)).T
    turned[:, 2] += lowest - turned[:, 2].min()
    return turned


SCENES: Mapping[str, Callable[..., Scene]] = {
    "fold_on_floor": fold_on_floor,
    "stack_on_sphere": stack_on_sphere,
    "column": column,
    "tangled_start": tangled_start,
    "thick_stack": thick_stack,
    "pleats": pleats,
    "free_fall": free_fall,
    "two_free_sheets": two_free_sheets,
    "crumpled_ball": driven.crumpled_ball,
    "pull_through_ring": driven.pull_through_ring,
    "trouser_leg": driven.trouser_leg,
    "twisted_towel": driven.twisted_towel,
    "spike": driven.spike,
    "crossing_fast": driven.crossing_fast,
    "pinch": driven.pinch,
}
