# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender-free library that simulates cloth on mesh data.

The way of the data: mesh → :class:`Model` → solver step → frame. Names are imported when first
used, so that an add-on can choose the cache folder (``core.kernels.use_cache``) before numba loads.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cloth import Cloth, ClothMaterial
    from .contact import Collider
    from .materials import MATERIALS, Material
    from .mesh import MeshError, edge_strain
    from .model import Model
    from .simulation import Simulation, SimulationError
    from .solvers.constrained_dynamics import ConstrainedDynamics
    from .solvers.pbd import PBD
    from .solvers.projective_dynamics import ProjectiveDynamics
    from .solvers.xpbd import XPBD
    from .strands import StrandMaterial, Strands

_HOME = {
    "Cloth": "cloth",
    "ClothMaterial": "cloth",
    "Collider": "contact",
    "ConstrainedDynamics": "solvers.constrained_dynamics",
    "MATERIALS": "materials",
    "Material": "materials",
    "MeshError": "mesh",
    "Model": "model",
    "PBD": "solvers.pbd",
    "ProjectiveDynamics": "solvers.projective_dynamics",
    "Simulation": "simulation",
    "SimulationError": "simulation",
    "StrandMaterial": "strands",
    "Strands": "strands",
    "XPBD": "solvers.xpbd",
    "edge_strain": "mesh",
}

__all__ = [
    "MATERIALS",
    "PBD",
    "XPBD",
    "Cloth",
    "ClothMaterial",
    "Collider",
    "ConstrainedDynamics",
    "Material",
    "MeshError",
    "Model",
    "ProjectiveDynamics",
    "Simulation",
    "SimulationError",
    "StrandMaterial",
    "Strands",
    "edge_strain",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    if name in ("kernels", "cache"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
