# SPDX-License-Identifier: GPL-3.0-or-later
"""What tension maps measure, against shapes of which it is known."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon

CUTS = 12
RADIUS = 0.8  # m

Shape = Callable[[np.ndarray], np.ndarray]


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.frame_end = 2
    return made


def flat(points: np.ndarray) -> np.ndarray:
    return points


def longer(points: np.ndarray) -> np.ndarray:
    return points * [1.1, 1.0, 1.0]


def shorter(points: np.ndarray) -> np.ndarray:
    return points * [1.0, 0.9, 1.0]


def rolled(points: np.ndarray) -> np.ndarray:
    angle = points[:, 0] / RADIUS
    return np.stack([RADIUS * np.sin(angle), points[:, 1], RADIUS * (1.0 - np.cos(angle))], axis=1)


def mapped(at_rest: Shape, then: Shape) -> bpy.types.Object:
    """A sheet all of whose vertices are led from one shape to another, on its second frame."""
    obj = sheet(cuts=CUTS)
    obj.vertex_groups["Pins"].add(list(range(len(obj.data.vertices))), 1.0, "ADD")
    obj.xpbd.use_tension_map = True
    plain = np.array([vertex.co for vertex in obj.data.vertices])
    for vertex, point in zip(obj.data.vertices, at_rest(plain), strict=True):
        vertex.co = point
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Then")
    for point, to in zip(key.data, then(plain), strict=True):
        point.co = to
    for frame, value in ((1, 0.0), (2, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    bpy.ops.xpbd.simulate()
    return obj


def measured(obj: bpy.types.Object, frame: int) -> dict[str, np.ndarray]:
    """Of the vertices inside the sheet."""
    bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert isinstance(mesh, bpy.types.Mesh)
    inside = [
        vertex.index
        for vertex in obj.data.vertices
        if CUTS < vertex.index < len(obj.data.vertices) - CUTS - 1
        and 0 < vertex.index % (CUTS + 1) < CUTS
    ]
    found = {}
    for name in ("stretch", "compression", "bending"):
        values = np.empty(len(mesh.vertices), np.float32)
        mesh.attributes[f"xp_{name}"].data.foreach_get("value", values)
        found[name] = values[inside]
    return found


CASES = [
    (flat, longer, {"stretch": 0.05}),  # the mean of edges along and across
    (flat, shorter, {"compression": 0.05}),
    (flat, rolled, {"bending": 0.5 / RADIUS}),  # the mean curvature of a cylinder
    (rolled, flat, {"bending": 0.5 / RADIUS}),
    (rolled, rolled, {}),
]


@pytest.mark.parametrize(("at_rest", "then", "expected"), CASES)
def test_what_is_measured(
    scene: bpy.types.Scene, at_rest: Shape, then: Shape, expected: dict[str, float]
) -> None:
    obj = mapped(at_rest, then)
    for values in measured(obj, 1).values():
        np.testing.assert_allclose(values, 0.0, atol=1e-4)
    for name, values in measured(obj, 2).items():
        wanted = expected.get(name, 0.0)
        np.testing.assert_allclose(values, wanted, rtol=0.01, atol=0.005, err_msg=name)


def test_a_bake_keeps_it_and_switching_off_takes_it_away(scene: bpy.types.Scene) -> None:
    obj = mapped(flat, longer)
    with pytest.raises(RuntimeError, match="shape keys"):
        bpy.ops.xpbd.bake_shape_keys()
    obj.shape_key_clear()
    bpy.ops.xpbd.simulate()
    live = measured(obj, 2)
    bpy.ops.xpbd.bake_shape_keys()
    for name, values in measured(obj, 2).items():
        np.testing.assert_allclose(values, live[name], atol=1e-5)
    bpy.ops.xpbd.unbake()
    obj.xpbd.use_tension_map = False
    assert [modifier.name for modifier in obj.modifiers] == ["XPBD"]
    assert not [name for name in obj.data.attributes.keys() if name.startswith("xp_rest")]  # noqa: SIM118


def test_it_goes_with_the_physics_and_outdates_nothing(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    obj.xpbd.use_tension_map = True
    assert not addon.simulation.session.status(scene, exact=True).outdated
    assert len(obj.modifiers) == 2
    bpy.ops.xpbd.remove()
    assert not obj.modifiers
    assert not obj.xpbd.use_tension_map
