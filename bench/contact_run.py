# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate a scene of contact and judge it frame by frame: `python -m bench.contact_run SCENE`.

``--blender PYTHON``, an interpreter with bpy, has Blender's own cloth simulate it instead.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

import core
from core.solvers.common.base import Solver

from .blenders import run_plain
from .contact_judge import Crossings, Frame, Step, count_crossings, watch
from .contact_objects import Scene
from .contact_scenes import SCENES, make

SUBSTEPS = 20


def run(
    scene: Scene, solver: Solver[Any] | None = None, self_collision: bool = True
) -> Iterator[Frame]:
    """Simulate a scene in the core and measure each frame.

    Args:
        scene: which.
        solver: ``core.XPBD`` of 20 substeps on one thread by default.
        self_collision: False: cloth keeps off colliders only.
    """
    return watch(scene, steps(scene, build(scene, solver, self_collision)))


def build(
    scene: Scene,
    solver: Solver[Any] | None = None,
    self_collision: bool = True,
    dtype: DTypeLike = np.float32,
) -> core.Simulation:
    """Return the scene at its start; its cloths are ``model.cloths``."""
    model = core.Model(dtype)
    for cloth in scene.cloths:
        model.add_cloth(
            cloth.positions,
            cloth.triangles,
            pins=cloth.pins,
            velocities=cloth.velocity,
            friction=cloth.friction,
            thickness=cloth.thickness,
            name=cloth.name,
            density=cloth.density,
            stretch_compliance=cloth.stretch_compliance,
            shear_compliance=cloth.shear_compliance,
            bend_compliance=cloth.bend_compliance,
            self_collision=self_collision,
            body_collision=self_collision,
        )
    for collider in scene.colliders:
        model.add_collider(
            collider.vertices,
            collider.triangles,
            thickness=collider.thickness,
            friction=collider.friction,
            two_sided=collider.two_sided,
            name=collider.name,
        )
    solver = core.XPBD(substeps=SUBSTEPS, threads=1) if solver is None else solver
    simulation = core.Simulation(model, solver, gravity=scene.gravity)
    simulation.positions[:] = scene.start_positions
    return simulation


def steps(scene: Scene, simulation: core.Simulation) -> Iterator[Step]:
    """Advance frame by frame; only the advancing is timed."""
    model = simulation.model
    for frame in range(1, scene.frames + 1):
        moment = scene.time(frame)
        for handle, cloth, targets in zip(model.cloths, scene.cloths, scene.pin_targets(moment)):
            simulation.set_targets(handle.particles[cloth.pins], targets)
        for collider, vertices in zip(model.colliders, scene.collider_vertices(moment)):
            collider.set_target(vertices)
        begin = time.process_time()
        simulation.advance(1.0 / scene.frames_per_second)
        seconds = time.process_time() - begin
        yield simulation.positions.astype(np.float64), seconds


def divided(scene: Scene, parts: int) -> Scene:
    """The same scene with so many frames for each: a sheet may pass through another between two."""
    return dataclasses.replace(
        scene,
        frames=parts * scene.frames,
        frames_per_second=parts * scene.frames_per_second,
    )


def run_blender(
    python: Path, scene: Scene, options: dict[str, Any], quality: str
) -> Iterator[Frame]:
    """Have Blender's cloth simulate a scene, then measure each frame.

    Args:
        python: an interpreter with bpy.
        scene: which.
        options: by which ``contact_scenes.make`` makes it.
        quality: ``careful`` or ``default``; see ``contact_blender``.

    Raises:
        RuntimeError: Blender failed, or cannot do what the scene asks for.
    """
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        path = Path(folder) / "positions.npy"
        arguments = (scene.name, json.dumps(options), quality, str(path))
        result = run_plain(python, "contact_blender", *arguments)
        if "missing" in result:
            raise RuntimeError(f"Blender's cloth can't do {scene.name}: {result['missing']}.")
        positions = np.load(path, allow_pickle=False).astype(np.float64)
    return watch(scene, zip(positions, result["seconds"], strict=True))


