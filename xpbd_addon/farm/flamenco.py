# SPDX-License-Identifier: GPL-3.0-or-later
"""A job as Flamenco has it: a job type, for the folder `scripts` of its manager.

https://flamenco.blender.org/usage/job-types/ has its interface: ``JOB_TYPE`` declares what the user
may set when a job is sent, and ``compileJob`` makes its tasks.
"""

from __future__ import annotations

import json
from typing import Any

from .job_file import MARK, Job

FILE = "xpbd-{kind}.js"

_BLENDFILE = {
    "key": "blendfile",
    "type": "string",
    "required": True,
    "visible": "web",
    "description": "The .blend file",
}

_COMMON = """
function blenderTask(job, name, blendfile, args) {
  const task = author.Task(name, "blender");
  const parameters = {
    exe: "{blender}", exeArgs: "{blenderArgs}", argsBefore: [], blendfile: blendfile, args: args,
  };
  task.addCommand(author.Command("blender-render", parameters));
  job.addTask(task);
  return task;
}
"""

_SWEEP = """
function compileJob(job) {
  const settings = job.settings;
  const varied = settings.vary.split(";");
  const args = ["--command", "xpbd", "sweep", "--output", settings.output];
  args.push("--frames", settings.frames);
  if (settings.stills) args.push("--stills");
  let count = 1;
  for (const each of varied) {
    args.push("--vary", each.trim());
    const values = each.slice(each.lastIndexOf("=") + 1).split(",");
    count *= new Set(values.map((value) => value.trim()).filter((value) => value)).size;
  }
  const simulated = [];
  for (let number = 1; number <= count; number++) {
    const only = args.concat(["--only", String(number), "--json"]);
    simulated.push(blenderTask(job, "variation-" + number, settings.blendfile, only));
  }
  const collect = args.concat(["--collect", "--json"]);
  const table = blenderTask(job, "table", settings.blendfile, collect);
  for (const task of simulated) table.addDependency(task);
}
"""

_SHOT = """
function compileJob(job) {
  const settings = job.settings;
  const name = settings.blendfile.split(/[\\\\/]/).pop();
  const range = settings.frames.split("-").join(":");
  const simulated = blenderTask(job, "simulate", settings.blendfile, [
    "--command", "xpbd", "simulate", "--into", settings.output, "--frames", range, "--json",
  ]);
  for (const chunk of frameChunker(settings.frames, settings.chunk_size)) {
    const task = blenderTask(job, "render-" + chunk, settings.output + "/" + name, [
      "--render-output", settings.output + "/render/####",
      "--render-frame", chunk.split("-").join(".."),
    ]);
    task.addDependency(simulated);
  }
}
"""


def file_name(job: Job) -> str:
    """That of the job type, from which Flamenco makes its name."""
    return FILE.format(kind="sweep" if job.is_sweep else "shot")


def text(job: Job) -> str:
    """The job type, in JavaScript; what the job is are the defaults of its settings."""
    settings = _sweep_settings(job) if job.is_sweep else _shot_settings(job)
    declared = {
        "label": "XPBD Sweep" if job.is_sweep else "XPBD Simulate and Render",
        "settings": [*settings, _BLENDFILE],
    }
    return (
        f"// {MARK}.\n"
        "// SPDX-License-Identifier: GPL-3.0-or-later\n\n"
        f"const JOB_TYPE = {json.dumps(declared, indent=2)};\n"
        f"{_COMMON}{_SWEEP if job.is_sweep else _SHOT}"
    )


def _sweep_settings(job: Job) -> list[dict[str, Any]]:
    vary = "; ".join(f"{each.setting}={','.join(each.values)}" for each in job.plan.varied)
    start, end = job.plan.frames
    return [
        _setting("vary", "string", vary, "Settings and their values, parted by semicolons"),
        _setting("frames", "string", f"{start}:{end}", "The first and the last frame"),
        _output(job),
        _setting("stills", "bool", job.plan.stills, "Render the last frame of each variation"),
    ]


def _shot_settings(job: Job) -> list[dict[str, Any]]:
    start, end = job.plan.frames
    return [
        _setting("frames", "string", f"{start}-{end}", "The first and the last frame"),
        _setting("chunk_size", "int32", job.chunk, "Frames that a task renders"),
        _output(job),
    ]


def _output(job: Job) -> dict[str, Any]:
    about = "The folder for all that is made; every worker has to reach it"
    return {**_setting("output", "string", str(job.plan.output), about), "subtype": "dir_path"}


def _setting(key: str, kind: str, default: Any, description: str) -> dict[str, Any]:
    required = {"required": True} if kind == "string" else {}
    return {"key": key, "type": kind, **required, "default": default, "description": description}
