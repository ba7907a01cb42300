# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof that nothing crosses in a substep, and what happens where it fails.

Vertices move evenly. If all of the one are beyond all of the other in the direction of the normal
at the start and at the end, a plane that moves evenly lies between both all the way. Pairs of which
that is not true are followed along their way. Those that touch are put into zones, whose vertices
go only a part of their way to each other, in the end none of it, and move on together (Provot 1997,
"Collision and self-collision handling in cloth model dedicated to design garments"; Bridson et al.
2002, section 7.5): with the momentum that they have together, or as what is in the zone and moves
as prescribed. Zones grow until no pair is left.

Where prescribed motions contradict each other, nothing of that helps: such pairs are squeezed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...mesh.connected import root_of
from ...native.by_address import by_address
from ...native.compiled import native_part
from .continuous import APART, beyond, starts_beyond, time_of_touch
from .impact import push_impacts
from .pairs import HELD_BACK, IMPACT, IMPACTS, LEAST, ORDERED, SQUEEZED, TURNED, UNTURNED
from .spread import carry_pushed, member, members_of
from .tangles import TANGLED

IMPACT_ROUNDS, ROUNDS = 8, 24

MOMENTUM, MASS, CARRIED, CARRIERS, PART, APART_PART, ROUND = 0, 3, 4, 7, 8, 9, 10
"""Places in ``Zones.drift``: Σ m Δx of a zone, Σ m, Σ Δx of its prescribed vertices and their
number, the part of their way that its vertices go, the part of that by which they are led apart,
and the round in which those were found."""

OUTSIDE = -1
"""The zone of vertices that are in none."""

PARTS, LEAST_WAY = 0.5, 0.2
"""By how much the part of the way is shortened in each round, and what is too little to be gone."""


@by_address
class Zones(NamedTuple):
    """Which of m vertices are held back together, and what could not be.

    Attributes:
        parents: of each vertex another one of its zone, or itself, see :mod:`core.mesh.connected`,
            shape (m,), int32.
        drift: of each zone what its displacement is made of, see MOMENTUM and following, shape
            (m, 11), float64.
        squeezed: 1 for vertices of pairs that prescribed motion forced through each other in this
            frame, shape (m,), uint8.
        looks: how often the proof has held vertices back where it waits for memory for pairs, else
            0, shape (1,), int64.
    """

    parents: NDArray[Any]
    drift: NDArray[Any]
    squeezed: NDArray[Any]
    looks: NDArray[Any]


def new_zones(count: int) -> Zones:
    """Memory for the zones of so many vertices."""
    return Zones(
        parents=np.zeros(count, np.int32),
        drift=np.zeros((count, 11)),
        squeezed=np.zeros(count, np.uint8),
        looks=np.zeros(1, np.int64),
    )


@native_part
def keeps_plane(pairs, start, rows, pair):  # type: ignore[no-untyped-def]
    """Whether a plane along the pair's normal lies between both at the start and at the end."""
    if beyond(pairs, rows, pair) < pairs.goals[pair, LEAST]:
        return False
    turned = pairs.goals[pair, TURNED]
    return turned == UNTURNED or (turned == IMPACT and starts_beyond(pairs, start, pair))


@native_part
def _join(zones, motion, rows, vertex, sure):  # type: ignore[no-untyped-def]
    """The zone of a vertex; one of its own if it was in none.

    Args:
        sure: whether what leads it apart is right: not, where things go through each other.
    """
    parents, drift = zones.parents, zones.drift
    if parents[vertex] == OUTSIDE:
        parents[vertex] = vertex
        motion.pushed[vertex] = 1
        for d in range(CARRIED, CARRIERS + 1):
            drift[vertex, d] = 0.0
        drift[vertex, PART], drift[vertex, APART_PART], drift[vertex, ROUND] = 1.0, sure, -1.0
        for d in range(3):
            # What leads it apart gives it no momentum.
            motion.ends[vertex, d] = rows[vertex, d] - motion.led[vertex, d]
    return root_of(parents, vertex)


@native_part
def _unite(zones, one, other):  # type: ignore[no-untyped-def]
    """Make one zone of two."""
    kept, gone = min(one, other), max(one, other)
    drift = zones.drift
    zones.parents[gone] = kept
    for d in range(CARRIED, CARRIERS + 1):
        drift[kept, d] += drift[gone, d]
    for part in (PART, APART_PART):
        drift[kept, part] = min(drift[kept, part], drift[gone, part])
    drift[kept, ROUND] = max(drift[kept, ROUND], drift[gone, ROUND])
    return kept


@native_part
def _hold(surface, rows, pair, number):  # type: ignore[no-untyped-def]
    """Put the free vertices of a pair into one zone, which goes less of its way from this round on.

    Returns:
        Whether that can help: not, where they have gone none of it already.
    """
    pairs, zones, start = surface.pairs, surface.zones, surface.motion.start
    drift, root, grown = zones.drift, OUTSIDE, False
    sure = surface.tangles.state[TANGLED] == 0.0
    for k in range(members_of(pairs, pair)):
        vertex, _ = member(pairs, pair, k)
        if rows[vertex, 3] > 0.0:
            grown |= zones.parents[vertex] == OUTSIDE
            zone = _join(zones, surface.motion, rows, vertex, sure)
            if root == OUTSIDE:
                root = zone
            elif root != zone:
                root = _unite(zones, root, zone)
                grown = True
    if root == OUTSIDE:
        return False
    for k in range(members_of(pairs, pair)):
        vertex, weight = member(pairs, pair, k)
        if rows[vertex, 3] == 0.0:
            weight = abs(weight)
            grown |= drift[root, CARRIERS] == 0.0
            drift[root, CARRIERS] += weight
            for d in range(3):
                drift[root, CARRIED + d] += weight * (rows[vertex, d] - start[vertex, d])
    if drift[root, ROUND] != number and drift[root, PART] + drift[root, APART_PART] > 0.0:
        shortened = PART if drift[root, PART] > 0.0 else APART_PART
        part = PARTS * drift[root, shortened]
        drift[root, shortened], drift[root, ROUND] = part if part > LEAST_WAY else 0.0, number
        grown = True
    return grown


