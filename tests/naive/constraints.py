# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a model, each by itself: what the naive solvers step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .functions import Array

Evaluate = Callable[[Array], tuple[Array, Array]]
"""Points (k, 3) → C (m,), ∇C (m, k, 3)."""


@dataclass
class NaiveConstraint:
    """C(x) = 0 over some particles, with α (m, m) and the damping time αβ (m,) [s].

    ``chain``: the particles one after the other, where the parts are the links of a chain.
    """

    evaluate: Evaluate
    indices: list[int]
    compliance: Array
    damping: Array
    chain: list[int] = field(default_factory=list)


def evaluate_body(constraint: Any, points: ArrayLike, rest: ArrayLike) -> tuple[Array, Array]:
    """The constraint body of the core as plain Python on floats."""
    values, gradients = constraint.evaluate(
        np.asarray(points, np.float64).tolist(), np.asarray(rest, np.float64).tolist()
    )
    return np.array(values), np.array(gradients)


def from_registry(
    constraint: Any,
    indices: Sequence[int],
    rest: Array,
    compliance: ArrayLike,
    damping: ArrayLike = 0.0,
) -> NaiveConstraint:
    """A constraint type of the core; ``compliance`` is α, a number or a block."""
    size = constraint.components
    block = np.asarray(compliance, np.float64)
    return NaiveConstraint(
        lambda points: evaluate_body(constraint, points, rest),
        [int(index) for index in indices],
        block if block.ndim == 2 else float(block) * np.eye(size),
        np.broadcast_to(np.asarray(damping, np.float64), (size,)),
    )


def summed(group: Any) -> NaiveConstraint:
    """A group of the core that is one constraint: all its particles, C and ∇C added up."""
    particles = sorted({int(particle) for particle in group.indices.ravel()})
    place = {particle: i for i, particle in enumerate(particles)}

    def evaluate(points: Array) -> tuple[Array, Array]:
        C, gradient = np.zeros(1), np.zeros((1, len(particles), 3))
        for corners, rest in zip(group.indices.tolist(), group.rest, strict=True):
            local = [place[corner] for corner in corners]
            share, part = evaluate_body(group.constraint, points[local], rest)
            C += share
            gradient[:, local] += part
        return C, gradient

    return NaiveConstraint(evaluate, particles, group.compliance[:1], group.damping[0])


def block_of(lower_triangle: Sequence[float]) -> Array:
    """The symmetric matrix of a lower triangle, row by row."""
    size = next(m for m in range(1, 20) if m * (m + 1) // 2 == len(lower_triangle))
    values = iter(lower_triangle)
    block = np.zeros((size, size))
    for row in range(size):
        for column in range(row + 1):
            block[row, column] = block[column, row] = next(values)
    return block


def constraints_of(groups: Sequence[Any], slots: Sequence[NDArray[np.int64]]) -> list[Any]:
    """A model's constraints as (λ's places, NaiveConstraint), in the order of the program's λ.

    That order is the order of its batches; within a batch, where constraints share no particle,
    the order does not matter.
    """
    listed = []
    for group, places in zip(groups, slots, strict=True):
        if group.constraint.summed:
            listed.append((places[0], summed(group)))
            continue
        for i in range(len(group.indices)):
            reference = from_registry(
                group.constraint,
                group.indices[i],
                group.rest[i],
                block_of(group.compliance[i]),
                group.damping[i],
            )
            listed.append((places[i], reference))
    return sorted(listed, key=lambda pair: int(pair[0][0]))


def blocks_of(groups: Sequence[Any], slots: Sequence[NDArray[np.int64]]) -> list[Any]:
    """As :func:`constraints_of`, with the links of each chain as one constraint of many parts."""
    blocks = []
    for group, places in zip(groups, slots, strict=True):
        if group.chains is None:
            blocks += constraints_of([group], [places])
            continue
        starts, vertices = group.chains.starts, group.chains.vertices
        for c, (first, last) in enumerate(itertools.pairwise(starts.tolist())):
            chain = group.chains.links[first:last]
            parts = [
                from_registry(
                    group.constraint,
                    group.indices[i],
                    group.rest[i],
                    block_of(group.compliance[i]),
                    group.damping[i],
                )
                for i in chain
            ]
            along = vertices[first + c : last + c + 1].tolist()
            blocks.append((places[chain, 0], joined(parts, along)))
    return sorted(blocks, key=lambda pair: int(pair[0][0]))


def joined(parts: Sequence[NaiveConstraint], chain: list[int]) -> NaiveConstraint:
    """The links of a chain as one vector constraint over all their particles."""
    particles = sorted({index for part in parts for index in part.indices})
    places = [[particles.index(index) for index in part.indices] for part in parts]

    def evaluate(points: Array) -> tuple[Array, Array]:
        values, gradients = np.zeros(len(parts)), np.zeros((len(parts), *points.shape))
        for row, (part, place) in enumerate(zip(parts, places, strict=True)):
            values[row : row + 1], gradients[row, place] = part.evaluate(points[place])
        return values, gradients

    return NaiveConstraint(
        evaluate,
        particles,
        np.diag([part.compliance[0, 0] for part in parts]),
        np.array([part.damping[0] for part in parts]),
        chain,
    )
