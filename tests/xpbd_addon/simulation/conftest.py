# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests here have in common."""

from __future__ import annotations

import bpy
import pytest
from blender_scenes import empty_scene
from playing import addon


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of what is simulated together, each time that something is."""
    found: list[list[str]] = []
    build = addon.simulation.live.build

    def watched(inputs: object, *cancelled: object) -> object:
        found.append([body.name for body in inputs.bodies])
        return build(inputs, *cancelled)

    monkeypatch.setattr(addon.simulation.live, "build", watched)
    return found
