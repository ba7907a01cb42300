# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender -b scene.blend --command xpbd sweep|apply|job`: variations of a scene, and farms.

Exit status of `sweep`: 1 where a variation could not be simulated. With `--only` that is a result
like any other, for `--collect` to tell of, so that a farm goes on.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..errors import SceneError
from ..farm import figures, one_variation, pictures, record, schedulers, varying, worker
from ..farm.job_file import Job
from ..farm.sweep import Plan, Sweep, planned, told
from ..farm.worker import Event
from .command_output import Progress, Telling

if TYPE_CHECKING:
    Actions = argparse._SubParsersAction[argparse.ArgumentParser]

_SUCCESS, _FAILURE = 0, 1
_TICK = 0.1  # seconds between two looks at the Blenders


def add_actions(actions: Actions, frames: argparse.ArgumentParser) -> None:
    """Add the commands of this file to the parser."""
    vary = argparse.ArgumentParser(add_help=False)
    vary.add_argument(
        "--vary",
        metavar="OBJECT.SETTING=VALUE,VALUE",
        action="append",
        default=[],
        help="a setting and the values it takes, scene.SETTING for one of the scene; repeatable",
    )
    vary.add_argument(
        "--output", metavar="FOLDER", type=Path, required=True, help="where everything goes"
    )
    vary.add_argument("--stills", action="store_true", help="render the last frame of each")
    sweeping = actions.add_parser(
        "sweep", parents=[frames, vary], help="simulate and measure every combination of values"
    )
    sweeping.add_argument(
        "--processes", metavar="N", type=_count, default=2, help="side by side (default: 2)"
    )
    part = sweeping.add_mutually_exclusive_group()
    part.add_argument(
        "--only", metavar="N", type=_count, help="only this variation, in this Blender"
    )
    part.add_argument(
        "--collect", action="store_true", help="write the table of what was simulated elsewhere"
    )
    part.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    writing = actions.add_parser(
        "job", parents=[frames, vary], help="write the same as a job for a farm's scheduler"
    )
    writing.add_argument("--format", choices=tuple(schedulers.FORMATS), required=True)
    writing.add_argument(
        "--chunk", metavar="N", type=_count, default=10, help="frames a task renders (default: 10)"
    )
    applying = actions.add_parser("apply", help="set the file's settings to a variation, and save")
    applying.add_argument("folder", metavar="FOLDER", type=Path, help="that of the sweep")
    applying.add_argument("number", metavar="N", type=_count, help="of the variation, from 1 on")
    applying.add_argument(
        "--save-as", metavar="OUT.blend", type=Path, help="save here instead of over the file"
    )
    applying.add_argument("--json", action="store_true", help="tell everything as JSON")
    applying.set_defaults(frames=None)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on, not {text!r}")
    return int(text)


def plan_of(scene: bpy.types.Scene, options: argparse.Namespace) -> Plan:
    """What the options ask for, checked against the scene. Raises SceneError."""
    if not bpy.data.filepath:
        raise SceneError("No file was opened: name one before --command")
    varied = [varying.read(text) for text in options.vary]
    shot, output = Path(bpy.data.filepath), options.output.resolve()
    return planned(scene, shot, output, varied, stills=options.stills)


def _sweep(scene: bpy.types.Scene, options: argparse.Namespace, telling: Telling) -> int:
    plan = plan_of(scene, options)
    if options.worker:
        return _work(plan, telling)
    if options.only is not None:
        if options.only > len(plan.variations):
            raise SceneError(f"There are {len(plan.variations)} variations, and no {options.only}")
        return _one(scene, plan, options.only, telling)
    if options.collect:
        record.prepare(plan.output, plan.variations)
        record.write_table(plan.output, plan.table())
    else:
        _run(Sweep(plan, options.processes), telling)
    return _conclude(plan, telling)


def _one(scene: bpy.types.Scene, plan: Plan, number: int, telling: Telling) -> int:
    record.prepare(plan.output, plan.variations[number - 1 : number])
    progress = Progress("simulating", telling)
    result = one_variation.simulate(scene, plan, number, progress)
    _tell(telling, told(number, result))
    return _SUCCESS


def _work(plan: Plan, telling: Telling) -> int:
    """Do the variations whose numbers come in, each in the file as it was saved."""
    for place, number in enumerate(worker.numbers()):
        worker.print_into(plan.log(number))
        if place > 0:
            bpy.ops.wm.open_mainfile(filepath=str(plan.shot))
        scene = bpy.context.scene
        scene.xpbd.frame_start, scene.xpbd.frame_end = plan.frames
        _one(scene, replace(plan), number, telling)  # its checksum is that of the file now
    return _SUCCESS


def _run(sweep: Sweep, telling: Telling) -> None:
    try:
        while sweep.is_running:
            for event in sweep.poll():
                _tell(telling, event)
            time.sleep(_TICK)
    finally:
        sweep.close()


def _tell(telling: Telling, event: Event) -> None:
    number, fields = event["variation"], {key: event[key] for key in event if key != "event"}
    if event["event"] == "variation":
        found = event["error"] or figures.text(event["figures"])
        text = f"variation {number}: {record.text(event['settings'])}: {found}"
        telling.say("variation", text, **fields)
        for sentence in event["left_out"]:
            telling.complain("left_out", f"variation {number}: left out: {sentence}")
    elif event["event"] == "again":
        sentence = f"variation {number}: its Blender ended with status {event['status']}, again"
        telling.complain("again", sentence)
    elif telling.as_json:
        telling.say("progress", "", **fields)


def _conclude(plan: Plan, telling: Telling) -> int:
    table = plan.table()
    good = sum(result is not None and not result.error for result in table.results)
    pictured = plan.stills and pictures.write_contact_sheet(plan.output, table)
    telling.say(
        "swept",
        f"{good} of {len(table.results)} variations are in {plan.output / record.TABLE}",
        simulated=good,
        variations=len(table.results),
        table=str(plan.output / record.TABLE),
        picture=str(plan.output / record.PICTURE) if pictured else None,
    )
    return _SUCCESS if good == len(table.results) else _FAILURE


def _job(scene: bpy.types.Scene, options: argparse.Namespace, telling: Telling) -> int:
    job = Job(plan_of(scene, options), options.chunk)
    path = schedulers.FORMATS[options.format](job)
    telling.say("job", f"wrote {path}", path=str(path))
    return _SUCCESS


def _apply(scene: bpy.types.Scene, options: argparse.Namespace, telling: Telling) -> int:
    variation = record.chosen(record.read_table(options.folder.resolve()), options.number)
    if options.save_as is None and not bpy.data.filepath:
        raise SceneError("No file was opened: name one before --command, or give --save-as")
    target = options.save_as.resolve() if options.save_as else Path(bpy.data.filepath)
    varying.apply(scene, variation)
    bpy.ops.wm.save_as_mainfile(filepath=str(target))
    text = f"set {record.text(variation)} and saved {target}"
    telling.say("applied", text, settings=variation, path=str(target))
    return _SUCCESS


ACTIONS = {"sweep": _sweep, "apply": _apply, "job": _job}
