# SPDX-License-Identifier: GPL-3.0-or-later
"""What is baked leaves Blender and comes back: exported, imported, the same on every frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, sheet
from numpy.typing import NDArray

Animation = NDArray[np.float32]

ADDONS = ["io_scene_fbx"]
if bpy.app.version >= (4, 5, 0):  # bpy 4.2 crashes at its end once this was enabled, without us too
    ADDONS.append("io_scene_gltf2")


def alembic(path: str) -> None:
    bpy.ops.wm.alembic_export(filepath=path, start=FRAMES[0], end=FRAMES[-1])
    _anew()
    bpy.ops.wm.alembic_import(filepath=path)


def usd(path: str) -> None:
    bpy.ops.wm.usd_export(filepath=path, export_animation=True)
    _anew()
    bpy.ops.wm.usd_import(filepath=path)


def gltf(path: str) -> None:
    if "io_scene_gltf2" not in ADDONS:
        pytest.skip("Blender's add-on for glTF crashes this bpy when it ends")
    bpy.ops.export_scene.gltf(filepath=path)
    _anew()
    bpy.ops.import_scene.gltf(filepath=path)


def fbx(path: str) -> None:
    bpy.ops.export_scene.fbx(
        filepath=path, bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False
    )
    _anew()
    bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0)


def _anew() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]


FORMATS: dict[str, tuple[Callable[[str], None], float]] = {
    "abc": (alembic, 1e-6),
    "usdc": (usd, 1e-6),
    "glb": (gltf, 1e-5),
    "fbx": (fbx, 1e-5),
}
"""How each is written and read, by the end of its files' names, and how exact it is [m]."""


@pytest.fixture(scope="module", autouse=True)
def exporters() -> Iterator[None]:
    """Blender's add-ons for formats; what stays registered would disturb Blender's end."""
    for module in ADDONS:
        bpy.ops.preferences.addon_enable(module=module)
    yield
    for module in ADDONS:
        bpy.ops.preferences.addon_disable(module=module)


@pytest.fixture
def scene() -> bpy.types.Scene:
    found = empty_scene()
    found.frame_start, found.frame_end = FRAMES[0], FRAMES[-1]
    return found


def imported() -> bpy.types.Object:
    (obj,) = (each for each in bpy.data.objects if each.type == "MESH")
    return obj


def same(found: Animation, expected: Animation) -> float:
    """How far each vertex [m] is at most from the one that it was on the first frame.

    Exporters may split vertices and put them in another order.
    """
    apart = np.linalg.norm(found[0][:, None] - expected[0][None], axis=2)
    nearest = apart.argmin(axis=1)
    assert set(nearest) == set(range(expected.shape[1]))
    return float(np.abs(found - expected[:, nearest]).max())


@pytest.mark.parametrize("suffix", FORMATS)
def test_relative_shape_keys_arrive(scene: bpy.types.Scene, tmp_path: Path, suffix: str) -> None:
    obj = sheet()
    assert bpy.ops.xpbd.bake_shape_keys(mode="RELATIVE") == {"FINISHED"}
    expected = animation(obj)
    assert np.abs(expected[-1] - expected[0]).max() > 0.1
    exchange, exact = FORMATS[suffix]
    exchange(str(tmp_path / f"sheet.{suffix}"))
    assert same(animation(imported()), expected) < exact


@pytest.mark.parametrize("suffix", ["abc", "usdc"])
@pytest.mark.parametrize("how", ["cached", "absolute", "mesh cache"])
def test_caches_of_points_take_all_that_is_shown(
    scene: bpy.types.Scene, tmp_path: Path, suffix: str, how: str
) -> None:
    obj = sheet()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    operators: dict[str, Callable[[], Any]] = {
        "cached": bpy.ops.xpbd.simulate,
        "absolute": lambda: bpy.ops.xpbd.bake_shape_keys(mode="ABSOLUTE"),
        "mesh cache": bpy.ops.xpbd.bake_mesh_cache,
    }
    assert operators[how]() == {"FINISHED"}
    expected = animation(obj)
    exchange, exact = FORMATS[suffix]
    exchange(str(tmp_path / f"sheet.{suffix}"))
    assert same(animation(imported()), expected) < exact


def test_the_pc2_file_of_a_bake_plays_on_the_plain_mesh(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    obj = sheet()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    assert bpy.ops.xpbd.bake_mesh_cache() == {"FINISHED"}
    expected = animation(obj)
    (path,) = tmp_path.rglob("*.pc2")
    matrix = obj.matrix_world.copy()
    _anew()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=5, y_subdivisions=5)
    plain = bpy.context.object
    plain.matrix_world = matrix
    modifier: Any = plain.modifiers.new("Cache", "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", str(path)
    modifier.frame_start = FRAMES[0]
    np.testing.assert_allclose(animation(plain), expected, atol=1e-6)
