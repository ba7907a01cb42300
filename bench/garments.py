# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments on a walking figure: how fast, how much stretched, how much of them in the body, beside
Blender's cloth.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from naive.crossings import crossing_pairs

import core

from . import contact_run
from .blenders import run_plain
from .contact_judge import Frame, parts
from .contact_objects import Scene
from .contact_scenes import make
from .contact_scenes_worn import WORN
from .default_settings import SOLVER, described
from .report import Bar, Table, at_least, at_most
from .setting import Setting

FRAMES = 48
LATE = FRAMES // 2
"""From this frame on the figure walks in full stride."""

EVERY = 6
"""Frames from one in which faces are counted to the next."""

WARDROBE = (("skirt",), ("tunic",), ("skirt", "tunic", "poncho"))
QUALITIES = ("default", "careful")
FASTER, STRETCHED, INSIDE = 3.0, 0.05, 0.005
"""Times as fast as Blender's cloth that is stretched no less; how much longer the worst edge but a
hundredth may be; which part of the faces may go through the body."""


class Walk(NamedTuple):
    """Means over the frames in full stride, and the worst of them.

    Attributes:
        milliseconds: of the processor, a frame.
        strain: p99 of the worst frame.
        inside: of the faces, which part goes through the body.
    """

    milliseconds: float
    strain: float
    inside: float


def measure(setting: Setting) -> list[Table]:
    """Have the figure walk in some garments, in the core and in Blender; nothing without one."""
    if not setting.blenders.plain:
        return []
    core.warm_up.warm_up()
    python = setting.blenders.plain[0]
    columns = ("garments", "vertices", "simulated by", "ms/frame", "p99 strain %", "in the body %")
    table = Table("Garments on a walking figure", columns)
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        path = str(Path(folder) / "worn.npz")
        run_plain(python, "worn_blender", str(FRAMES), path)
        for garments in WARDROBE:
            _compare(table, python, {"path": path, "garments": list(garments)})
    table.remarks = [
        f"{described()}, one thread; processor time of all threads of Blender's cloth with "
        "self-collision, quality 5 and 2 (default), 15 and 10 (careful).",
        f"Frames {LATE} to {FRAMES}; strain and faces of the worst of them.",
    ]
    return [table]


def _compare(table: Table, python: Path, options: dict[str, Any]) -> None:
    scene = make(WORN, **options)
    name, count = " + ".join(options["garments"]), len(scene.start_positions)
    solver = core.XPBD(**SOLVER, threads=1)
    ours = _walk(scene, contact_run.run(scene, solver))
    theirs = {
        quality: _walk(scene, contact_run.run_blender(python, scene, options, quality))
        for quality in QUALITIES
    }
    for who, walk in {"ours": ours, **theirs}.items():
        strain, inside = 100.0 * walk.strain, 100.0 * walk.inside
        table.rows.append((name, count, who, walk.milliseconds, strain, inside))
    table.bars += _bars(name, ours, list(theirs.values()))


def _bars(name: str, ours: Walk, theirs: Sequence[Walk]) -> list[Bar]:
    """Against the fastest of Blender's that is stretched no more than ours; where none is, against
    the slowest.
    """
    as_good = [walk.milliseconds for walk in theirs if walk.strain <= ours.strain]
    peer = min(as_good) if as_good else max(walk.milliseconds for walk in theirs)
    return [
        at_least(f"{name}: Blender's time / ours", peer / ours.milliseconds, FASTER),
        at_most(f"{name}: p99 strain", ours.strain, STRETCHED),
        at_most(f"{name}: faces in the body", ours.inside, INSIDE),
    ]


def _walk(scene: Scene, frames: Iterable[Frame]) -> Walk:
    late = [frame for frame in frames if frame.number > LATE]
    return Walk(
        1e3 * float(np.mean([frame.seconds for frame in late])),
        max(frame.strain_99 for frame in late),
        max(_inside(scene, frame) for frame in late[::EVERY]),
    )


def _inside(scene: Scene, frame: Frame) -> float:
    """Which part of the garments' faces goes through a collider."""
    found, count = 0, 0
    obstacles = scene.collider_vertices(scene.time(frame.number))
    for cloth, positions in parts(scene, frame.positions):
        count += len(cloth.triangles)
        for collider, vertices in zip(scene.colliders, obstacles, strict=True):
            others = vertices, collider.triangles
            found += len(np.unique(crossing_pairs(positions, cloth.triangles, others=others)[:, 0]))
    return found / count
