# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the scene, for all its simulated objects."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.frame_cache import FULL, LATTICE
from . import solvers
from .changes import KEYABLE, changed, on_look
from .conversion import scene_properties
from .sweep_settings import PATH_OPTIONS, SweepSettings

BAKE_MODE_ITEMS = (
    (
        "RELATIVE",
        "Relative",
        (
            "One shape key for each frame, switched on for that frame. "
            "Understood by Alembic, USD and glTF, and by FBX without All Actions and NLA Strips; "
            "slows down above about 200 frames"
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
MESH_CACHE_ITEM = (
    "MESH_CACHE",
    "Mesh Cache",
    "A PC2 file beside the .blend file, which Blender's Mesh Cache modifier plays: for what "
    "modifiers before XPBD make, meshes with shape keys of their own, and large meshes",
)
CACHE_ENCODING_ITEMS = (
    (
        FULL,
        "Full",
        "Every digit that is simulated, in PC2 files, which other programs read, too",
    ),
    (
        LATTICE,
        "Half",
        "Half the bytes: vertices are shown and baked at most 1/100,000 of their object's size "
        "from where they are simulated. Only XPBD reads these files; bakes are as they always were",
    ),
)
_SOLVER = solvers.SOLVERS[0]
_COUNTS = _SOLVER.counts(automatic=True)


def _solver_changed(settings: Any, _context: bpy.types.Context) -> None:
    solvers.suit_counts(settings)
    changed(settings, _context)


def _look_changed(_settings: Any, _context: bpy.types.Context) -> None:
    for tell in on_look:
        tell()


class SceneSettings(bpy.types.PropertyGroup):
    """How the scene is simulated: ``Scene.xpbd``."""


SceneSettings.__annotations__.update(
    {
        "solver": bpy.props.EnumProperty(
            name="Solver",
            description="Method of simulation, for all XPBD objects of the scene",
            items=solvers.ITEMS,
            default=_SOLVER.identifier,
            options=set(),
            update=_solver_changed,
        ),
        "automatic": bpy.props.BoolProperty(
            name="Automatic Quality",
            description="Spend on each frame as many substeps and iterations as it needs, so that "
            "nothing stretches further than allowed. Off: always those given",
            default=True,
            options=set(),
            update=_solver_changed,
        ),
        "largest_stretch": bpy.props.FloatProperty(
            name="Max Stretch",
            description="How much longer than its stiffness allows cloth may become, in percent; a "
            "thousandth of it, as around a single pinned vertex, may become longer still. Smaller "
            "is more exact and slower",
            default=3.0,
            min=0.1,
            max=100.0,
            soft_max=20.0,
            precision=1,
            subtype="PERCENTAGE",
            options=KEYABLE,
            update=changed,
        ),
        "substeps": bpy.props.IntProperty(
            name="Substeps",
            description="Steps within a frame, for all XPBD objects of the scene: with Automatic "
            "Quality the most that a frame may take, else what every frame takes. More make fine "
            "meshes as stiff as they should be and fast movement more precise; simulation takes "
            "longer in proportion",
            default=_COUNTS[0],
            min=1,
            max=10000,
            soft_max=1000,
            options=KEYABLE,
            update=changed,
        ),
        "iterations": bpy.props.IntProperty(
            name="Iterations",
            description="Repetitions of the solver within a substep, for all XPBD objects of the "
            "scene: with Automatic Quality the most, spent where the substeps allowed do not "
            "suffice, else what every substep takes. Spend on substeps first: they do more for the "
            "same time",
            default=_COUNTS[1],
            min=1,
            max=10000,
            soft_max=100,
            options=KEYABLE,
            update=changed,
        ),
        "warm_start": bpy.props.FloatProperty(
            name="Head Start",
            description="Warm start: part of the forces with which the next substep starts. Makes "
            "stiff cloth stretch less for some more time; 0.5 is safe, with large steps higher "
            "values become unstable",
            default=0.0,
            min=0.0,
            max=1.0,
            soft_max=0.9,
            precision=2,
            options=set(),
            update=changed,
        ),
        "velocity_damping": bpy.props.FloatProperty(
            name="Damping",
            description="Part of the movement inside each object that dies away in a frame; "
            "falling and turning as a whole go on undamped",
            default=0.0,
            min=0.0,
            max=1.0,
            precision=2,
            options=set(),
            update=changed,
        ),
        "suited_counts": bpy.props.IntVectorProperty(
            description="The substeps and iterations that came with the solver: others are the "
            "user's choice",
            size=2,
            default=_COUNTS,
            options={"HIDDEN"},
        ),
        "time_scale": bpy.props.FloatProperty(
            name="Speed",
            description="How fast time goes for what is simulated: 0.5 is slow motion, 2 twice as "
            "fast",
            default=1.0,
            min=0.001,
            max=100.0,
            soft_min=0.1,
            soft_max=4.0,
            precision=3,
            options=KEYABLE,
            update=changed,
        ),
        "frame_start": bpy.props.IntProperty(
            name="Simulation Start",
            description="Frame on which the scene's simulation starts; objects begin in the shape "
            "they have there",
            default=1,
            min=-1048574,
            max=1048574,
            options=set(),
            update=changed,
        ),
        "frame_end": bpy.props.IntProperty(
            name="Simulation End",
            description="Frame on which the scene's simulation stops",
            default=250,
            min=-1048574,
            max=1048574,
            options=set(),
            update=changed,
        ),
        "lock_cache": bpy.props.BoolProperty(
            name="Lock Cache",
            description="Playing from the first frame keeps cached frames that are outdated. "
            "Off: it simulates them anew",
            default=False,
            options=set(),
            update=changed,
        ),
        "checkpoint_interval": bpy.props.IntProperty(
            name="Checkpoints",
            description="So many frames apart is kept how everything moves, so that a simulation "
            "goes on from there after the file was opened again, or after a change. 0: only where "
            "it ends or is stopped",
            default=10,
            min=0,
            max=10000,
            soft_max=100,
            options=set(),
        ),
        "show_compliance": bpy.props.BoolProperty(
            name="Compliance",
            description="Show compliance, the reciprocal of stiffness, as papers do: two views of "
            "the same value",
            default=False,
            options=set(),
        ),
        "tension_shown": bpy.props.EnumProperty(
            name="Show",
            description="What viewports show of tension maps",
            items=[
                ("STRETCH", "Stretch", "How much longer than at rest"),
                ("COMPRESSION", "Compression", "How much shorter than at rest"),
                ("BENDING", "Bending", "How much more or less curved than at rest"),
                ("FORCE", "Force", "Largest tension, of objects that measure Forces"),
            ],
            default="STRETCH",
            options=set(),
            update=_look_changed,
        ),
        "tension_strain": bpy.props.FloatProperty(
            name="Red At",
            description="Stretch or compression that is shown in the last colour, in percent",
            default=5.0,
            min=0.01,
            max=1000.0,
            soft_max=100.0,
            precision=2,
            subtype="PERCENTAGE",
            options=set(),
            update=_look_changed,
        ),
        "tension_bending": bpy.props.FloatProperty(
            name="Red At 1/m",
            description="Curvature that is shown in the last colour: 1 over the radius in metres",
            default=20.0,
            min=0.01,
            max=1e5,
            soft_max=200.0,
            precision=1,
            options=set(),
            update=_look_changed,
        ),
        "tension_force": bpy.props.FloatProperty(
            name="Red At N/m",
            description="Tension that is shown in the last colour: newtons for each metre of a cut",
            default=10.0,
            min=1e-4,
            max=1e7,
            soft_max=1000.0,
            precision=2,
            options=set(),
            update=_look_changed,
        ),
        "grab_radius": bpy.props.IntProperty(
            name="Radius",
            description="How far around the mouse XPBD Grab takes hold of things, in pixels: F "
            "changes it",
            default=60,
            min=1,
            max=5000,
            soft_max=500,
            subtype="PIXEL",
            options=set(),
        ),
        "grab_pull": bpy.props.FloatProperty(
            name="Pull",
            description="How strongly XPBD Grab pulls, in newtons per metre for each kilogram of "
            "the object: at 1000 all of it hangs 1 cm below the mouse, whatever it weighs",
            default=1000.0,
            min=1.0,
            max=1e6,
            soft_max=1e4,
            precision=0,
            options=set(),
        ),
        "bake_mode": bpy.props.EnumProperty(
            name="Bake Mode",
            description="What the simulation is baked to",
            items=(*BAKE_MODE_ITEMS, MESH_CACHE_ITEM),
            default="RELATIVE",
            options=set(),
        ),
        "cache_directory": bpy.props.StringProperty(
            name="Cache Folder",
            description="Where the scene's simulated frames are kept. Empty: in the extension's "
            "own folder",
            subtype="DIR_PATH",
            options=PATH_OPTIONS,
            update=changed,
        ),
        "cache_encoding": bpy.props.EnumProperty(
            name="Size on Disk",
            description="How simulated frames are stored, from the next simulation on that starts "
            "on the first frame; frames that are there stay as they are. What is simulated is the "
            "same",
            items=CACHE_ENCODING_ITEMS,
            default=FULL,
            options=set(),
        ),
        "cache_id": bpy.props.StringProperty(options={"HIDDEN"}),
        "grabs": bpy.props.IntProperty(
            description="How many grabs the scene has seen: what undo makes less is taken back",
            options={"HIDDEN"},
        ),
        "sweep": bpy.props.PointerProperty(
            type=SweepSettings, description="What is varied to compare what comes of it"
        ),
    }
)
SceneSettings.__annotations__.update(scene_properties())
