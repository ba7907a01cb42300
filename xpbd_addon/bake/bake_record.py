# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake added and switched off, kept on the object as plain JSON.

The record lies in an ordinary custom property, so it is saved with the file and survives
the extension being disabled, removed or reinstalled.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import bpy

from ..errors import SceneError

PROPERTY = "xpbd_bake"
ACTION_TAG = "xpbd_bake"
_VERSION = 1


@dataclass(frozen=True)
class HiddenModifier:
    """A modifier that the bake switched off, and how it was before."""

    uid: int
    name: str
    show_viewport: bool
    show_render: bool


@dataclass(frozen=True)
class BakeRecord:
    """Everything `unbake` needs to take exactly one bake away again."""

    mode: str
    frame_start: int
    frame_end: int
    keys: list[str]
    action_tag: str
    modifiers: list[HiddenModifier]
    show_only_shape_key: bool


def exists(obj: bpy.types.Object) -> bool:
    """True where the object carries a bake."""
    return obj.get(PROPERTY) is not None


def write(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Store the record on the object."""
    obj[PROPERTY] = json.dumps({"version": _VERSION, **asdict(record)})


def read(obj: bpy.types.Object) -> BakeRecord | None:
    """Return the object's record, None where it carries no bake.

    Raises SceneError when the record was written by a newer version of the extension.
    """
    text = obj.get(PROPERTY)
    if text is None:
        return None
    fields = json.loads(text)
    if fields.pop("version") != _VERSION:
        raise SceneError(
            f"'{obj.name}' was baked by a newer version of the extension: update the extension"
        )
    modifiers = [HiddenModifier(**entry) for entry in fields.pop("modifiers")]
    return BakeRecord(modifiers=modifiers, **fields)


def remove(obj: bpy.types.Object) -> None:
    """Forget the record; harmless where there is none."""
    if exists(obj):
        del obj[PROPERTY]
