# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases, one file each, found by the name of their file."""

from __future__ import annotations

import importlib
import pkgutil

from ..report import Case


def names() -> list[str]:
    """Return the names of all cases."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Case:
    """Return the case of a file; raise ImportError where there is none."""
    case: Case = importlib.import_module(f"{__name__}.{name}").CASE
    return case
