# SPDX-License-Identifier: GPL-3.0-or-later
"""Density: one name, a value and a unit for each kind of object."""

from __future__ import annotations

from typing import Any

import bpy

from .changes import KEYABLE, OVERRIDE, Update

_STORED = {"CLOTH": "areal_density", "STRANDS": "line_density"}


def _read(settings: Any) -> float:
    return float(getattr(settings, _STORED[settings.kind]))


def _write(settings: Any, value: float) -> None:
    setattr(settings, _STORED[settings.kind], value)


def _read_grams(settings: Any) -> float:
    return 1e3 * float(settings.line_density)


def _write_grams(settings: Any, value: float) -> None:
    settings.line_density = 1e-3 * value


def density_properties(update: Update) -> dict[str, Any]:
    """The properties by name; update is called whenever their values change."""
    return {
        "density": bpy.props.FloatProperty(
            name="Density",
            description="Weight of a square metre of cloth in kg/m²: silk has about 0.07, cotton "
            "0.15, denim 0.4, leather 1. Of strands, weight of a metre in kg/m",
            default=0.2,
            min=1e-7,
            max=1e4,
            soft_min=0.01,
            soft_max=5.0,
            precision=3,
            options=KEYABLE,
            override=OVERRIDE,
            get=_read,
            set=_write,
        ),
        "areal_density": bpy.props.FloatProperty(
            name="Areal Density",
            description="Weight of a square metre, in kg/m²",
            default=0.2,
            min=1e-4,
            max=1e4,
            options={"HIDDEN", *KEYABLE},
            override=OVERRIDE,
            update=update,
        ),
        "line_density": bpy.props.FloatProperty(
            name="Line Density",
            description="Weight of a metre of one strand, in kg/m",
            default=5e-4,
            min=1e-7,
            max=1e4,
            precision=6,
            options={"HIDDEN", *KEYABLE},
            override=OVERRIDE,
            update=update,
        ),
        "line_density_shown": bpy.props.FloatProperty(
            name="Density",
            description="Weight of a metre of one strand, in grams. One hair has 0.005 g/m, a lock "
            "of a hundred 0.5, a rope of 1 cm about 70",
            default=0.5,
            min=1e-4,
            max=1e7,
            soft_max=100.0,
            precision=3,
            options=KEYABLE,
            override=OVERRIDE,
            get=_read_grams,
            set=_write_grams,
        ),
    }
