# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side: settings and buttons, the way from meshes to `core` and back to the screen.

Knows `core`; `core` knows nothing of Blender. `object_settings` and `scene_settings` hold the
settings, `mesh_io` reads the scene, `session` simulates and keeps the cache, `display` shows it,
`job` runs long simulations, `bake` writes shape keys; panels only draw, operators call functions,
handlers look up or advance.
"""

from __future__ import annotations

import importlib
from types import ModuleType

MODULES = (
    "settings.properties",
    "interface.operators",
    "scene.hair",
    "bake.operators",
    "interface.simulate",
    "interface.presets",
    "interface.panels",
    "interface.cli",
    "simulation.warmup",
    "handlers",
)


def _modules() -> list[ModuleType]:
    return [importlib.import_module(f".{name}", __package__) for name in MODULES]


def register() -> None:
    """Enable the add-on."""
    for module in _modules():
        module.register()


def unregister() -> None:
    """Disable the add-on and leave nothing running."""
    for module in reversed(_modules()):
        module.unregister()
