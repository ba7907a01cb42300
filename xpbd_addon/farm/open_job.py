# SPDX-License-Identifier: GPL-3.0-or-later
"""A job as Open Job Description has it: https://github.com/OpenJobDescription/openjd-specifications.

The template is of revision 2023-09, without extensions: ``openjd run`` runs it on one computer, AWS
Deadline Cloud and others on many. Blender, the shot and the folder are parameters, as a farm may
have them elsewhere. The shot has to be named when the job is sent: defaults are relative to the
template's folder, and don't lead out of it.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import SceneError
from .job_file import MARK, Job

FILE = "template.json"

_SHOT, _OUTPUT = "{{Param.Shot}}", "{{Param.Output}}"
_COLLECTS = "Collect"
_SIMULATES = "Simulate"


def text(job: Job) -> str:
    """The template as JSON. Raises SceneError where a name can't stand in one."""
    for each in (*(varied.setting for varied in job.plan.varied), job.name):
        if "{{" in each:
            raise SceneError(f"'{each}' holds {{{{, which a job can't: give it another name")
    content = {
        "specificationVersion": "jobtemplate-2023-09",
        "description": f"{MARK}.",
        "name": job.name[:128],
        "parameterDefinitions": _parameters(job),
        "steps": _sweep_steps(job) if job.is_sweep else _shot_steps(job),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _parameters(job: Job) -> list[dict[str, Any]]:
    return [
        {
            "name": "Blender",
            "type": "STRING",
            "default": "blender",
            "description": "The command that starts Blender with the extension",
        },
        {
            "name": "Shot",
            "type": "PATH",
            "objectType": "FILE",
            "dataFlow": "IN",
            "description": f"The .blend file, such as {job.plan.shot}",
        },
        {
            "name": "Output",
            "type": "PATH",
            "objectType": "DIRECTORY",
            "dataFlow": "OUT",
            "default": ".",
            "description": "The folder for all that is made; every machine has to reach it",
        },
    ]


def _sweep_steps(job: Job) -> list[dict[str, Any]]:
    numbers = {"name": "Variation", "type": "INT", "range": f"1-{len(job.plan.variations)}"}
    simulates = job.variation(_OUTPUT, "{{Task.Param.Variation}}")
    return [
        {**_step(_SIMULATES, _SHOT, simulates), "parameterSpace": _space(numbers)},
        {**_step(_COLLECTS, _SHOT, job.collection(_OUTPUT)), "dependencies": _after(_SIMULATES)},
    ]


def _shot_steps(job: Job) -> list[dict[str, Any]]:
    starts, ends = ([chunk[side] for chunk in job.chunks] for side in (0, 1))
    frames = (
        {"name": "Start", "type": "INT", "range": starts},
        {"name": "End", "type": "INT", "range": ends},
    )
    rendering = job.rendering(_OUTPUT, "{{Task.Param.Start}}", "{{Task.Param.End}}")
    return [
        _step(_SIMULATES, _SHOT, job.simulation(_OUTPUT)),
        {
            **_step("Render", f"{_OUTPUT}/{job.plan.shot.name}", rendering),
            "parameterSpace": {**_space(*frames), "combination": "(Start, End)"},
            "dependencies": _after(_SIMULATES),
        },
    ]


def _step(name: str, shot: str, arguments: list[str]) -> dict[str, Any]:
    run = {"command": "{{Param.Blender}}", "args": ["-b", shot, *arguments]}
    return {"name": name, "script": {"actions": {"onRun": run}}}


def _space(*parameters: dict[str, Any]) -> dict[str, Any]:
    return {"taskParameterDefinitions": list(parameters)}


def _after(step: str) -> list[dict[str, str]]:
    return [{"dependsOn": step}]
