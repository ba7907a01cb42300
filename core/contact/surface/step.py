# SPDX-License-Identifier: GPL-3.0-or-later
"""A substep of the contact surface, as each of a team of threads does it."""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.team import meet, own_share
from ..carried import carry_share
from .approach import note_approach, note_ways
from .candidates import AT_ONCE
from .data import LATE, LOOKING, STRAYED, STREAMS
from .hold_back import hold_back, note_squeezed
from .hulls import AGE, DRIFT, SHIFT, STALE, give_leeway, stay_near, stop_corners
from .leading_out import lead_out
from .lists import strayed_in_all, update_lists
from .measuring import find_pairs, look_again
from .pairs import BEGUN, FOUND, HELD_BACK, capacity_of, forget_new, order_pairs
from .solve import forget_recovery, note_recovery, note_touched, rub, solve
from .tangles import SEEKING, TANGLED, pull_out

FAR = 0.8
"""Of its thickness that a vertex may be pushed before pairs are looked for again."""

RUBBED = 0.1
"""Of its thickness that friction on colliders may move a vertex, before pairs are looked for again;
it may have been pushed so far that nobody looked already."""

ATTEMPTS = 4
"""How often vertices are held back at most, before what still crosses is left to the next
substep."""


@native_part
def note_start(surface, colliders, arrays, begins, team):  # type: ignore[no-untyped-def]
    """Remember where particles are at the start of a substep, and put colliders' vertices there.

    Args:
        colliders: ``Contacts``.
        begins: whether it is the first substep of a frame; else what stands is where it was.
    """
    start, rows = surface.motion.start, arrays.rows
    first, last = own_share(arrays.particle_count, team)
    for vertex in range(first, last):
        for k in range(3):
            start[vertex, k] = arrays.previous[vertex, k]
        start[vertex, 3] = rows[vertex, 3]
    if team.thread == 0:
        surface.tangles.state[SEEKING] = begins
        outlook = surface.hulls.outlook
        outlook[AGE] += 0.0 if outlook[AGE] == STALE else 1.0
        for k in range(3):
            outlook[SHIFT + k] += outlook[DRIFT + k]
    base = len(start) - len(colliders.meshes.now)
    for number in range(len(colliders.colliders)):
        collider = colliders.colliders[number]
        if not (begins or collider.moving == 1):
            continue
        first, last = own_share(collider.vertex_end - collider.vertex_start, team)
        for vertex in range(collider.vertex_start + first, collider.vertex_start + last):
            for k in range(3):
                start[base + vertex, k] = colliders.meshes.before[vertex, k]
                rows[base + vertex, k] = colliders.meshes.now[vertex, k]


@native_part
def _measure(surface, rows, recovery, team):  # type: ignore[no-untyped-def]
    """Find the pairs among the candidates; returns whether there was memory for both."""
    pairs, candidates = surface.pairs, surface.candidates
    capacity, late, enough = capacity_of(pairs, team), surface.shape.numbers[LATE], True
    for thread in range(team.threads):
        for stream in range(STREAMS):
            at_once = candidates.listed[thread, stream, AT_ONCE]
            enough &= at_once + late <= candidates.wanted.shape[2]
    if enough:
        find_pairs(surface, rows, recovery, team.thread, capacity)
        if team.thread == 0 and surface.tangles.state[TANGLED] != 0.0:
            lead_out(surface, recovery, team.threads, capacity)
    meet(team)
    return enough and _enough(pairs, team)


@native_part
def find(surface, rows, count, recovery, team):  # type: ignore[no-untyped-def]
    """Find all pairs of a substep; returns whether there was memory for them.

    Args:
        rows, count: as in :func:`list_anew`.
        recovery: how far [m] what starts too near is led apart.
    """
    update_lists(surface, rows, count, team)
    note_ways(surface, rows, len(surface.tree.ways), team)
    return _measure(surface, rows, recovery, team)


@native_part
def _any_pairs(pairs, tangles, team):  # type: ignore[no-untyped-def]
    """Whether something is near something else, or goes through it."""
    found = tangles.state[TANGLED] != 0.0
    for thread in range(team.threads):
        found |= pairs.counts[thread, FOUND] > 0
    return found


