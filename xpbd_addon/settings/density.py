# SPDX-License-Identifier: GPL-3.0-or-later
"""Density: one name, a value and a unit for each kind of object."""

from __future__ import annotations

from typing import Any

import bpy

from .changes import KEYABLE, setting

_STORED = {"CLOTH": "areal_density", "SOFT_BODY": "volume_density", "STRANDS": "line_density"}


def _read(settings: Any) -> float:
    return float(getattr(settings, _STORED[settings.kind]))


def _write(settings: Any, value: float) -> None:
    setattr(settings, _STORED[settings.kind], value)


def _read_grams(settings: Any) -> float:
    return 1e3 * float(settings.line_density)


def _write_grams(settings: Any, value: float) -> None:
    settings.line_density = 1e-3 * value


def density_properties() -> dict[str, Any]:
    """The properties by name."""
    return {
        "density": setting(
            bpy.props.FloatProperty,
            name="Mass",
            description="Weight of a square metre of cloth in kg/m²: silk has about 0.07, cotton "
            "0.15, denim 0.4, leather 1. Of strands, weight of a metre in kg/m; of soft bodies, "
            "of a cubic metre in kg/m³",
            default=0.2,
            min=1e-7,
            max=1e5,
            soft_min=0.01,
            soft_max=5.0,
            precision=3,
            keyable=True,
            get=_read,
            set=_write,
        ),
        "areal_density": setting(
            bpy.props.FloatProperty,
            name="Mass",
            description="Weight of a square metre, in kg/m²",
            default=0.2,
            min=1e-4,
            max=1e4,
            options={"HIDDEN", *KEYABLE},
        ),
        "volume_density": setting(
            bpy.props.FloatProperty,
            name="Mass",
            description="Weight of a cubic metre, in kg/m³: water and flesh have about 1000, "
            "rubber 1200, foam 30",
            default=1000.0,
            min=1e-2,
            max=1e5,
            soft_min=10.0,
            soft_max=2000.0,
            precision=1,
            keyable=True,
        ),
        "line_density": setting(
            bpy.props.FloatProperty,
            name="Mass",
            description="Weight of a metre of one strand, in kg/m",
            default=5e-4,
            min=1e-7,
            max=1e4,
            precision=6,
            options={"HIDDEN", *KEYABLE},
        ),
        "line_density_shown": setting(
            bpy.props.FloatProperty,
            name="Mass",
            description="Weight of a metre of one strand, in grams. One hair has 0.005 g/m, a lock "
            "of a hundred 0.5, a rope of 1 cm about 70",
            default=0.5,
            min=1e-4,
            max=1e7,
            soft_max=100.0,
            precision=3,
            keyable=True,
            get=_read_grams,
            set=_write_grams,
        ),
    }
