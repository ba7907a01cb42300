# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a group arranged for kernels, in blocks of W lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..remembered import remembered
from .chains import Chains
from .coloring import color, split_by_color

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Blocks of ``lanes`` constraints each, which run after each other or at the same time.

    Attributes:
        group: number of the constraints' group.
        members: constraint in each lane of each block, -1 in unused ones, shape (blocks · lanes,).
        particles: of each lane, shape (blocks · lanes, vertices).
        lanes: W; 1 for constraints that keep their order.
        run_starts: the first block of each run, which are the blocks along W chains, and the end;
            empty where blocks share no particle.
        closed: whether the chains are closed.
    """

    group: int
    members: Indices
    particles: Indices
    lanes: int
    run_starts: Indices = field(default_factory=lambda: np.empty(0, np.int64))
    closed: bool = False

    @property
    def blocks(self) -> int:
        """Number of blocks; a batch without lanes stands for a constraint over many elements."""
        return len(self.members) // max(self.lanes, 1)


def in_order(group: int, indices: Indices) -> list[Batch]:
    """One batch in the order given, if there is anything."""
    return [Batch(group, np.arange(len(indices)), indices, 1)] if len(indices) else []


@remembered
def by_color(group: int, indices: Indices, lanes: int, particle_count: int) -> list[Batch]:
    """Batches of constraints that share no particle.

    Args:
        indices: particles of all constraints of the group.
        particle_count: the particles after the last one fill unused lanes.
    """
    vertices, found = indices.shape[1], []
    for members in color(indices, particle_count):
        padding = -len(members) % lanes
        idle = np.tile(particle_count + np.arange(vertices), (padding, 1))
        filled = np.concatenate([members, np.full(padding, -1)])
        found.append(Batch(group, filled, np.concatenate([indices[members], idle]), lanes))
    return found


@remembered
def along_chains(group: int, chains: Chains, lanes: int, particle_count: int) -> list[Batch]:
    """Batches of chains that share no particle, W of about the same length side by side.

    A lane whose chain has ended stays at its last vertex: a link without length, which does
    nothing; one whose closed chain has not yet begun waits at its first one. Long and short ones
    follow each other so that threads get equal shares.
    """
    lengths, closed, found = np.diff(chains.starts), chains.closed, []
    for same in filter(len, split_by_color(2 * chains.colors + closed)):
        chosen = same[np.argsort(-lengths[same], kind="stable")]
        runs = [
            _side_by_side(chains, chosen[first : first + lanes], lanes, particle_count)
            for first in evenly(range(0, len(chosen), lanes))
        ]
        sizes = [len(members) // lanes for members, _ in runs]
        batch = Batch(
            group,
            np.concatenate([members for members, _ in runs]),
            np.concatenate([particles for _, particles in runs]),
            lanes,
            np.concatenate([[0], np.cumsum(sizes)]),
            bool(closed[same[0]]),
        )
        found.append(batch)
    return found


def evenly(sorted_values: Sequence[int]) -> list[int]:
    """The values in an order of which each part is a fair sample: that of van der Corput.

    It sorts places by their binary digits read backward.
    """
    digits = len(sorted_values).bit_length()
    places = sorted(range(len(sorted_values)), key=lambda place: f"{place:0{digits}b}"[::-1])
    return [sorted_values[place] for place in places]


def _side_by_side(
    chains: Chains, chosen: Indices, lanes: int, particle_count: int
) -> tuple[Indices, Indices]:
    """Members and particles of W chains, link by link."""
    starts, ends = chains.starts[chosen], chains.starts[chosen + 1]
    longest = int((ends - starts).max())
    first = np.where(chains.closed[chosen], ends - longest, starts)  # of the first link's place
    link = first + np.arange(longest)[:, None]
    members = np.full((longest, lanes), -1)
    vertices = np.full((longest + 1, lanes), particle_count)
    is_own = (starts <= link) & (link < ends)
    members[:, : len(chosen)] = np.where(is_own, chains.links[np.where(is_own, link, starts)], -1)
    place = np.clip(first + np.arange(longest + 1)[:, None], starts, ends)
    vertices[:, : len(chosen)] = chains.vertices[place + chosen]
    particles = np.stack([vertices[:-1], vertices[1:]], axis=-1)
    return members.ravel(), particles.reshape(-1, 2)