@native_part
def push_apart(surface, arrays, settings, recovery, touched, free, team):  # type: ignore[no-untyped-def]
    """Solve the pairs that were found, and let them rub.

    Args:
        arrays: of the state.
        settings: ``StepSettings``.
        recovery: as in :func:`find`.
        touched: where to mark particles that colliders push, shape (n,).
        free: whether there are no pins and colliders, so that momentum is to be kept.

    Returns:
        Whether all pairs are known that have to be looked at afterwards. Where not, vertices are
        where they were before; :func:`is_stale` tells whether pairs are to be found again, as some
        were pushed to where there was nothing listed, or there was no memory for them.
    """
    shape, pairs, motion, tangles = surface.shape, surface.pairs, surface.motion, surface.tangles
    rows, count = arrays.rows, arrays.particle_count
    if not _any_pairs(pairs, tangles, team):
        return True
    first, last = own_share(count, team)
    for vertex in range(first, last):
        for d in range(3):
            motion.ends[vertex, d] = rows[vertex, d]
            motion.free_ways[vertex, d] = arrays.free_ways[vertex, d]
    meet(team)
    if team.thread == 0:
        if tangles.state[TANGLED] != 0.0:
            carried = pairs.carried
            pull_out(shape, tangles, carried, motion.led, rows, team.threads, count, recovery)
        order_pairs(pairs, team)
        solve(pairs, rows)
        note_recovery(pairs, motion, rows, free)
        rub(shape, pairs, motion, arrays, settings)
        note_touched(pairs, count, touched)
    meet(team)
    if len(pairs.carried.particles) > 0:
        carry_share(pairs.carried, rows, team)
        meet(team)
    surface.told[team.thread, STRAYED] = _note_pushed(motion, shape, rows, FAR, first, last)
    meet(team)
    if strayed_in_all(surface.told, team) == 0 or _look_again(surface, rows, count, free, team):
        return True
    for vertex in range(first, last):
        for d in range(3):
            rows[vertex, d] = motion.ends[vertex, d]
            arrays.free_ways[vertex, d] = motion.free_ways[vertex, d]
            motion.led[vertex, d] = motion.led_out[vertex, d] = 0.0
    meet(team)
    return False


@native_part
def is_stale(surface):  # type: ignore[no-untyped-def]
    """Whether nothing is known of what may come near."""
    return surface.hulls.outlook[AGE] == STALE


@native_part
def _look_again(surface, rows, count, free, team):  # type: ignore[no-untyped-def]
    """Add pairs of vertices that were pushed far; returns whether all are known.

    What is pushed farther than candidates are known is stopped there, which is quick; but that has
    momentum, and so it gets leeway instead where that is to be kept, or carried by others.
    """
    shape, hulls, carried = surface.shape, surface.hulls, surface.pairs.carried
    first, last = own_share(count, team)
    any_carried = len(carried.particles) > 0
    if free or any_carried:
        surface.told[team.thread, STRAYED] = give_leeway(shape, hulls, rows, first, last)
        meet(team)
        if strayed_in_all(surface.told, team) > 0:
            if team.thread == 0:
                hulls.outlook[AGE] = STALE
            return False
    stay_near(shape, hulls, carried, rows, first, last)
    meet(team)
    if any_carried:
        if team.thread == 0:
            stop_corners(shape, hulls, carried, surface.motion.ends, rows)
        meet(team)
    _add_pairs_of_pushed(surface, rows, team)
    return _enough(surface.pairs, team)


@native_part
def _add_pairs_of_pushed(surface, rows, team):  # type: ignore[no-untyped-def]
    """Look again at the candidates of all leaves that have vertices which were pushed far."""
    shape, pushed, stirred_leaves = surface.shape, surface.motion.pushed, surface.tree.stirred
    members, starts, looking = shape.members, shape.member_starts, shape.numbers[LOOKING]
    first, last = own_share(len(shape.parts), team)
    for leaf in range(first, last):
        stirred = 0
        # Colliders are not pushed.
        for number in range(starts[leaf], starts[leaf + 1] if leaf < looking else starts[leaf]):
            stirred |= pushed[members[number]]
        stirred_leaves[leaf] = stirred
    note_ways(surface, rows, looking, team)
    look_again(surface, rows, team.thread, capacity_of(surface.pairs, team))
    meet(team)


@native_part
def _enough(pairs, team):  # type: ignore[no-untyped-def]
    """Whether there was memory for the pairs of all threads."""
    capacity, enough = capacity_of(pairs, team), True
    for thread in range(team.threads):
        enough &= pairs.counts[thread, FOUND] <= capacity
    return enough


