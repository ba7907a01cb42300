# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains that go on in each other through seams, where two particles have become one.

A chain that ends at a seam would be pulled together along itself by each solve, and all that a
tight garment is too short be left to the links at its seams.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..mesh.connected import connected
from ..remembered import remembered
from .chains import LEAST_CLOSED, Chains
from .coloring import color_rows

Indices = NDArray[np.int64]

NONE = -1
"""The partner of an end without one, and the number of a thread."""


@remembered
def joined(chains: Chains, ones: Indices, threads: Indices) -> Chains:
    """The same links on particles of which some have become one, in longer chains.

    Chains that come to a seam from two sides go on in each other, or in a thread between them, and
    in the other by that. Those along the seam end where it does.

    Args:
        ones: of each particle the one that it has become, itself where it has not, shape (n,).
        threads: pairs of such ones between which chains may have a further link, shape (t, 2).
            These are numbered after their own, as one comes to them.
    """
    if len(chains.links) == 0:
        return chains
    partners = _partners(chains, ones, threads)
    links, vertices = [], []
    for walk in _walks(partners):
        for some_links, some_vertices in _apart(*_along(chains, walk, partners, ones)):
            links.append(some_links)
            vertices.append(some_vertices)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in links])]).astype(np.int64)
    every = np.concatenate(vertices)
    colors = color_rows(starts + np.arange(len(starts)), every, len(ones))
    every_link = np.concatenate(links)
    further = np.flatnonzero(every_link == NONE)
    every_link[further] = len(chains.links) + np.arange(len(further))
    return Chains(every_link, starts, every, colors)


def _partners(chains: Chains, ones: Indices, threads: Indices) -> Indices:
    """Of each end of a chain, 2 · chain + side, the end that it goes on in, or NONE."""
    seams = connected([threads], np.ones(len(ones), bool))[ones]
    number = np.arange(len(chains.starts) - 1)
    first, last = chains.starts[:-1] + number, chains.starts[1:] + number
    places = np.stack([first, last], axis=1).ravel()
    beside = np.stack([first + 1, last - 1], axis=1).ravel()
    is_sewn = (np.bincount(seams, minlength=len(seams)) > 1)[seams]
    at, next_to = chains.vertices[places], chains.vertices[beside]
    comes = is_sewn[at] & ~is_sewn[next_to] & np.repeat(~chains.closed, 2)
    ends = np.flatnonzero(comes)
    ends = ends[np.lexsort((at[ends], seams[at[ends]]))]
    turns = _places_in_runs(at[ends])
    order = np.lexsort((turns, seams[at[ends]]))
    ends, turns = ends[order], turns[order]
    same = np.stack([seams[at[ends]], turns], axis=1)
    begins = np.flatnonzero(_begins(same))
    two = begins[np.diff(np.r_[begins, len(ends)]) == 2]
    one, other = ends[two], ends[two + 1]
    here, there = ones[at[one]], ones[at[other]]
    keys = np.concatenate([threads, threads[:, ::-1]]) @ [len(ones), 1]
    reaches = (here == there) | np.isin(here * len(ones) + there, keys)
    one, other = one[reaches], other[reaches]
    partners = np.full(len(places), NONE)
    partners[one], partners[other] = other, one
    return partners


def _begins(values: Indices) -> NDArray[np.bool_]:
    """Which rows differ from the one before, shape (k,)."""
    rows = values if values.ndim == 2 else values[:, None]
    return np.r_[np.ones(min(1, len(rows)), bool), (rows[1:] != rows[:-1]).any(axis=1)]


def _places_in_runs(values: Indices) -> Indices:
    """Of each value how many like it come right before, shape (k,)."""
    begins = np.flatnonzero(_begins(values))
    lengths = np.diff(np.r_[begins, len(values)])
    return np.arange(len(values)) - np.repeat(begins, lengths)


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


def _along(
    chains: Chains,
    walk: list[int],
    partners: Indices,
    ones: Indices,
) -> tuple[Indices, Indices]:
    """Links, and one vertex more, along chains that one goes into at these ends.

    A thread comes before the chain that it leads to, also before the first one of those that go all
    around: no closed chain ends with one.
    """
    links: list[Indices] = []
    vertices: list[Indices] = []
    for end in walk:
        own_links, own = _from(chains, end, ones)
        if (came := int(partners[end])) != NONE:
            before = _from(chains, came, ones)[1][:1]
            if before[0] != own[0]:
                links.append(np.array([NONE]))
                own = own if vertices else np.concatenate([before, own])
            elif vertices:
                own = own[1:]
        links.append(own_links)
        vertices.append(own)
    return np.concatenate(links), np.concatenate(vertices)


def _from(chains: Chains, end: int, ones: Indices) -> tuple[Indices, Indices]:
    """Links and vertices of a chain from one of its ends on."""
    number, step = end // 2, 1 if end % 2 == 0 else -1
    low, high = chains.starts[number], chains.starts[number + 1]
    vertices = chains.vertices[low + number : high + number + 1]
    return chains.links[low:high][::step], ones[vertices[::step]]


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
