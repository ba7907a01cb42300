# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE SCENE OPTIONS QUALITY POSITIONS_FILE.

Blender's own cloth simulates a scene of contact. All cloths are one mesh, as Blender's layers keep
apart within one object only. Its fabric is Blender's default, gravity, thickness and, if careful,
mass are the scene's; friction is Blender's default, whose unit is another one.
"""

from __future__ import annotations

import json
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .blenders import write_result
from .contact_objects import Collider, Scene
from .contact_scenes import make
from .peers_blender import evaluated_positions

PIN_GROUP = "pins"
QUALITIES: dict[str, dict[str, int]] = {
    "default": {"quality": 5, "collision_quality": 2},
    "careful": {"quality": 15, "collision_quality": 10},
}
LEAST_DISTANCE = 0.001  # m, of Blender's settings


def main(name: str, options: dict[str, Any], quality: str, path: str) -> dict[str, Any]:
    """Simulate and write the positions, shape (frames, n, 3); return the seconds of the processor
    of each frame, all threads together; ``missing``: what of the scene Blender can't do.
    """
    scene = make(name, **options)
    if any(any(cloth.velocity) for cloth in scene.cloths):
        return {"missing": "a velocity at the start"}
    for other in list(bpy.data.objects):
        bpy.data.objects.remove(other)
    stage = bpy.context.scene
    stage.render.fps = round(scene.frames_per_second)
    stage.gravity = scene.gravity
    stage.frame_end = stage.frame_start + scene.frames
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        for collider in scene.colliders:
            add_collider(scene, collider, Path(folder))
        cloth = add_cloth(scene, quality, Path(folder))
        stage.frame_set(stage.frame_start)
        seconds, positions = [], []
        for frame in range(stage.frame_start + 1, stage.frame_end + 1):
            begin = time.process_time()
            stage.frame_set(frame)
            seconds.append(time.process_time() - begin)
            positions.append(evaluated_positions(cloth))
    np.save(path, np.array(positions))
    return {"blender": bpy.app.version_string, "seconds": seconds}


def add_collider(scene: Scene, collider: Collider, folder: Path) -> None:
    """Add a mesh with Blender's Collision, led by a file where it moves."""
    shape = add_mesh(collider.name, collider.vertices, collider.triangles)
    if collider.motion is not None:
        moments = [scene.time(frame) for frame in range(scene.frames + 1)]
        lead(shape, np.array([collider.positions(moment) for moment in moments]), folder)
    shape.modifiers.new("Collision", "COLLISION")
    shape.collision.thickness_outer = max(collider.thickness, LEAST_DISTANCE)
    shape.collision.use_culling = not collider.two_sided


def add_cloth(scene: Scene, quality: str, folder: Path) -> Any:
    """Add all cloths as one object, led by a file to where pins go and to what is the rest shape.

    Blender 4.5 ignores a rest shape key, so the rest shape is what the file has after the start.
    """
    corners = [cloth.triangles + first for cloth, first in zip(scene.cloths, scene.offsets)]
    sheet = add_mesh("cloth", scene.start_positions, np.concatenate(corners))
    pins = [cloth.pins + first for cloth, first in zip(scene.cloths, scene.offsets)]
    pinned = np.concatenate(pins)
    rest = np.concatenate([cloth.positions for cloth in scene.cloths])
    places = np.array([scene.start_positions, *[rest] * scene.frames])
    for frame in range(scene.frames + 1):
        places[frame, pinned] = np.concatenate(scene.pin_targets(scene.time(frame)))
    lead(sheet, places, folder)
    modifier = sheet.modifiers.new("Cloth", "CLOTH")
    modifier.point_cache.frame_end = bpy.context.scene.frame_end
    if len(pinned):
        sheet.vertex_groups.new(name=PIN_GROUP).add(pinned.tolist(), 1.0, "REPLACE")
        modifier.settings.vertex_group_mass = PIN_GROUP
    modifier.settings.use_dynamic_mesh = any(cloth.start is not None for cloth in scene.cloths)
    set_quality(scene, modifier, quality)
    return sheet


def set_quality(scene: Scene, modifier: Any, quality: str) -> None:
    """Set what the simulation costs, distances, and if careful the mass."""
    counts, collisions = QUALITIES[quality], modifier.collision_settings
    thickness = max(cloth.thickness for cloth in scene.cloths)
    modifier.settings.quality = counts["quality"]
    collisions.collision_quality = counts["collision_quality"]
    collisions.use_collision = bool(scene.colliders)
    collisions.distance_min = max(thickness, LEAST_DISTANCE)
    collisions.use_self_collision = True
    collisions.self_distance_min = max(2.0 * thickness, LEAST_DISTANCE)
    if quality == "careful":
        modifier.settings.mass = mass_of_a_vertex(scene)


def mass_of_a_vertex(scene: Scene) -> float:
    """The mean of all cloths [kg]: Blender gives every vertex the same."""
    mass, count = 0.0, 0
    for cloth in scene.cloths:
        a, b, c = np.moveaxis(cloth.positions[cloth.triangles], 1, 0)
        area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
        mass += cloth.density * area
        count += len(cloth.positions)
    return mass / count


def add_mesh(name: str, vertices: NDArray[Any], triangles: NDArray[Any]) -> Any:
    """Return a new object in the origin."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    shape = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(shape)
    return shape


def lead(shape: Any, positions: NDArray[Any], folder: Path) -> None:
    """Have an object's vertices follow positions, shape (frames + 1, v, 3), frame by frame."""
    path = folder / f"{shape.name}.pc2"
    count, frames = positions.shape[1], len(positions)
    header = struct.pack("<12siiffi", b"POINTCACHE2", 1, count, 0.0, 1.0, frames)
    path.write_bytes(header + positions.astype("<f4").tobytes())
    modifier = shape.modifiers.new("Motion", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = str(path)
    modifier.frame_start = bpy.context.scene.frame_start


if __name__ == "__main__":
    write_result(main(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4], sys.argv[5]))
