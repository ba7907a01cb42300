# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens when the user changes a setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

Update = Callable[[Any, bpy.types.Context], None]


def changed(_settings: Any, _context: bpy.types.Context) -> None:
    """The update function of settings that a simulation depends on."""
    from ..simulation import session

    session.touch()
