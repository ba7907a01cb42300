# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing panels without a window."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy

RANGE = [
    "frame_start",
    "frame_end",
    "lock_cache",
    "checkpoint_interval",
    "cache_directory",
    "cache_encoding",
]
SIMULATE = ["xpbd.simulate", "xpbd.clear_cache", "xpbd.simulate_from"]
BAKE = ["bake_mode", "xpbd.bake_shape_keys"]


class Layout:
    """Records what a panel draws and checks that each property and operator exists."""

    def __init__(self, parent: Layout | None = None) -> None:
        self.drawn: list[str] = parent.drawn if parent else []
        self.operators: dict[str, SimpleNamespace] = parent.operators if parent else {}
        self.labels: dict[str, object] = parent.labels if parent else {}
        self.buttons: dict[str, object] = parent.buttons if parent else {}
        self.greyed: list[str] = parent.greyed if parent else []
        self.disabled: list[str] = parent.disabled if parent else []
        self.active = self.enabled = True
        self.use_property_split, self.use_property_decorate = False, True

    def _nested(self, **options: object) -> Layout:
        return Layout(self)

    column = row = grid_flow = box = split = _nested

    def prop(self, data: bpy.types.bpy_struct[Any], name: str, **options: object) -> None:
        assert name in data.bl_rna.properties, name
        self.drawn.append(name)
        text = options.get("text")
        self.labels[name] = data.bl_rna.properties[name].name if text is None else text
        if not self.active:
            self.greyed.append(name)

    def prop_search(
        self,
        data: bpy.types.bpy_struct[Any],
        name: str,
        source: object,
        items: str,
        **options: object,
    ) -> None:
        assert hasattr(source, items)
        self.prop(data, name, **options)

    def operator(self, identifier: str, **options: object) -> SimpleNamespace:
        category, name = identifier.split(".")
        own_name = getattr(getattr(bpy.ops, category), name).get_rna_type().name
        self.drawn.append(identifier)
        self.buttons[identifier] = options.get("text", own_name)
        if not self.enabled:
            self.disabled.append(identifier)
        return self.operators.setdefault(identifier, SimpleNamespace())

    def operator_menu_enum(self, identifier: str, name: str, **options: object) -> None:
        category, operator = identifier.split(".")
        assert name in getattr(getattr(bpy.ops, category), operator).get_rna_type().properties
        self.operator(identifier, **options)

    def label(self, text: str = "", **options: object) -> None:
        self.drawn.append(text)

    def progress(self, text: str = "", **options: object) -> None:
        self.drawn.append(text)

    def separator(self, **options: object) -> None:
        pass


def draw(section: str = "", part: str = "draw") -> Layout:
    """Draw one of our panels or its header, as Blender would for the active object."""
    name = f"PHYSICS_PT_xpbd_{section}" if section else "PHYSICS_PT_xpbd"
    panel = getattr(bpy.types, name)
    assert panel.poll(bpy.context)
    layout = Layout()
    getattr(panel, part)(SimpleNamespace(layout=layout), bpy.context)
    return layout
