# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing crosses that can be kept apart, and contact hardly stretches cloth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench import contact_run, contact_scenes
from bench.contact_judge import Crossings, Frame, count_crossings
from bench.contact_objects import Scene
from bench.default_settings import described

from .. import plots
from ..contact_settings import AUTOMATIC, fixed, solver
from ..report import Case, Check, Plot, Result, Table, at_most, number

TURNS = 2.0
SCENES: dict[str, tuple[dict[str, Any], str]] = {
    "fold_on_floor": ({"n": 40}, AUTOMATIC),
    "stack_on_sphere": ({"n": 24}, AUTOMATIC),
    "crumpled_ball": ({"n": 33}, AUTOMATIC),
    "pull_through_ring": ({"n": 40}, AUTOMATIC),
    "trouser_leg": ({"n": 32}, AUTOMATIC),
    "spike": ({"n": 20}, AUTOMATIC),
    "twisted_towel": ({"n": 20, "turns": TURNS}, fixed(80)),
    "crossing_fast": ({"n": 32}, AUTOMATIC),
}
"""What each is made with, and setting; n: vertices along a side."""

FREE = ("fold_on_floor", "stack_on_sphere", "crumpled_ball", "pull_through_ring", "spike")
"""Those in which cloth is not wound up or hooked up by pins."""

SQUEEZED, SQUEEZED_SIDE = "pinch", 32
DRIVEN_SIDES = (28, 36, 40, 48)
"""Vertices along a side of cloths that pins drive through each other."""

ADDED = 2.0
"""Points of strain that contact may add."""

SHOWS = (
    "Scenes in which cloth meets itself, other cloths and colliders (described in "
    "bench/contact_scenes.py): a sheet that folds on a floor, a stack of five on a sphere, a sheet "
    "crumpled by a shrinking sphere, one pulled through a ring, a trouser leg over a bending knee, "
    f"a cone that comes up beneath a coarse sheet, a towel wound by {TURNS:g} turns, cloths that "
    "pins drive through each other at 25 m/s and back. After each frame all pairs of faces that "
    "intersect are counted by exact predicates (tests/naive/crossings.py). Setting where none is "
    f"named: {described()}. Strain is the 99th percentile of that of edges along the yarns."
)


@dataclass(frozen=True)
class Run:
    """All frames of a scene, and what crosses in them."""

    frames: Sequence[Frame]
    crossings: Sequence[Crossings]

    @property
    def crossing(self) -> list[int]:
        """How many pairs of faces of each frame."""
        return [each.own + each.between + each.colliders for each in self.crossings]

    @property
    def strain(self) -> float:
        """At the end [%]."""
        return 100.0 * self.frames[-1].strain_99


def run() -> Result:
    """Simulate all scenes with contact, and some without."""
    runs = {
        name: simulated(contact_scenes.make(name, **options), setting)
        for name, (options, setting) in SCENES.items()
    }
    without = {
        name: simulated(contact_scenes.make(name, **SCENES[name][0]), SCENES[name][1], False)
        for name in FREE
    }
    result = Result()
    result.checks = [_crossing(name, found) for name, found in runs.items()]
    result.checks += [
        at_most(f"{name}: contact adds to the strain at the end",
                runs[name].strain - without[name].strain, ADDED, "points",
                f"what is asked of contact: {ADDED:g} points, less than automatic quality leaves")
        for name in FREE
    ]  # fmt: skip
    result.findings = [_squeezed(), _driven(), TRIED]
    columns = ("scene", "vertices", "setting", "frames", "crossing, at most", "strain (%)",
               "most strain (%)", "strain without (%)")  # fmt: skip
    rows: list[Any] = [
        (name, len(each.frames[0].positions), SCENES[name][1], len(each.frames),
         max(each.crossing), each.strain, 100.0 * max(f.strain_99 for f in each.frames),
         without[name].strain if name in without else None)
        for name, each in runs.items()
    ]  # fmt: skip
    title = "Strain at the end, of all frames, and of the same cloth that touches colliders only"
    result.tables = [Table(title, columns, rows)]
    result.plots = [_plot(runs)]
    return result


