# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact: what keeps bodies apart. Solvers see :mod:`.interface` only."""

from __future__ import annotations

from .collider import Collider, ColliderSet
from .interface import Contact

__all__ = ["Collider", "ColliderSet", "Contact"]
