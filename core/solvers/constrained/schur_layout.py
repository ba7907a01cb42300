# SPDX-License-Identifier: GPL-3.0-or-later
"""Who stands where in the linear system of all constraints.

The rows of S, one a component of a constraint, are ordered along the mesh, so that S has a narrow
envelope: a band for chains and strands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constraints import Constraint
from ...errors import ModelError
from ...layout.layout import Layout
from ...linear.ordering import reverse_cuthill_mckee
from ...mesh.incidence import grouped
from .schur import Integers, Schur, output_count

MOST_ENTRIES = 2**27
"""Of S, a gigabyte; a step through as many takes half a minute."""

_NONE = np.empty(0, np.int64)


class _GroupPlaces(NamedTuple):
    """Where the numbers of one group's constraints are; shapes with m constraints.

    Attributes:
        first: number of the first one among all.
        indices: particles, shape (m, vertices).
        outputs: places in the kernels' outputs, shape (m, output_count).
        slots: places of λ, shape (m, components).
        bends: 2/ℓ, shape (m,).
    """

    first: int
    constraint: Constraint
    indices: Integers
    outputs: Integers
    slots: Integers
    bends: NDArray[np.float64]


def build_schur(
    layout: Layout,
    taken: Sequence[bool],
    positions: NDArray[np.float64],
    masses: NDArray[np.float64],
) -> Schur:
    """The system of constraints of a layout.

    Args:
        taken: for each group whether its constraints are; limits never are.
        positions: of all particles at rest [m], shape (n, 3).
        masses: of all particles [kg]; infinite ones don't couple constraints.

    Raises:
        ModelError: it would be too large.
    """
    groups = _places_of(layout, taken, positions)
    widths = np.concatenate(
        [_NONE, *(np.full(len(g.indices), g.constraint.components) for g in groups)]
    )
    places, first_rows, row_parts, part_count = _order(groups, widths, np.isfinite(masses))
    incidences, bends = _incidences(groups, places, first_rows)
    moving = int(places.max(initial=-1)) + 1
    incidence_starts, order = grouped(incidences[0], np.arange(incidences.shape[1]), moving)
    particle, rows, outputs, strides = incidences[:, order]

    # A row reaches as far as the last row of any of its particles, and of its own constraint.
    lasts = np.repeat(first_rows + widths - 1, widths)
    reached = np.empty_like(lasts)
    reached[_spread(first_rows, widths)] = lasts
    np.maximum.at(reached, rows, rows[incidence_starts[particle + 1] - 1])
    starts = _starts(np.maximum.accumulate(reached))

    residuals, multipliers, targets, softness = _row_places(groups, first_rows, starts)
    by_target = np.argsort(targets)
    target_parts = row_parts[np.searchsorted(starts, targets[by_target], side="right") - 1]
    arrays = (
        _ranges(row_parts, part_count),
        _ranges(row_parts[rows[incidence_starts[:-1]]], part_count),
        _ranges(target_parts, part_count),
        np.argsort(places, kind="stable")[len(places) - moving :],
        incidence_starts,
        rows,
        outputs,
        strides,
        bends[order],
        starts,
        residuals,
        multipliers,
        targets[by_target],
        softness[by_target],
    )
    # One memory layout for all models: native code is compiled for each that it meets.
    return Schur(*(np.ascontiguousarray(array) for array in arrays))


def _places_of(
    layout: Layout, taken: Sequence[bool], positions: NDArray[np.float64]
) -> list[_GroupPlaces]:
    sizes = [
        output_count(group.constraint) if own else 0
        for group, own in zip(layout.groups, taken, strict=True)
    ]
    groups, first = [], 0
    for group, own, corners, outputs, slots in zip(
        layout.groups, taken, layout.corners(), layout.places(sizes), layout.slots, strict=True
    ):
        if own and not group.constraint.inequality:
            bends = _bends(positions[corners])
            groups.append(_GroupPlaces(first, group.constraint, corners, outputs, slots, bends))
            first += len(corners)
    return groups


def _bends(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """2/ℓ [1/m] of constraints on these points, shape (m, vertices, 3); zero where ℓ is."""
    one, other = np.triu_indices(corners.shape[1], 1)
    sizes = np.linalg.norm(corners[:, one] - corners[:, other], axis=2).mean(axis=1)
    return np.asarray(np.where(sizes > 0.0, 2.0 / np.where(sizes > 0.0, sizes, 1.0), 0.0))


def _order(
    groups: Sequence[_GroupPlaces], widths: Integers, moves: NDArray[np.bool_]
) -> tuple[Integers, Integers, Integers, int]:
    """Where particles and rows come.

    Constraints follow their particles, those that hold on to no moving one come last, each as a
    part of its own.

    Returns:
        The place of each particle, -1 if it is in no row; the first row of each constraint; the
        part of each row; and the number of parts.
    """
    count = len(widths)
    elements = np.concatenate([_NONE, *(_repeated(group) for group in groups)])
    particles = np.concatenate([_NONE, *(group.indices.ravel() for group in groups)])
    coupling = moves[particles]
    elements, particles = elements[coupling], particles[coupling]
    places, parts = reverse_cuthill_mckee(particles, elements, len(moves), count)

    low, high = np.full(count, len(moves)), np.full(count, -1)
    np.minimum.at(low, elements, places[particles])
    np.maximum.at(high, elements, places[particles])
    order = np.lexsort((high, low))
    first_rows = np.empty(count, np.int64)
    first_rows[order] = np.cumsum(widths[order]) - widths[order]

    element_parts = np.full(count, -1)
    element_parts[elements] = parts[particles]
    lone = order[element_parts[order] < 0]
    joined = int(parts.max(initial=-1)) + 1
    element_parts[lone] = joined + np.arange(len(lone))
    row_parts = np.repeat(element_parts[order], widths[order])
    return places, first_rows, row_parts, joined + len(lone)


def _repeated(group: _GroupPlaces) -> Integers:
    """The number of the constraint of each of its corners, flat."""
    return np.repeat(group.first + np.arange(len(group.indices)), group.constraint.vertices)


def _incidences(
    groups: Sequence[_GroupPlaces], places: Integers, first_rows: Integers
) -> tuple[Integers, NDArray[np.float64]]:
    """Place of a particle, row, place and stride in the outputs, shape (4, m), and 2/ℓ, (m,).

    Rows ascend.
    """
    found, bends = [np.empty((4, 0), np.int64)], [np.empty(0)]
    for group in groups:
        components, vertices = group.constraint.components, group.constraint.vertices
        shape = (len(group.indices), components, vertices)
        rows = first_rows[group.first :][: shape[0], None] + np.arange(components)
        slopes = group.outputs[:, components:][:, : 3 * components * vertices]
        triples = slopes.reshape(*shape, 3)
        columns = (
            np.broadcast_to(places[group.indices][:, None, :], shape),
            np.broadcast_to(rows[:, :, None], shape),
            triples[..., 0],
            triples[..., 1] - triples[..., 0],
        )
        found.append(np.stack([column.ravel() for column in columns]))
        bends.append(np.repeat(group.bends, components * vertices))
    table, lengths = np.concatenate(found, axis=1), np.concatenate(bends)
    chosen = np.argsort(table[1], kind="stable")
    chosen = chosen[table[0, chosen] >= 0]
    return table[:, chosen], lengths[chosen]


def _row_places(
    groups: Sequence[_GroupPlaces], first_rows: Integers, starts: Integers
) -> tuple[Integers, Integers, Integers, Integers]:
    """Places of residual and λ of each row; places of α̃ in the envelope and in the outputs."""
    residuals = np.empty(len(starts) - 1, np.int64)
    multipliers = np.empty_like(residuals)
    targets, softness = [_NONE], [_NONE]
    for group in groups:
        components, size = group.constraint.components, group.constraint.compliance_size
        first = first_rows[group.first :][: len(group.indices), None]
        rows = first + np.arange(components)
        residuals[rows], multipliers[rows] = group.outputs[:, :components], group.slots
        below, above = np.tril_indices(components)
        targets.append((starts[first + above] + (below - above)).ravel())
        softness.append(group.outputs[:, -size:].ravel())
    return residuals, multipliers, np.concatenate(targets), np.concatenate(softness)


def _starts(lasts: Integers) -> Integers:
    """Where the rows of an envelope start that reach to these last columns."""
    starts = np.zeros(len(lasts) + 1, np.int64)
    np.cumsum(lasts - np.arange(len(lasts)) + 1, out=starts[1:])
    if starts[-1] > MOST_ENTRIES:
        raise ModelError(
            f"Constrained dynamics would need {starts[-1] * 8e-9:.0f} GB for a mesh this wide; it "
            "is made for chains, strands and nets. Choose XPBD, or a coarser mesh."
        )
    return starts


def _spread(first_rows: Integers, widths: Integers) -> Integers:
    """The rows of each constraint, one constraint after the other."""
    within = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths)
    return np.repeat(first_rows, widths) + within


def _ranges(numbers: Integers, count: int) -> Integers:
    """Where each of ``count`` numbers starts in an ascending list."""
    return np.searchsorted(numbers, np.arange(count + 1))
