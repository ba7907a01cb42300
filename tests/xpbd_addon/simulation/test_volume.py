# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed meshes filled with air or water: balloons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bmesh
import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.use_gravity = False
    made.xpbd.substeps = 20
    made.xpbd.frame_end = 24
    return made


def ball(name: str = "Balloon") -> bpy.types.Object:
    """An icosphere of rubber, scaled unevenly, far from the world's origin."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.5, location=(20, -10, 3))
    obj = bpy.context.object
    obj.name = name
    obj.scale = (1.0, 1.2, 0.8)
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    obj.xpbd.stretch_stiffness = obj.xpbd.shear_stiffness = 10.0
    obj.xpbd.drag = 4.0
    return obj


def volume(obj: bpy.types.Object, frame: int) -> float:
    """Enclosed volume [m³] in the cache."""
    points = addon.simulation.session.cached_positions(bpy.context.scene, obj, frame).astype(
        np.float64
    )
    points -= points.mean(axis=0)
    return float(np.linalg.det(points[addon.scene.mesh_io.loop_triangles(obj.data)]).sum() / 6.0)


def grown(obj: bpy.types.Object) -> float:
    """The volume at the end over that at the start."""
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    return volume(obj, bpy.context.scene.xpbd.frame_end) / volume(obj, 1)


@contextmanager
def edited(obj: bpy.types.Object) -> Iterator[bmesh.types.BMesh]:
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh)
    faces = bmesh.new()
    faces.from_mesh(mesh)
    yield faces
    faces.to_mesh(mesh)
    faces.free()


@pytest.mark.parametrize("solver", ["XPBD", "PBD"])
def test_a_balloon_is_blown_up(scene: bpy.types.Scene, solver: str) -> None:
    scene.xpbd.solver = solver
    obj = ball()
    obj.xpbd.use_volume, obj.xpbd.inflation = True, 1.3
    assert grown(obj) == pytest.approx(1.3, rel=0.02)


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_it_is_filled_in_over_a_time(scene: bpy.types.Scene, speed: float) -> None:
    """At half of the time, which is simulated time, with half of what there will be."""
    obj = ball()
    obj.xpbd.use_volume, obj.xpbd.inflation, obj.xpbd.inflation_time = True, 1.3, 0.5
    scene.xpbd.time_scale = speed
    grown(obj)
    half, full = (1 + round(part * 0.5 * 24 / speed) for part in (0.5, 1.0))
    found = [volume(obj, frame) / volume(obj, 1) for frame in (half, full, 24)]
    np.testing.assert_allclose(found, [1.15, 1.3, 1.3], rtol=3e-3)


def test_it_begins_to_be_filled_where_the_simulation_does(scene: bpy.types.Scene) -> None:
    obj = ball()
    obj.xpbd.use_volume, obj.xpbd.inflation, obj.xpbd.inflation_time = True, 1.3, 0.5
    scene.xpbd.frame_start, scene.xpbd.frame_end = 101, 107
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert volume(obj, 107) / volume(obj, 101) == pytest.approx(1.15, rel=3e-3)


def test_inflation_is_changed_while_it_plays(scene: bpy.types.Scene) -> None:
    """It goes on from where it is in the time that there is; the time itself waits."""
    obj = ball()
    obj.xpbd.use_volume, obj.xpbd.inflation, obj.xpbd.inflation_time = True, 1.3, 1.0
    scene.frame_set(1)
    play(scene, 12)
    obj.xpbd.inflation = 1.4
    scene.frame_set(13)
    assert volume(obj, 13) / volume(obj, 1) == pytest.approx(1.2, rel=3e-3)
    obj.xpbd.inflation_time = 0.5
    scene.frame_set(14)
    assert addon.simulation.session.cached_positions(scene, obj, 14) is None


def test_without_volume_it_stays_as_it_is(scene: bpy.types.Scene) -> None:
    obj = ball()
    obj.xpbd.inflation, obj.xpbd.volume_compliance = 1.3, 1e-6
    assert grown(obj) == pytest.approx(1.0, rel=1e-3)


def test_a_filling_that_gives_way_grows_less(scene: bpy.types.Scene) -> None:
    obj = ball()
    obj.xpbd.use_volume, obj.xpbd.inflation = True, 1.3
    obj.xpbd.volume_compliance_shown = 2e4  # L/kPa
    assert obj.xpbd.volume_compliance == pytest.approx(2e-2)
    assert 1.02 < grown(obj) < 1.25


def test_only_a_volume_that_is_used_reaches_the_material(scene: bpy.types.Scene) -> None:
    settings = ball().xpbd
    material = addon.settings.materials.core_arguments
    filled = {"volume_compliance": 0.0, "inflation": 1.0, "inflation_time": 1.0}
    assert not filled.keys() & material(settings).keys()
    settings.use_volume = True
    assert filled.items() <= material(settings).items()
    settings.kind = "STRANDS"
    assert not filled.keys() & material(settings).keys()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("use_volume", False),
        ("inflation", 1.1),
        ("inflation_time", 0.0),
        ("volume_compliance_shown", 5.0),
    ],
)
def test_what_outdates_the_cache(scene: bpy.types.Scene, name: str, value: object) -> None:
    obj = ball()
    obj.xpbd.use_volume = True
    scene.xpbd.frame_end = 2
    bpy.ops.xpbd.simulate()
    assert not addon.simulation.session.status(scene, exact=True).outdated
    setattr(obj.xpbd, name, value)
    assert addon.simulation.session.status(scene, exact=True).outdated


def test_inflation_outdates_nothing_where_nothing_is_filled(scene: bpy.types.Scene) -> None:
    obj = ball()
    scene.xpbd.frame_end = 2
    bpy.ops.xpbd.simulate()
    obj.xpbd.inflation = 2.0
    assert not addon.simulation.session.status(scene, exact=True).outdated


# --- what can't be filled -------------------------------------------------------------------------


def refused(match: str) -> None:
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.xpbd.simulate()
    assert addon.simulation.session.status(bpy.context.scene, exact=True).last is None


def test_an_open_mesh_is_refused(scene: bpy.types.Scene) -> None:
    obj = ball()
    obj.xpbd.use_volume = True
    with edited(obj) as mesh:
        mesh.faces.remove(next(iter(mesh.faces)))
    refused("'Balloon' can't be filled.*closed surface.* 3 sides.*fill the holes")
    sheet("Flag").xpbd.use_volume = True
    bpy.data.objects.remove(obj)
    refused("'Flag' can't be filled")


@pytest.mark.parametrize(
    ("count", "cure"), [(None, "flip the normals"), (7, "recalculate the normals")]
)
def test_normals_that_look_inwards_are_refused(
    scene: bpy.types.Scene, count: int | None, cure: str
) -> None:
    obj = ball()
    obj.xpbd.use_volume = True
    with edited(obj) as mesh:
        bmesh.ops.reverse_faces(mesh, faces=mesh.faces[:count])
    refused(f"'Balloon' can't be filled.*{cure}")


@pytest.mark.parametrize(
    ("solver", "label"),
    [
        ("PROJECTIVE_DYNAMICS", "Calm"),
        ("CONSTRAINED_DYNAMICS", "Unstretchable"),
    ],
)
def test_solvers_that_can_not_fill_say_so(scene: bpy.types.Scene, solver: str, label: str) -> None:
    obj = ball()
    obj.xpbd.use_volume = True
    scene.xpbd.solver = solver
    refused(f"'Balloon' has a Volume, which {label} can't simulate: choose Standard or Classic")
    scene.frame_set(1)
    scene.frame_set(2)
    assert label in addon.simulation.session.left_out(scene)[0]


def test_strands_take_no_notice(scene: bpy.types.Scene) -> None:
    obj = ball()
    obj.xpbd.use_volume = True
    obj.xpbd.kind = "STRANDS"
    scene.xpbd.solver, scene.xpbd.frame_end = "CONSTRAINED_DYNAMICS", 2
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
