# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension comes from its zip, brings its own wheels and leaves Blender as it found it."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import bpy
import numpy
import pytest


def test_it_runs_from_the_installed_zip(addon: ModuleType) -> None:
    user = Path(os.environ["BLENDER_USER_RESOURCES"]).resolve()
    assert user in Path(str(addon.__file__)).resolve().parents


@pytest.mark.parametrize("name", ["numba", "llvmlite", "cholespy"])
def test_wheels_come_from_the_zip(name: str) -> None:
    user = Path(os.environ["BLENDER_USER_RESOURCES"]).resolve()
    spec = find_spec(name)
    assert spec is not None
    assert user in Path(str(spec.origin)).resolve().parents


def test_the_sparse_solver_is_the_packed_one(addon: ModuleType) -> None:
    linear = import_module(f"{addon.__name__}.core.linear")
    pattern = linear.SymmetricPattern([0, 1, 0, 1], [0, 1, 1, 0], 2)
    solver = linear.solver_for(pattern.matrix([2.0, 2.0, -1.0, -1.0]))
    assert isinstance(solver, linear.Cholesky)
    assert solver.solve([1.0, 1.0]) == pytest.approx([1.0, 1.0])


def test_numpy_is_blenders_own() -> None:
    user = Path(os.environ["BLENDER_USER_RESOURCES"]).resolve()
    assert user not in Path(str(numpy.__file__)).resolve().parents


def test_a_new_file_keeps_it_enabled() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert hasattr(bpy.context.scene, "xpbd")


def registered_types(addon: ModuleType) -> set[str]:
    """Names of the types that the extension has registered with Blender."""
    return {
        name
        for name in dir(bpy.types)
        if getattr(getattr(bpy.types, name), "__module__", "").startswith(addon.__name__)
    }


def test_disabling_takes_everything_away_and_enabling_brings_it_back(addon: ModuleType) -> None:
    before = registered_types(addon)
    changes = import_module(f"{addon.__name__}.xpbd_addon.settings.changes")
    told = changes.on_change, changes.on_use, changes.on_map, changes.on_look
    assert before and list(map(len, told)) == [1, 3, 1, 1]
    bpy.ops.preferences.addon_disable(module=addon.__name__)
    try:
        assert not registered_types(addon)
        assert not hasattr(bpy.context.scene, "xpbd")
        assert not any(told)
    finally:
        bpy.ops.preferences.addon_enable(module=addon.__name__)
    assert registered_types(addon) == before
    assert list(map(len, told)) == [1, 3, 1, 1]
