# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the frame that a simulation has arrived at, beside where everything is.

Nothing here touches Blender: it may run in any thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..scene.mesh_io import Positions
from . import measures
from .live import Live
from .measures import Measures

if TYPE_CHECKING:
    from ...core import Simulation
    from ...core.solvers.common.report import Report

Faults = dict[str, NDArray[np.int64]]
"""Vertices of an object, by the measure that counts them."""


def together(live: Live) -> list[set[str]]:
    """Cache ids of the objects of each island of the last frame: only these can have met."""
    handles = [live.handles[body.uid] for body in live.inputs.bodies]
    islands: dict[int, set[str]] = {}
    for body, island in zip(live.inputs.bodies, live.simulation.islands_of(*handles), strict=True):
        islands.setdefault(island, set()).add(body.object_id)
    return list(islands.values())


def measure(live: Live) -> tuple[dict[str, Measures], dict[str, Faults]]:
    """What is known of the frame that the simulation has arrived at, by cache id.

    Returns:
        what the cache keeps beside positions, and which vertices have which fault.
    """
    simulation, objects = live.simulation, live.inputs.bodies
    handles = [live.handles[body.uid] for body in objects]
    found: dict[str, Measures] = {}
    faults: dict[str, Faults] = {}
    for body, handle, report, overstretch, bend_error, crossings, reach in zip(
        objects,
        handles,
        simulation.reports_of(*handles),
        simulation.overstretches_of(*handles),
        simulation.bend_errors_of(*handles),
        simulation.crossings_of(*handles),
        simulation.reach_of(*handles),
        strict=True,
    ):
        own = {
            "held_apart": overstretch.held_apart,
            "crossings": crossings.vertices,
            "squeezed": simulation.squeezed(handle),
        }
        if body.reduction is not None:
            own = {name: body.reduction.to_vertices(each) for name, each in own.items()}
        counts = {name: len(vertices) for name, vertices in own.items()}
        counts["crossings"] = crossings.pairs
        faults[body.object_id] = own
        found[body.object_id] = _measure(simulation, handle, report)._replace(
            overstretch=overstretch.error,
            bend_error=bend_error,
            **counts,
            **_world(live, *reach),
        )
    return found, faults


def _world(live: Live, low: Positions, high: Positions) -> dict[str, Any]:
    """The corners [m] of a box in the world, rounded outward to single precision."""
    corners = np.array([low, high]) + live.origin
    rounded = np.nextafter(corners.astype(np.float32), np.array([[-np.inf], [np.inf]], np.float32))
    return dict(zip(measures.CORNERS, rounded.ravel().tolist(), strict=True))


def _measure(simulation: Simulation, handle: Any, report: Report) -> Measures:
    from ... import core

    measured = measures.AT_REST._replace(
        residual=report.residual,
        substeps=report.substeps,
        iterations=report.iterations,
        needed=report.needed,
    )
    if not len(handle.edges):
        return measured
    seen = simulation.model.touching(handle)  # a cage sticks out, and nobody sees it
    strain = core.edge_strain(simulation.positions, seen.edges, simulation.rest_lengths(seen))
    return measured._replace(
        largest_strain=float(strain.max()), mean_strain=float(np.abs(strain).mean())
    )
