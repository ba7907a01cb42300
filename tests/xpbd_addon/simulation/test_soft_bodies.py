# SPDX-License-Identifier: GPL-3.0-or-later
"""Any mesh as a soft body: simulated, shown, pinned, baked, and what is said where it can't be."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import animation, empty_scene
from playing import addon, play

LAST = 12


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.frame_end = LAST
    return made


def jelly(name: str = "Jelly", height: float = 1.0, cells: int = 4) -> bpy.types.Object:
    """A cube of 1 m with faces of a tenth of that, as a soft body."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, height))
    obj = bpy.context.object
    obj.name = name
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=9)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.xpbd.add(kind="SOFT_BODY") == {"FINISHED"}
    obj.xpbd.cell_size = 1.0 / cells
    return obj


def floor() -> None:
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.context.object.collision.thickness_outer = 0.001


def volume(points: np.ndarray, obj: bpy.types.Object) -> float:
    mesh: Any = obj.data
    mesh.calc_loop_triangles()
    corners = points[[list(each.vertices) for each in mesh.loop_triangles]]
    return float(np.linalg.det(corners).sum() / 6.0)


def test_it_starts_with_sizes_and_material_of_its_own(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.8)
    assert bpy.ops.xpbd.add(kind="SOFT_BODY") == {"FINISHED"}
    settings = bpy.context.object.xpbd
    assert settings.cell_size == pytest.approx(0.1)
    assert settings.poisson_ratio == pytest.approx(0.45)
    assert settings.young_modulus == pytest.approx(3e4)
    assert settings.young_modulus_shown == pytest.approx(30.0)
    assert settings.density == settings.volume_density == pytest.approx(1000.0)


def test_it_falls_freely(scene: bpy.types.Scene) -> None:
    obj = jelly(height=5.0)
    obj.xpbd.drag = 0.0
    bpy.ops.xpbd.simulate()
    shown = animation(obj, range(1, LAST + 1))
    time = (LAST - 1) / 24.0
    fallen = shown[0] - shown[-1]
    np.testing.assert_allclose(fallen[:, 2], 0.5 * 9.81 * time**2, rtol=0.02)
    np.testing.assert_allclose(fallen[:, :2], 0.0, atol=1e-4)


def test_it_lies_on_a_floor_and_keeps_its_volume(scene: bpy.types.Scene) -> None:
    floor()
    obj = jelly(height=0.55)
    obj.xpbd.young_modulus = 2e5
    bpy.ops.xpbd.simulate()
    shown = animation(obj, range(1, LAST + 1))
    assert shown[-1][:, 2].min() > -1e-4
    assert volume(shown[-1], obj) == pytest.approx(volume(shown[0], obj), rel=0.05)


def test_pins_of_the_surface_hold_it(scene: bpy.types.Scene) -> None:
    obj = jelly(height=2.0)
    top = [vertex.index for vertex in obj.data.vertices if vertex.co.z > 0.49]
    obj.vertex_groups.new(name="Top").add(top, 1.0, "REPLACE")
    obj.xpbd.pin_group = "Top"
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 0.5
    obj.keyframe_insert("location", frame=LAST)
    play(scene, LAST)
    found = addon.simulation.session.cached_positions(scene, obj, LAST)
    rest = np.array([vertex.co for vertex in obj.data.vertices])
    np.testing.assert_allclose(found[top], rest[top] + [0.5, 0.0, 2.0], atol=1e-4)
    assert found[:, 2].mean() < 2.0


def test_pins_reach_inside(scene: bpy.types.Scene) -> None:
    obj = jelly(height=2.0)
    obj.xpbd.drag = 5.0
    top = [vertex.index for vertex in obj.data.vertices if vertex.co.z > 0.49]
    obj.vertex_groups.new(name="Top").add(top, 1.0, "REPLACE")
    obj.xpbd.pin_group = "Top"
    middle = [vertex.index for vertex in obj.data.vertices if abs(vertex.co.z) < 0.01]
    sunk = []
    for depth in (0.0, 0.7):
        obj.xpbd.pin_depth = depth
        play(scene, LAST)
        found = addon.simulation.session.cached_positions(scene, obj, LAST)
        sunk.append(2.0 - found[middle, 2].mean())
    assert sunk[0] > 0.05
    assert abs(sunk[1]) < 1e-4


