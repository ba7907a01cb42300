# SPDX-License-Identifier: GPL-3.0-or-later
"""All that native code sees of a contact surface, and memory for it.

What does not change within a frame is its shape. What is found while a step runs is grouped by what
it is about, in the order in which it is found: hulls of vertices, the tree around these, candidates
that may come near each other, and pairs that do; zones of what is held back; and of what went
through each other tangles, contours, and what colliders enclose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...native.by_address import by_address
from ..carried import Carried
from .candidates import Candidates, new_candidates
from .contours import Contours, new_contours
from .data import TOLD, Shape
from .hold_back import Zones, new_zones
from .hulls import Hulls, new_hulls
from .no_room import Enclosed, new_enclosed
from .pairs import Pairs, new_pairs
from .side_by_side import SideBySide
from .tangles import Tangles, new_tangles
from .tree import Tree, new_tree

MOST_PAIRS, MOST_CANDIDATES = 10_000_000, 20_000_000
"""How many there is memory for at most: some three gigabytes. A pile of a million vertices has
half as many; more have things that are torn across others, or many times as thick as their cells.
"""


class TooManyContacts(ArithmeticError):
    """More places are near each other than there may be memory for."""


def check_capacity(pairs: int, candidates: int) -> None:
    """Raise TooManyContacts where so many pairs, or candidates in a stream, are too many."""
    for found, most in ((pairs, MOST_PAIRS), (candidates, MOST_CANDIDATES)):
        if found > most:
            raise TooManyContacts(f"{found:,}, at most {most:,}")


@by_address
class Motion(NamedTuple):
    """How m vertices move in a substep.

    Attributes:
        start: where they are when it begins, and their inverse masses, shape (m, 4).
        ends: where they would end if nothing touched, later where those would that are held back,
            shape (m, 4).
        free_ways: what ``State.free_ways`` are where nothing has pushed yet, shape (m, 4).
        led: how far each is led away from where it started too near [m], shape (m, 4),
        led_out: and how far of that out of what it went through.
        pushed: 1 for vertices that were pushed far, shape (m,), uint8.
    """

    start: NDArray[Any]
    ends: NDArray[Any]
    free_ways: NDArray[Any]
    led: NDArray[Any]
    led_out: NDArray[Any]
    pushed: NDArray[Any]


@by_address
class SurfaceArrays(NamedTuple):
    """What native code sees of the contact surface.

    Attributes:
        shape: what does not change within a frame; the others do.
        told: what each thread tells the others, see STRAYED and TURNING, shape (threads, TOLD),
            int64.
    """

    shape: Shape
    sides: SideBySide
    motion: Motion
    hulls: Hulls
    tree: Tree
    candidates: Candidates
    pairs: Pairs
    zones: Zones
    tangles: Tangles
    contours: Contours
    enclosed: Enclosed
    told: NDArray[Any]


def memory_for(
    shape: Shape,
    sides: SideBySide,
    threads: int,
    pairs: int,
    candidates: int,
    of_particles: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    carried: Carried,
    dtype: DTypeLike,
) -> SurfaceArrays:
    """A surface of which nothing has been found yet.

    Args:
        pairs: capacity for so many in all threads,
        candidates: and for so many in each stream of each thread, listed at once.
        of_particles: ``Enclosed.inside`` and ``Enclosed.wedged``.
        carried: particles that others carry.
    """
    count = len(shape.rest)
    start, ends, free_ways, led, led_out = (np.zeros_like(shape.rest) for _ in range(5))
    return SurfaceArrays(
        shape=shape,
        sides=sides,
        motion=Motion(start, ends, free_ways, led, led_out, np.zeros(count, np.uint8)),
        hulls=new_hulls(count),
        tree=new_tree(shape),
        candidates=new_candidates(shape, threads, candidates, dtype),
        pairs=new_pairs(pairs, threads, carried),
        zones=new_zones(count),
        tangles=new_tangles(shape, threads),
        contours=new_contours(shape),
        enclosed=new_enclosed(count, *of_particles),
        told=np.zeros((threads, TOLD), np.int64),
    )
