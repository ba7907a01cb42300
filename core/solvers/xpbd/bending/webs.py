# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of bends that share edges, each such web solved as a whole: trees, loops, small nets.

A twig that is solved apart from its branch would turn the branch's edge instead of being held. A
web's matrix is eliminated in an order that makes little fill, of trees none. Where it is too much,
as in a large net, its rows are solved one after the other: cords that cross hold each other by
hardly more than the places of their knots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....layout.coloring import color_rows, split_by_color
from ....linear.minimum_degree import minimum_degree
from ....mesh.connected import connected
from ....native.by_address import by_address
from .rods import Bends, Rods, arranged, runs_of
from .rows_of_bends import Rows

if TYPE_CHECKING:
    from ....model import Model

MOST_FILL = 16
"""Entries of L below the diagonal, on average for each particle."""

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@by_address
class Webs(NamedTuple):
    """Webs one after the other; columns of their matrices stand for particles that can move.

    Attributes:
        rods: the rows of all webs, whose moments are found side by side.
        run_ends, column_ends, bend_ends: where those of each web begin, and the end, shape
            (webs + 1,).
        colors: where webs begin that share no particle, and the end.
        columns: of each particle in ``rods``, -1 without, shape (rows, LANES).
        particles, masses: [kg] of each column, in the order of elimination.
        bends: row and lane of each bend in ``rods``, shape (bends, 2).
        targets: where its six products are added in ``values``, -1 for nowhere, shape (bends, 6).
        entry_ends: where the entries of each column of L begin, and the end; they follow the
            diagonal in ``values``.
        below: the column that stands for the row of each entry.
        pair_ends, pairs: where in ``values`` the products of each two entries of a column go.
        factored: the substep h [s] that the values of each web are for.
        values: D⁻¹ and L.
        right: of the system, and its solution, shape (columns, 3).
    """

    rods: Rods
    run_ends: Indices
    column_ends: Indices
    bend_ends: Indices
    colors: Indices
    columns: Indices
    particles: Indices
    masses: Reals
    bends: Indices
    targets: Indices
    entry_ends: Indices
    below: Indices
    pair_ends: Indices
    pairs: Indices
    factored: Reals
    values: Reals
    right: Reals


class Web(NamedTuple):
    """One web.

    Attributes:
        rows: numbers of its rows.
        particles: in the order of elimination.
        below: for each the places, in that order, of the entries in its column of L.
    """

    rows: Indices
    particles: Indices
    below: list[Indices]


def webs_in(model: Model, rows: Rows) -> tuple[list[Web], Indices]:
    """The webs among some rows, and the rows that are solved by themselves."""
    found: list[Web] = []
    single = []
    free = np.isfinite(model.masses)
    for members in _together(rows, free):
        web = _web_of(rows, members, free) if len(members) > 1 else None
        if web is None:
            single.append(members)
        else:
            found.append(web)
    none = np.empty(0, np.int64)
    return found, np.sort(np.concatenate([none, *single]))


def _edges_of(rows: Rows) -> tuple[Indices, Indices]:
    """The edges of all rows, shape (edges, 2), and the row of each."""
    owners = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.firsts))
    inner = owners[1:] == owners[:-1]
    pairs = np.stack([rows.particles[:-1], rows.particles[1:]], axis=1)[inner]
    return np.sort(pairs, axis=1), owners[1:][inner]


def _together(rows: Rows, free: NDArray[np.bool_]) -> list[Indices]:
    """Rows that share edges of which an end can move."""
    count = len(rows.starts) - 1
    edges, owners = _edges_of(rows)
    moving = free[edges].any(axis=1)
    _, numbers = np.unique(edges[moving], axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    table = np.stack([owners[moving], count + numbers], axis=1)
    nodes = count + int(numbers.max(initial=-1)) + 1
    parts = connected([table], np.ones(nodes, bool))[:count]
    order = np.argsort(parts, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(parts[order])) + 1) if count else []


