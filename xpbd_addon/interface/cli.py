# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender -b scene.blend --command xpbd …`: the same work from a shell.

`simulate`, `resume`, `bake` and `status` are here, `sweep`, `apply` and `job` in `farm_cli`.

Exit status: 0 when all went well, 1 when the scene cannot be simulated (the reason is
printed to the error stream), 2 when the command line makes no sense, 3 when `status` finds frames
that are not simulated. With `--json` what is told is one JSON object a line, each with an `event`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import bpy

from ..bake import mesh_cache, preparing, shape_keys
from ..bake.bake_record import MESH_CACHE
from ..errors import SceneError
from ..simulation import job, session
from . import farm_cli, messages
from .command_output import Progress, Telling

COMMAND = "xpbd"
CACHE_BESIDE = "//cache"
_SUCCESS, _FAILURE, _USAGE, _LACKING = 0, 1, 2, 3


def main(arguments: list[str]) -> int:
    """Run the command line after `--command xpbd` and return the exit status."""
    try:
        options = _parser().parse_args(arguments)
        frames = _frames(options.frames)
    except SystemExit as stop:
        return int(stop.code or 0)
    except ValueError as error:
        Telling(as_json=False).complain("error", str(error))
        return _USAGE
    scene, telling = bpy.context.scene, Telling(as_json=options.json)
    if frames is not None:
        scene.xpbd.frame_start, scene.xpbd.frame_end = frames
    try:
        if options.action in farm_cli.ACTIONS:
            return farm_cli.ACTIONS[options.action](scene, options, telling)
        if options.action == "status":
            return _status(scene, telling)
        if options.action == "bake":
            _bake(scene, options, telling)
        elif getattr(options, "into", None) is not None:
            _simulate_into(scene, options.into.resolve(), telling)
        else:
            _simulate(scene, telling, getattr(options, "kept_until", None))
    except (SceneError, OSError, RuntimeError) as error:
        telling.complain("error", str(error))
        return _FAILURE
    return _SUCCESS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blender -b SCENE.blend --command xpbd",
        description="Simulate the XPBD objects of the file's active scene.",
    )
    actions = parser.add_subparsers(dest="action", required=True)
    frames = argparse.ArgumentParser(add_help=False)
    frames.add_argument(
        "--frames",
        metavar="START:END",
        help="first and last frame, instead of the scene's simulation range",
    )
    frames.add_argument(
        "--json", action="store_true", help="tell everything as JSON, one object a line"
    )
    simulating = actions.add_parser(
        "simulate",
        parents=[frames],
        help="simulate what the cache lacks, without touching the file",
    )
    simulating.add_argument(
        "--into",
        metavar="FOLDER",
        type=Path,
        help="with a cache in this folder, and save a copy of the file there that plays it",
    )
    resuming = actions.add_parser(
        "resume", parents=[frames], help="the same; with --from keep frames whatever has changed"
    )
    resuming.add_argument(
        "--from",
        dest="kept_until",
        metavar="FRAME",
        type=int,
        help="keep frames up to the last checkpoint before this one, and simulate those after it",
    )
    actions.add_parser(
        "status", parents=[frames], help="tell what is cached; exit status 3 where frames lack"
    )
    baking = actions.add_parser(
        "bake", parents=[frames], help="simulate what is missing, bake and save"
    )
    baking.add_argument(
        "--mode",
        choices=[mode.lower() for mode in (*shape_keys.MODES, MESH_CACHE)],
        default="relative",
        help="how shape keys are animated (default: relative), or a PC2 file instead of them",
    )
    saving = baking.add_mutually_exclusive_group()
    saving.add_argument(
        "--output", metavar="OUT.blend", type=Path, help="save here instead of over the file"
    )
    saving.add_argument("--no-save", action="store_true", help="bake without saving")
    farm_cli.add_actions(actions, frames)
    return parser


