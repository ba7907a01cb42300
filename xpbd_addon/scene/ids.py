# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of cache files that survive renaming, saving and undo, and are never shared.

An id is stored in the object or scene. Duplicating copies it, so the copy gets a new one; undo
may take it away, so it is remembered for as long as Blender runs. What looks different from what
is given here comes from somebody who wants to name other files, and counts as none.
"""

from __future__ import annotations

import re
import uuid

import bpy

_GIVEN = re.compile(r"[0-9a-f]{32}", re.ASCII)
_owners: dict[str, int] = {}
_given_up: set[str] = set()

Owner = bpy.types.Object | bpy.types.Scene


def ensure(owner: Owner) -> str:
    """The cache id of an object or scene, given or repaired where need be.

    Writes to the data-block: not to be called while drawing. Linked data-blocks, which can't be
    written, keep what they have.
    """
    settings = owner.xpbd
    current = given(owner)
    if current and _owners.setdefault(current, owner.session_uid) == owner.session_uid:
        return current
    if owner.library is not None:
        return current
    if current and not _in_use(current, owner):
        _owners[current] = owner.session_uid
        return current
    settings.cache_id = (_remembered(owner) if not current else "") or uuid.uuid4().hex
    _owners[settings.cache_id] = owner.session_uid
    return str(settings.cache_id)


def given(owner: Owner) -> str:
    """The cache id of an object or scene as it stands there; empty where it has none."""
    current: str = owner.xpbd.cache_id
    return current if _GIVEN.fullmatch(current) and current not in _given_up else ""


def renew(owner: Owner) -> None:
    """Give an object or scene another cache id, because its own names what is somebody else's."""
    _owners.pop(owner.xpbd.cache_id, None)
    _given_up.add(owner.xpbd.cache_id)
    ensure(owner)


def own(owner: Owner) -> str:
    """The cache id of an object or scene; empty where it has none, or that of what it copies."""
    current = given(owner)
    return current if _owners.get(current, owner.session_uid) == owner.session_uid else ""


def ensure_all(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> None:
    """Ids for a scene and what it simulates."""
    ensure(scene)
    for obj in objects:
        ensure(obj)


def forget() -> None:
    """Start anew, after a file was loaded."""
    _owners.clear()
    _given_up.clear()


def _in_use(current: str, owner: Owner) -> bool:
    """Whether the owner known for an id still exists and still has it."""
    blocks = bpy.data.scenes if isinstance(owner, bpy.types.Scene) else bpy.data.objects
    return any(
        block.session_uid == _owners[current] and block.xpbd.cache_id == current for block in blocks
    )


def _remembered(owner: Owner) -> str:
    uid = owner.session_uid
    return next((known for known, holder in _owners.items() if holder == uid), "")
