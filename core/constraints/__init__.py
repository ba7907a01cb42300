# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint types. Every module of this folder that holds a ``CONSTRAINT`` is registered.

``base``           what such a module must hold
``distance``       the length between two particles
``attachment``     a spring to where a particle is wanted
``angle``          the angle by which a strand turns at a particle
``bending``        the angle between two triangles
``strain``         Green strain of a triangle
``corotational``   co-rotational strain of a tetrahedron
``volume``         the volume inside a closed surface
``stretch_limit``  bounds of a length
``strain_limit``   bounds of a triangle's singular values
"""

from __future__ import annotations

import importlib
import pkgutil

from .base import Constraint


def _discover() -> dict[str, Constraint]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found: dict[str, Constraint] = {}
    for name in names:
        if name == "base":
            continue
        constraint = getattr(importlib.import_module(f"{__name__}.{name}"), "CONSTRAINT", None)
        if not isinstance(constraint, Constraint):
            raise TypeError(f"core/constraints/{name}.py needs a CONSTRAINT; see base.py.")
        if constraint.kind in found:
            raise TypeError(f"core/constraints/{name}.py: there is a '{constraint.kind}' already.")
        found[constraint.kind] = constraint
    return found


REGISTRY: dict[str, Constraint] = _discover()

__all__ = ["REGISTRY", "Constraint"]
