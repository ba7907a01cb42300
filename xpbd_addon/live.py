# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation in memory: `core` filled from a scene, and advanced frame by frame.

Nothing here touches bpy except `read_scene` and `read_frame`; the rest may run in any thread.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from numpy.typing import NDArray

from . import colliders, mesh_io
from .errors import SceneError
from .mesh_io import ClothInput, ColliderInput, Positions

if TYPE_CHECKING:
    from ..core import Simulation

# Two numba calls at once can end the process with some threading layers.
_solver_lock = threading.Lock()


@dataclass(frozen=True)
class SceneInput:
    """All that a simulation is built from, at its first frame.

    Attributes:
        gravity: [m/s²]. time_step: of a frame [s].
        origin: world position [m] that `core` has its origin at: single precision is finest there.
    """

    frame: int
    cloths: list[ClothInput]
    colliders: list[ColliderInput]
    gravity: tuple[float, float, float]
    time_step: float
    substeps: int
    iterations: int
    fingerprint: str
    origin: Positions

    @property
    def positions(self) -> dict[str, NDArray[np.float32]]:
        """World positions [m] of each cloth, shape (n, 3), by cache id."""
        return {cloth.object_id: cloth.positions.astype(np.float32) for cloth in self.cloths}


@dataclass(frozen=True)
class FrameInput:
    """Where pins (p, 3) and colliders (v, 3) are at a frame [m], by the objects' session_uid."""

    frame: int
    pins: dict[int, Positions]
    colliders: dict[int, Positions]


@dataclass
class Live:
    """A simulation that has arrived at `frame`, with pinned vertices at `pins`."""

    simulation: Simulation
    handles: dict[int, Any]
    inputs: SceneInput
    frame: int
    pins: dict[int, Positions] = field(default_factory=dict)

    @property
    def positions(self) -> dict[str, NDArray[np.float32]]:
        """World positions [m] of each cloth, shape (n, 3), by cache id."""
        found = {}
        for cloth in self.inputs.cloths:
            local = self.simulation.positions[self.handles[cloth.uid].particles]
            world = local + self.inputs.origin
            if cloth.uid in self.pins:
                world[cloth.pins] = self.pins[cloth.uid]
            found[cloth.object_id] = world.astype(np.float32)
        return found


def read_scene(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    objects: list[bpy.types.Object],
    fingerprint: str,
) -> SceneInput:
    """Read everything at the current frame. Raises SceneError where something can't be used."""
    scale = scene.unit_settings.scale_length
    read = [
        colliders.read_collider(obj, depsgraph, scale) for obj in colliders.collision_objects(scene)
    ]
    gravity = np.array(scene.gravity, np.float64) * scale if scene.use_gravity else np.zeros(3)
    cloths = [mesh_io.read_cloth(obj, depsgraph, scale) for obj in objects]
    every = np.concatenate([cloth.positions for cloth in cloths])
    return SceneInput(
        frame=depsgraph.scene_eval.frame_current,
        cloths=cloths,
        colliders=[collider for collider in read if collider is not None],
        gravity=(float(gravity[0]), float(gravity[1]), float(gravity[2])),
        time_step=scene.render.fps_base / scene.render.fps,
        substeps=scene.xpbd.substeps,
        iterations=scene.xpbd.iterations,
        fingerprint=fingerprint,
        origin=np.round(0.5 * (every.min(axis=0) + every.max(axis=0))),
    )


def read_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, live: Live) -> FrameInput:
    """Read what moves at the current frame. Raises SceneError where something has gone."""
    scale = scene.unit_settings.scale_length
    objects = {obj.session_uid: obj for obj in scene.objects}
    pins: dict[int, Positions] = {}
    for cloth in live.inputs.cloths:
        obj = _existing(objects, cloth)
        _check_count(obj.name, len(obj.data.vertices), len(cloth.positions))
        if len(cloth.pins):
            mesh_io.check_cloth(obj)
            pins[cloth.uid] = mesh_io.read_positions(obj, depsgraph, scale)[cloth.pins]
    moved: dict[int, Positions] = {}
    for collider in live.inputs.colliders:
        obj = _existing(objects, collider)
        moved[collider.uid] = colliders.read_vertices(obj, depsgraph, scale)
        _check_count(obj.name, len(moved[collider.uid]), len(collider.vertices))
    return FrameInput(depsgraph.scene_eval.frame_current, pins, moved)


def build(inputs: SceneInput) -> Live:
    """Make a simulation at its first frame. Raises SceneError where `core` refuses a mesh."""
    from .. import core

    try:
        with _solver_lock:
            model = core.Model(dtype=np.float32)
            handles: dict[int, Any] = {}
            for cloth in inputs.cloths:
                handles[cloth.uid] = model.add_cloth(
                    cloth.positions - inputs.origin,
                    cloth.faces,
                    pins=cloth.pins,
                    warp=cloth.warp,
                    thickness=cloth.thickness,
                    name=cloth.name,
                    **cloth.material,
                )
            for collider in inputs.colliders:
                handles[collider.uid] = model.add_collider(
                    collider.vertices - inputs.origin,
                    collider.triangles,
                    thickness=collider.thickness,
                    friction=collider.friction,
                    two_sided=collider.two_sided,
                    name=collider.name,
                )
            solver = core.XPBD(substeps=inputs.substeps, iterations=inputs.iterations)
            simulation = core.Simulation(model, solver=solver, gravity=inputs.gravity)
    except core.MeshError as error:
        raise SceneError(str(error)) from error
    return Live(simulation, handles, inputs, inputs.frame)


def advance(live: Live, targets: FrameInput) -> None:
    """Simulate the next frame, at whose end pins and colliders are at the targets.

    Raises:
        SceneError: a position is not a number any more; names the frame and the object.
    """
    from .. import core

    frame, origin = live.frame + 1, live.inputs.origin
    try:
        with _solver_lock:
            for cloth in live.inputs.cloths:
                if cloth.uid in targets.pins:
                    pinned = live.handles[cloth.uid].particles[cloth.pins]
                    live.simulation.set_targets(pinned, targets.pins[cloth.uid] - origin)
            for uid, vertices in targets.colliders.items():
                live.handles[uid].set_target(vertices - origin)
            live.simulation.advance(live.inputs.time_step)
    except (core.SimulationError, core.MeshError) as error:
        raise SceneError(f"Frame {frame}: {error}") from error
    live.frame, live.pins = frame, targets.pins


def _existing(
    objects: dict[int, bpy.types.Object], wanted: ClothInput | ColliderInput
) -> bpy.types.Object:
    if wanted.uid not in objects:
        raise SceneError(f"'{wanted.name}' was deleted during the simulation: simulate again")
    return objects[wanted.uid]


def _check_count(name: str, count: int, expected: int) -> None:
    if count != expected:
        raise SceneError(
            f"'{name}' now has {count} vertices instead of {expected}: simulate again from the "
            "start, and keep its number of vertices over time"
        )
