# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's Soft Body, read as settings of ours: its skin as cloth, its edges as strands.

Springs along edges have the stiffness (1 / (1 - pull) - 1) / ℓ, goals 1 / (1 - w⁴ goal_spring) - 1
(docs/converted.md).
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...errors import SceneError
from . import clock, goals, meshes, springs, taken
from .clock import Gravity
from .springs import Net
from .taken import Springs, Taken

_STIFFEST = 0.9999
_GIVE = 0.1
"""Of the volume of a closed skin under the weight of that skin, spread over it."""


def read(scene: bpy.types.Scene, obj: bpy.types.Object, modifier: Any, gravity: Gravity) -> Taken:
    """What an object with Blender's Soft Body is simulated with. Raises SceneError.

    Args:
        modifier: the ``bpy.types.SoftBodyModifier``.
    """
    settings = modifier.settings
    if not settings.use_edges:
        raise SceneError(
            f"The Soft Body of '{obj.name}' has no Edges that hold it together: switch them on, or "
            "leave it as it is"
        )
    rate = clock.rate(scene, settings.speed, gravity)
    net = meshes.measure(obj, scene.unit_settings.scale_length)
    found = Taken("CLOTH" if len(obj.data.polygons) else "STRANDS")
    tension = float(_spring(settings.pull))
    shear = tension * settings.shear**2 if settings.use_stiff_quads else 0.0
    given = Springs(tension, shear, tension * settings.bend, rate)
    taken.take_material(found, net, settings.mass, given)
    taken.take_drag(found, settings.mass, settings.friction, rate)
    taken.take_gravity(found, settings.effector_weights, rate)
    _take_goals(found, obj, net, settings, rate)
    _take_collisions(found, settings)
    if found.kind == "CLOTH":
        fps = scene.render.fps / scene.render.fps_base
        felt = max(0.25 * settings.friction - 0.01, 0.0) / net.area  # each vertex the same
        found.values["field_pressure"] = springs.pressure(net, rate, felt * net.unit**2 / fps)
        _take_volume(found, net, settings)
    _lose_the_rest(found, settings)
    return found


def _spring(part: Any) -> Any:
    """Stiffness in Blender's units, of what its settings call 0 to 1."""
    return 1.0 / (1.0 - np.minimum(part, _STIFFEST)) - 1.0


def _take_goals(found: Taken, obj: bpy.types.Object, net: Net, settings: Any, rate: float) -> None:
    """Every vertex has a goal, those outside of the group the least; the default is a factor."""
    if not settings.use_goal:
        return
    group = settings.vertex_group_goal
    painted = goals.group_weights(obj, group)
    if painted is None:
        painted, group = np.ones(len(obj.data.vertices), np.float32), ""
    reach = settings.goal_default * (settings.goal_max - settings.goal_min)
    given = (settings.goal_min + reach * painted).astype(np.float32)
    full = float(_spring(settings.goal_spring))
    pulled = np.zeros(len(given))
    if full > 0.0:
        pulled = _spring(given.astype(np.float64) ** 4 * settings.goal_spring) / full
    stiffness = springs.pin_stiffness(net, rate, full)
    found.pins = goals.pins(given, pulled, stiffness, group)
    found.values["pin_damping"] = 0.0
    found.lose("Goal Damping: see Damping of pins", settings.goal_friction)


def _take_collisions(found: Taken, settings: Any) -> None:
    found.values |= {
        "use_self_collision": settings.use_self_collision,
        "collision_collection": settings.collision_collection,
    }


def _take_volume(found: Taken, net: Net, settings: Any) -> None:
    """A closed one is held open by what fills it, as no springs go through it."""
    if not net.volume:
        return
    weight = settings.mass * 9.81 * found.weights["gravity"]  # Pa, as mass is kg/m²
    found.values |= {
        "use_volume": True,
        "volume_compliance": _GIVE * net.volume / max(abs(weight), 1e-3),
    }
    found.lose("the inside: a closed mesh is simulated as a skin around a filling (Volume)")


def _lose_the_rest(found: Taken, settings: Any) -> None:
    pushed, pulled = settings.push, settings.pull
    found.lose(
        f"Push {pushed:g}: Pull's {pulled:g} resists being pushed together, too",
        not np.isclose(pushed, pulled, rtol=0.01),
    )
    found.lose("Damping of edges: set Damping by hand", settings.damping)
    found.lose("Plasticity: it goes back to its shape", settings.plastic)
    found.lose(f"Length {settings.spring_length}%: it keeps its size", settings.spring_length)
    found.lose("Bending of edges is another law: look at Bending", settings.bend)
    found.lose("Aerodynamics: see Air", settings.aero)
    for label, name in {
        "Mass Vertex Group": settings.vertex_group_mass,
        "Springs Vertex Group": settings.vertex_group_spring,
    }.items():
        found.lose(f"{label} '{name}': it is the same everywhere", name)
