# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side: settings and buttons, the way from meshes to `core` and back to the screen.

Knows `core`; `core` knows nothing of Blender. The folders import in one direction only, each from
those before it:

- `settings`    of objects and scenes, and the tables behind them; who is told of changes
- `scene`       objects read as arrays, what is added to objects, what a simulation depends on
- `simulation`  the live solver, sessions with their caches, long jobs, compiling in the background
- `show`        what is cached, on the screen
- `bake`        shape keys and back
- `farm`        variations of a scene, in other Blenders and on other machines
- `interface`   panels only draw, operators call functions, presets, the command line

`errors`, `log` and `main_thread` (what others have it do) know none of them. `handlers` stands
above them all: what happens when Blender plays, saves, loads or undoes.
"""

from __future__ import annotations

import importlib
from types import ModuleType

MODULES = (
    "settings.properties",
    "interface.operators",
    "interface.convert",
    "interface.convert_cloth",
    "interface.split_seams",
    "interface.cut_into_pieces",
    "interface.strand_tubes",
    "interface.bake",
    "interface.simulate",
    "interface.grab",
    "interface.by_hand_panel",
    "farm.background_sweep",
    "interface.sweep_operators",
    "interface.presets",
    "interface.panels",
    "interface.physics_tab",
    "interface.viewport_line",
    "interface.timeline_bar",
    "interface.tension_overlay",
    "interface.cage_overlay",
    "interface.cli",
    "simulation.warmup",
    "main_thread",
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
