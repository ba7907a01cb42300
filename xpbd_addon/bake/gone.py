# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a bake has gone since, so that it no longer plays, and the cure."""

from __future__ import annotations

import os

import bpy

from . import bake_record, baked_keys
from .bake_record import BakeRecord


def what_is_gone(obj: bpy.types.Object, record: BakeRecord) -> str:
    """A sentence for the user, empty where all is there; cheap enough to draw."""
    if record.mode == bake_record.MESH_CACHE:
        return _of_mesh_cache(obj, record)
    return _of_shape_keys(obj, record)


def _of_mesh_cache(obj: bpy.types.Object, record: BakeRecord) -> str:
    for modifier in obj.modifiers:
        if modifier.persistent_uid == record.mesh_cache:
            path = bpy.path.abspath(modifier.filepath, library=obj.library)
            if os.path.isfile(path):
                return ""
            return (
                f"The bake of '{obj.name}' has lost its file '{path}': bring it back, or press "
                "Delete Bake"
            )
    return (
        f"The bake of '{obj.name}' has lost its Mesh Cache modifier: undo that, or press Delete "
        "Bake and bake again"
    )


def _of_shape_keys(obj: bpy.types.Object, record: BakeRecord) -> str:
    keys = obj.data.shape_keys
    there = baked_keys.names_now(keys, record) if keys is not None else {}
    gone = [name for name in record.keys if name not in there]
    if not gone:
        return ""
    which = f"'{gone[0]}'" + (f" and {len(gone) - 1} more" if len(gone) > 1 else "")
    return (
        f"The bake of '{obj.name}' has lost its shape key {which}: undo that, or press Delete Bake "
        "and bake again"
    )