def main(arguments: Sequence[str]) -> int:
    """Run one scene, print a line for each frame and a summary; return the exit status."""
    options = _parser().parse_args(arguments)
    given = {"n": options.n, "frames": options.frames, "irregular": options.irregular or None}
    wanted = {key: value for key, value in given.items() if value is not None}
    scene = make(options.scene, **wanted)
    if options.blender is not None:
        try:
            frames = run_blender(options.blender, scene, wanted, options.quality)
        except RuntimeError as error:
            print(error)
            return 1
    else:
        core.warm_up.warm_up()
        scene = divided(scene, options.finer)
        solver = core.XPBD(substeps=max(options.substeps // options.finer, 1), threads=1)
        frames = run(scene, solver, not options.off)
    print(f"{scene.name}: {len(scene.start_positions):,} vertices, {scene.frames} frames")
    print(HEADER)
    seen: list[tuple[Frame, Crossings]] = []
    problem = ""
    try:
        for frame in frames:
            crossings = count_crossings(scene, frame.positions, frame.number)
            seen.append((frame, crossings))
            print(line(frame, crossings), flush=True)
    except core.SimulationError as error:
        problem = f"STOPPED after {len(seen)} frames: {error}"
    print(problem or summary(seen))
    if options.save is not None:
        save(options.save, scene, [frame for frame, _ in seen])
    return 1 if problem else 0


HEADER = (
    "frame    own between collider  strain p99 %     max %   jolt mm  speed m/s  lowest m    CPU ms"
)


def line(frame: Frame, crossings: Crossings) -> str:
    """Return a frame's figures below the header."""
    counts = f"{crossings.own:6} {crossings.between:7} {crossings.colliders:8}"
    strains = f"{100 * frame.strain_99:13.2f} {100 * frame.strain_largest:9.2f}"
    motion = f"{1e3 * frame.jolt:9.2f} {frame.speed:10.2f} {frame.lowest:9.4f}"
    return f"{frame.number:5} {counts} {strains} {motion} {1e3 * frame.seconds:9.1f}"


def summary(seen: Sequence[tuple[Frame, Crossings]]) -> str:
    """Return what matters of all frames."""
    frames = [frame for frame, _ in seen]
    lines = []
    for kind in ("own", "between", "colliders"):
        counts = [getattr(crossings, kind) for _, crossings in seen]
        some = sum(count > 0 for count in counts)
        lines.append(
            f"crossings, {kind}: {counts[-1]} at the end, {max(counts)} at most, "
            f"in {some} of {len(counts)} frames"
        )
    strains = [100 * frame.strain_largest for frame in frames]
    typical = [100 * frame.strain_99 for frame in frames]
    lines.append(
        f"strain: p99 {typical[-1]:.2f} % at the end, {max(typical):.2f} % at most; "
        f"largest {strains[-1]:.2f} % at the end, {max(strains):.2f} % at most"
    )
    late = [1e3 * frame.jolt for frame in frames[-max(len(frames) // 4, 1) :]]
    lines.append(f"jolt p99 in the last quarter: {np.median(late):.3f} mm in a typical frame")
    times = [1e3 * frame.seconds for frame in frames]
    lines.append(f"processor: {np.mean(times):.1f} ms a frame, {max(times):.1f} at most")
    return "\n".join(lines)


def save(folder: Path, scene: Scene, frames: Sequence[Frame]) -> None:
    """Write the start and all frames to ``<scene>.npz``.

    ``positions``, shape (frames + 1, n, 3), and ``triangles``, shape (f, 3), of all cloths;
    ``collider_<k>``, shape (frames + 1, v, 3), and ``collider_<k>_triangles`` of each collider.
    """
    corners = [cloth.triangles + first for cloth, first in zip(scene.cloths, scene.offsets)]
    arrays = {
        "positions": np.array([scene.start_positions, *(frame.positions for frame in frames)]),
        "triangles": np.concatenate(corners),
    }
    for k, collider in enumerate(scene.colliders):
        moments = [scene.time(frame) for frame in range(len(frames) + 1)]
        arrays[f"collider_{k}"] = np.array([collider.positions(moment) for moment in moments])
        arrays[f"collider_{k}_triangles"] = collider.triangles
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / f"{scene.name}.npz", **arrays)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench.contact_run", description=__doc__)
    parser.add_argument("scene", metavar="SCENE", choices=SCENES, help=", ".join(SCENES))
    parser.add_argument("--n", type=int, help="resolution (default: the scene's)")
    parser.add_argument("--frames", type=int, help="how many (default: the scene's)")
    parser.add_argument("--irregular", action="store_true", help="irregular triangles")
    parser.add_argument("--substeps", type=int, default=SUBSTEPS, help=f"default: {SUBSTEPS}")
    parser.add_argument("--finer", type=int, default=1, help="frames to make of each (core only)")
    parser.add_argument("--off", action="store_true", help="without self-collision")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the positions there")
    parser.add_argument("--blender", type=Path, metavar="PYTHON", help="simulate in this Blender")
    parser.add_argument("--quality", choices=("careful", "default"), default="careful")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
