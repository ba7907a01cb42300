# SPDX-License-Identifier: GPL-3.0-or-later
"""What a preset of a material sets: all that the tables `constraints` and `materials` say of it.

The presets that come with the extension are files, as Blender wants them; a build writes them from
`core.materials`, without Blender.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .constraints import entries
from .materials import constants

FOLDER = "fabrics"
"""Of `xpbd_addon`, where the presets lie below a folder that Blender calls presets."""

SUBFOLDERS = {"CLOTH": "xpbd_cloth", "SOFT_BODY": "xpbd_soft_bodies", "STRANDS": "xpbd_strands"}
"""By kind. They are ours alone: in Blender's "cloth", each menu would list the other's presets."""

TARGET = "bpy.context.object.xpbd"
"""Whose properties they are. No name stands for it: on Python 3.13 a Blender before 4.5 does not
find such a name when it saves a preset."""


def properties(kind: str) -> list[str]:
    """Names of the properties that a preset of that kind sets."""
    return ["density", *(name for name, _field, _default in _sources(kind))]


def values(kind: str, material: Any) -> dict[str, float]:
    """What a preset sets each property to.

    Args:
        material: one of `core.materials`; what it does not speak of has the table's default.
    """
    return {"density": material.density} | {
        name: getattr(material, field, default) for name, field, default in _sources(kind)
    }


def line(name: str) -> str:
    """A property as a preset's file names it."""
    return f"{TARGET}.{name}"


def _sources(kind: str) -> Iterator[tuple[str, str, float]]:
    """Each property beside density, the field of `core`'s materials that it has, its default."""
    for entry in entries(kind):
        stored = entry.modulus or entry.compliance
        yield stored, entry.argument, 1.0 / entry.default if entry.modulus else entry.default
    for entry in entries(kind):
        yield entry.damping, entry.damping_argument, 0.0
    for constant in constants(kind):
        if constant.in_presets:
            yield constant.name, constant.name, constant.default