def _web_of(rows: Rows, members: Indices, free: NDArray[np.bool_]) -> Web | None:
    """A web of some rows, unless its factor is too full."""
    triples = [
        np.stack([own[:-2], own[1:-1], own[2:]], axis=1)
        for own in (rows.particles[rows.firsts[row] : rows.firsts[row + 1]] for row in members)
    ]
    corners = np.concatenate(triples)
    particles, local = np.unique(corners, return_inverse=True)
    numbers = np.where(free[particles], np.cumsum(free[particles]) - 1, -1)
    particles = particles[free[particles]]
    neighbours: list[set[int]] = [set() for _ in particles]
    for triple in numbers[local.reshape(-1, 3)].tolist():
        moving = {number for number in triple if number >= 0}
        for number in moving:
            neighbours[number] |= moving - {number}
    found = minimum_degree(neighbours, MOST_FILL * len(particles))
    if found is None:
        return None
    order, columns = found
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    below = [places[np.array(column, np.int64)] for column in columns]
    return Web(members, particles[order], below)


def laid_out(model: Model, bends: Bends, rows: Rows, found: Sequence[Web]) -> Webs:
    """Webs for native code."""
    webs, colors = _colored(found, model.particle_count)
    runs = [runs_of(rows, web.rows) for web in webs]
    rods = arranged(model, bends, rows, [run for own in runs for run in own], np.zeros(1, np.int64))
    run_ends = _ends([len(own) for own in runs])
    column_ends = _ends([len(web.particles) for web in webs])
    none = np.empty(0, np.int64)
    particles = np.concatenate([none, *(web.particles for web in webs)])
    below = [first + own for web, first in zip(webs, column_ends) for own in web.below]
    columns = np.full(rods.particles.shape, -1)
    places = np.full(model.particle_count + 1, -1)
    row_ends = np.append(rods.runs[:, 0], len(rods.particles))[run_ends]
    for number, web in enumerate(webs):
        places[web.particles] = column_ends[number] + np.arange(len(web.particles))
        own = slice(row_ends[number], row_ends[number + 1])
        columns[own] = places[rods.particles[own]]
        places[web.particles] = -1
    # What stays behind the end of a row is the row's last particle, once more.
    columns[rods.inverse_masses == 0.0] = -1
    entry_ends = _ends([len(own) for own in below])
    table = _Places(entry_ends, below)
    chosen = np.argwhere(rods.slots >= 0)
    own_columns = np.stack([columns[chosen[:, 0] + k, chosen[:, 1]] for k in (-1, 0, 1)], axis=1)
    return Webs(
        rods,
        run_ends,
        column_ends,
        np.searchsorted(chosen[:, 0], row_ends),
        colors,
        columns,
        particles,
        model.masses[particles],
        chosen,
        np.array([table.products(own) for own in own_columns.tolist()], np.int64).reshape(-1, 6),
        entry_ends,
        np.concatenate([none, *below]),
        _ends([len(own) * (len(own) + 1) // 2 for own in below]),
        np.array([place for own in below for place in table.pairs(own.tolist())], np.int64),
        np.zeros(len(webs)),
        np.zeros(len(below) + int(entry_ends[-1])),
        np.zeros((len(below), 3)),
    )


def _colored(found: Sequence[Web], count: int) -> tuple[list[Web], Indices]:
    """Webs such that those that share no particle follow each other."""
    starts = _ends([len(web.particles) for web in found])
    particles = np.concatenate([np.empty(0, np.int64), *(web.particles for web in found)])
    by_color = split_by_color(color_rows(starts, particles, count))
    return [found[i] for same in by_color for i in same], _ends([len(same) for same in by_color])


class _Places:
    """Where the numbers of a factor are: the diagonal, then the entries, column after column."""

    def __init__(self, entry_ends: Indices, below: Sequence[Indices]) -> None:
        first = len(below)
        self._places = {
            (row, column): first + entry_ends[column] + i
            for column, own in enumerate(below)
            for i, row in enumerate(own.tolist())
        }

    def of(self, a: int, b: int) -> int:
        """That of two columns; -1 where one is none."""
        if a < 0 or b < 0:
            return -1
        return a if a == b else int(self._places[max(a, b), min(a, b)])

    def products(self, columns: Sequence[int]) -> list[int]:
        """Those of a bend: of each particle with itself, then of each two."""
        a, b, c = columns
        return [self.of(*pair) for pair in ((a, a), (b, b), (c, c), (a, b), (b, c), (a, c))]

    def pairs(self, column: Sequence[int]) -> list[int]:
        """Those that eliminating a column changes."""
        return [self.of(a, b) for i, a in enumerate(column) for b in column[: i + 1]]


def _ends(lengths: Sequence[int]) -> Indices:
    return np.cumsum([0, *lengths])
