# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint types, one module each.

Every module but those of ``HELPERS`` defines ``CONSTRAINT``, one type, or ``CONSTRAINTS``, several;
they are registered by their kind.
"""

from __future__ import annotations

import importlib
import pkgutil

from .base import Constraint

HELPERS = ("base", "patch")


def _discover() -> dict[str, Constraint]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found: dict[str, Constraint] = {}
    for name in names:
        if name in HELPERS:
            continue
        module = importlib.import_module(f"{__name__}.{name}")
        constraints = getattr(module, "CONSTRAINTS", (getattr(module, "CONSTRAINT", None),))
        for constraint in constraints:
            if not isinstance(constraint, Constraint):
                raise TypeError(f"core/constraints/{name}.py needs a CONSTRAINT; see base.py.")
            if constraint.kind in found:
                raise TypeError(f"There is a constraint '{constraint.kind}' already.")
            found[constraint.kind] = constraint
    return found


REGISTRY: dict[str, Constraint] = _discover()

__all__ = ["REGISTRY", "Constraint"]
