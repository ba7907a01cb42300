# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender -b scene.blend --command xpbd bake|simulate`: the same work from a shell.

Exit status: 0 when all went well, 1 when the scene cannot be simulated (the reason is
printed to the error stream), 2 when the command line makes no sense.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bpy

from ..bake import shape_keys
from ..errors import SceneError
from ..log import say
from ..simulation import job, session

COMMAND = "xpbd"
_SUCCESS, _FAILURE, _USAGE = 0, 1, 2


def main(arguments: list[str]) -> int:
    """Run the command line after `--command xpbd` and return the exit status."""
    try:
        options = _parser().parse_args(arguments)
        frames = _frames(options.frames)
    except SystemExit as stop:
        return int(stop.code or 0)
    except ValueError as error:
        _complain(error)
        return _USAGE
    scene = bpy.context.scene
    if frames is not None:
        scene.xpbd.frame_start, scene.xpbd.frame_end = frames
    try:
        if options.action == "simulate":
            _simulate(scene)
        else:
            _bake(scene, options)
    except (SceneError, OSError, RuntimeError) as error:
        _complain(error)
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
    actions.add_parser(
        "simulate", parents=[frames], help="simulate into the cache, without touching the file"
    )
    baking = actions.add_parser(
        "bake", parents=[frames], help="simulate what is missing, bake to shape keys and save"
    )
    baking.add_argument(
        "--mode",
        choices=[mode.lower() for mode in shape_keys.MODES],
        default="relative",
        help="how the shape keys are animated (default: relative)",
    )
    saving = baking.add_mutually_exclusive_group()
    saving.add_argument(
        "--output", metavar="OUT.blend", type=Path, help="save here instead of over the file"
    )
    saving.add_argument("--no-save", action="store_true", help="bake without saving")
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


def _simulate(scene: bpy.types.Scene) -> None:
    progress = _Progress("simulating")
    job.run_blocking(scene, scene.xpbd.frame_start, scene.xpbd.frame_end, progress)
    _tell_left_out(scene)
    status = session.status(scene)
    say(f"frames {status.first} to {status.last} are in the cache")


def _bake(scene: bpy.types.Scene, options: argparse.Namespace) -> None:
    target = _target(options)
    mode = options.mode.upper()
    objects = shape_keys.objects_to_bake(scene)
    shape_keys.check(objects, mode)
    shape_keys.simulate_missing(scene, _Progress("simulating"))
    baked = shape_keys.bake_shape_keys(scene, objects, mode, _Progress("baking"))
    _tell_left_out(scene)
    say(f"baked {', '.join(obj.name for obj in baked)}")
    if target is not None:
        bpy.ops.wm.save_as_mainfile(filepath=str(target))
        say(f"saved {target}")


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


class _Progress:
    """Prints a line whenever another tenth of the frames is done."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._tenth = -1

    def __call__(self, done: int, total: int) -> None:
        tenth = 10 * done // max(total, 1)
        if tenth != self._tenth:
            self._tenth = tenth
            say(f"{self._what}: {done} of {total} frames")


def _tell_left_out(scene: bpy.types.Scene) -> None:
    for sentence in session.left_out(scene):
        _complain(f"left out: {sentence}")


def _complain(error: Exception | str) -> None:
    sys.stderr.write(f"xpbd: {error}\n")


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