def _frames(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    start, separator, end = text.partition(":")
    try:
        frames = int(start), int(end)
    except ValueError:
        raise ValueError(f"--frames takes START:END, such as 1:250, not {text!r}") from None
    if not separator or frames[0] > frames[1]:
        raise ValueError(f"--frames takes START:END with START before END, not {text!r}")
    return frames


def _simulate(scene: bpy.types.Scene, telling: Telling, kept_until: int | None) -> None:
    progress = Progress("simulating", telling)
    start, end = scene.xpbd.frame_start, scene.xpbd.frame_end
    job.run_blocking(scene, start, end, progress, kept_until)
    _tell_left_out(scene, telling)
    status = session.status(scene)
    telling.say(
        "simulated",
        f"frames {status.first} to {status.last} are in the cache",
        first=status.first,
        last=status.last,
    )


def _simulate_into(scene: bpy.types.Scene, folder: Path, telling: Telling) -> None:
    """Into a cache that lies beside a copy of the file."""
    if not bpy.data.filepath:
        raise SceneError("No file was opened: name one before --command")
    target = folder / Path(bpy.data.filepath).name
    if target == Path(bpy.data.filepath).resolve():
        raise SceneError(f"{target} is the file itself: choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(target))
    scene.xpbd.cache_directory = CACHE_BESIDE
    _simulate(scene, telling, None)
    bpy.ops.wm.save_mainfile()
    telling.say("saved", f"saved {target}", path=str(target))


def _status(scene: bpy.types.Scene, telling: Telling) -> int:
    status = session.status(scene, exact=True)
    complete = session.is_complete(scene)
    text = messages.cache_text(status)
    if status.baked:  # the cache is needed no more
        bakes = messages.of_bakes(scene)
        complete = all(each.level == "STATE" for each in bakes)
        text = "; ".join(each.text for each in bakes)
    if status.goes_on_from is not None:
        text += f", goes on from frame {status.goes_on_from}"
    telling.say(
        "status",
        text,
        complete=complete,
        baked=status.baked,
        first=status.first,
        last=status.last,
        outdated=status.outdated,
        reason=status.reason,
        goes_on_from=status.goes_on_from,
    )
    _tell_left_out(scene, telling)
    return _SUCCESS if complete else _LACKING


def _bake(scene: bpy.types.Scene, options: argparse.Namespace, telling: Telling) -> None:
    target = _target(options)
    mode = options.mode.upper()
    objects = preparing.objects_to_bake(scene)
    if mode in shape_keys.MODES:
        shape_keys.check(objects, mode)
    preparing.simulate_missing(scene, Progress("simulating", telling))
    progress = Progress("baking", telling)
    if mode in shape_keys.MODES:
        baked = shape_keys.bake_shape_keys(scene, objects, mode, progress)
    else:
        baked = list(mesh_cache.bake_mesh_cache(scene, objects, progress=progress))
    _tell_left_out(scene, telling)
    names = [obj.name for obj in baked]
    telling.say("baked", f"baked {', '.join(names)}", objects=names)
    if target is not None:
        bpy.ops.wm.save_as_mainfile(filepath=str(target))
        telling.say("saved", f"saved {target}", path=str(target))


def _target(options: argparse.Namespace) -> Path | None:
    """The file to save, None for none; checked before the work begins."""
    if options.no_save:
        return None
    if options.output is None:
        if not bpy.data.filepath:
            raise SceneError("No file was opened: name one before --command, or give --output")
        return Path(bpy.data.filepath)
    target: Path = options.output.resolve()
    if not target.parent.is_dir():
        raise SceneError(f"There is no folder {target.parent}: make it first")
    return target


def _tell_left_out(scene: bpy.types.Scene, telling: Telling) -> None:
    for sentence in session.left_out(scene):
        telling.complain("left_out", f"left out: {sentence}")


_handle: object | None = None


def register() -> None:
    """Offer the command to Blender."""
    global _handle
    _handle = bpy.utils.register_cli_command(COMMAND, main)


def unregister() -> None:
    """Withdraw the command."""
    global _handle
    if _handle is not None:
        bpy.utils.unregister_cli_command(_handle)
        _handle = None
