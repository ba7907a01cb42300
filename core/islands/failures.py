# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step must not leave behind: said with the object's name and the cure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..bodies.handle import Body
from ..contact.surface.memory import TooManyContacts
from ..errors import SimulationError
from ..linear import NotConverged, NotPositiveDefinite
from ..model import Model
from ..state import State

TORN, SOME = 2.0, 0.01
"""Times its length at rest an edge is torn; where more than this part of a body's edges are, the
body is."""

SOME_NAMES = 4
"""Of objects, in a sentence."""


def check_finite(model: Model, state: State) -> None:
    """Raise SimulationError where a position is not a finite number any more."""
    finite = np.isfinite(state.positions)
    if not finite.all():
        owner = model.owner_of(int(np.flatnonzero(~finite.all(axis=1))[0]))
        raise SimulationError(
            f"'{owner}' became unstable (not a number); use more substeps or a softer material."
        )


@contextmanager
def solvable(model: Model) -> Iterator[None]:
    """Raise SimulationError where a step's equations can't be solved, or are too many."""
    try:
        yield
    except TooManyContacts as error:
        raise SimulationError(
            f"{_names(model)} may touch in more places than memory holds ({error}): let what "
            "leads them move less in a frame, or make them thinner."
        ) from error
    except (NotPositiveDefinite, NotConverged) as error:
        raise SimulationError(
            f"{_names(model)} can't be solved exactly ({error}): merge vertices that lie on each "
            "other, take away faces as thin as a needle, or use the solver XPBD."
        ) from error


def _names(model: Model) -> str:
    found = list(dict.fromkeys(f"'{body.name}'" for body in model.bodies))
    more = [f"{len(found) - SOME_NAMES} more"] if len(found) > SOME_NAMES else []
    return " and ".join(found[:SOME_NAMES] + more) or "What is simulated"


def check_led_out(model: Model, state: State) -> None:
    """Raise SimulationError where a collider pulls apart what is inside of it as a whole.

    Each particle is led to the outside that is nearest to it, which is on all sides for something
    in the middle.
    """
    inside = state.contact.arrays.colliders.inside != 0
    if not inside.any():
        return
    for body in model.bodies:
        free = body.particles[state.rows[body.particles, 3] > 0.0]
        if len(free) and inside[free].all() and _is_torn(body, state):
            raise SimulationError(
                f"'{body.name}' is inside of {_around(model, state, body)} and is pulled out of it "
                "on all sides: move it out, flip the collider's normals if it is hollow, or keep "
                "both from colliding."
            )


def _is_torn(body: Body, state: State) -> bool:
    ends = state.positions[body.edges].astype(np.float64)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    return bool(np.mean(lengths > TORN * body.rest_lengths) > SOME)


def _around(model: Model, state: State, body: Body) -> str:
    """The smallest collider whose box holds a body."""
    points = state.positions[body.particles]
    found = [
        (float(np.ptp(each.vertices, axis=0).max()), f"the collider '{each.name}'")
        for each in model.colliders
        if (each.vertices.min(axis=0) < points.min(axis=0)).all()
        and (each.vertices.max(axis=0) > points.max(axis=0)).all()
    ]
    return min(found, default=(0.0, "a collider"))[1]
