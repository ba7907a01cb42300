# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake added and switched off, kept on the object as plain JSON.

The record lies in an ordinary custom property, so it is saved with the file and survives
the extension being disabled, removed or reinstalled.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import bpy

from ..errors import SceneError

PROPERTY = "xpbd_bake"
ACTION_TAG = "xpbd_bake"
MESH_CACHE = "MESH_CACHE"
"""The mode of a bake that is a file; the others are those of shape keys."""
_VERSION = 2
_TYPES = {
    "mode": str,
    "frame_start": int,
    "frame_end": int,
    "keys": list,
    "action_tag": str,
    "modifiers": list,
    "show_only_shape_key": bool,
    "mesh_cache": int,
}
_TYPES_OF_MODIFIER = {"uid": int, "name": str, "show_viewport": bool, "show_render": bool}


class DamagedRecordError(SceneError):
    """The record is not what was written."""


@dataclass(frozen=True)
class HiddenModifier:
    """A modifier that the bake switched off, and how it was before."""

    uid: int
    name: str
    show_viewport: bool
    show_render: bool


@dataclass(frozen=True)
class BakeRecord:
    """Everything `unbake` needs to take exactly one bake away again.

    Attributes:
        mesh_cache: the modifier that plays the bake, by its persistent_uid; 0 without.
    """

    mode: str
    frame_start: int
    frame_end: int
    keys: list[str]
    action_tag: str
    modifiers: list[HiddenModifier]
    show_only_shape_key: bool
    mesh_cache: int = 0


def exists(obj: bpy.types.Object) -> bool:
    """True where the object carries a bake."""
    return obj.get(PROPERTY) is not None


def write(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Store the record on the object."""
    obj[PROPERTY] = json.dumps({"version": _VERSION, **asdict(record)})


def read(obj: bpy.types.Object) -> BakeRecord | None:
    """Return the object's record, None where it carries no bake.

    Raises SceneError when the record was written by a newer version of the extension, or is damaged
    (DamagedRecordError).
    """
    text = obj.get(PROPERTY)
    if text is None:
        return None
    try:
        fields = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        fields = None
    version = fields.pop("version", None) if isinstance(fields, dict) else None
    if type(version) is int and version > _VERSION:
        raise SceneError(
            f"'{obj.name}' was baked by a newer version of the extension: update the extension"
        )
    if version == 1:
        fields.setdefault("mesh_cache", 0)
    if version not in {1, _VERSION} or not _is_record(fields):
        raise DamagedRecordError(
            f"What '{obj.name}' remembers of its bake is damaged: use Delete Bake, then remove the "
            "baked shape keys yourself"
        )
    modifiers = [HiddenModifier(**entry) for entry in fields.pop("modifiers")]
    return BakeRecord(modifiers=modifiers, **fields)


def is_damaged(obj: bpy.types.Object) -> bool:
    """Whether the object carries a bake of which nothing is known."""
    try:
        read(obj)
    except DamagedRecordError:
        return True
    return False


def _is_record(fields: Any) -> bool:
    return (
        _has(fields, _TYPES)
        and all(type(name) is str for name in fields["keys"])
        and all(_has(entry, _TYPES_OF_MODIFIER) for entry in fields["modifiers"])
    )


def _has(fields: Any, types: dict[str, type]) -> bool:
    """Whether these are the fields, each of its type."""
    return isinstance(fields, dict) and {key: type(fields[key]) for key in fields} == types


def remove(obj: bpy.types.Object) -> None:
    """Forget the record; harmless where there is none."""
    if exists(obj):
        del obj[PROPERTY]
