# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solver tells of the step that it has made."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...bodies.handle import Body


class Report(NamedTuple):
    """How a step went.

    Attributes:
        substeps, iterations: that it took; 0 before the first.
        overstretch: how much longer than its stiffness allows the worst object was left where
            more work would mend it, a fraction of its length; 0 where the method does not know.
        residual: how far [m] a further iteration would move any particle at most.
        worst: name of that object; empty where nothing was left too long.
        bend_error: how wrong the bending of the worst sheet was left: how much too far down it
            would hang over an edge, a fraction of what hangs; 0 where the method does not know.
        needed: substeps that soft bodies needed to be at most 3% too soft; 0 without any, and
            where the method does not know.
    """

    substeps: int
    iterations: int
    overstretch: float
    residual: float
    worst: str = ""
    bend_error: float = 0.0
    needed: int = 0


class Crossings(NamedTuple):
    """Where a body goes through itself, another one or a collider.

    Attributes:
        pairs: how many pairs of faces, or of edges of strands and faces, at least one of them the
            body's, do so.
        vertices: of the body, at the corners of its faces among them, shape (k,), ascending.
    """

    pairs: int
    vertices: NDArray[np.int64]


class Overstretch(NamedTuple):
    """How a step left constraints of one kind of an object, all but a thousandth of them.

    Attributes:
        particle: one of the object's.
        error: how much longer than their stiffness allows, where more work would mend it, a
            fraction of the length.
        stretch: how much longer than at rest those are that can be mended.
        held_apart: particles of those that can't: what they touch, or pins, are too far apart.
        caught: how much longer than its stiffness allows the worst but one near what touches is.
    """

    particle: int
    error: float
    stretch: float
    held_apart: NDArray[np.int64]
    caught: float = 0.0


class BendError(NamedTuple):
    """How a step left the bending of a sheet.

    Attributes:
        particle: one of its particles.
        error: how much of it is wrong, a fraction of all of it, weighed by energy.
    """

    particle: int
    error: float


NONE = Overstretch(0, 0.0, 0.0, np.empty(0, np.int64))
"""Where nothing can be stretched."""


def worst_of(body: Body, found: Sequence[Overstretch]) -> Overstretch:
    """The worst of what was found of a body, with all vertices that are held apart."""
    worst = max(found, key=attrgetter("error"), default=NONE)
    held = np.unique(np.concatenate([NONE.held_apart, *(each.held_apart for each in found)]))
    return worst._replace(held_apart=held - body.particles[0])


def crossings_among(body: Body, found: NDArray[np.int64]) -> Crossings:
    """Of pairs of faces, given by their corners, those of a body."""
    own = body.owns(found)
    pairs = int(own.any(axis=(1, 2)).sum())
    return Crossings(pairs, body.shown_of(np.unique(found[own]) - body.particles[0]))
