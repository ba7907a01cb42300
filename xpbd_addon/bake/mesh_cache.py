# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation as a PC2 file that Blender's own Mesh Cache modifier plays.

It holds what shape keys can't: vertices that modifiers before XPBD make. The modifier takes XPBD's
place, all others stay as they are. Files are written beside their names and renamed when all are
whole, and only then are the objects changed.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import bpy

from ...core.frame_cache import is_pc2, pc2_file
from ..errors import SceneError
from ..scene import display_modifier, stack
from ..show import display
from . import bake_record, preparing, unbaking
from .bake_record import BakeRecord
from .preparing import Ends, Progress

MODIFIER = "XPBD Mesh Cache"
_SUFFIX = ".pc2"


def bake_mesh_cache(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object] | None = None,
    filepath: str = "",
    progress: Progress | None = None,
    frames: Ends = (None, None),
    *,
    simulate: bool = True,
) -> dict[bpy.types.Object, Path]:
    """Bake the scene's simulation to files and return the baked objects with theirs.

    objects: which to bake, by default `preparing.objects_to_bake`. filepath: of the file, for
    several objects of their folder; empty: beside the .blend file, named after it and the objects.
    progress, frames, simulate: as of `bake_shape_keys`. Raises SceneError, and then no object was
    changed.
    """
    chosen = list(preparing.objects_to_bake(scene) if objects is None else objects)
    check(chosen, filepath)
    wanted = preparing.frames_to_bake(scene, *frames)
    paths = _paths(chosen, filepath)
    if simulate:
        preparing.simulate_missing(scene, progress)
    unfinished = {
        obj: path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp") for obj, path in paths.items()
    }
    try:
        _write_files(scene, unfinished, wanted, progress)
        for obj, path in paths.items():
            os.replace(unfinished[obj], path)
        for obj, path in paths.items():
            _attach(scene, obj, path, wanted)
    except OSError as error:
        _take_back(scene, chosen)
        raise SceneError(
            f"The Mesh Cache can't be written ({error.strerror or error}): choose another place"
        ) from error
    except BaseException:
        _take_back(scene, chosen)
        raise
    finally:
        for path in unfinished.values():
            path.unlink(missing_ok=True)
    return paths


def check(objects: Sequence[bpy.types.Object], filepath: str) -> None:
    """Raise SceneError unless the objects can be baked, and to there."""
    preparing.check(objects)
    _paths(objects, filepath)


def _take_back(scene: bpy.types.Scene, objects: Sequence[bpy.types.Object]) -> None:
    for obj in filter(bake_record.exists, objects):
        unbaking.restore(obj)
    display.show(scene)


def _paths(objects: Sequence[bpy.types.Object], filepath: str) -> dict[bpy.types.Object, Path]:
    """The file of each object, in a folder that is there. Raises SceneError."""
    saved = bpy.data.filepath
    if not saved and (not filepath or filepath.startswith("//")):
        raise SceneError("PC2 files go beside the .blend, which was never saved: save it first")
    if len(objects) == 1 and filepath:
        paths = {objects[0]: _absolute(filepath).with_suffix(_SUFFIX)}
    else:
        folder = _absolute(filepath) if filepath else Path(saved).parent
        begin = "" if filepath else f"{Path(saved).stem}_"
        names = {obj: bpy.path.clean_name(f"{begin}{obj.name}") for obj in objects}
        paths = {obj: folder / f"{name}{_SUFFIX}" for obj, name in names.items()}
    for obj, path in paths.items():
        _check_place(obj, path)
    _check_apart(paths)
    return paths


def _check_apart(paths: dict[bpy.types.Object, Path]) -> None:
    """Raise SceneError where two objects would have the same file."""
    taken: dict[Path, bpy.types.Object] = {}
    for obj, path in paths.items():
        if (other := taken.setdefault(path, obj)) != obj:
            raise SceneError(
                f"'{other.name}' and '{obj.name}' would have the same file '{path.name}': rename "
                "one, or bake one by one"
            )


def _absolute(filepath: str) -> Path:
    return Path(bpy.path.abspath(filepath)).resolve()


def _check_place(obj: bpy.types.Object, path: Path) -> None:
    """Raise SceneError where the file would have no folder, or would replace another's."""
    if not path.parent.is_dir():
        raise SceneError(f"There is no folder {path.parent} to bake '{obj.name}' to: make it first")
    if path.exists() and not is_pc2(path):
        raise SceneError(
            f"'{path}' is not a PC2 file and would be lost: choose another name for '{obj.name}'"
        )
    for other in bpy.data.objects:
        for modifier in other.modifiers:
            if _plays(modifier, path):
                raise SceneError(f"'{other.name}' plays '{path}': choose another name")


def _plays(modifier: bpy.types.Modifier, path: Path) -> bool:
    return (
        isinstance(modifier, bpy.types.MeshCacheModifier)
        and bool(modifier.filepath)
        and _absolute(modifier.filepath) == path
    )


def _write_files(
    scene: bpy.types.Scene,
    paths: dict[bpy.types.Object, Path],
    frames: range,
    progress: Progress | None,
) -> None:
    for done, shapes in enumerate(preparing.read_frames(scene, list(paths), frames, progress)):
        for obj, shape in shapes.items():
            file = pc2_file(paths[obj], len(shape), frames.start)
            if done == 0:
                file.create()
            file.write(done, shape)


def _attach(scene: bpy.types.Scene, obj: bpy.types.Object, path: Path, frames: range) -> None:
    """Let Blender's modifier play the file in place of ours."""
    ours = stack.modifier(obj)
    place = len(obj.modifiers) if ours is None else obj.modifiers.find(ours.name)
    display_modifier.remove(obj)
    modifier = cast(bpy.types.MeshCacheModifier, obj.modifiers.new(MODIFIER, "MESH_CACHE"))
    record = BakeRecord(
        mode=bake_record.MESH_CACHE,
        frame_start=frames.start,
        frame_end=frames.stop - 1,
        keys=[],
        action_tag="",
        modifiers=[],
        show_only_shape_key=obj.show_only_shape_key,
        mesh_cache=modifier.persistent_uid,
    )
    bake_record.write(obj, record)
    obj.modifiers.move(obj.modifiers.find(modifier.name), place)
    modifier.cache_format = "PC2"
    modifier.filepath = _as_stored(path)
    # Time remapping moves what is animated but not the frames that the preview counts.
    modifier.frame_scale = scene.render.frame_map_new / scene.render.frame_map_old
    modifier.frame_start = frames.start
    modifier.show_in_editmode = modifier.show_expanded = False
    obj.xpbd.baked = True


def _as_stored(path: Path) -> str:
    """Relative to the .blend file where there is a way."""
    if not bpy.data.filepath:
        return str(path)
    try:
        return str(bpy.path.relpath(str(path)))
    except ValueError:  # on another drive
        return str(path)
