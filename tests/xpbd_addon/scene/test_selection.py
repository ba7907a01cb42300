# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting vertices, in Edit Mode and outside of it."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import addon_module, empty_scene, sheet


@pytest.fixture
def obj() -> bpy.types.Object:
    """A sheet of 5 × 5 cells, six vertices in a row, of which all is selected."""
    empty_scene()
    return sheet()


def selected(items: Any) -> list[int]:
    return [item.index for item in items if item.select]


def in_mode(mode: Any, obj: bpy.types.Object, vertices: list[int]) -> None:
    """Select in a mode, and look at the result in Object Mode."""
    bpy.ops.object.mode_set(mode=mode)
    addon_module("scene.selection").select_vertices(obj, np.array(vertices, np.int64))
    bpy.ops.object.mode_set(mode="OBJECT")


each_mode = pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])


@each_mode
def test_these_and_what_lies_between_them_is_selected(obj: bpy.types.Object, mode: str) -> None:
    in_mode(mode, obj, [0, 1, 6, 7, 20])
    mesh: Any = obj.data
    assert selected(mesh.vertices) == [0, 1, 6, 7, 20]
    assert len(selected(mesh.edges)) == 4
    (face,) = selected(mesh.polygons)
    assert sorted(mesh.polygons[face].vertices[:]) == [0, 1, 6, 7]


@each_mode
def test_nothing_else_stays_selected(obj: bpy.types.Object, mode: str) -> None:
    in_mode(mode, obj, [0, 1])
    in_mode(mode, obj, [35])
    assert selected(obj.data.vertices) == [35]
    assert selected(obj.data.edges) == selected(obj.data.polygons) == []


@each_mode
def test_what_is_hidden_is_left_out(obj: bpy.types.Object, mode: str) -> None:
    obj.data.vertices[3].hide = True
    in_mode(mode, obj, [2, 3])
    assert selected(obj.data.vertices) == [2]


@each_mode
def test_vertices_that_are_gone_are_refused(obj: bpy.types.Object, mode: str) -> None:
    with pytest.raises(addon_module("errors").SceneError, match="fewer vertices"):
        in_mode(mode, obj, [36])


def test_meshes_without_faces(obj: bpy.types.Object) -> None:
    mesh = bpy.data.meshes.new("Rope")
    mesh.from_pydata([(0.0, 0.0, float(z)) for z in range(3)], [(0, 1), (1, 2)], [])
    obj.data = mesh
    in_mode("OBJECT", obj, [1, 2])
    assert selected(mesh.vertices) == [1, 2]
    assert selected(mesh.edges) == [1]