def test_its_animated_shape_pulls_it(scene: bpy.types.Scene) -> None:
    """It sinks by ρ g / k = 2 cm beside the object, which is moved while it is simulated."""
    obj = jelly(height=2.0)
    obj.xpbd.use_goal = True
    scene.xpbd.frame_end = 20
    obj.xpbd.goal_stiffness = 4.905e5
    obj.xpbd.pin_damping = 0.05
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 0.3
    obj.keyframe_insert("location", frame=6)
    play(scene, 20)
    found = addon.simulation.session.cached_positions(scene, obj, 20)
    rest = np.array([vertex.co for vertex in obj.data.vertices])
    np.testing.assert_allclose(found - rest, [[0.3, 0.0, 1.98]] * len(rest), atol=5e-3)


def test_its_cage_can_be_looked_at(scene: bpy.types.Scene) -> None:
    obj = jelly(height=2.0, cells=2)
    obj.rotation_euler.z = 0.5
    depsgraph = bpy.context.evaluated_depsgraph_get()
    lines = addon.simulation.cages.lines_of(obj, depsgraph)
    lengths = np.linalg.norm(lines[1::2] - lines[::2], axis=1)
    np.testing.assert_allclose(np.unique(lengths.round(4)), [0.5 * 0.75**0.5, 0.5], atol=1e-3)
    assert lines.mean(axis=0) == pytest.approx([0.0, 0.0, 2.0], abs=0.1)
    assert addon.simulation.cages.lines_of(obj, depsgraph) is lines
    with addon.simulation.live.solver_lock:
        obj.xpbd.cell_size = 0.25
        assert addon.simulation.cages.lines_of(obj, depsgraph) is lines
    assert len(addon.simulation.cages.lines_of(obj, depsgraph)) > 4 * len(lines)


