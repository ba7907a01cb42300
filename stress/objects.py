# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of generated objects with generated settings, through the add-on in one Blender."""

from __future__ import annotations

import importlib
import random
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from . import shapes

MODULE = "bl_ext.user_default.xpbd"

LONGEST = 60.0
"""Seconds that a scene may take."""

FRAMES = 4
STOP = 2
"""Frames of a scene, and that after which it is stopped, too, and gone on with."""

MODIFIERS: tuple[Any, ...] = (
    "SUBSURF",
    "SOLIDIFY",
    "TRIANGULATE",
    "DISPLACE",
    "WAVE",
    "MIRROR",
    "DECIMATE",
    "ARRAY",
    "WELD",
    "CAST",
    "EDGE_SPLIT",
)

SWITCHES = {
    "use_volume": 0.1,
    "use_goal": 0.2,
    "use_sewing": 0.03,
    "use_stitches": 0.03,
    "use_breaking": 0.1,
    "use_plasticity": 0.2,
    "use_tension_map": 0.2,
    "use_dynamic_mesh": 0.2,
    "use_initial_velocity": 0.2,
}
"""How likely each is on, as few meshes are fit for some."""


def judged(seed: str, folder: Path) -> str:
    """What became of a scene.

    Raises:
        AssertionError: it takes too long, shows what is no number, goes on otherwise after a stop,
            or is refused in a sentence that names none of its objects.
    """
    outcome, seconds = _timed(seed, folder)
    if seconds > LONGEST:  # the first time its kernels may have been compiled
        outcome, seconds = _timed(seed, folder)
    assert seconds < LONGEST, f"scene {seed} took {seconds:.0f} s"
    return outcome


def _timed(seed: str, folder: Path) -> tuple[str, float]:
    began = time.monotonic()
    return _outcome(random.Random(seed), f"scene {seed}", folder), time.monotonic() - began


