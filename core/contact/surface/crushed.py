# SPDX-License-Identifier: GPL-3.0-or-later
"""Skins that can't touch themselves: what lies side by side, where no tetrahedron is crushed.

A fine skin has hundreds of pieces nearer to each other than the thickness. But as long as all
tetrahedra that carry them keep some of their volume, and none is turned inside out, what is beside
each other can meet only in a fold; what is a little farther from that fold is a candidate still,
and keeps its sides apart. In a crushed tetrahedron, next to one, and where something goes through
something else, everything is looked at.
"""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.team import meet, own_share
from .data import STRAYED, TURNING
from .tangles import TANGLED

SOUND, CRUSHED = 0.2, 0.1
"""Of its volume at rest that a tetrahedron has at least where candidates are left out, and at which
they are listed after all."""


@native_part
def note_crushed(sides, start, part, team):  # type: ignore[no-untyped-def]
    """Note which of a thread's share of tetrahedra have less than a part of their volume.

    Args:
        start: vertices, shape (m, 4).
    """
    first, last = own_share(len(sides.corners), team)
    for number in range(first, last):
        volume = sides.volumes[number]
        ratio = _volume_of(sides.corners, start, number) * volume
        sides.crushed[number] = ratio <= part * volume * volume


@native_part
def _volume_of(corners, start, number):  # type: ignore[no-untyped-def]
    """Six times the volume of a tetrahedron [m³]."""
    a, b = corners[number, 0], corners[number, 1]
    c, d = corners[number, 2], corners[number, 3]
    x0, y0, z0 = start[b, 0] - start[a, 0], start[b, 1] - start[a, 1], start[b, 2] - start[a, 2]
    x1, y1, z1 = start[c, 0] - start[a, 0], start[c, 1] - start[a, 1], start[c, 2] - start[a, 2]
    x2, y2, z2 = start[d, 0] - start[a, 0], start[d, 1] - start[a, 1], start[d, 2] - start[a, 2]
    return float(x0 * (y1 * z2 - z1 * y2) - y0 * (x1 * z2 - z1 * x2) + z0 * (x1 * y2 - y1 * x2))


@native_part
def is_whole(surface, leaf):  # type: ignore[no-untyped-def]
    """Whether no tetrahedron around a leaf is crushed, and nothing in it goes through others."""
    sides, shape, tangles, found = surface.sides, surface.shape, surface.tangles, 0
    for place in range(sides.carrier_starts[leaf], sides.carrier_starts[leaf + 1]):
        found |= sides.crushed[sides.carriers[place]]
    if tangles.state[TANGLED] != 0.0:
        for place in range(shape.member_starts[leaf], shape.member_starts[leaf + 1]):
            found |= tangles.tangled[shape.members[place]] != 0
    return found == 0


@native_part
def find_relied_on(surface, team):  # type: ignore[no-untyped-def]
    """Tell how many leaves turn out not to be whole of which candidates were left out."""
    sides, found = surface.sides, 0
    first, last = own_share(len(sides.whole), team)
    for leaf in range(first, last):
        found += sides.relied[leaf] != 0 and not is_whole(surface, leaf)
    surface.told[team.thread, STRAYED] = found
    meet(team)


@native_part
def find_crushed(surface, team):  # type: ignore[no-untyped-def]
    """Find leaves of which candidates were left out that are not whole any more."""
    sides = surface.sides
    if len(sides.others) == 0:
        return
    note_crushed(sides, surface.motion.start, CRUSHED, team)
    meet(team)
    first, last = own_share(len(sides.whole), team)
    for leaf in range(first, last):
        if sides.relied[leaf] != 0 and not is_whole(surface, leaf):
            sides.whole[leaf] = 0
            surface.told[team.thread, TURNING] = 1
    meet(team)