@native_part
def begin_rub(surface, rows, engaged, first, last):  # type: ignore[no-untyped-def]
    """Note where vertices [first, last) are before friction on colliders.

    Args:
        engaged: 0 for vertices that friction leaves where they are, unless others carry them.
    """
    ends, any_carried = surface.motion.ends, len(surface.pairs.carried.particles) > 0
    for vertex in range(first, last):
        if any_carried or engaged[vertex] != 0:
            for d in range(3):
                ends[vertex, d] = rows[vertex, d]


@native_part
def end_rub(surface, rows, engaged, first, last, thread):  # type: ignore[no-untyped-def]
    """Note which of them it has moved, for :func:`prove`; none of them gets where it might meet
    what nobody has looked for.
    """
    shape, motion, carried, strayed = surface.shape, surface.motion, surface.pairs.carried, False
    any_carried = len(carried.particles) > 0
    for vertex in range(first, last):
        motion.pushed[vertex] = 0
        if not any_carried and engaged[vertex] == 0:
            continue
        if _note_pushed(motion, shape, rows, RUBBED, vertex, vertex + 1):
            strayed = True
            stay_near(shape, surface.hulls, carried, rows, vertex, vertex + 1)
    surface.told[thread, STRAYED] = strayed


@native_part
def _note_pushed(motion, shape, rows, part, first, last):  # type: ignore[no-untyped-def]
    """Mark those of the vertices [first, last) that were pushed farther than a part of their
    thickness; returns whether there are any.
    """
    ends, pushed, thickness = motion.ends, motion.pushed, shape.thickness
    any_pushed = False
    for vertex in range(first, last):
        x, y = rows[vertex, 0] - ends[vertex, 0], rows[vertex, 1] - ends[vertex, 1]
        z, most = rows[vertex, 2] - ends[vertex, 2], part * thickness[vertex]
        pushed[vertex] = x * x + y * y + z * z > most * most
        any_pushed |= pushed[vertex] > 0
    return any_pushed


@native_part
def is_proving(surface):  # type: ignore[no-untyped-def]
    """Whether :func:`prove` has begun, and goes on."""
    return surface.zones.looks[0] > 0


@native_part
def prove(surface, rows, previous, count, team):  # type: ignore[no-untyped-def]
    """Hold back what would cross; returns whether there was memory for all pairs.

    Where not, it goes on with those when it is called again.
    """
    pairs, motion, looks = surface.pairs, surface.motion, surface.zones.looks[0]
    rubbed = looks == 0 and strayed_in_all(surface.told, team) > 0
    if rubbed:
        if team.thread == 0:
            order_pairs(pairs, team)
        meet(team)
    if (rubbed or looks == 1) and not _add_pairs_of_held(surface, rows, 1, team):
        return False
    if not _any_pairs(pairs, surface.tangles, team):
        # What neither others nor colliders push is where it was when pairs were looked for.
        note_approach(surface, rows, len(motion.start) > count, team)
        return True
    first, last = own_share(count, team)
    for look in range(max(2, looks), 2 + ATTEMPTS):
        if look > looks and not _hold_back(surface, rows, count, team):
            break
        # What is held back may be in the way of what was far from it.
        if not _add_pairs_of_held(surface, rows, look, team):
            return False
        if strayed_in_all(surface.told, team) == 0:
            break
    if team.thread == 0:
        note_squeezed(pairs, surface.zones.squeezed, rows)
    forget_recovery(motion, previous, first, last)
    note_approach(surface, rows, True, team)
    return True


@native_part
def _hold_back(surface, rows, count, team):  # type: ignore[no-untyped-def]
    """Hold vertices back, by one thread for all; returns whether one was."""
    if team.thread == 0:
        order_pairs(surface.pairs, team)
        hold_back(surface, rows, count)
    meet(team)
    return surface.pairs.counts[0, HELD_BACK] > 0


@native_part
def _add_pairs_of_held(surface, rows, look, team):  # type: ignore[no-untyped-def]
    """Look for pairs of what was moved or held back, and note whether there are new ones; returns
    whether there was memory for them.

    Args:
        look: which one it is, for the next call where there was none.
    """
    pairs, counts = surface.pairs, surface.pairs.counts
    # Of those for which there was no memory before.
    forget_new(pairs, team.thread)
    meet(team)
    _add_pairs_of_pushed(surface, rows, team)
    surface.told[team.thread, STRAYED] = counts[team.thread, FOUND] > counts[team.thread, BEGUN]
    meet(team)
    enough = _enough(pairs, team)
    if team.thread == 0:
        surface.zones.looks[0] = 0 if enough else look
    return enough
