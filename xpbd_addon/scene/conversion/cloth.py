# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's Cloth, read as settings of ours.

The laws were measured in Blender 4.2, 4.5 and 5.2 (docs/converted.md).
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...errors import SceneError
from .. import colliders, mesh_io
from . import clock, goals, meshes, shape, springs, taken
from .clock import Gravity
from .springs import Net
from .taken import Springs, Taken

_BRAKE = 1.0 / 60.0
"""What Blender's steps of 1 / quality frames take from what swings, as a drag [1/frame]; tried."""

_LONGEST_DAMPING = 10.0  # s
_LEAST_PRESSURE = 1e-6
_MOST_INFLATION = 100.0

PAINTED = (
    ("vertex_group_structural_stiffness", "tension_stiffness", "stretch"),
    ("vertex_group_shear_stiffness", "shear_stiffness", "shear"),
    ("vertex_group_bending", "bending_stiffness", "bend"),
)
"""Property weights: Blender's group, the stiffness that it raises to the one of that name and
``_max``, and what that is called here."""


def read(scene: bpy.types.Scene, obj: bpy.types.Object, modifier: Any, gravity: Gravity) -> Taken:
    """What an object with Blender's Cloth is simulated with. Raises SceneError.

    Args:
        modifier: the ``bpy.types.ClothModifier``.
    """
    settings = modifier.settings
    speed = clock.cloth_speed(settings.quality, settings.time_scale)
    if speed <= 0.0:
        raise SceneError(f"The Speed Multiplier of '{obj.name}' is 0: set the one it shall have")
    rate = clock.rate(scene, speed, gravity)
    net = meshes.measure(obj, scene.unit_settings.scale_length)
    found = Taken("CLOTH" if len(obj.data.polygons) else "STRANDS")
    given = Springs(
        settings.tension_stiffness, settings.shear_stiffness, settings.bending_stiffness, rate
    )
    taken.take_material(found, net, settings.mass, given)
    taken.take_drag(found, settings.mass, settings.air_damping, rate)
    found.values["drag"] += _BRAKE * rate / settings.quality
    taken.take_gravity(found, settings.effector_weights, rate)
    _take_damping(found, net, settings, rate)
    _take_pins(found, obj, net, modifier, rate)
    _take_collisions(found, scene, net, modifier.collision_settings)
    if found.kind == "CLOTH":
        fps = scene.render.fps / scene.render.fps_base
        found.values["field_pressure"] = springs.field_pressure(net, rate, fps)
        found.values["use_carried_buttons"] = False
        _take_painted(found, obj, net, modifier, rate)
        _take_pressure(found, net, settings, rate)
    shape.take(found, obj, net, modifier, rate)
    _lose_the_rest(found, obj, settings)
    return found


def _take_damping(found: Taken, net: Net, settings: Any, rate: float) -> None:
    """Of springs, with what Blender's solver adds: it swallows movement faster than its steps."""
    solver = 1.0 / (settings.quality * rate)
    names = ("stretch", "shear") if found.kind == "CLOTH" else ("strand_stretch",)
    for name, spring in zip(names, ("tension", "shear"), strict=False):
        stiffness = getattr(settings, f"{spring}_stiffness")
        own = getattr(settings, f"{spring}_damping") * net.edge
        seconds = own / (stiffness * rate) if stiffness > 0.0 else 0.0
        found.values[f"{name}_damping"] = min(seconds + solver, _LONGEST_DAMPING)
    if found.kind == "CLOTH" and settings.bending_stiffness > 0.0:
        seconds = 5.0 * settings.bending_damping / (settings.bending_stiffness * rate)
        found.values["bend_damping"] = min(seconds, _LONGEST_DAMPING)


def _take_pins(found: Taken, obj: bpy.types.Object, net: Net, modifier: Any, rate: float) -> None:
    settings = modifier.settings
    group = settings.vertex_group_mass
    if not goals.has_weights(obj, group, modifier):
        return
    full = springs.pin_stiffness(net, rate, settings.pin_stiffness / net.edge)
    found.values["pin_damping"] = 0.0
    given = goals.group_weights(obj, group)
    if given is None:
        found.pins = goals.made_by_modifiers(obj, full, group)
        found.lose(f"fourth powers of weights: what modifiers give '{group}' pulls as it is")
        return
    pulled = given.astype(np.float64) ** 4 * (full > 0.0)
    found.pins = goals.pins(given, pulled, full, group)


