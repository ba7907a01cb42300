# SPDX-License-Identifier: GPL-3.0-or-later
"""Readiness of the compiled code: the first simulation on a computer has to compile it.

Imports neither numba nor numpy before :func:`warm_up` is called.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

from .native.cache import cache_folder, use_cache

if TYPE_CHECKING:
    from .bodies.cloth_material import Membrane
    from .bodies.soft_material import Energy
    from .model import Model
    from .simulation import Simulation

Status = Literal["cold", "compiling", "ready"]

MANY_OBJECTS = 100_000

_SQUARE = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
_CORNER = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
_CORNER_FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]

_DAMPINGS = (0.0, 0.01)  # s
_CELL = 0.3
"""Of a cage around the corner: one in which patches of 4 to 8 vertices occur."""

_ready: set[str] = set()
_compiling: set[str] = set()
_lock = threading.Lock()

__all__ = ["Status", "cache_folder", "status", "use_cache", "warm_up"]


def status(
    solver: str = "XPBD", *, volume: bool = False, soft: bool = False, **options: Any
) -> Status:
    """Whether simulating starts at once, :func:`warm_up` having been called with the same."""
    request = _request(solver, volume, soft, options)
    if request in _ready:
        return "ready"
    return "compiling" if request in _compiling else "cold"


def warm_up(
    solver: str = "XPBD", *, volume: bool = False, soft: bool = False, **options: Any
) -> None:
    """Compile, or load from disk, all that a simulation needs. Safe in any thread.

    Args:
        solver: its name in core.
        volume: whether closed surfaces are filled; not every solver can.
        soft: whether there are soft bodies, too; likewise.
        options: its keyword arguments, since some need code that others don't.
    """
    request = _request(solver, volume, soft, options)
    with _lock:
        if request in _ready:
            return
        _compiling.add(request)
        try:
            with _seldom_collecting():
                _simulate_something(solver, volume, soft, options)
            _ready.add(request)
        finally:
            _compiling.discard(request)


def _request(solver: str, volume: bool, soft: bool, options: dict[str, Any]) -> str:
    return f"{solver} {volume} {soft} {sorted(options.items())}"


def _simulate_something(solver: str, volume: bool, soft: bool, options: dict[str, Any]) -> None:
    """Small scenes that go through every kernel and native function.

    Kernels of the later scenes are compiled while the first one compiles native functions.
    """
    from importlib import import_module

    from .bodies.soft_material import Energy
    from .simulation import Simulation

    make = getattr(import_module(__package__), solver)
    membranes: tuple[Membrane, ...] = ("continuum", "springs")
    energies: tuple[Energy, ...] = get_args(Energy) if soft else ()
    models = [partial(_thin, volume, *each) for each in product(membranes, _DAMPINGS)]
    models += [partial(_soft, *each) for each in product(energies, _DAMPINGS)]

    def begun(model: Callable[[], Model]) -> Simulation:
        return Simulation(model(), make(**options))

    first = begun(models[0])
    with ThreadPoolExecutor(1, thread_name_prefix="xpbd") as helper:
        later = [helper.submit(begun, model) for model in models[1:]]
        _go_through(first)
    for simulation in later:
        _go_through(simulation.result())


def _thin(volume: bool, membrane: Membrane, damping: float) -> Model:
    """Cloth and strands over a collider."""
    from .model import Model

    model = Model()
    model.add_cloth(
        _SQUARE,
        [(0, 1, 2, 3)],
        pins=[0],
        membrane=membrane,
        stretch_damping=damping,
        shear_damping=damping,
        bend_damping=damping,
        strain_limits=(0.5, 1.5),
    )
    model.add_cloth(
        _SQUARE,
        [(0, 1, 2, 3)],
        membrane=membrane,
        compression=0.5,
        stretch_damping=damping,
        shear_damping=damping,
    )
    if volume:
        model.add_cloth(_CORNER, _CORNER_FACES, volume_compliance=0.0)
    model.add_collider(_SQUARE[:3], [(0, 1, 2)])
    model.add_strands(_SQUARE[:3], [(0, 1), (1, 2)], stretch_damping=damping, bend_damping=damping)
    return model


def _soft(energy: Energy, damping: float) -> Model:
    """A soft body held by a face, and a sheet that hits its skin."""
    from .model import Model

    model = Model()
    model.add_soft_body(
        _CORNER, _CORNER_FACES, cell_size=_CELL, pins=[0, 1, 2], energy=energy, damping=damping
    )
    model.add_cloth(_SQUARE, [(0, 1, 2, 3)], velocities=(0.0, 0.0, 1.0))
    return model


def _go_through(simulation: Simulation) -> None:
    from .mesh.surface import edge_strain

    model = simulation.model
    for body in model.bodies:
        simulation.set_targets(body.pins, simulation.positions[body.pins])
    simulation.advance(0.01)
    simulation.report()
    for soft in model.soft_bodies:
        simulation.surface(soft)
    for sheet in model.cloths:
        edge_strain(simulation.positions, sheet.edges, sheet.rest_lengths)


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Compiling makes millions of objects; looking for unused ones takes a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
