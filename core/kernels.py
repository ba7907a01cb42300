# SPDX-License-Identifier: GPL-3.0-or-later
"""Readiness of the compiled code: the first simulation on a computer has to compile it.

Imports neither numba nor numpy before :func:`warm_up` is called.
"""

from __future__ import annotations

import threading
from typing import Literal

from .compiled import cache_folder, use_cache

Status = Literal["cold", "compiling", "ready"]

_status: Status = "cold"
_lock = threading.Lock()

__all__ = ["Status", "cache_folder", "status", "use_cache", "warm_up"]


def status() -> Status:
    """Whether simulating starts at once."""
    return _status


def warm_up() -> None:
    """Compile, or load from disk, everything that a simulation needs. Safe in any thread."""
    global _status
    with _lock:
        if _status == "ready":
            return
        _status = "compiling"
        try:
            _simulate_something()
            _status = "ready"
        finally:
            if _status != "ready":
                _status = "cold"


def _simulate_something() -> None:
    """A small scene that goes through every kernel and native function."""
    from .model import Model
    from .simulation import Simulation

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
            )
            model.add_collider(positions[:3], [(0, 1, 2)])
            simulation = Simulation(model)
            simulation.set_targets([0], [positions[0]])
            simulation.advance(0.01)