def _take_collisions(found: Taken, scene: bpy.types.Scene, net: Net, settings: Any) -> None:
    found.collides = settings.use_collision
    found.values |= {
        "thickness": _thickness(scene, net, settings),
        "use_self_collision": settings.use_self_collision,
        "use_body_collision": settings.use_collision,
        "collision_collection": settings.collection,
    }
    taken.take_friction(found, settings.friction)
    found.lose(
        f"Self Friction {settings.self_friction:g}: Friction {settings.friction:g} is for both",
        settings.use_self_collision and settings.self_friction != settings.friction,
    )
    groups = {
        "Self Collision Vertex Group": settings.vertex_group_self_collisions,
        "Object Collision Vertex Group": settings.vertex_group_object_collisions,
    }
    for label, name in groups.items():
        found.lose(f"{label} '{name}': all vertices collide", name)
    clamps = settings.impulse_clamp, settings.self_impulse_clamp * settings.use_self_collision
    found.lose("Impulse Clamping: XPBD has no impulses to clamp", any(clamps))


def _thickness(scene: bpy.types.Scene, net: Net, settings: Any) -> float:
    """Blender's distance from colliders; layers keep twice as much.

    So where it collides with itself, that is no more than half a cell, unless Blender's distance of
    layers is. Else a collider's Outer counts, too, where it is at Blender's default, which XPBD
    takes for nothing.
    """
    distance: float = settings.distance_min
    if settings.use_self_collision:
        return max(0.5 * settings.self_distance_min, min(distance, 0.5 * net.edge))
    hit = colliders.collision_objects(scene)
    uncounted = [each.collision.thickness_outer - colliders.thickness_of(each) for each in hit]
    return distance + max(uncounted, default=0.0)


def _take_painted(
    found: Taken, obj: bpy.types.Object, net: Net, modifier: Any, rate: float
) -> None:
    settings = modifier.settings
    for group, stiffness, name in PAINTED:
        painted = getattr(settings, group)
        if not goals.has_weights(obj, painted, modifier):
            continue
        most = {each: getattr(settings, each) for _, each, _ in PAINTED}
        most[stiffness] = getattr(settings, f"{stiffness}_max")
        sheet = springs.membrane(net, rate, most["tension_stiffness"], most["shear_stiffness"])
        found.values |= {
            f"{name}_group": painted,
            f"{name}_max": {
                "stretch": sheet.stretch,
                "shear": sheet.shear,
                "bend": springs.flexural_rigidity(net, rate, most["bending_stiffness"]),
            }[name],
        }


def _take_pressure(found: Taken, net: Net, settings: Any, rate: float) -> None:
    """A gas in a closed mesh, all there at once, as Blender's is."""
    factor = settings.pressure_factor
    if not settings.use_pressure or factor <= _LEAST_PRESSURE:
        return
    painted = settings.vertex_group_pressure
    found.lose(f"Pressure Vertex Group '{painted}': it presses everywhere alike", painted)
    found.lose("Fluid Density: what fills it has no weight", settings.fluid_density)
    if not net.volume:
        found.lose("Pressure: only a closed mesh that encloses something can be filled")
        return
    at_rest = net.volume
    if settings.use_pressure_volume and settings.target_volume > 0.0:
        at_rest = settings.target_volume * net.unit**3
    filled = springs.gas(net, rate, settings.uniform_pressure_force, factor, at_rest)
    found.values |= {
        "use_volume": True,
        "inflation": filled.inflation,
        "inflation_time": 0.0,
        "volume_compliance": filled.compliance,
    }
    found.lose(
        "Pressure: more is filled in than Inflation can say", filled.inflation > _MOST_INFLATION
    )


def _lose_the_rest(found: Taken, obj: bpy.types.Object, settings: Any) -> None:
    """What has no counterpart."""
    compressed, pulled = settings.compression_stiffness, settings.tension_stiffness
    linear = settings.bending_model == "LINEAR"
    found.lose("Linear Bending: it bends as with Angular", linear)
    found.lose(
        f"Compression {compressed:g}: Tension's {pulled:g} resists being pushed together, too",
        not linear and not np.isclose(compressed, pulled, rtol=0.01),
    )
    found.lose("Internal Springs: try Volume", settings.use_internal_springs)
    if found.kind == "CLOTH" and not settings.use_sewing_springs:
        found.lose(
            "edges without faces: they hold nothing together",
            meshes.loose_edges(mesh_io.mesh_of(obj)),
        )
