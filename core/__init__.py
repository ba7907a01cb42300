# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender-free library that simulates cloth on mesh data.

The way of the data: mesh → :class:`Model` → solver step → frame. Names are imported when first
used, so that an add-on can choose the cache folder (``core.warm_up.use_cache``) before numba loads.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bodies.cloth import Cloth, ClothMaterial
    from .bodies.strands import StrandMaterial, Strands
    from .contact import Collider
    from .materials.fabrics import MATERIALS, Material
    from .mesh.surface import MeshError, edge_strain
    from .model import Model
    from .simulation import Simulation, SimulationError
    from .solvers.constrained.solver import ConstrainedDynamics
    from .solvers.pbd.solver import PBD
    from .solvers.projective.solver import ProjectiveDynamics
    from .solvers.xpbd.solver import XPBD

_HOME = {
    "Cloth": "bodies.cloth",
    "ClothMaterial": "bodies.cloth",
    "Collider": "contact",
    "ConstrainedDynamics": "solvers.constrained.solver",
    "MATERIALS": "materials.fabrics",
    "Material": "materials.fabrics",
    "MeshError": "mesh.surface",
    "Model": "model",
    "PBD": "solvers.pbd.solver",
    "ProjectiveDynamics": "solvers.projective.solver",
    "Simulation": "simulation",
    "SimulationError": "simulation",
    "StrandMaterial": "bodies.strands",
    "Strands": "bodies.strands",
    "XPBD": "solvers.xpbd.solver",
    "edge_strain": "mesh.surface",
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
    if name in ("warm_up", "frame_cache"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
