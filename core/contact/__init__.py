# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact between particles and triangle meshes that stand still or move."""

from __future__ import annotations

from .collider import Collider, ColliderSet
from .data import Contacts
from .response import apply_friction, begin_substep, project

__all__ = ["Collider", "ColliderSet", "Contacts", "apply_friction", "begin_substep", "project"]
