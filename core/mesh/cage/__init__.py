# SPDX-License-Identifier: GPL-3.0-or-later
"""A cage of tetrahedra around any surface."""

from .cage import Cage, cage_of, default_cell_size
from .carrying import SmoothCarrier, carried
from .parts import cage_of_parts

__all__ = ["Cage", "SmoothCarrier", "cage_of", "cage_of_parts", "carried", "default_cell_size"]
