# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact: what keeps bodies apart. Solvers see :mod:`.interface` only.

- :mod:`.collider`: triangle meshes that particles stay out of, and their set
- :mod:`.data`, :mod:`.arrays`, :mod:`.topology`: the arrays that kernels read, and making them
- :mod:`.broad_phase`, :mod:`.closest_point`, :mod:`.crossing`: who is near, where, and who went
  through
- :mod:`.response`, :mod:`.restitution`: pushing out, rubbing, bouncing
- :mod:`.motion`, :mod:`.vectors`: colliders on their way, and arithmetic
"""

from __future__ import annotations

from .collider import Collider, ColliderSet
from .interface import Contact

__all__ = ["Collider", "ColliderSet", "Contact"]
