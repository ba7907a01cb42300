# SPDX-License-Identifier: GPL-3.0-or-later
"""What fills a closed surface: air, gas or water."""

from __future__ import annotations

from typing import Any

import bpy

from .changes import setting, time_taken

_SHOWN = 1e6  # litres per kilopascal in one m³/Pa


def _read_shown(settings: Any) -> float:
    return _SHOWN * float(settings.volume_compliance)


def _write_shown(settings: Any, value: float) -> None:
    settings.volume_compliance = value / _SHOWN


def volume_properties() -> dict[str, Any]:
    """The properties by name."""
    return {
        "use_volume": setting(
            bpy.props.BoolProperty,
            name="Volume",
            description="Fill the mesh with air or water, as a balloon, a ball or a cushion is. "
            "The mesh must be closed",
            default=False,
        ),
        "inflation": setting(
            bpy.props.FloatProperty,
            name="Inflation",
            description="How much is filled in, as a factor of the volume at the start: 1 just "
            "keeps that volume, 1.5 blows a balloon up, below 1 the skin becomes slack. Soft "
            "bodies swell and shrink by it",
            default=1.0,
            min=0.01,
            max=100.0,
            soft_min=0.5,
            soft_max=3.0,
            precision=3,
            step=1,
            keyable=True,
        ),
        "inflation_time": time_taken(
            "Inflation Time",
            "Seconds from the first frame on in which Inflation comes about, slowly at first and "
            "in the end. At 0 it is all there at once, which shoots a cushion of flat panels into "
            "the air",
        ),
        "volume_compliance": setting(
            bpy.props.FloatProperty,
            name="Volume Softness",
            description="Volume compliance: how much the volume gives way to pressure, in m³/Pa; 0 "
            "does not give at all, as water",
            default=0.0,
            min=0.0,
            max=1e3,
            soft_max=1e-3,
            precision=6,
            keyable=True,
        ),
        "volume_compliance_shown": setting(
            bpy.props.FloatProperty,
            name="Volume Softness",
            description="Volume compliance: how much the volume gives way to pressure, in litres "
            "per kilopascal. 0 does not give at all, as water; air gives way by a hundredth of its "
            "volume: 0.05 in a football, 40 in a ball of 2 m",
            min=0.0,
            max=1e9,
            soft_max=1000.0,
            precision=3,
            keyable=True,
            get=_read_shown,
            set=_write_shown,
        ),
    }
