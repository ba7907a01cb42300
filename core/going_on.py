# SPDX-License-Identifier: GPL-3.0-or-later
"""A model takes the place of another one of the same bodies, whose pins may be others.

Bodies have the same particles then, but other ones of these are held, and others have anchors. What
leads a vertex goes on as what led it, be it the vertex's own particle or an anchor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .bodies.handle import Body
from .earlier import Earlier
from .errors import ModelError
from .model import Model

Indices = NDArray[np.int64]

_OTHERS = "A simulation can only go on with a model of the same bodies and particles."


def earlier_of(model: Model, before: Model, positions: NDArray[np.floating]) -> Earlier:
    """Which particles those of a model were.

    Args:
        before: the earlier model, with the same bodies, added in the same order.
        positions: of its particles [m], shape (n, 3).

    Raises:
        ModelError: its bodies are others, or particles that belong to none.
    """
    particles = np.full(model.particle_count, -1)
    places = np.zeros((model.particle_count, 3), positions.dtype)
    pairs = _pairs(model, before)
    for now, was in pairs:
        particles[now.particles] = was.particles
    loose, loose_before = _loose(model), _loose(before)
    if len(loose) != len(loose_before):
        raise ModelError(_OTHERS)
    particles[loose] = loose_before

    held = (particles >= 0) & np.isinf(np.append(before.masses, 0.0)[particles])
    leaders = np.where(held, particles, -1)
    for now, was in pairs:
        for lead, led in zip(now.leads, was.leads, strict=True):
            known, found = _found(lead.numbers, led.numbers)
            leaders[lead.particles[known]] = led.particles[found]
            at = was.surface(positions) if lead.on_surface else positions[was.particles]
            places[lead.particles] = at[lead.numbers]
    anchors = particles < 0
    particles[anchors] = leaders[anchors]
    return Earlier(particles, leaders, places)


def _pairs(model: Model, before: Model) -> list[tuple[Body, Body]]:
    """Each body and what it was. Raises ModelError."""
    bodies, earlier = model.bodies, before.bodies
    if len(bodies) != len(earlier):
        raise ModelError(_OTHERS)
    pairs = list(zip(bodies, earlier, strict=True))
    for now, was in pairs:
        if type(now) is not type(was) or len(now.particles) != len(was.particles):
            raise ModelError(_OTHERS)
    return pairs


def _loose(model: Model) -> Indices:
    """The particles that belong to no body."""
    is_loose = np.ones(model.particle_count, np.bool_)
    for body in model.bodies:
        is_loose[body.own] = False
    return np.flatnonzero(is_loose)


def _found(numbers: Indices, among: Indices) -> tuple[NDArray[np.bool_], Indices]:
    """Which of some numbers are among others, and where those are; both ascending."""
    places = np.searchsorted(among, numbers)
    known = np.append(among, -1)[places] == numbers
    return known, places[known]
