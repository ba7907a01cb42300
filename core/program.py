# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's constraints laid out for the kernels: batches of conflict-free blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from .coloring import color
from .constraints import Constraint
from .vector import call, compiler
from .vector.interpreter import interpret
from .vector.kernel import KernelSpecification

COLUMNS = 9
ADDRESS, OFFSETS, PARAMETERS, MULTIPLIERS, BLOCKS, LANES, VERTICES, VALUES, COMPONENTS = range(9)
"""Columns of the batch table: kernel, first element of each array, number of blocks, W, and the
sizes of one constraint: vertices, parameters, components."""


@dataclass
class Group:
    """Constraints of one kind, added together.

    Attributes:
        indices: particles, shape (count, vertices).
        rest: rest state, shape (count, rest_size).
        compliance: α, lower triangles, shape (count, compliance_size).
        damping: Rayleigh's stiffness-proportional coefficient [s], shape (count, components).
        keep_order: sweep in the order given instead of by colours.
    """

    constraint: Constraint
    indices: NDArray[np.int64]
    rest: NDArray[np.float64]
    compliance: NDArray[np.float64]
    damping: NDArray[np.float64]
    keep_order: bool = False

    @property
    def damped(self) -> bool:
        """Whether any constraint of the group is damped."""
        return bool(np.any(self.damping != 0.0))


class Program(NamedTuple):
    """All constraints as kernels see them.

    Attributes:
        batches: one row a conflict-free batch in sweep order, columns as above, int64.
        offsets: byte offsets of particles, uint32, flat.
        parameters: rest state, compliance, damping, flat.
        multipliers: λ, flat.
    """

    batches: NDArray[np.int64]
    offsets: NDArray[np.uint32]
    parameters: NDArray[Any]
    multipliers: NDArray[Any]


Specify = Callable[[Constraint, bool], KernelSpecification]
Slots = list[NDArray[np.int64]]


def build(
    groups: list[Group], particle_count: int, dtype: DTypeLike, specify: Specify
) -> tuple[Program, Slots]:
    """Lay out groups for the kernels that ``specify(constraint, damped)`` describes.

    Returns:
        The program, and for each group the places of its multipliers, shape (count, components).
    """
    layout = _Layout(particle_count, np.dtype(dtype))
    slots: dict[int, NDArray[np.int64]] = {}
    order = sorted(range(len(groups)), key=lambda index: groups[index].constraint.order)
    for index in order:
        group = groups[index]
        slots[index] = layout.add(group, specify(group.constraint, group.damped))
    return layout.finish(), [slots[index] for index in range(len(groups))]


class _Layout:
    def __init__(self, particle_count: int, dtype: np.dtype[Any]) -> None:
        self.particle_count = particle_count
        self.dtype = dtype
        self.batches: list[list[int]] = []
        self.offsets: list[NDArray[Any]] = []
        self.parameters: list[NDArray[Any]] = []
        self.sizes = [0, 0, 0]

    def add(self, group: Group, specification: KernelSpecification) -> NDArray[np.int64]:
        """Append a group's batches; returns the places of its multipliers."""
        count = len(group.indices)
        parameters = [group.rest, group.compliance]
        if specification.reads_previous:
            parameters.append(group.damping)
        table = np.concatenate(parameters, axis=1)
        slots = np.empty((count, specification.components), np.int64)
        if group.keep_order:
            lanes, batches = 1, [np.arange(count)] if count else []
        else:
            lanes = compiler.native_lanes()
            batches = color(group.indices, self.particle_count)
        address = self._address(specification, lanes)
        for members in batches:
            blocks = -(-len(members) // lanes)
            slots[members] = self._slots(len(members), specification.components, lanes)
            sizes = (specification.vertices, specification.parameters, specification.components)
            self.batches.append([address, *self.sizes, blocks, lanes, *sizes])
            self._append(group.indices[members], table[members], blocks, lanes)
            self.sizes[2] += blocks * lanes * specification.components
        return slots

    def _address(self, specification: KernelSpecification, lanes: int) -> int:
        if numba.config.DISABLE_JIT:
            call.PYTHON_KERNELS.append(interpret(specification, lanes))
            return len(call.PYTHON_KERNELS) - 1
        return compiler.address(specification, lanes, self.dtype == np.float64)

    def _slots(self, count: int, components: int, lanes: int) -> NDArray[np.int64]:
        block, lane = np.divmod(np.arange(count), lanes)
        first = self.sizes[2] + block * lanes * components + lane
        return np.asarray(first[:, None] + lanes * np.arange(components))

    def _append(
        self, indices: NDArray[np.int64], table: NDArray[np.float64], blocks: int, lanes: int
    ) -> None:
        """Unused lanes of the last block get the padding particles and the first's parameters."""
        vertices = indices.shape[1]
        padding = blocks * lanes - len(indices)
        idle = np.tile(self.particle_count + np.arange(vertices), (padding, 1))
        rows = np.concatenate([indices, idle])
        values = np.concatenate([table, np.repeat(table[:1], padding, axis=0)])
        offsets = (rows * (4 * self.dtype.itemsize)).astype(np.uint32)
        self.offsets.append(_by_block(offsets, lanes))
        self.parameters.append(_by_block(values.astype(self.dtype), lanes))
        self.sizes[0] += offsets.size
        self.sizes[1] += values.size

    def finish(self) -> Program:
        return Program(
            np.array(self.batches, np.int64).reshape(-1, COLUMNS),
            np.concatenate([np.empty(0, np.uint32), *self.offsets]),
            np.concatenate([np.empty(0, self.dtype), *self.parameters]),
            np.zeros(self.sizes[2], self.dtype),
        )


def _by_block(rows: NDArray[Any], lanes: int) -> NDArray[Any]:
    """(count, k) → flat [block][k][lane]."""
    return np.ascontiguousarray(rows.reshape(-1, lanes, rows.shape[1]).transpose(0, 2, 1)).ravel()
