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

from ...mesh.connected import root_of
from ...native.compiled import native_part
from .continuous import APART, beyond, starts_beyond, time_of_touch
from .data import HELD_BACK, IMPACT, IMPACTS, LEAST, ORDERED, SQUEEZED, TANGLED, TURNED, UNTURNED
from .impact import push_impacts
from .spread import carry_pushed, member, members_of

IMPACT_ROUNDS, ROUNDS = 8, 24

MOMENTUM, MASS, CARRIED, CARRIERS, PART, APART_PART, ROUND = 0, 3, 4, 7, 8, 9, 10
"""Places in ``Moving.drift``: Σ m Δx of a zone, Σ m, Σ Δx of its prescribed vertices and their
number, the part of their way that its vertices go, the part of that by which they are led apart,
and the round in which those were found."""

OUTSIDE = -1
"""The zone of vertices that are in none."""

PARTS, LEAST_WAY = 0.5, 0.2
"""By how much the part of the way is shortened in each round, and what is too little to be gone."""


@native_part
def keeps_plane(moving, rows, pair):  # type: ignore[no-untyped-def]
    """Whether a plane along the pair's normal lies between both at the start and at the end."""
    if beyond(moving, rows, pair) < moving.goals[pair, LEAST]:
        return False
    turned = moving.goals[pair, TURNED]
    return turned == UNTURNED or (turned == IMPACT and starts_beyond(moving, pair))


@native_part
def _join(moving, rows, vertex):  # type: ignore[no-untyped-def]
    """The zone of a vertex; one of its own if it was in none."""
    zones, drift = moving.zones, moving.drift
    if zones[vertex] == OUTSIDE:
        zones[vertex] = vertex
        moving.pushed[vertex] = 1
        for d in range(CARRIED, CARRIERS + 1):
            drift[vertex, d] = 0.0
        drift[vertex, PART], drift[vertex, ROUND] = 1.0, -1.0
        # Where things go through each other, it is not sure what leads them apart.
        drift[vertex, APART_PART] = moving.reuse[TANGLED] == 0.0
        for d in range(3):
            # What leads it apart gives it no momentum.
            moving.ends[vertex, d] = rows[vertex, d] - moving.led[vertex, d]
    return root_of(zones, vertex)


@native_part
def _unite(moving, one, other):  # type: ignore[no-untyped-def]
    """Make one zone of two."""
    kept, gone = min(one, other), max(one, other)
    drift = moving.drift
    moving.zones[gone] = kept
    for d in range(CARRIED, CARRIERS + 1):
        drift[kept, d] += drift[gone, d]
    for part in (PART, APART_PART):
        drift[kept, part] = min(drift[kept, part], drift[gone, part])
    drift[kept, ROUND] = max(drift[kept, ROUND], drift[gone, ROUND])
    return kept


@native_part
def _hold(moving, rows, pair, number):  # type: ignore[no-untyped-def]
    """Put the free vertices of a pair into one zone, which goes less of its way from this round on.

    Returns:
        Whether that can help: not, where they have gone none of it already.
    """
    drift, root, grown = moving.drift, OUTSIDE, False
    for k in range(members_of(moving, pair)):
        vertex, _ = member(moving, pair, k)
        if rows[vertex, 3] > 0.0:
            grown |= moving.zones[vertex] == OUTSIDE
            zone = _join(moving, rows, vertex)
            if root == OUTSIDE:
                root = zone
            elif root != zone:
                root = _unite(moving, root, zone)
                grown = True
    if root == OUTSIDE:
        return False
    for k in range(members_of(moving, pair)):
        vertex, weight = member(moving, pair, k)
        if rows[vertex, 3] == 0.0:
            weight = abs(weight)
            grown |= drift[root, CARRIERS] == 0.0
            drift[root, CARRIERS] += weight
            for d in range(3):
                drift[root, CARRIED + d] += weight * (rows[vertex, d] - moving.start[vertex, d])
    if drift[root, ROUND] != number and drift[root, PART] + drift[root, APART_PART] > 0.0:
        shortened = PART if drift[root, PART] > 0.0 else APART_PART
        part = PARTS * drift[root, shortened]
        drift[root, shortened], drift[root, ROUND] = part if part > LEAST_WAY else 0.0, number
        grown = True
    return grown


