# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact between particles and triangle meshes that stand still or move."""

from __future__ import annotations

from .collider import Collider, ColliderSet
from .data import Contacts
from .response import apply_friction, begin_substep, project
from .restitution import note_incoming

__all__ = [
    "Collider",
    "ColliderSet",
    "Contacts",
    "apply_friction",
    "begin_substep",
    "note_incoming",
    "project",
]
