# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of links in a net of pairs: the lines along which tension travels.

At each vertex links that go on in nearly the same direction belong together. Rows and columns of a
quad mesh become chains, whole strands of hair, and on other meshes what comes nearest to that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..mesh.incidence import grouped
from ..native.compiled import native, native_part
from ..remembered import remembered
from .coloring import color_rows

Indices = NDArray[np.int64]

STRAIGHT = -0.5
"""Cosine between two links at a vertex, seen from it, below which they go on in each other."""

LEAST_CLOSED = 3
"""Links."""


@dataclass(frozen=True)
class Chains:
    """All links of a net, each in one chain.

    Attributes:
        links: number of each link, chain after chain.
        starts: where each chain begins in ``links``, shape (chains + 1,).
        vertices: along each chain, one more than it has links; chain c begins at starts[c] + c. Of
            a closed one the last is the first.
        colors: chains of a colour share no vertex, shape (chains,).
    """

    links: Indices
    starts: Indices
    vertices: Indices
    colors: Indices

    @property
    def closed(self) -> NDArray[np.bool_]:
        """Which of them are closed, shape (chains,)."""
        number = np.arange(len(self.starts) - 1)
        first = self.vertices[self.starts[:-1] + number]
        return np.asarray(first == self.vertices[self.starts[1:] + number])

    def ends_from(self, number: int) -> Indices:
        """Of the links from a number on the particles before, at the start and at the end, (k, 3).

        The one before is -1 where a chain that is not closed starts with the link.
        """
        places = np.flatnonzero(self.links >= number)
        places = places[np.argsort(self.links[places])]
        chain = np.searchsorted(self.starts, places, side="right") - 1
        begins = places == self.starts[chain]
        last = self.starts[chain + 1] + chain
        before = self.vertices[np.where(begins, last, places + chain) - 1]
        before = np.where(begins & ~self.closed[chain], -1, before)
        at = places + chain
        return np.stack([before, self.vertices[at], self.vertices[at + 1]], axis=1)

    def renumbered(self, numbers: Indices) -> Chains:
        """The same with ``numbers[i]`` for vertex i."""
        return replace(self, vertices=numbers[self.vertices])


@remembered
def find_chains(positions: NDArray[np.float64], pairs: Indices) -> Chains:
    """The chains of links.

    Args:
        positions: rest positions [m], shape (n, 3).
        pairs: the two vertices of each link, shape (m, 2).
    """
    # Numbered from their first vertex on: what is added last must not cost more than the first.
    start = int(pairs.min(initial=len(positions)))
    positions = positions[start : int(pairs.max(initial=-1)) + 1]
    pairs = np.ascontiguousarray(pairs - start, np.int64)
    count = len(positions)
    first, ends = grouped(pairs.ravel(), np.arange(pairs.size), count)
    partners = np.full(2 * len(pairs), -1, np.int64)
    _join_straight(
        np.ascontiguousarray(positions, np.float64), pairs, first, ends, partners,
        np.empty(len(ends)), np.empty(len(ends), np.int64),
    )  # fmt: skip
    links, starts, vertices = _chains_of(pairs, partners, count)
    colors = color_rows(starts + np.arange(len(starts)), vertices, count)
    return Chains(links, starts, vertices + start, colors)


def _chains_of(pairs: Indices, partners: Indices, count: int) -> tuple[Indices, Indices, Indices]:
    """Links, starts and vertices, as in :class:`Chains`, by the ends that are joined."""
    links, vertices = np.empty(len(pairs), np.int64), np.empty(2 * len(pairs), np.int64)
    starts, seen = np.empty(len(pairs) + 1, np.int64), np.zeros(len(pairs), np.bool_)
    visited = np.full(count, -1, np.int64)
    chains = _follow(pairs, partners, visited, seen, links, starts, vertices)
    return links, starts[: chains + 1].copy(), vertices[: len(pairs) + chains].copy()


@native
def _join_straight(positions, pairs, first, ends, partners, cosines, nearest):  # type: ignore[no-untyped-def]
    """For each end of a link, 2 · link + side, the end that it goes on in; -1 without.

    At each vertex the straightest two of the ends that are left are joined first. ``cosines`` and
    ``nearest`` keep what was found last for each place in ``ends``: a partner that has been taken
    since is only replaced by one that is less straight, so that is searched for when needed.
    """
    for vertex in range(len(first) - 1):
        low, high = first[vertex], first[vertex + 1]
        for place in range(low, high):
            _look_behind(positions, pairs, ends, partners, place, high, cosines, nearest)
        while True:
            best, one = STRAIGHT, -1
            for place in range(low, high):
                if cosines[place] < best:
                    best, one = cosines[place], place
            if one < 0:
                break
            other = nearest[one]
            if partners[ends[other]] >= 0:
                _look_behind(positions, pairs, ends, partners, one, high, cosines, nearest)
                continue
            partners[ends[one]], partners[ends[other]] = ends[other], ends[one]
            cosines[one], cosines[other] = STRAIGHT, STRAIGHT


@native_part
def _look_behind(positions, pairs, ends, partners, place, high, cosines, nearest):  # type: ignore[no-untyped-def]
    """Find the straightest partner of an end among those behind it at the vertex, if any."""
    cosines[place] = STRAIGHT
    for other in range(place + 1, high):
        if partners[ends[other]] < 0:
            cosine = _cosine(positions, pairs, ends[place], ends[other])
            if cosine < cosines[place]:
                cosines[place], nearest[place] = cosine, other


@native_part
def _cosine(positions, pairs, a, b):  # type: ignore[no-untyped-def]
    """Between the links of two ends that meet at a vertex, seen from there; 1 where undefined."""
    here, there_a = pairs[a // 2, a % 2], pairs[a // 2, 1 - a % 2]
    there_b = pairs[b // 2, 1 - b % 2]
    along, square_a, square_b = 0.0, 0.0, 0.0
    for k in range(3):
        way_a = positions[there_a, k] - positions[here, k]
        way_b = positions[there_b, k] - positions[here, k]
        along += way_a * way_b
        square_a += way_a * way_a
        square_b += way_b * way_b
    if square_a == 0.0 or square_b == 0.0 or there_a == there_b:
        return 1.0
    return along / np.sqrt(square_a * square_b)


@native
def _follow(pairs, partners, visited, seen, links, starts, vertices):  # type: ignore[no-untyped-def]
    """Walk along joined ends: first the open chains from their ends, then closed ones.

    A chain ends before it comes back to one of its vertices, but for a closed one, which ends
    with its first one. Returns how many chains there are.
    """
    count = len(pairs)
    placed, chains = 0, 0
    for attempt in range(2):
        for end in range(2 * count):
            if seen[end // 2] or (attempt == 0 and partners[end] >= 0):
                continue
            starts[chains] = placed
            here, origin = end, pairs[end // 2, end % 2]
            vertices[placed + chains] = origin
            visited[origin] = chains
            while here >= 0 and not seen[here // 2]:
                link, far = here // 2, 1 - here % 2
                there = pairs[link, far]
                closes = there == origin and placed - starts[chains] >= LEAST_CLOSED - 1
                if visited[there] == chains and not (closes and attempt == 1):
                    break
                seen[link] = True
                visited[there] = chains
                links[placed] = link
                placed += 1
                vertices[placed + chains] = there
                here = -1 if closes else partners[2 * link + far]
            chains += 1
    starts[chains] = placed
    return chains