@native_part
def _move_zones(moving, rows, count):  # type: ignore[no-untyped-def]
    """Put the vertices of zones where they go; returns how many there are."""
    zones, drift, start, ends, moved = moving.zones, moving.drift, moving.start, moving.ends, 0
    for vertex in range(count):
        if zones[vertex] == vertex:
            for d in range(MASS + 1):
                drift[vertex, d] = 0.0
    for vertex in range(count):
        if zones[vertex] != OUTSIDE:
            root, mass = root_of(zones, vertex), 1.0 / rows[vertex, 3]
            drift[root, MASS] += mass
            for d in range(3):
                drift[root, MOMENTUM + d] += mass * (ends[vertex, d] - start[vertex, d])
    for vertex in range(count):
        if zones[vertex] == OUTSIDE:
            continue
        root = root_of(zones, vertex)
        moved += 1
        for d in range(3):
            step = drift[root, MOMENTUM + d] / drift[root, MASS]
            if drift[root, CARRIERS] > 0.0:
                step = drift[root, CARRIED + d] / drift[root, CARRIERS]
            own = ends[vertex, d] - start[vertex, d] - step
            led = drift[root, APART_PART] * moving.led[vertex, d]
            rows[vertex, d] = start[vertex, d] + step + drift[root, PART] * own + led
    carry_pushed(moving, rows)
    return moved


@native_part
def _note_led(moving, count):  # type: ignore[no-untyped-def]
    """Note how far the vertices of zones were led apart."""
    zones, drift, led = moving.zones, moving.drift, moving.led
    for vertex in range(count):
        if zones[vertex] != OUTSIDE:
            part = drift[root_of(zones, vertex), APART_PART]
            for d in range(3):
                led[vertex, d] *= part


@native_part
def _was_moved(moving, pair):  # type: ignore[no-untyped-def]
    """Whether one of a pair's vertices has been moved since."""
    vertices, pushed = moving.vertices, moving.pushed
    moved = pushed[vertices[pair, 0]] | pushed[vertices[pair, 1]]
    return moved | pushed[vertices[pair, 2]] | pushed[vertices[pair, 3]]


@native_part
def _failing(moving, rows, moved_only):  # type: ignore[no-untyped-def]
    """List the pairs that touch on their way, all or those that were moved; returns how many."""
    failed = 0
    for number in range(moving.counts[0, ORDERED]):
        pair = moving.order[number]
        if moved_only and not _was_moved(moving, pair):
            continue
        if keeps_plane(moving, rows, pair):
            continue
        time = time_of_touch(moving, rows, pair)
        if time < APART:
            moving.active[failed], moving.times[pair] = pair, time
            failed += 1
    return failed


@native_part
def hold_back(moving, rows, count):  # type: ignore[no-untyped-def]
    """Hold vertices back until nothing crosses that need not.

    Args:
        rows: vertices at the end, of which the first ``count`` are particles.
    """
    counts = moving.counts
    counts[0, SQUEEZED] = counts[0, HELD_BACK] = 0
    for number in range(IMPACT_ROUNDS + ROUNDS):
        failed = _failing(moving, rows, number > 0)
        counts[0, SQUEEZED] = failed
        if failed == 0:
            break
        if number == 0:
            _begin(moving)
        if number < IMPACT_ROUNDS:
            push_impacts(moving, rows, failed)
            counts[0, HELD_BACK] = counts[0, IMPACTS]
            continue
        grown = False
        for k in range(failed):
            grown |= _hold(moving, rows, moving.active[k], number)
        if not grown:
            break
        counts[0, HELD_BACK] = _move_zones(moving, rows, count)
    if counts[0, HELD_BACK] > 0:
        _note_led(moving, count)
    # Vertices of colliders are in zones, but go where they must: else the next substep would take
    # them for pushed, and a frame would depend on what became of the one before it.
    for vertex in range(count, len(moving.pushed)):
        moving.pushed[vertex] = 0


@native_part
def note_squeezed(moving, rows):  # type: ignore[no-untyped-def]
    """Mark the vertices of the pairs that still touch on their way, whatever was held back, if
    some of them move as prescribed.
    """
    vertices = moving.vertices
    for number in range(moving.counts[0, SQUEEZED]):
        pair, prescribed = moving.active[number], False
        for k in range(4):
            prescribed |= rows[vertices[pair, k], 3] == 0.0
        for k in range(4):
            moving.squeezed[vertices[pair, k]] |= prescribed


@native_part
def _begin(moving):  # type: ignore[no-untyped-def]
    """Nothing has been moved yet."""
    moving.counts[0, IMPACTS] = 0
    for vertex in range(len(moving.zones)):
        moving.zones[vertex], moving.pushed[vertex] = OUTSIDE, 0