def simulated(scene: Scene, setting: str, self_collision: bool = True) -> Run:
    """All frames; what crosses is counted with self-collision only."""
    frames = list(contact_run.run(scene, solver(setting), self_collision))
    return Run(
        frames,
        [count_crossings(scene, frame.positions, frame.number) for frame in frames]
        if self_collision
        else [],
    )


def _crossing(name: str, found: Run) -> Check:
    options, setting = SCENES[name]
    return at_most(
        f"{name}, {options['n']} vertices along a side, {setting}: faces that cross in any frame",
        max(found.crossing), 0, "", "there is room for all",
    )  # fmt: skip


def _squeezed() -> str:
    scene = contact_scenes.make(SQUEEZED, n=SQUEEZED_SIDE)
    found = simulated(scene, AUTOMATIC)
    worst = max(100.0 * frame.strain_99 for frame in found.frames)
    largest = max(100.0 * frame.strain_largest for frame in found.frames)
    return (
        "**Two boxes that close on folded cloth** leave it no room: nothing is asked of crossings "
        "until they open, but no number that is none, strain below 20%, and nothing that crosses "
        f"in the end. With {SQUEEZED_SIDE}² vertices all numbers stay finite, at most "
        f"{max(found.crossing)} pairs of faces cross while they are closed, and "
        f"{found.crossing[-1]} in the last frame; the 99th percentile of strain is "
        f"{number(worst)}% at most and {number(found.strain)}% at the end, of single edges "
        f"{number(largest)}%. "
        f"That is {_verdict(worst < 20.0 and found.crossing[-1] == 0)}."
    )


def _driven() -> str:
    name, found = "crossing_fast", []
    for side in DRIVEN_SIDES:
        found.append(simulated(contact_scenes.make(name, n=side), AUTOMATIC))
    crossing, strain = max(max(run.crossing) for run in found), max(run.strain for run in found)
    sides = ", ".join(str(side) for side in DRIVEN_SIDES)
    return (
        "**Pins that set out at 25 m/s** pull what rests a metre along in a frame. Automatic "
        "quality, which follows what the last frame left, sees that before the frame: by how far "
        "pins go otherwise than they did. Without that cloths were caught in each other in some "
        f"resolutions, and stretched to twice their length. With {sides} vertices along a side "
        f"at most {crossing} pairs of faces cross in any frame, and {number(strain)}% of strain is "
        f"left at the end at most. That is {_verdict(crossing == 0 and strain < 20.0)}."
    )


def _verdict(holds: bool) -> str:
    return "as it should be" if holds else "a bar that is missed"


TRIED = (
    "**What was tried where pins and colliders move by themselves.** Cloth that would cross can be "
    "held back; what is moved as prescribed can't. Holding back in zones that move as one (Provot "
    "1997) is safe but sticks: cloth in a ring was torn to ten times its length. Zones that move "
    "along with what is prescribed in them, as a common motion smoothed over their neighbours, "
    "stuck as well; clamping how far material moves in a substep only delayed it. What works is to "
    "push along the normal of the moment of touch, so that what slides slides on; zones, carried "
    "by what is prescribed in them, are what is left for the rest. What was forced through each "
    "other all the same is a tangle, and is led out: of a collider to its outside, of cloth along "
    "the line of intersection. Between two colliders that close on it that tore folded cloth to "
    "twice its length, and some of it stayed hooked on their corners: what goes through both "
    "waits, with what is near it, till there is room, and what is led does not rub, as on a corner "
    "each of three directions held the other two fast."
)


def _plot(runs: dict[str, Run]) -> Plot:
    figure, ((axes,),) = plots.canvas(height=3.4)
    for index, (name, found) in enumerate(runs.items()):
        strains = [100.0 * frame.strain_99 for frame in found.frames]
        axes.semilogy(range(1, len(strains) + 1), strains, **plots.style(index), label=name)
    plots.label(axes, "Strain", "frame", "99th percentile (%)")
    axes.set_ylim(bottom=0.05)
    plots.legend_below(figure, axes)
    return Plot("strain", "Strain of all scenes, with contact.", figure)


CASE = Case("contact", "Nothing crosses", SHOWS, run, order=7)
