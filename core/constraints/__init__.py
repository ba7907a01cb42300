# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint types. Every module of this folder that holds a ``CONSTRAINT`` is registered."""

from __future__ import annotations

import importlib
import pkgutil

from .base import Constraint


def _discover() -> dict[str, Constraint]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = (importlib.import_module(f"{__name__}.{name}") for name in names if name != "base")
    return {module.CONSTRAINT.kind: module.CONSTRAINT for module in modules}


REGISTRY: dict[str, Constraint] = _discover()

__all__ = ["REGISTRY", "Constraint"]
