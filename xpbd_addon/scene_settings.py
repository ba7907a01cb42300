# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the scene, for all its simulated objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from . import solver_settings
from .changes import changed

_PATH_OPTIONS = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()
BAKE_MODE_ITEMS = (
    (
        "RELATIVE",
        "Relative",
        (
            "One shape key for each frame, switched on for that frame. "
            "Understood by every exporter; slows down above about 200 frames"
        ),
    ),
    (
        "ABSOLUTE",
        "Absolute",
        (
            "One evaluation time runs through all shape keys. "
            "Plays fast however long, but exporters skip the animation"
        ),
    ),
)


def _solver_changed(settings: Any, _context: bpy.types.Context) -> None:
    solver_settings.suit_counts(settings, settings.solver_before)
    settings.solver_before = settings.solver
    changed(settings, _context)


class SceneSettings(bpy.types.PropertyGroup):
    """How the scene is simulated: ``Scene.xpbd``."""

    if TYPE_CHECKING:
        solver: str
        substeps: int
        iterations: int
        warm_start: float
        velocity_damping: float
        solver_before: str
        frame_start: int
        frame_end: int
        show_compliance: bool
        bake_mode: str
        cache_directory: str
        cache_id: str
    else:
        solver: bpy.props.EnumProperty(
            name="Solver",
            description="Method of simulation, for all XPBD objects of the scene",
            items=solver_settings.ITEMS,
            default="XPBD",
            options=set(),
            update=_solver_changed,
        )
        substeps: bpy.props.IntProperty(
            name="Substeps",
            description="Steps within a frame, for all XPBD objects of the scene. More make fine "
            "meshes as stiff as they should be and fast movement more precise; simulation takes "
            "longer in proportion",
            default=160,
            min=1,
            max=10000,
            soft_max=500,
            options=set(),
            update=changed,
        )
        iterations: bpy.props.IntProperty(
            name="Iterations",
            description="Repetitions of the solver within a substep, for all XPBD objects of the "
            "scene. Spend on substeps first: they do more for the same time",
            default=1,
            min=1,
            max=10000,
            soft_max=100,
            options=set(),
            update=changed,
        )
        warm_start: bpy.props.FloatProperty(
            name="Warm Start",
            description="Part of the forces with which the next substep starts. Makes stiff cloth "
            "stretch less for some more time; 0.5 is safe with the default substeps, with large "
            "steps high values become unstable",
            default=0.0,
            min=0.0,
            max=1.0,
            soft_max=0.9,
            precision=2,
            options=set(),
            update=changed,
        )
        velocity_damping: bpy.props.FloatProperty(
            name="Damping",
            description="Part of the movement inside each object that dies away in a frame; "
            "falling and turning as a whole go on undamped",
            default=0.0,
            min=0.0,
            max=1.0,
            precision=2,
            options=set(),
            update=changed,
        )
        solver_before: bpy.props.StringProperty(
            description="The solver before the last change, for the counts that go with it",
            default="XPBD",
            options={"HIDDEN"},
        )
        frame_start: bpy.props.IntProperty(
            name="Simulation Start",
            description="Frame on which the scene's simulation starts; objects begin in the shape "
            "they have there",
            default=1,
            min=-1048574,
            max=1048574,
            options=set(),
            update=changed,
        )
        frame_end: bpy.props.IntProperty(
            name="Simulation End",
            description="Frame on which the scene's simulation stops",
            default=250,
            min=-1048574,
            max=1048574,
            options=set(),
            update=changed,
        )
        show_compliance: bpy.props.BoolProperty(
            name="Compliance",
            description="Show compliance, the reciprocal of stiffness, as papers do: two views of "
            "the same value",
            default=False,
            options=set(),
        )
        bake_mode: bpy.props.EnumProperty(
            name="Bake Mode",
            description="How the baked shape keys are animated",
            items=BAKE_MODE_ITEMS,
            default="RELATIVE",
            options=set(),
        )
        cache_directory: bpy.props.StringProperty(
            name="Cache Folder",
            description="Where the scene's simulated frames are kept. Empty: in the extension's "
            "own folder",
            subtype="DIR_PATH",
            options=_PATH_OPTIONS,
            update=changed,
        )
        cache_id: bpy.props.StringProperty(options={"HIDDEN"})
