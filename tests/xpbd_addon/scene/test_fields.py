# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields do to a free point what they do to Blender's own particles of 1 kg."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene
from mathutils import Vector, noise
from numpy.typing import NDArray
from playing import addon

from core import Field
from core.forces.evaluate import forces_of

FRAME = 0.04
"""Seconds that a frame lasts for particles, at any frame rate."""

KINDS = ("FORCE", "WIND", "VORTEX", "MAGNET", "HARMONIC", "TURBULENCE", "DRAG")
CASES: list[tuple[str, str, dict[str, Any]]] = [
    *((kind, "POINT", {}) for kind in KINDS),
    *((kind, "LINE", {}) for kind in ("FORCE", "MAGNET", "HARMONIC", "DRAG")),
    *((kind, "PLANE", {}) for kind in KINDS if kind != "TURBULENCE"),
    ("FORCE", "POINT", {"use_gravity_falloff": True}),
    ("FORCE", "POINT", {"falloff_power": 2.0, "use_max_distance": True, "distance_max": 2.0}),
    ("FORCE", "PLANE", {"falloff_power": 1.5, "use_min_distance": True, "distance_min": 0.5}),
    ("WIND", "POINT", {"falloff_type": "TUBE", "falloff_power": 1.0, "radial_falloff": 2.0}),
    ("WIND", "LINE", {"falloff_type": "TUBE", "use_radial_max": True, "radial_max": 1.0}),
    ("WIND", "POINT", {"falloff_type": "CONE", "use_radial_max": True, "radial_max": 60.0}),
    ("WIND", "PLANE", {"z_direction": "POSITIVE"}),
    ("FORCE", "POINT", {"z_direction": "NEGATIVE"}),
    ("HARMONIC", "POINT", {"rest_length": 1.5}),
    ("TURBULENCE", "POINT", {"size": 0.6, "use_global_coords": True}),
]


def particles(points: NDArray[np.float64], speed: tuple[float, float, float]) -> Any:
    """One at each point, with that speed."""
    mesh = bpy.data.meshes.new("Points")
    mesh.from_pydata([Vector(each) for each in points], [], [])
    obj = bpy.data.objects.new("Points", mesh)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.particle_system_add()
    settings = obj.particle_systems[0].settings
    settings.count, settings.emit_from = len(points), "VERT"
    settings.use_emit_random = False
    settings.frame_start = settings.frame_end = 1.0
    settings.lifetime, settings.normal_factor = 100.0, 0.0
    settings.object_align_factor = speed
    settings.effector_weights.gravity = 0.0
    settings.integrator = "EULER"
    settings.mass = 1.0
    return obj


def accelerations(obj: bpy.types.Object, frame: int) -> tuple[NDArray[Any], ...]:
    """Where particles are at a frame, how fast, and how much faster at the next one."""
    states: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for each in range(1, frame + 2):
        bpy.context.scene.frame_set(each)
        system = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
        states = [*states[-1:], _state(system)]
    (x, v), (_, later) = states
    return x, v, (later - v) / FRAME


def _state(system: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = np.empty((2, len(system.particles) * 3), np.float32)
    system.particles.foreach_get("location", found[0])
    system.particles.foreach_get("velocity", found[1])
    positions, velocities = found.astype(np.float64).reshape(2, -1, 3)
    return positions, velocities


def read(obj: bpy.types.Object) -> dict[str, Any]:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found: dict[str, Any] = addon.scene.fields.read_field(obj, depsgraph, 1.0)
    return found


@pytest.mark.parametrize(("kind", "shape", "settings"), CASES)
def test_it_accelerates_as_blenders_particles(
    kind: Any, shape: Any, settings: dict[str, Any]
) -> None:
    empty_scene()
    random = np.random.default_rng(3)
    emitter = particles(random.uniform(-2.0, 2.0, (24, 3)), (0.5, -1.0, 0.7))
    bpy.ops.object.effector_add(type=kind, location=(0.3, -0.2, 0.1), rotation=(0.4, 0.7, -0.2))
    made = bpy.context.object
    made.field.shape, made.field.strength, made.field.flow = shape, 1.5, 0.3
    made.field.falloff_power = 0.0
    made.field.harmonic_damping = 0.4
    for name, value in settings.items():
        setattr(made.field, name, value)
    x, v, measured = accelerations(emitter, 3)
    expected = forces_of(Field(**read(made)), x, v)
    largest = np.linalg.norm(measured, axis=1).max()
    assert largest > 0.05
    np.testing.assert_allclose(expected, measured, atol=0.02 * largest)


def test_turbulence_is_blenders_to_the_last_digit() -> None:
    points = np.random.default_rng(2).uniform(-300.0, 300.0, (200, 3)).astype(np.float32)
    expected = [
        4.0 / 7.0 * noise.turbulence(Vector(each), 3, False, noise_basis="PERLIN_NEW")
        for each in points
    ]
    found = forces_of(Field(kind="TURBULENCE", in_world=True), points)[:, 0]
    np.testing.assert_allclose(found, expected, atol=2e-4)
