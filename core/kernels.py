# SPDX-License-Identifier: GPL-3.0-or-later
"""Readiness of the compiled code: the first simulation on a computer has to compile it.

Imports neither numba nor numpy before :func:`warm_up` is called.
"""

from __future__ import annotations

import threading
from typing import Any, Literal

from .compiled import cache_folder, use_cache

Status = Literal["cold", "compiling", "ready"]

_ready: set[str] = set()
_compiling: set[str] = set()
_lock = threading.Lock()

__all__ = ["Status", "cache_folder", "status", "use_cache", "warm_up"]


def status(solver: str = "XPBD") -> Status:
    """Whether simulating with a solver, by its name in core, starts at once."""
    if solver in _ready:
        return "ready"
    return "compiling" if solver in _compiling else "cold"


def warm_up(solver: str = "XPBD", **options: Any) -> None:
    """Compile, or load from disk, all that a simulation needs. Safe in any thread.

    Args:
        solver: its name in core.
        options: its keyword arguments where they need further code.
    """
    with _lock:
        if solver in _ready:
            return
        _compiling.add(solver)
        try:
            _simulate_something(solver, options)
            _ready.add(solver)
        finally:
            _compiling.discard(solver)


def _simulate_something(solver: str, options: dict[str, Any]) -> None:
    """A small scene that goes through every kernel and native function."""
    from importlib import import_module

    from .model import Model
    from .simulation import Simulation

    make = getattr(import_module(__package__), solver)

    positions = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    for membrane in ("continuum", "springs"):
        for damping in (0.0, 0.01):
            model = Model()
            model.add_cloth(
                positions,
                [(0, 1, 2, 3)],
                pins=[0],
                membrane=membrane,
                stretch_damping=damping,
                shear_damping=damping,
                bend_damping=damping,
                strain_limits=(0.5, 1.5),
            )
            model.add_collider(positions[:3], [(0, 1, 2)])
            model.add_strands(
                positions[:3], [(0, 1), (1, 2)], stretch_damping=damping, bend_damping=damping
            )
            simulation = Simulation(model, make(**options))
            simulation.set_targets([0], [positions[0]])
            simulation.advance(0.01)
            simulation.residual()
