# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings with keyframes or drivers: which they are, and what they are on a frame.

One whose keyframes all give the value that it has counts as one without any: nothing comes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..errors import SceneError
from ..settings import keyed, materials, painted, sewing, solvers
from . import animation

_PATH = "xpbd."
_BEZIER = 2  # position of 'BEZIER' in Blender's enum of interpolations; later ones may overshoot

Values = dict[str, Any]
"""By argument of `core`: what it follows from, numbers or truth values."""


def arguments(obj: bpy.types.Object) -> set[str]:
    """The arguments of `core` that follow settings of an object that change over time."""
    found = {keyed.argument_of(name) for name in _changing(obj)}
    return {each for each in found if each is not None}


def solver_options(scene: bpy.types.Scene) -> set[str]:
    """The options of the solver that change over time."""
    return _changing(scene) & set(keyed.SOLVER_OPTIONS)


def is_led(block: bpy.types.ID, name: str) -> bool:
    """Whether keyframes or drivers lead a setting, or what it is a view of, changing or not."""
    led = {curve.data_path.removeprefix(_PATH) for curve in (*_curves(block), *_drivers(block))}
    argument = keyed.argument_of(name)
    return name in led or (argument is not None and argument in map(keyed.argument_of, led))


def values(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Values:
    """What keyed settings of an object are on the current frame."""
    settings = obj.evaluated_get(depsgraph).xpbd
    known = materials.core_arguments(settings) | sewing.forces(settings)
    known["pin_stiffness"] = settings.pin_stiffness
    most = {each.argument: getattr(settings, each.most_name) for each in painted.painted(settings)}
    return {name: (known.get(name), most.get(name)) for name in sorted(arguments(obj))}


def solver_values(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, all_settings: bool = False
) -> Values:
    """What keyed options of the solver are on the current frame, or all that can be keyed."""
    settings = depsgraph.scene_eval.xpbd
    options = solvers.options_of(settings) | {"time_scale": settings.time_scale}
    wanted = set(keyed.SOLVER_OPTIONS) if all_settings else solver_options(scene)
    return {name: options[name] for name in sorted(wanted) if name in options}


def check(block: bpy.types.ID, depsgraph: bpy.types.Depsgraph) -> None:
    """Raise SceneError where a driver fails, or keyframes give what is no number."""
    frame = depsgraph.scene_eval.frame_current
    for curve in _curves(block):
        if not np.isfinite(curve.evaluate(frame)):
            raise SceneError(
                f"The keyframes of {_name(curve)} of '{block.name}' are not numbers on frame "
                f"{frame}: mend them in the Graph Editor, or delete them"
            )
    for curve in _drivers(block):
        if not curve.driver.is_valid:
            raise SceneError(
                f"The driver of {_name(curve)} of '{block.name}' fails: mend it in the Drivers "
                "Editor, or delete it"
            )


def _changing(block: bpy.types.ID) -> set[str]:
    """Names of settings that drivers lead, or keyframes to more than the value that they have."""
    animated = block.animation_data
    blended = animated is not None and len(animated.nla_tracks) > 0
    curves = [each for each in _curves(block) if blended or not _is_constant(each, block)]
    return {curve.data_path.removeprefix(_PATH) for curve in (*curves, *_drivers(block))}


def _is_constant(curve: bpy.types.FCurve, block: bpy.types.ID) -> bool:
    """Whether a curve gives the value that its setting has on all frames."""
    keys = curve.keyframe_points
    if not len(keys) or len(curve.modifiers):
        return False
    places, interpolations = np.empty((3, len(keys), 2), np.float32), np.empty(len(keys), np.int32)
    for part, place in zip(("co", "handle_left", "handle_right"), places, strict=True):
        keys.foreach_get(part, place.ravel())
    keys.foreach_get("interpolation", interpolations)
    if interpolations.max() > _BEZIER:
        return False
    try:
        value: Any = block.path_resolve(curve.data_path)
    except ValueError:  # there is no such setting
        return False
    return bool((places[..., 1] == np.float32(value)).all())


def _curves(block: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """Of settings, in the action and in strips of the NLA."""
    for curve in animation.curves_of(block):
        if curve.data_path.startswith(_PATH):
            yield curve


def _drivers(block: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    animated = block.animation_data
    for curve in animated.drivers if animated is not None else ():
        if curve.data_path.startswith(_PATH):
            yield curve


def _name(curve: bpy.types.FCurve) -> str:
    return keyed.in_words(curve.data_path.removeprefix(_PATH))
