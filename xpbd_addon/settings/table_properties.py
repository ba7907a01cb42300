# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties made from the tables `constraints`, `materials` and `painted`."""

from __future__ import annotations

from typing import Any, Literal

import bpy

from .changes import setting
from .constraints import SHOWN, SOFTEST, STIFFEST, ConstraintEntry
from .materials import Constant
from .painted import PaintedQuantity

_STEPS = 50  # of an arrow's clicks from nothing to the most that is usual
_NEARLY = 0.999999  # Blender keeps 32 bits of a limit such as 1e15, which may make it smaller


def constant_property(constant: Constant) -> Any:
    """The property of a plain number."""
    low, high = constant.limits
    soft_low, soft_high = constant.soft_range
    return setting(
        bpy.props.FloatProperty,
        name=constant.label,
        description=constant.description,
        default=constant.default,
        min=low,
        max=high,
        soft_min=soft_low,
        soft_max=soft_high,
        step=_step_to(soft_high),
        precision=constant.digits,
        keyable=True,
    )


def _step_to(most: float) -> float:
    """What Blender is told of how far a click on an arrow goes: in hundredths."""
    return 100.0 * most / _STEPS


def entry_properties(entry: ConstraintEntry) -> dict[str, Any]:
    """The properties of an entry by name."""
    stiffness, compliance = entry.stiffness_quantity, entry.compliance_quantity
    made = {
        entry.compliance: _stored_compliance(entry),
        entry.stiffness: _stiffness_view(entry, stiffness.unit, 1.0),
        entry.damping: _damping(entry),
    }
    if stiffness.factor != 1.0:
        made[entry.stiffness + SHOWN] = _stiffness_view(
            entry, stiffness.shown_unit, stiffness.factor
        )
    if compliance.factor != 1.0:
        made[entry.compliance + SHOWN] = _compliance_view(entry)
    return made


def painted_properties(quantity: PaintedQuantity) -> dict[str, Any]:
    """The properties of what can be painted by name."""
    made = {
        quantity.group: setting(
            bpy.props.StringProperty,
            name=f"{quantity.label} Group",
            description=f"Vertex group that paints {quantity.label.lower()}: weight 0 has the "
            "value of the whole object, weight 1 the maximum, edges and faces the mean of "
            "their vertices",
        ),
        quantity.least_name: _painted_number(quantity, "Min", view_of=(quantity.value, 1.0)),
        quantity.most_name: _painted_number(quantity, "Max"),
    }
    if quantity.shown != quantity.most_name:
        view = quantity.most_name, quantity.factor
        made[quantity.shown] = _painted_number(quantity, "Max", view_of=view)
    return made


def _painted_number(
    quantity: PaintedQuantity,
    which: Literal["Min", "Max"],
    *,
    view_of: tuple[str, float] | None = None,
) -> Any:
    """A stored number, or a view of a property in a unit of which so many make one SI unit."""
    factor = view_of[1] if view_of else 1.0
    weight = "0, which is that of the whole object" if which == "Min" else "1"
    unit = quantity.unit if factor == quantity.factor else "its SI unit"
    options: dict[str, Any] = {"default": quantity.most}
    if view_of is not None:
        name = view_of[0]
        options = {
            "get": lambda settings: factor * float(getattr(settings, name)),
            "set": lambda settings, value: setattr(settings, name, value / factor),
        }
    return setting(
        bpy.props.FloatProperty,
        name=f"{quantity.label} {which}",
        description=f"{quantity.label} of vertices that the group gives a weight of {weight}"
        + (f", in {unit}" if quantity.unit else ""),
        min=quantity.least * factor,
        soft_min=0.0,
        max=quantity.limit * factor,
        soft_max=quantity.soft_most * factor,
        step=_step_to(quantity.soft_most * factor),
        precision=quantity.digits if factor == quantity.factor else 6,
        subtype="DISTANCE" if quantity.is_length else "NONE",
        keyable=True,
        **options,
    )


def _stored_compliance(entry: ConstraintEntry) -> Any:
    quantity = entry.compliance_quantity
    low, high = quantity.soft_range
    return setting(
        bpy.props.FloatProperty,
        name=f"{entry.label} Compliance",
        description=_compliance_description(entry, quantity.unit),
        default=entry.default,
        min=0.0,
        max=SOFTEST,
        soft_min=low / quantity.factor,
        soft_max=high / quantity.factor,
        step=_step_to(high / quantity.factor),
        precision=quantity.digits if quantity.factor == 1.0 else 6,
        keyable=True,
    )


def _compliance_view(entry: ConstraintEntry) -> Any:
    """The stored compliance in the unit that panels show."""
    name, quantity = entry.compliance, entry.compliance_quantity

    def read(settings: Any) -> float:
        return float(getattr(settings, name)) * quantity.factor

    def write(settings: Any, value: float) -> None:
        setattr(settings, name, value / quantity.factor)

    return setting(
        bpy.props.FloatProperty,
        name=f"{entry.label} Compliance",
        description=_compliance_description(entry, quantity.shown_unit),
        min=0.0,
        max=SOFTEST * quantity.factor,
        soft_min=quantity.soft_range[0],
        soft_max=quantity.soft_range[1],
        step=_step_to(quantity.soft_range[1]),
        precision=quantity.digits,
        keyable=True,
        get=read,
        set=write,
    )


def _stiffness_view(entry: ConstraintEntry, unit: str, factor: float) -> Any:
    """The reciprocal of the stored compliance in a unit of which `factor` make one SI unit."""
    name, quantity = entry.compliance, entry.stiffness_quantity
    stiffest = STIFFEST * factor
    to_unit = factor / quantity.factor

    def read(settings: Any) -> float:
        value = getattr(settings, name)
        if value >= SOFTEST:
            return 0.0
        return min(stiffest, factor / value) if value > 0.0 else stiffest

    def write(settings: Any, value: float) -> None:
        if value >= _NEARLY * stiffest:
            setattr(settings, name, 0.0)
        else:
            setattr(settings, name, factor / value if value > factor / SOFTEST else SOFTEST)

    return setting(
        bpy.props.FloatProperty,
        name=f"{entry.label} Stiffness",
        description=f"How strongly the material resists {entry.resists}. "
        f"In {unit}, the same at any resolution of the mesh",
        min=0.0,
        max=stiffest,
        soft_min=quantity.soft_range[0] * to_unit,
        soft_max=quantity.soft_range[1] * to_unit,
        step=_step_to(quantity.soft_range[1] * to_unit),
        precision=quantity.digits if factor == quantity.factor else 6,
        keyable=True,
        get=read,
        set=write,
    )


def _damping(entry: ConstraintEntry) -> Any:
    return setting(
        bpy.props.FloatProperty,
        name=f"{entry.label} Damping",
        description=f"How fast {entry.label.lower()} movement dies away, in seconds: movement "
        f"that is faster than this is swallowed, slower movement stays{entry.damping_warning}",
        default=0.0,
        min=0.0,
        max=10.0,
        soft_max=0.1,
        precision=4,
        step=0.1,
        subtype="TIME_ABSOLUTE",
        keyable=True,
    )


def _compliance_description(entry: ConstraintEntry, unit: str) -> str:
    return (
        f"How little the material resists {entry.resists}. The reciprocal of the "
        f"{entry.label.lower()} stiffness, in {unit}; 0 does not give at all"
    )
