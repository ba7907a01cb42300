# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains that go on in each other through seams, where two particles have become one.

A chain that ends at a seam would be pulled together along itself by each solve, and all that a
tight garment is too short be left to the links at its seams.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..remembered import remembered
from .chains import LEAST_CLOSED, Chains
from .coloring import color_rows

Indices = NDArray[np.int64]

NONE = -1
"""The partner of an end without one."""


@remembered
def joined(chains: Chains, ones: Indices) -> Chains:
    """The same links on particles of which some have become one, in longer chains.

    Where exactly two chains come to a seam, from two sides, they go on in each other. Those along
    the seam end where it does.

    Args:
        ones: of each particle the one that it has become, itself where it has not, shape (n,).
    """
    walks = _walks(_partners(chains, ones))
    links, vertices = [], []
    for walk in walks:
        for some_links, some_vertices in _apart(*_along(chains, walk, ones)):
            links.append(some_links)
            vertices.append(some_vertices)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in links])]).astype(np.int64)
    every = np.concatenate(vertices)
    colors = color_rows(starts + np.arange(len(starts)), every, len(ones))
    return Chains(np.concatenate(links), starts, every, colors)


def _partners(chains: Chains, ones: Indices) -> Indices:
    """Of each end of a chain, 2 · chain + side, the end that it goes on in, or NONE."""
    number = np.arange(len(chains.starts) - 1)
    first, last = chains.starts[:-1] + number, chains.starts[1:] + number
    places = np.stack([first, last], axis=1).ravel()
    beside = np.stack([first + 1, last - 1], axis=1).ravel()
    is_sewn = (np.bincount(ones, minlength=len(ones)) > 1)[ones]
    at, next_to = chains.vertices[places], chains.vertices[beside]
    comes = is_sewn[at] & ~is_sewn[next_to] & np.repeat(~chains.closed, 2)
    ends = np.flatnonzero(comes)
    ends = ends[np.argsort(ones[at[ends]], kind="stable")]
    seam = ones[at[ends]]
    begins = np.flatnonzero(np.r_[True, seam[1:] != seam[:-1]]) if len(ends) else ends
    two = begins[np.diff(np.r_[begins, len(ends)]) == 2]
    one, other = ends[two], ends[two + 1]
    from_two_sides = at[one] != at[other]
    one, other = one[from_two_sides], other[from_two_sides]
    partners = np.full(len(places), NONE)
    partners[one], partners[other] = other, one
    return partners


def _walks(partners: Indices) -> Iterator[list[int]]:
    """The ends at which one goes into chain after chain: first from free ends, then all around."""
    seen = np.zeros(len(partners) // 2, bool)
    for all_around in (False, True):
        for begin in range(len(partners)):
            if seen[begin // 2] or not (all_around or partners[begin] == NONE):
                continue
            walk, end = [], begin
            while end != NONE and not seen[end // 2]:
                seen[end // 2] = True
                walk.append(end)
                end = int(partners[end ^ 1])
            yield walk


def _along(chains: Chains, walk: list[int], ones: Indices) -> tuple[Indices, Indices]:
    """Links, and one vertex more, along chains that one goes into at these ends."""
    links, vertices = [], []
    for end in walk:
        number, step = end // 2, 1 if end % 2 == 0 else -1
        low, high = chains.starts[number], chains.starts[number + 1]
        links.append(chains.links[low:high][::step])
        own = ones[chains.vertices[low + number : high + number + 1][::step]]
        vertices.append(own if end == walk[-1] else own[:-1])
    return np.concatenate(links), np.concatenate(vertices)


def _apart(links: Indices, vertices: Indices) -> Iterator[tuple[Indices, Indices]]:
    """A chain, in parts of which none comes back to one of its vertices unless it closes there."""
    closes = vertices[0] == vertices[-1] and len(links) >= LEAST_CLOSED
    if len(np.unique(vertices)) == len(vertices) - closes:
        yield links, vertices
        return
    begin, met = 0, {int(vertices[0])}
    for place in range(1, len(vertices)):
        if int(vertices[place]) in met:
            yield links[begin : place - 1], vertices[begin:place]
            begin, met = place - 1, {int(vertices[place - 1])}
        met.add(int(vertices[place]))
    yield links[begin:], vertices[begin:]
