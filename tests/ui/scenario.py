# SPDX-License-Identifier: GPL-3.0-or-later
"""An artist's first cloth, from the XPBD button to the baked and playing animation."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import numpy as np
import stage
from driver import (
    SHOTS,
    LongestGap,
    Steps,
    centre,
    click,
    difference,
    find,
    log,
    move,
    run,
    screenshot,
    seconds_to_draw,
    tap,
    type_number,
    until,
    window,
)

FAR_END = 5000  # frames; too many to be done before Esc is pressed
FRAMES_BEFORE_ESC = 5
SUBSTEPS = 40  # slow enough that a few hundred frames are done before Esc, not thousands
STIFFNESS = "1250.5"  # N/m
LONGEST_FREEZE = 1.0  # seconds, on top of what drawing takes
SAME = 0.005  # two pictures that differ less than this show the same


def scenario() -> Steps:
    stage.prepare()
    yield 0.5
    yield from stage.wait_for_kernels()
    yield from add_and_undo()
    yield from type_stiffness()
    yield from play_live()
    yield from simulate_until_escape()
    yield from simulate_to_the_end()
    yield from bake_and_compare()
    yield from play_baked()


def add_and_undo() -> Steps:
    screenshot("01-physics-tab")
    place = yield from find("xpbd.add(kind='CLOTH'")
    yield from click(place)
    yield until(lambda: stage.cloth().xpbd.use, "XPBD to be added", 5)
    modifiers = [m.type for m in stage.cloth().modifiers]
    assert modifiers == ["NODES"], modifiers
    screenshot("02-added")
    yield from move(centre("VIEW_3D"))
    yield from tap("Z", ctrl=True)
    yield until(lambda: not stage.cloth().xpbd.use, "undo to take XPBD away", 5)
    assert not stage.cloth().modifiers, "undo left the modifier behind"
    yield from tap("Z", ctrl=True, shift=True)
    yield until(lambda: stage.cloth().xpbd.use, "redo to bring XPBD back", 5)
    assert len(stage.cloth().modifiers) == 1, "redo did not bring the modifier back"


def type_stiffness() -> Steps:
    place = yield from find("xpbd.stretch_stiffness")
    yield from type_number(place, STIFFNESS)
    value = stage.cloth().xpbd.stretch_stiffness
    assert abs(value - float(STIFFNESS)) < 1e-3 * float(STIFFNESS), value
    compliance = stage.cloth().xpbd.stretch_compliance
    assert abs(compliance * float(STIFFNESS) - 1.0) < 1e-3, compliance
    screenshot("03-stiffness-typed")
    stage.cloth().xpbd.pin_group = stage.PIN_GROUP
    stage.scene().xpbd.frame_end = FAR_END
    stage.scene().xpbd.substeps = SUBSTEPS


def play_live() -> Steps:
    """Playing simulates: each frame shown is a frame cached."""
    yield from play_to(10)
    assert stage.cached().last >= 10, stage.cached()
    assert moved(stage.shown()) > 1e-3, "playing does not move the cloth"


def simulate_until_escape() -> Steps:
    """Start, work in another editor meanwhile, stop with Esc; the frames done are kept."""
    job = stage.addon("simulation.job")
    timeline_end = yield from find("frame_end", "DOPESHEET_EDITOR", "HEADER")
    limit = LONGEST_FREEZE + 3 * seconds_to_draw()
    enough = stage.cached().last + FRAMES_BEFORE_ESC
    yield from click((yield from find("xpbd.simulate(", column=0.3)))
    yield until(stage.simulating, "the simulation to start", 10)
    gap = LongestGap()
    yield until(lambda: job.current().frames_done >= enough, "the first frames", 30)
    yield from type_number(timeline_end, "120")
    assert stage.scene().frame_end == 120, "typing did nothing during the simulation"
    assert stage.simulating(), "typing stopped the simulation"
    log(f"longest freeze while simulating {gap.seconds:.2f} s, {gap.ticks} ticks")
    gap.check(limit)
    screenshot("04-simulating")
    yield from move(centre("VIEW_3D"))
    yield from tap("ESC")
    yield until(lambda: not stage.simulating(), "Esc to stop the simulation", 5)
    status = stage.cached()
    assert enough <= status.last < FAR_END, f"{status.last} frames kept"
    assert moved(stage.shown_at(status.last)) > 1e-4, "the cloth does not move"
    yield 0.5
    screenshot("05-stopped")


def simulate_to_the_end() -> Steps:
    end = stage.cached().last + 30
    place = yield from find("xpbd.frame_end")
    yield from type_number(place, str(end))
    assert stage.scene().xpbd.frame_end == end, stage.scene().xpbd.frame_end
    yield from click((yield from find("xpbd.simulate(", column=0.3)))
    yield until(lambda: stage.cached().last == end, "the simulation to come to its end", 100)
    yield until(lambda: not stage.simulating(), "the simulation to stop at its end", 5)
    yield 0.5
    status = stage.cached()
    assert (status.first, status.last, status.outdated) == (1, end, False), status
    shown = stage.shown_at(end)
    assert moved(shown) > 0.3, f"the cloth moved by {moved(shown):.3f} m only"
    pinned = stage.pinned()
    assert pinned.sum() == stage.CELLS + 1, pinned.sum()
    slip = float(np.abs(shown[pinned] - stage.rest()[pinned]).max())
    assert slip < 1e-6, f"the pins slipped by {slip} m"
    log(f"{end} frames; the cloth moved by {moved(shown):.2f} m, the pins by {slip:.1e} m")
    yield 0.5
    differ(SHOTS / "02-added.png", screenshot("06-simulated"))


def bake_and_compare() -> Steps:
    """The baked animation equals the preview and no longer needs the cache."""
    end = stage.scene().xpbd.frame_end
    frames = (1, 2, end // 2, end)
    preview = [stage.shown_at(frame) for frame in frames]
    place = yield from find("xpbd.bake_shape_keys")
    screenshot("07-before-bake")
    yield from click(place)
    yield until(lambda: stage.cloth().data.shape_keys is not None, "the shape keys", 60)
    yield 0.5
    keys = stage.cloth().data.shape_keys
    log(f"{len(keys.key_blocks)} shape keys")
    for frame, before in zip(frames, preview, strict=True):
        deviation = float(np.abs(stage.shown_at(frame) - before).max())
        assert deviation < 2e-6, f"frame {frame}: the bake differs by {deviation} m"
    screenshot("08-baked")


def play_baked() -> Steps:
    yield from play_to(12)
    differ(SHOTS / "08-baked.png", screenshot("09-played"))
    assert moved(stage.shown()) > 1e-3, "the baked animation does not move"
    bpy.ops.wm.save_as_mainfile(filepath=str(SHOTS / "baked.blend"))
    yield 0.3


def play_to(frame: int) -> Steps:
    """Play with the space bar from frame 1 until past `frame`, then stop."""
    stage.scene().frame_set(1)
    yield from move(centre("VIEW_3D"))
    yield from tap("SPACE")
    yield until(lambda: window().screen.is_animation_playing, "the space bar to play", 5)
    yield until(lambda: stage.scene().frame_current > frame, "the animation to play", 30)
    yield from tap("SPACE")
    yield until(lambda: not window().screen.is_animation_playing, "the space bar to stop", 5)


def moved(positions: np.ndarray) -> float:
    """Largest distance from the rest shape [m]."""
    return float(np.linalg.norm(positions - stage.rest(), axis=1).max())


def differ(first: Path, second: Path) -> None:
    """What a user sees changed: neither a grey or black viewport nor a cloth that stands still."""
    found = difference(first, second, "VIEW_3D")
    log(f"{first.stem} and {second.stem} differ by {found:.4f}")
    assert found > SAME, f"{first.name} and {second.name} show the same 3D viewport"


run(scenario, float(os.environ["LIMIT"]))
