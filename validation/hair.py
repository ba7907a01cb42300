# SPDX-License-Identifier: GPL-3.0-or-later
"""Long straight hair of the size in Digital Frontier's article on Chebyshev's method (2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRANDS, VERTICES = 24_570, 995_032
FEWEST, MOST = 4, 74  # vertices of a strand
SHORTEST, LONGEST = 0.0728, 1.1234  # m
HEAD = 0.1  # m, radius

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Hair:
    """Strands one after the other, each from its root to its tip.

    Attributes:
        positions: [m], shape (n, 3).
        sizes: vertices of each strand, shape (strands,).
    """

    positions: Array
    sizes: Integers

    @property
    def starts(self) -> Integers:
        """The root of each strand, shape (strands,)."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @property
    def edges(self) -> Integers:
        """Neighbours, shape (e, 2)."""
        first = np.delete(np.arange(len(self.positions)), self.starts + self.sizes - 1)
        return np.stack([first, first + 1], axis=1)

    @property
    def pins(self) -> Integers:
        """The first two vertices of each strand: roots grow in a direction."""
        return np.sort(np.concatenate([self.starts, self.starts + 1]))

    @property
    def lengths(self) -> Array:
        """[m], shape (strands,)."""
        tips = self.positions[self.starts + self.sizes - 1]
        return np.asarray(np.linalg.norm(tips - self.positions[self.starts], axis=1))

    def sample(self, step: int) -> Hair:
        """Every so many strands, from the shortest to the longest."""
        chosen = np.argsort(self.sizes, kind="stable")[::-1][::step]
        places = [np.arange(size) + start for start, size in zip(self.starts, self.sizes)]
        return Hair(
            self.positions[np.concatenate([places[strand] for strand in chosen])],
            self.sizes[chosen],
        )


def long_straight(seed: int = 24_570) -> Hair:
    """Hair with exactly the article's strands, vertices, shortest and longest strand.

    The article gives nothing in between: sizes are spread as a beta distribution spreads them,
    lengths go up with them, roots lie on the upper half of a head and point outwards.
    """
    random = np.random.default_rng(seed)
    sizes = _sizes(random)
    share = (sizes - FEWEST) / (MOST - FEWEST)
    lengths = SHORTEST + (LONGEST - SHORTEST) * share
    ordinary = (sizes > FEWEST) & (sizes < MOST)
    varied = lengths * random.uniform(0.95, 1.05, STRANDS)
    lengths[ordinary] = np.clip(varied, 1.001 * SHORTEST, 0.999 * LONGEST)[ordinary]
    outward = _directions(random)
    strand = np.repeat(np.arange(STRANDS), sizes)
    along = np.arange(VERTICES) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    distance = HEAD + (lengths / (sizes - 1))[strand] * along
    return Hair(distance[:, None] * outward[strand], sizes)


def _sizes(random: np.random.Generator) -> Integers:
    """Vertices of each strand: their sum is the article's, and so are the least and the most."""
    mean = (VERTICES / STRANDS - FEWEST) / (MOST - FEWEST)
    spread = random.beta(4.0 * mean, 4.0 * (1.0 - mean), STRANDS)
    sizes = np.rint(FEWEST + (MOST - FEWEST) * spread).astype(np.int64)
    sizes[0], sizes[1] = FEWEST, MOST
    missing = VERTICES - int(sizes.sum())
    step = int(np.sign(missing))
    while missing:
        room = np.flatnonzero((sizes + step >= FEWEST) & (sizes + step <= MOST))
        chosen = random.permutation(room[room > 1])[: abs(missing)]
        sizes[chosen] += step
        missing -= step * len(chosen)
    return sizes


def _directions(random: np.random.Generator) -> Array:
    """Unit vectors spread over the upper half of a sphere, shape (strands, 3)."""
    height, around = random.uniform(0.0, 1.0, STRANDS), random.uniform(0.0, 2 * np.pi, STRANDS)
    radius = np.sqrt(1.0 - height**2)
    return np.stack([radius * np.cos(around), radius * np.sin(around), height], axis=1)


def model_of(hair: Hair, dtype: Any, **material: Any) -> Any:
    """A ``core.Model`` of the hair, held at its roots."""
    import core

    model = core.Model(dtype)
    apart = {"self_collision": False, "body_collision": False}
    model.add_strands(hair.positions, hair.edges, pins=hair.pins, name="hair", **apart, **material)
    return model
