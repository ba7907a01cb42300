# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is described to what moves: the state that a model starts in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .assembly import Assembly
from .bodies.meetings import meetings
from .bodies.skin import carriage_of
from .bodies.stitches import sewn_together, tapered
from .contact import ColliderSet, Contact
from .contact.surface.surface import Surface
from .forces.outside import Outside
from .native.threads import MOST_THREADS
from .state import State


def starting_state(model: Assembly, colliders: ColliderSet | None = None) -> State:
    """The state at rest, from which a simulation starts.

    Args:
        colliders: where they stand; by default where they did when they were added.
    """
    bodies = model.bodies
    apart = [(model.touching(one), model.touching(other)) for one, other in model.ignored]
    meets = meetings(bodies, model.colliders, apart)
    colliders = colliders or ColliderSet(
        model.colliders,
        model.thickness,
        model.friction,
        restitution=model.restitution,
        meets=_meets_colliders(model, meets),
        threads=MOST_THREADS,
    )
    of_particles = colliders.contacts.inside, colliders.contacts.wedged
    return State(
        model.positions,
        model.velocities,
        model.masses,
        model.drag,
        Contact(colliders, _surface(model, meets, of_particles)),
        Outside(
            model.particle_count,
            [(body.particles, body.in_air) for body in bodies],
            2.0 * model.thickness,
            model.dtype,
        ),
        model.dtype,
        twists=any(group.twist is not None for group in model.groups),
    )


def _meets_colliders(model: Assembly, meets: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each collider and particle can touch, shape (c, n)."""
    bodies = model.bodies
    found = np.ones((len(model.colliders), model.particle_count), np.bool_)
    for number, body in enumerate(bodies):
        found[:, body.anchors] = False
        found[:, body.particles] = meets[len(bodies) :, number, None]
    for skin in model.skins:
        found[:, skin.cage] = False
    return found


def _surface(
    model: Assembly,
    meets: NDArray[np.bool_],
    of_particles: tuple[NDArray[np.uint8], NDArray[np.uint8]],
) -> Surface:
    """What of the bodies and colliders can touch."""
    bodies = model.bodies
    sewn = sewn_together(model.groups, model.particle_count)
    edges = [body.edges for body in bodies]
    surface = Surface(
        [body.pieces[: None if model.touching(body) is body else 0] for body in bodies],
        model.colliders,
        meets,
        model.rest_positions,
        tapered(model.thickness, model.rest_positions, edges, sewn),
        model.friction,
        of_particles,
        carriage_of(model.skins),
        sewn,
        model.dtype,
    )
    surface.follow_rest(model.contact_rest)
    return surface
