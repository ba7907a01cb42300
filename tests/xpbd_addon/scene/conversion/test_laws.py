# SPDX-License-Identifier: GPL-3.0-or-later
"""What is converted moves as Blender moved it: each law against Blender's own simulation."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_cloth import before_and_after, cloth, convert, group, play, strip
from playing import addon

from bench.hobby_scenes import grid, mesh_object

RUNS_OVER = [12, 19, 23, 27, 28, 31, 33, 37, 40, 41, 44, *range(46, 51), *range(53, 59)]
"""Qualities below 60 with which Blender takes a step too many, as measured."""


def close(before: np.ndarray, after: np.ndarray, rel: float) -> None:
    assert after == pytest.approx(before, rel=rel)


@pytest.mark.parametrize(("fps", "quality", "scale"), [(24, 5, 1.0), (60, 12, 0.5)])
def test_it_falls_as_fast(fps: int, quality: int, scale: float) -> None:
    bpy.context.scene.render.fps = fps
    obj = strip()
    cloth(obj, quality=quality, time_scale=scale)
    before, after = before_and_after(obj, 25)
    close(before[-1, :, 2].mean(), after[-1, :, 2].mean(), 0.06)


def test_in_true_gravity_it_falls_as_things_do() -> None:
    obj = strip()
    cloth(obj)
    convert(obj, "TRUE")
    obj.xpbd.drag = 0.0
    assert obj.xpbd.field_weights.gravity == pytest.approx(1.0)
    assert play(obj, 13)[-1, :, 2].mean() == pytest.approx(-0.5 * 9.81 * 0.5**2, rel=0.05)


def test_qualities_that_run_too_fast_are_known() -> None:
    speeds = [addon.scene.conversion.clock.cloth_speed(quality, 1.0) for quality in range(1, 60)]
    assert [quality for quality, speed in enumerate(speeds, 1) if speed > 1.001] == RUNS_OVER


def test_it_stretches_as_far() -> None:
    """A strip that hangs by its first row, calmed by thick air."""
    obj = strip()
    obj.rotation_euler.x = np.pi / 2
    pins = group(obj, "Pins", range(40, 45))
    cloth(obj, tension_stiffness=1.0, compression_stiffness=1.0, shear_stiffness=1.0,
          air_damping=10.0, vertex_group_mass=pins)  # fmt: skip
    before, after = before_and_after(obj, 100)
    longer = [-0.4 - shown[-1, :5, 2].mean() for shown in (before, after)]
    assert longer[0] > 0.005
    close(longer[0], longer[1], 0.1)


@pytest.mark.parametrize("triangles", [False, True])
def test_it_bends_as_far(triangles: bool) -> None:
    """A level strip that is held at one end, of cells small enough for Blender's own error."""
    obj = strip(cell=0.05)
    if triangles:
        cut = obj.modifiers.new("Cut", "TRIANGULATE")
        bpy.ops.object.modifier_apply(modifier=cut.name)
    pins = group(obj, "Pins", range(10))
    cloth(obj, bending_stiffness=20.0, bending_damping=0.5, air_damping=5.0, vertex_group_mass=pins)
    before, after = before_and_after(obj, 80)
    low = [shown[-1, -5:, 2].mean() for shown in (before, after)]
    assert low[0] < -0.05
    close(low[0], low[1], 0.2 if triangles else 0.1)


def test_pins_pull_as_strongly() -> None:
    """A level sheet on springs of w⁴."""
    obj = strip()
    pins = group(obj, "Pins", range(45), 0.6)
    cloth(obj, pin_stiffness=0.05, air_damping=5.0, vertex_group_mass=pins)
    before, after = before_and_after(obj, 100)
    sag = [shown[-1, :, 2].mean() for shown in (before, after)]
    assert sag[0] < -0.02
    close(sag[0], sag[1], 0.05)


def test_wind_pushes_as_hard() -> None:
    scene = bpy.context.scene
    scene.use_gravity = False
    obj = strip()
    cloth(obj, mass=1.0)
    bpy.ops.object.effector_add(type="FORCE", location=(0.0, 0.0, -3.0))
    bpy.context.object.field.shape = "PLANE"
    bpy.context.object.field.strength = 500.0
    before, after = before_and_after(obj, 25)
    rise = [shown[-1, :, 2].mean() for shown in (before, after)]
    assert rise[0] > 0.02
    close(rise[0], rise[1], 0.08)


@pytest.mark.parametrize(("push", "target"), [(0.0, 2.0), (0.5, 0.0), (3.0, 0.0)])
def test_pressure_fills_as_much(push: float, target: float) -> None:
    scene = bpy.context.scene
    scene.use_gravity = False
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.5)
    obj = bpy.context.object
    pressed = {"use_pressure": True, "uniform_pressure_force": push}
    if target:
        pressed |= {"use_pressure_volume": True, "target_volume": 0.5 * target}
    soft = {f"{name}_stiffness": 0.2 for name in ("tension", "compression", "shear")}
    cloth(obj, air_damping=5.0, **pressed, **soft)
    before, after = before_and_after(obj, 60)
    radius = [np.linalg.norm(shown[-1], axis=1).mean() for shown in (before, after)]
    assert radius[0] > 0.51
    assert obj.xpbd.inflation_time == 0.0, "Blender's pressure is there at once"
    close(radius[0], radius[1], 0.07)  # Blender's law is no line, and this skin gives a lot


def test_soft_bodies_stretch_as_far() -> None:
    """A strip that hangs by goals of weight 1."""
    obj = strip()
    obj.rotation_euler.x = np.pi / 2
    modifier = obj.modifiers.new("Softbody", "SOFT_BODY")
    settings = modifier.settings
    settings.vertex_group_goal = group(obj, "Goal", range(40, 45))
    settings.pull, settings.push, settings.friction, settings.damping = 0.9, 0.9, 5.0, 1.0
    settings.goal_default = 1.0
    before, after = before_and_after(obj, 120)
    longer = [-0.4 - shown[-1, :5, 2].mean() for shown in (before, after)]
    assert longer[0] > 0.003
    close(longer[0], longer[1], 0.15)


def test_a_soft_body_lies_on_its_goals() -> None:
    obj = strip()
    settings = obj.modifiers.new("Softbody", "SOFT_BODY").settings
    settings.goal_default, settings.goal_spring, settings.friction = 0.7, 0.5, 5.0
    before, after = before_and_after(obj, 120)
    sag = [shown[-1, :, 2].mean() for shown in (before, after)]
    assert sag[0] < -0.01
    close(sag[0], sag[1], 0.1)


def test_edges_without_faces_become_strands() -> None:
    points = [(0.1 * k, 0.0, 0.0) for k in range(9)]
    obj = mesh_object("Rope", points, [], [(k, k + 1) for k in range(8)])
    pins = group(obj, "Pins", [0, 8])
    cloth(
        obj, tension_stiffness=1.0, air_damping=10.0, bending_stiffness=0.0, vertex_group_mass=pins
    )
    before, after = before_and_after(obj, 100)
    assert obj.xpbd.kind == "STRANDS"
    low = [shown[-1, :, 2].min() for shown in (before, after)]
    assert low[0] < -0.02
    close(low[0], low[1], 0.1)


def test_it_keeps_as_far_from_colliders() -> None:
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    obj = grid("Sheet", 6, 6, 0.6, 0.6)
    obj.location.z = 0.2
    cloth(obj)
    before, after = before_and_after(obj, 60)
    assert before[-1, :, 2].mean() == pytest.approx(0.035, abs=0.01)
    assert after[-1, :, 2].mean() == pytest.approx(before[-1, :, 2].mean(), abs=0.005)
