# SPDX-License-Identifier: GPL-3.0-or-later
"""When candidates are listed anew: of leaves whose vertices go elsewhere than was foreseen, or of
all.
"""

from __future__ import annotations

from ...native.compiled import native, native_part
from ...native.team import meet, own_share, share_of
from .candidates import forget_stirred, list_again, list_candidates
from .contours import find_wrong_ends
from .crushed import SOUND, find_crushed, find_relied_on, is_whole, note_crushed
from .data import LOOKING, STRAYED, TURNING
from .hulls import AGE, BEYOND, DRIFT, HORIZON, SHIFT, STALE, WIDENED, find_strayed, fit_hull
from .no_room import forget_pinned, note_no_room
from .outward import note_outward
from .tangles import SEEKING, TANGLED, any_tangles, forget_tangles
from .tree import box_of_bodies, fit_leaf, fit_levels, fit_strayed, out_of_reach

FEW = 0.125
"""Of the leaves that look for others, as many as these have strayed or less, only those are looked
at anew."""

SAMPLES = 256
"""How many particles tell what everything does together."""

SHORTEST, LONGEST = 2.0, 12.0
"""Substeps for which candidates are looked for at least and at most: those that stray within them
get more leeway, that pushes need, too."""


@native_part
def update_lists(surface, rows, count, team):  # type: ignore[no-untyped-def]
    """Find candidates anew of those leaves that have vertices outside their hulls; of all, where
    these are many, or there are none.
    """
    shape, hulls, told = surface.shape, surface.hulls, surface.told
    start, outlook = surface.motion.start, hulls.outlook
    if team.thread == 0:
        _note_drift(start, outlook, rows, count)
    if outlook[AGE] == STALE:
        list_anew(surface, rows, count, team)
        return
    find_crushed(surface, team)
    first, last = own_share(len(start), team)
    meet(team)
    told[team.thread, STRAYED] = find_strayed(shape, hulls, start, rows, count, first, last)
    meet(team)
    strayed = strayed_in_all(told, team)
    if strayed == 0 and not _any_turning(told, team):
        return
    if strayed >= BEYOND:
        list_anew(surface, rows, count, team)
        return
    first, last = own_share(len(shape.parts), team)
    told[team.thread, STRAYED] = fit_strayed(surface, rows, team.thread, first, last)
    meet(team)
    leaves = strayed_in_all(told, team)
    if leaves == 0:
        return
    if leaves <= FEW * shape.numbers[LOOKING]:
        forget_stirred(surface.tree, surface.candidates, team.thread)
        if team.thread == team.threads - 1:
            told[0, STRAYED] = not list_again(surface, team.thread)
        meet(team)
        if told[0, STRAYED] == 0:
            meet(team)
            return
    if outlook[AGE] >= outlook[HORIZON]:
        # That so many have left their hulls was to be expected: none of them needs more leeway.
        first, last = own_share(len(start), team)
        for vertex in range(first, last):
            if hulls.strayed[vertex] != 0:
                hulls.leeway[vertex] = max(1.0, hulls.leeway[vertex] / WIDENED)
    list_anew(surface, rows, count, team)


@native_part
def _any_turning(told, team):  # type: ignore[no-untyped-def]
    """Whether a leaf may have turned in the substep before."""
    turning = 0
    for thread in range(team.threads):
        turning |= told[thread, TURNING]
    return turning != 0


@native_part
def _foresee(outlook):  # type: ignore[no-untyped-def]
    """For how long to look ahead."""
    age, horizon = outlook[AGE], outlook[HORIZON]
    if age != STALE:
        outlook[HORIZON] = min(LONGEST, horizon + 1.0) if age >= horizon else max(SHORTEST, age)
    outlook[AGE] = 0.0
    for k in range(3):
        outlook[SHIFT + k] = 0.0


@native_part
def _note_drift(start, outlook, rows, count):  # type: ignore[no-untyped-def]
    """Note what everything does together, as some of it tells."""
    apart = 1 + count // SAMPLES
    for k in range(3):
        way = 0.0
        for vertex in range(0, count, apart):
            way += rows[vertex, k] - start[vertex, k]
        outlook[DRIFT + k] = way / max(1, (count + apart - 1) // apart)


@native
def list_anew(surface, rows, count, team):  # type: ignore[no-untyped-def]
    """Fit the tree and list what may come near in the next substeps.

    Args:
        rows: vertices at the end of the substep, shape (m or more, 4).
        count: of particles among them.
    """
    shape, hulls, tangles = surface.shape, surface.hulls, surface.tangles
    start, looking = surface.motion.start, shape.numbers[LOOKING]
    meet(team)
    if team.thread == 0:
        _foresee(hulls.outlook)
    meet(team)
    first, last = own_share(len(start), team)
    for vertex in range(first, last):
        fit_hull(shape, hulls, start, rows, vertex)
    note_crushed(surface.sides, start, SOUND, team)
    meet(team)
    box = box_of_bodies(shape, hulls, count)
    if team.thread == 0:
        for k in range(7):
            hulls.around[k] = box[k]
    first, last = own_share(len(shape.parts), team)
    for leaf in range(first, last):
        if leaf < looking or not out_of_reach(shape, hulls, leaf, box):
            fit_leaf(surface, rows, leaf, team.thread)
    meet(team)
    seeking = tangles.state[SEEKING] != 0.0
    if team.thread == 0:
        fit_levels(shape, surface.tree)
        if seeking:
            forget_tangles(tangles)
            forget_pinned(surface.enclosed)
    _list_all(surface, team)
    if not seeking:
        return
    if team.thread == 0:
        _note_tangles(surface, team.threads)
    meet(team)
    if tangles.state[TANGLED] != 0.0:
        find_relied_on(surface, team)
        if strayed_in_all(surface.told, team) > 0:
            _list_all(surface, team)


@native_part
def _list_all(surface, team):  # type: ignore[no-untyped-def]
    """List the candidates of all leaves."""
    shape, tree, sides = surface.shape, surface.tree, surface.sides
    first, last = own_share(len(shape.parts), team)
    for leaf in range(first, last):
        tree.concerned[leaf] = sides.relied[leaf] = 0
        sides.whole[leaf] = is_whole(surface, leaf)
    meet(team)
    first, last = share_of(shape.numbers[LOOKING], team.thread, team.threads)
    list_candidates(surface, team.thread, first, last)
    meet(team)


@native_part
def _note_tangles(surface, threads):  # type: ignore[no-untyped-def]
    """Note whether something goes through something, and what is on the wrong side of it."""
    tangles, enclosed, start = surface.tangles, surface.enclosed, surface.motion.start
    tangles.state[SEEKING] = 0.0
    tangles.state[TANGLED] = any_tangles(tangles, threads)
    if tangles.state[TANGLED] != 0.0:
        find_wrong_ends(surface, threads)
        note_outward(surface.shape, enclosed.outward, start)
        note_no_room(surface.shape, tangles, enclosed, start, threads)


@native_part
def strayed_in_all(told, team):  # type: ignore[no-untyped-def]
    """Sum of STRAYED of all threads."""
    strayed = 0
    for thread in range(team.threads):
        strayed += told[thread, STRAYED]
    meet(team)
    return strayed