def _outcome(draw: random.Random, name: str, folder: Path) -> str:
    empty(FRAMES)
    try:
        _fill(draw)
    except RuntimeError as error:
        _check_sentence(name, str(error))
        return "refused when XPBD was added"
    first = _simulated(name)
    if not first:
        return "refused in a sentence"
    if draw.random() < 0.5:
        return "simulated"
    bpy.ops.xpbd.clear_cache()
    bpy.context.scene.xpbd.frame_end = STOP
    _simulated(name)
    bpy.context.scene.xpbd.frame_end = FRAMES
    path = str(folder / "stopped.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = _simulated(name)
    assert again == first, f"{name}: it goes on otherwise after a stop"
    return "simulated, and gone on with to the byte"


def _simulated(name: str) -> dict[str, bytes]:
    """The last frame of each object in the cache; nothing where it was refused.

    Not what is shown: Blender's subdivision moves points by a rounding, now so, now otherwise.
    """
    try:
        bpy.ops.xpbd.simulate()
    except RuntimeError as error:
        _check_sentence(name, str(error))
        refused = True
    else:
        refused = False
    session = importlib.import_module(f"{MODULE}.xpbd_addon.simulation.session")
    for sentence in session.left_out(bpy.context.scene):
        _check_sentence(name, sentence)
    found = {}
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        for obj in _subjects():
            points = _shown(obj)
            assert np.isfinite(points).all(), f"{name}: what is no number is shown"
            cached = session.cached_positions(bpy.context.scene, obj, frame)
            found[obj.name] = b"" if cached is None else cached.tobytes()
    return {} if refused else found


def _check_sentence(name: str, sentence: str) -> None:
    """It tells what is wrong, and with what."""
    assert "Traceback" not in sentence, f"{name}: {sentence}"
    known = [f"'{obj.name}'" for obj in bpy.context.scene.objects]
    assert any(each in sentence for each in known), f"{name}: names no object: {sentence}"


def _subjects() -> list[bpy.types.Object]:
    return [obj for obj in bpy.context.scene.objects if obj.type == "MESH" and obj.xpbd.use]


def _shown(obj: bpy.types.Object) -> Any:
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    return points


def empty(last: int) -> None:
    """A scene with nothing in it, of so many frames."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    settings = bpy.context.scene.xpbd
    settings.frame_start, settings.frame_end, settings.substeps = 1, last, 2


def _fill(draw: random.Random) -> None:
    """One simulated object or two, mostly with something to collide with."""
    scene = bpy.context.scene
    for number in range(draw.choice([1, 1, 2])):
        _add_subject(draw, f"Subject {number}")
    for number in range(draw.choice([0, 1, 2])):
        _add_collider(draw, f"Collider {number}")
    if draw.random() < 0.2:
        kind: Any = draw.choice(["WIND", "TURBULENCE", "VORTEX", "FORCE", "DRAG", "MAGNET"])
        bpy.ops.object.effector_add(type=kind, location=(0.5, 0.0, 0.0))
        bpy.context.object.field.strength = draw.choice([1.0, -30.0, 300.0])
    scene.unit_settings.scale_length = draw.choice([1.0, 1.0, 1.0, 0.01])
    scene.gravity = draw.choice([(0, 0, -9.81), (0, 0, -9.81), (0, 0, 0), (100, 0, -300)])
    left_alone = ("frame_", "cache", "substeps", "iterations", "solver", "sweep", "grab")
    _set(draw, scene.xpbd, draw.choice([0.0, 0.3]), left_alone)
    scene.xpbd.solver = draw.choice(["XPBD"] * 6 + _choices(scene.xpbd, "solver"))
    scene.xpbd.substeps, scene.xpbd.iterations = draw.choice([(1, 1), (3, 2), (20, 8), (400, 8)])


def _add_subject(draw: random.Random, name: str) -> None:
    obj = shapes.made(draw, name)
    if draw.random() < 0.2:
        _add_keys(draw, obj)
    if draw.random() < 0.3:
        obj.modifiers.new("Before", draw.choice(MODIFIERS))
    kinds = ["CLOTH", "CLOTH", "SOFT_BODY"] if obj.data.polygons else ["STRANDS"]
    bpy.ops.xpbd.add(kind=draw.choice([*kinds, *kinds, "STRANDS"]))
    if draw.random() < 0.2:
        obj.modifiers.new("After", draw.choice(MODIFIERS))
    obj.xpbd.pin_group = draw.choice(["", "Pins", "Pins"])
    _set(draw, obj.xpbd, draw.choice([0.0, 0.05, 0.3]), ("use", "kind", "pin_group"))
    for switch, likely in SWITCHES.items():
        setattr(obj.xpbd, switch, draw.random() < likely)
    if draw.random() < 0.3:
        _move(draw, obj)


def _add_keys(draw: random.Random, obj: bpy.types.Object) -> None:
    """Two shape keys, the second of them bent, keyed, and perhaps the shape at rest."""
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Bent")
    for point in key.data:
        point.co.z += 0.3 * abs(point.co.x)
    for frame, value in ((1, 0.0), (FRAMES, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    obj.xpbd.rest_shape_key = draw.choice(["", "Bent"])


def _add_collider(draw: random.Random, name: str) -> None:
    obj = shapes.made(draw, name)
    obj.modifiers.new("Collision", "COLLISION")
    obj.collision.thickness_outer = draw.choice([0.02, 0.001, 0.5])
    obj.collision.use_culling = draw.random() < 0.5
    if draw.random() < 0.5:
        _move(draw, obj)


def _move(draw: random.Random, obj: bpy.types.Object) -> None:
    """Along, or smaller until nothing of it is left."""
    what = draw.choice(["location", "location", "scale"])
    for frame, value in ((1, getattr(obj, what).copy()), (FRAMES, [draw.choice([0.5, 0.0])] * 3)):
        setattr(obj, what, value)
        obj.keyframe_insert(what, frame=frame)


def _set(draw: random.Random, owner: Any, part: float, left_alone: tuple[str, ...]) -> None:
    """Set a part of what panels show to something that they let one type; key some of it."""
    for item in owner.bl_rna.properties:
        name = item.identifier
        if item.is_readonly or item.is_hidden or name.startswith(left_alone):
            continue
        if draw.random() > part:
            continue
        if item.type == "STRING" and name.endswith("_group"):
            setattr(owner, name, draw.choice(["Painted"] * 20 + ["Pins"] * 9 + ["Missing"]))
        elif item.type == "BOOLEAN":
            setattr(owner, name, draw.random() < 0.5)
        elif item.type == "ENUM" and not item.is_enum_flag:
            setattr(owner, name, draw.choice(_choices(owner, name)))
        elif item.type == "FLOAT" and not item.is_array:
            _set_number(draw, owner, item)


def _set_number(draw: random.Random, owner: Any, item: Any) -> None:
    most = [item.hard_min, item.hard_max] if draw.random() < 0.1 else []
    ends = [item.soft_min, item.soft_max, item.default, *most]
    between = draw.uniform(item.soft_min, item.soft_max)
    setattr(owner, item.identifier, draw.choice([*ends, between]))
    if item.is_animatable and draw.random() < 0.2:
        owner.keyframe_insert(item.identifier, frame=1)
        setattr(owner, item.identifier, draw.choice(ends))
        owner.keyframe_insert(item.identifier, frame=FRAMES)


def _choices(owner: Any, name: str) -> list[str]:
    return [each.identifier for each in owner.bl_rna.properties[name].enum_items]
