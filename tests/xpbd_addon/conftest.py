# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on under test: installed from its zip into a Blender of its own by `build.py test`."""

import os
import sys
from collections.abc import Iterator
from types import ModuleType

import bpy
import pytest

MODULE = "bl_ext.user_default.xpbd"


def pytest_configure() -> None:
    if "BLENDER_USER_RESOURCES" not in os.environ:
        pytest.exit("These tests need an isolated Blender: run `python build.py test`.", 2)


@pytest.fixture(scope="session", autouse=True)
def addon() -> Iterator[ModuleType]:
    """The extension's root module, enabled; what stays registered would hang Blender's end."""
    assert bpy.ops.preferences.addon_enable(module=MODULE) == {"FINISHED"}
    yield sys.modules[MODULE]
    bpy.ops.preferences.addon_disable(module=MODULE)


@pytest.fixture(autouse=True)
def empty_file(addon: ModuleType) -> None:
    """Start every test with a file that holds one scene without objects."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
