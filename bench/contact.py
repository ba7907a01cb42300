# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact costs: scenes with it and without it frame by frame in turn, and Blender's cloth.

``python -m bench.contact_run SCENE`` tells more of a single one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import core

from . import contact_growth, contact_run
from .contact_judge import Frame, count_crossings
from .contact_objects import Scene
from .contact_scenes import make
from .report import Table, at_least, at_most
from .setting import Setting
from .timing import robust_mean

SUBSTEPS = 40
PEER, QUALITY = "fold_on_floor", "careful"
SCENES = ("free_fall", "fold_on_floor", "stack_on_sphere", "crumpled_ball", "pull_through_ring")
FALLING = 1.5
"""Times as long as without it contact may take where nothing touches."""

FASTER = 5.0
"""Times as fast as Blender's careful cloth."""


def measure(setting: Setting) -> list[Table]:
    """Simulate each scene with contact and without; time finding what may touch."""
    core.warm_up.warm_up()
    columns = ("scene", "vertices", "ms/frame", "without ms", "ratio", "p99 strain %", "without %")
    table = Table("Cloth that touches itself and others", (*columns, "crossing", "without"))
    for name in SCENES:
        _measure_scene(setting, table, make(name))
    table.remarks = [
        f"{SUBSTEPS} substeps of one iteration, one thread; each frame's median over "
        f"{setting.rounds} runs, mean of all; strain at the end.",
        "crossing: pairs of faces that intersect in the worst frame, by exact predicates.",
        "without: the same cloth that touches colliders only.",
    ]
    return [table, contact_growth.measure(setting)]


def _measure_scene(setting: Setting, table: Table, scene: Scene) -> None:
    runs = [list(_in_turn(scene)) for _ in range(setting.rounds)]
    ours, without = (
        robust_mean([[1e3 * both[k].seconds for both in run] for run in runs]) for k in range(2)
    )
    strains = [100 * frame.strain_99 for frame in runs[-1][-1]]
    crossing = [max(_crossings(scene, both[k]) for both in runs[-1]) for k in range(2)]
    count = len(scene.start_positions)
    table.rows.append((scene.name, count, ours, without, ours / without, *strains, *crossing))
    table.bars.append(at_most(f"{scene.name}: pairs of faces that cross", crossing[0], 0))
    if scene.name == "free_fall":
        table.bars.append(at_most("free fall with contact / without", ours / without, FALLING))
    if scene.name == PEER and setting.blenders.plain:
        frames = contact_run.run_blender(setting.blenders.plain[0], scene, {}, QUALITY)
        seconds = [frame.seconds for frame in frames]
        table.bars.append(
            at_least(f"{PEER}: Blender's time / ours", 1e3 * float(np.mean(seconds)) / ours, FASTER)
        )


def _in_turn(scene: Scene) -> Iterator[tuple[Frame, Frame]]:
    """Each frame with contact, and without."""
    solver = core.XPBD(substeps=SUBSTEPS, threads=1)
    yield from zip(*(contact_run.run(scene, solver, touching) for touching in (True, False)))


def _crossings(scene: Scene, frame: Frame) -> int:
    found = count_crossings(scene, frame.positions, frame.number)
    return found.own + found.between + found.colliders