def test_what_has_no_inside_has_no_cage(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_plane_add()
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert len(addon.simulation.cages.lines_of(bpy.context.object, depsgraph)) == 0


def settled(scene: bpy.types.Scene, obj: bpy.types.Object, last: int = 20) -> np.ndarray:
    """Where it is after a while without gravity."""
    scene.use_gravity = False
    scene.xpbd.frame_end = last
    obj.xpbd.drag = 10.0
    play(scene, last)
    found: np.ndarray = addon.simulation.session.cached_positions(scene, obj, last)
    return found


def test_it_swells_as_keyed(scene: bpy.types.Scene) -> None:
    obj = jelly()
    obj.xpbd.inflation_time = 0.0
    obj.xpbd.keyframe_insert("inflation", frame=1)
    obj.xpbd.inflation = 2.0
    obj.xpbd.keyframe_insert("inflation", frame=4)
    assert volume(settled(scene, obj), obj) == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize("is_keyed", [False, True])
def test_it_swells_over_a_time(scene: bpy.types.Scene, is_keyed: bool) -> None:
    """At half of it halfway to where it is then; and keyed contraction takes nothing from that."""
    obj = jelly()
    obj.xpbd.inflation, obj.xpbd.inflation_time = 2.0, 1.0
    if is_keyed:
        for frame, value in ((1, 0.0), (4, 0.1), (8, 0.0)):
            obj.xpbd.contraction = value
            obj.xpbd.keyframe_insert("contraction", frame=frame)
    settled(scene, obj, 36)
    volumes = [
        volume(addon.simulation.session.cached_positions(scene, obj, frame), obj)
        for frame in (1, 13, 36)
    ]
    assert volumes[0] == pytest.approx(1.0, rel=1e-3)
    assert 1.35 < volumes[1] < 1.55, "drag holds it back a little"
    assert volumes[2] == pytest.approx(2.0, rel=0.01)


def test_a_painted_muscle_contracts_along_its_fibres(scene: bpy.types.Scene) -> None:
    """They run along the object's own x axis, which is the world's z axis."""
    obj = jelly()
    obj.rotation_euler.y = -0.5 * np.pi
    obj.xpbd.fibre_direction = 2.0, 0.0, 0.0
    every = [vertex.index for vertex in obj.data.vertices]
    obj.vertex_groups.new(name="Biceps").add(every, 1.0, "REPLACE")
    obj.xpbd.contraction_group = "Biceps"
    obj.xpbd.contraction_max = 0.36
    np.testing.assert_allclose(np.ptp(settled(scene, obj), axis=0), [1.25, 1.25, 0.64], atol=0.01)


def test_a_shape_key_is_its_rest_shape(scene: bpy.types.Scene) -> None:
    obj = jelly()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Long")
    for point in key.data:
        point.co.z *= 1.5
    obj.xpbd.rest_shape_key = "Long"
    np.testing.assert_allclose(np.ptp(settled(scene, obj), axis=0), [1.0, 1.0, 1.5], atol=0.01)


def test_what_yields_keeps_its_dent(scene: bpy.types.Scene) -> None:
    """Pressed to 0.6 of its height and freed."""
    obj = jelly()
    obj.xpbd.use_plasticity = True
    obj.xpbd.yield_stretch = 0.05
    obj.vertex_groups.new(name="All").add(range(len(obj.data.vertices)), 0.5, "REPLACE")
    obj.xpbd.pin_group = "All"
    obj.xpbd.pin_stiffness = 1e7
    obj.keyframe_insert("scale", frame=1)
    obj.scale = 1.29, 1.29, 0.6
    obj.keyframe_insert("scale", frame=6)
    obj.xpbd.keyframe_insert("pin_stiffness", frame=8)
    obj.xpbd.pin_stiffness = 0.0
    obj.xpbd.keyframe_insert("pin_stiffness", frame=9)
    sides = np.ptp(settled(scene, obj), axis=0)
    assert 0.6 < sides[2] < 0.68
    assert np.prod(sides) == pytest.approx(1.0, rel=0.05)


def test_it_is_baked_as_everything_is(scene: bpy.types.Scene) -> None:
    obj = jelly(height=5.0)
    bpy.ops.xpbd.simulate()
    before = animation(obj, range(1, LAST + 1))
    bpy.ops.xpbd.bake_shape_keys()
    np.testing.assert_allclose(animation(obj, range(1, LAST + 1)), before, atol=1e-5)


def test_what_has_no_inside_is_refused_by_name(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.name = "Card"
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    with pytest.raises(RuntimeError, match=r"'Card'.*Cloth"):
        bpy.ops.xpbd.simulate()


def test_other_solvers_say_that_they_cannot(scene: bpy.types.Scene) -> None:
    jelly()
    scene.xpbd.solver = "PBD"
    with pytest.raises(RuntimeError, match=r"'Jelly' is a soft body.*Standard"):
        bpy.ops.xpbd.simulate()


def test_strain_is_told_of_the_surface_that_is_seen(scene: bpy.types.Scene) -> None:
    floor()
    obj = jelly(height=0.6)
    start = np.array([vertex.co for vertex in obj.data.vertices])
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    session = addon.simulation.session
    edges = np.array([edge.vertices for edge in obj.data.edges])
    shown = session.cached_positions(scene, obj, LAST)
    now, rest = (
        np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
        for points in (shown, start)
    )
    told = session.cached_measures(scene, obj, LAST)
    assert told.largest_strain == pytest.approx((now / rest - 1.0).max(), abs=0.05)
    assert told.mean_strain == pytest.approx(np.abs(now / rest - 1.0).mean(), abs=0.01)