@native_part
def _move_zones(zones, motion, rows, count):  # type: ignore[no-untyped-def]
    """Put the vertices of zones where they go; returns how many there are."""
    parents, drift, moved = zones.parents, zones.drift, 0
    start, ends = motion.start, motion.ends
    for vertex in range(count):
        if parents[vertex] == vertex:
            for d in range(MASS + 1):
                drift[vertex, d] = 0.0
    for vertex in range(count):
        if parents[vertex] != OUTSIDE:
            root, mass = root_of(parents, vertex), 1.0 / rows[vertex, 3]
            drift[root, MASS] += mass
            for d in range(3):
                drift[root, MOMENTUM + d] += mass * (ends[vertex, d] - start[vertex, d])
    for vertex in range(count):
        if parents[vertex] == OUTSIDE:
            continue
        root = root_of(parents, vertex)
        moved += 1
        for d in range(3):
            step = drift[root, MOMENTUM + d] / drift[root, MASS]
            if drift[root, CARRIERS] > 0.0:
                step = drift[root, CARRIED + d] / drift[root, CARRIERS]
            own = ends[vertex, d] - start[vertex, d] - step
            led = drift[root, APART_PART] * motion.led[vertex, d]
            rows[vertex, d] = start[vertex, d] + step + drift[root, PART] * own + led
    return moved


@native_part
def _note_led(zones, led, count):  # type: ignore[no-untyped-def]
    """Note how far the vertices of zones were led apart."""
    parents, drift = zones.parents, zones.drift
    for vertex in range(count):
        if parents[vertex] != OUTSIDE:
            part = drift[root_of(parents, vertex), APART_PART]
            for d in range(3):
                led[vertex, d] *= part


@native_part
def _was_moved(vertices, pushed, pair):  # type: ignore[no-untyped-def]
    """Whether one of a pair's vertices has been moved since."""
    moved = pushed[vertices[pair, 0]] | pushed[vertices[pair, 1]]
    return moved | pushed[vertices[pair, 2]] | pushed[vertices[pair, 3]]


@native_part
def _failing(pairs, motion, rows, moved_only):  # type: ignore[no-untyped-def]
    """List the pairs that touch on their way, all or those that were moved; returns how many."""
    failed = 0
    for number in range(pairs.counts[0, ORDERED]):
        pair = pairs.order[number]
        if moved_only and not _was_moved(pairs.vertices, motion.pushed, pair):
            continue
        if keeps_plane(pairs, motion.start, rows, pair):
            continue
        time = time_of_touch(pairs, motion.start, rows, pair)
        if time < APART:
            pairs.active[failed], pairs.times[pair] = pair, time
            failed += 1
    return failed


@native_part
def hold_back(surface, rows, count):  # type: ignore[no-untyped-def]
    """Hold vertices back until nothing crosses that need not.

    Args:
        rows: vertices at the end, of which the first ``count`` are particles.
    """
    pairs, zones, motion = surface.pairs, surface.zones, surface.motion
    counts, pushed = pairs.counts, motion.pushed
    counts[0, SQUEEZED] = counts[0, HELD_BACK] = 0
    for number in range(IMPACT_ROUNDS + ROUNDS):
        failed = _failing(pairs, motion, rows, number > 0)
        counts[0, SQUEEZED] = failed
        if failed == 0:
            break
        if number == 0:
            counts[0, IMPACTS] = 0
            _begin(zones.parents, pushed)
        if number < IMPACT_ROUNDS:
            push_impacts(pairs, motion, rows, failed)
            counts[0, HELD_BACK] = counts[0, IMPACTS]
            continue
        grown = False
        for k in range(failed):
            grown |= _hold(surface, rows, pairs.active[k], number)
        if not grown:
            break
        counts[0, HELD_BACK] = _move_zones(zones, motion, rows, count)
        carry_pushed(pairs.carried, pushed, rows)
    if counts[0, HELD_BACK] > 0:
        _note_led(zones, motion.led, count)
    # Vertices of colliders are in zones, but go where they must: else the next substep would take
    # them for pushed, and a frame would depend on what became of the one before it.
    for vertex in range(count, len(pushed)):
        pushed[vertex] = 0


@native_part
def note_squeezed(pairs, squeezed, rows):  # type: ignore[no-untyped-def]
    """Mark the vertices of the pairs that still touch on their way, whatever was held back, if
    some of them move as prescribed.
    """
    vertices = pairs.vertices
    for number in range(pairs.counts[0, SQUEEZED]):
        pair, prescribed = pairs.active[number], False
        for k in range(4):
            prescribed |= rows[vertices[pair, k], 3] == 0.0
        for k in range(4):
            squeezed[vertices[pair, k]] |= prescribed


@native_part
def _begin(parents, pushed):  # type: ignore[no-untyped-def]
    """Nothing has been moved yet."""
    for vertex in range(len(parents)):
        parents[vertex], pushed[vertex] = OUTSIDE, 0
