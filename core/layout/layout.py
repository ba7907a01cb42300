# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's constraints in conflict-free blocks of W, from which programs are made."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..constraints import Constraint
from ..errors import ModelError
from ..native.threads import MOST_THREADS
from ..vector import call, compiler
from ..vector.interpreter import interpret, interpret_chain
from ..vector.specification import ChainSpecification, KernelSpecification
from .batches import Batch, along_chains, by_color, in_order
from .group import Group
from .program import BATCH, Program
from .sums import SUM, USES, Sums, Use, elements_of, memberships, new_rows
from .sums import specification as sum_specification

Specify = Callable[[Constraint, bool], KernelSpecification]
SpecifyChain = Callable[[Constraint, bool, bool, bool], ChainSpecification]
Places = list[NDArray[np.int64]]

_PLACES = "offsets", "parameters", "multipliers", "outputs"
"""Fields of a batch that say where it begins,"""

_SIZES = "vertices", "values", "components", "output_values"
"""and how much one of its constraints has there."""


class Layout:
    """Constraints in conflict-free blocks of W, on which programs for several sweeps are made.

    Programs of a layout share their arrays: what one kernel does to λ, the others see.

    Args:
        groups: the constraints.
        particle_count: of the model; the particles after the last one fill unused lanes.
        dtype: np.float32 or np.float64.
        extra: for each group further parameters of its constraints, shape (count, k).

    Attributes:
        slots: for each group the places of its multipliers, shape (count, components); (1, 1) for
            a summed constraint.
        owners: for each batch the number of its group.
        summed: for each group its number among the summed ones, -1 for others.
        sums: all summed groups.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        particle_count: int,
        dtype: DTypeLike,
        extra: Sequence[NDArray[np.float64]] | None = None,
    ) -> None:
        self.groups = list(groups)
        self.dtype = np.dtype(dtype)
        self._particle_count = particle_count
        numbers = itertools.count()
        self.summed = [next(numbers) if group.constraint.summed else -1 for group in self.groups]
        self._batches = list(self._sorted_batches())
        self.owners = np.array([batch.group for batch in self._batches], np.int64)
        tables = [_parameters_of(group) for group in self.groups]
        if extra is not None:
            tables = [np.concatenate(pair, axis=1) for pair in zip(tables, extra, strict=True)]
        self._widths = [table.shape[1] for table in tables]
        blocks = [(each, tables[each.group]) for each in self._batches if each.lanes > 0]
        offsets = [self._offsets_of(batch) for batch, _ in blocks]
        parameters = [self._parameters_of(batch, table) for batch, table in blocks]
        self._flat_offsets = np.concatenate([np.empty(0, np.uint32), *offsets])
        self._flat_parameters = np.concatenate([np.empty(0, self.dtype), *parameters])
        components = [group.constraint.components for group in self.groups]
        self.slots = self.places(components)
        own = self._size(components)
        for group, number in enumerate(self.summed):
            if number >= 0:
                self.slots[group] = np.array([[own + number]])
        summed = [group for group in self.groups if group.constraint.summed]
        elements, members = elements_of(summed)
        self._elements = Layout(elements, sum(map(len, members)), dtype) if summed else None
        shares = memberships(self.groups, particle_count)
        self.sums = _sums_of(summed, self._elements, members, shares, own, self.dtype)
        self._multipliers = np.zeros(own + len(self.sums.groups), self.dtype)

    def program(
        self,
        specify: Specify,
        only: Sequence[bool] | None = None,
        sums: Use | None = None,
        chains: SpecifyChain | None = None,
    ) -> Program:
        """The sweep of the kernels that ``specify(constraint, damped)`` describes.

        Args:
            chains: kernels for constraints along chains, ``chains(constraint, damped, closed,
                sewn)``; by default the same as for others.
            only: for each group whether the sweep takes it in; by default all.
            sums: what it does with summed constraints.

        Raises:
            ModelError: it takes such constraints in, and ``sums`` does not say.
        """
        taken = [only is None or only[batch.group] for batch in self._batches]
        wanted = {batch.group for batch, own in zip(self._batches, taken, strict=True) if own}
        kernels = {number: self._kernel(number, specify) for number in wanted}
        records, starts, runs, scratch = [], [0] * 4, 0, 0
        for batch, own in zip(self._batches, taken, strict=True):
            record = dict.fromkeys(BATCH.names or (), 0) | {"summed": self.summed[batch.group]}
            record["twice"] = not self.groups[batch.group].constraint.only_xpbd
            records.append(record)
            if batch.lanes == 0:
                record["use"] = self._use(batch.group, sums) if own else -1
                continue
            self._put_sizes(record, batch, starts, kernels.get(batch.group))
            if len(batch.run_starts) == 0:
                continue
            record["runs"], record["first_run"] = len(batch.run_starts) - 1, runs
            runs += record["runs"]
            if chains is not None and own:
                group = self.groups[batch.group]
                sewn = len(group.sewn) > 0
                kernel = chains(group.constraint, group.damped, batch.closed, sewn)
                record["address"] = self._address(kernel, batch.lanes)
                longest = int(np.diff(batch.run_starts).max())
                scratch = max(scratch, longest * kernel.kept * batch.lanes)
        table = [tuple(each.values()) for each, own in zip(records, taken, strict=True) if own]
        return Program(
            np.array(table, BATCH).view(np.recarray),
            self._flat_offsets,
            self._flat_parameters,
            self._multipliers,
            np.zeros(starts[3], self.dtype),
            np.concatenate([np.empty((0, 2), np.int64), *self._runs]),
            np.empty((MOST_THREADS, scratch), self.dtype),
            self.sums,
        )

    def _kernel(self, number: int, specify: Specify) -> KernelSpecification | None:
        """That of a group; none of a summed one, which has no lanes."""
        group = self.groups[number]
        if group.constraint.summed:
            return None
        return _with_parameters(specify(group.constraint, group.damped), self._widths[number])

    def _put_sizes(
        self,
        record: dict[str, int],
        batch: Batch,
        starts: list[int],
        kernel: KernelSpecification | None,
    ) -> None:
        """Where a batch is in each of a program's arrays, and how much there; ``starts`` go on."""
        outputs = 0
        if kernel is not None:
            record["address"] = self._address(kernel, batch.lanes)
            outputs = kernel.outputs if kernel.writes == "values" else 0
        constraint = self.groups[batch.group].constraint
        sizes = constraint.vertices, self._widths[batch.group], constraint.components, outputs
        record.update(zip(_PLACES, starts, strict=True), blocks=batch.blocks, lanes=batch.lanes)
        record.update(zip(_SIZES, sizes, strict=True))
        for which, size in enumerate(sizes):
            starts[which] += batch.blocks * batch.lanes * size

    def places(self, sizes: Sequence[int]) -> Places:
        """Where an array [block][value][lane] holds the values of each constraint.

        Args:
            sizes: values of a constraint of each group.

        Returns:
            For each group places in the flat array, shape (count, size); none of a summed one.
        """
        found = [
            np.empty((0 if group.constraint.summed else len(group.indices), size), np.int64)
            for group, size in zip(self.groups, sizes, strict=True)
        ]
        first = 0
        for batch in self._batches:
            if batch.lanes == 0:
                continue
            size = sizes[batch.group]
            used = np.flatnonzero(batch.members >= 0)
            block, lane = np.divmod(used, batch.lanes)
            start = first + block * batch.lanes * size + lane
            members = batch.members[used]
            found[batch.group][members] = start[:, None] + batch.lanes * np.arange(size)
            first += batch.blocks * batch.lanes * size
        return found

    @property
    def parameters(self) -> NDArray[Any]:
        """Of all constraints, flat: what programs see."""
        return self._flat_parameters

    def put_rest(self, number: int, rest: NDArray[np.float64]) -> None:
        """Let constraints of a group have other rest states, shape (count, rest_size)."""
        if self._elements is not None and self.groups[number].constraint.summed:
            self._elements.put_rest(self.summed[number], rest)
        else:
            self._flat_parameters[self.rest_places[number][: len(rest)]] = rest

    @cached_property
    def rest_places(self) -> Places:
        """Where the rest states of each group's constraints are among all parameters.

        Of each shape (count, rest_size); of a summed group, which has them elsewhere, none.
        """
        return [
            places[:, : group.constraint.rest_size]
            for group, places in zip(self.groups, self.parameter_places(), strict=True)
        ]

    def parameter_places(self) -> Places:
        """Where the parameters of each group's constraints are, shape (count, k)."""
        return self.places(self._widths)

    def corners(self) -> list[NDArray[np.int64]]:
        """For each group the particles of its constraints in the order in which kernels get them.

        It is that of ``indices`` but for links that a chain runs through from end to start.
        """
        found = [group.indices.copy() for group in self.groups]
        for batch in self._batches:
            used = batch.members >= 0
            found[batch.group][batch.members[used]] = batch.particles[used]
        return found

    def _size(self, sizes: Sequence[int]) -> int:
        return sum(batch.blocks * batch.lanes * sizes[batch.group] for batch in self._batches)

    def _sorted_batches(self) -> Iterator[Batch]:
        """The batches of all groups in sweep order."""
        lanes, count = compiler.native_lanes(), self._particle_count
        for number in sorted(range(len(self.groups)), key=lambda i: _rank(self.groups[i])):
            group = self.groups[number]
            if group.constraint.summed:
                nothing = np.empty(0, np.int64)
                yield Batch(number, nothing, nothing, 0)
            elif group.keep_order:
                yield from in_order(number, group.indices)
            elif group.chains is not None:
                yield from along_chains(number, group.chains, lanes, count)
            else:
                yield from by_color(number, group.indices, lanes, count)

    @property
    def _runs(self) -> list[NDArray[np.int64]]:
        """First and last block of each run along chains, batch after batch."""
        return [
            np.stack([batch.run_starts[:-1], batch.run_starts[1:]], axis=1)
            for batch in self._batches
            if len(batch.run_starts)
        ]

    def _use(self, group: int, use: Use | None) -> int:
        if use is None:
            kind = self.groups[group].constraint.kind
            raise ModelError(f"This solver can't take constraints of the kind '{kind}'.")
        return USES.index(use)

    def _address(self, kernel: KernelSpecification | ChainSpecification, lanes: int) -> int:
        if numba.config.DISABLE_JIT:
            if isinstance(kernel, ChainSpecification):
                call.PYTHON_KERNELS.append(interpret_chain(kernel, lanes))
            else:
                call.PYTHON_KERNELS.append(interpret(kernel, lanes))
            return len(call.PYTHON_KERNELS) - 1
        return compiler.address(kernel, lanes, self.dtype == np.float64)

    def _offsets_of(self, batch: Batch) -> NDArray[np.uint32]:
        offsets = (batch.particles * (4 * self.dtype.itemsize)).astype(np.uint32)
        return _by_block(offsets, batch.lanes)

    def _parameters_of(self, batch: Batch, table: NDArray[np.float64]) -> NDArray[Any]:
        """Unused lanes get the parameters of a constraint, which is no stitch."""
        least = batch.members[batch.members >= 0].min()
        values = table[np.where(batch.members < 0, least, batch.members)]
        return _by_block(values.astype(self.dtype), batch.lanes)


def _sums_of(
    summed: Sequence[Group],
    layout: Layout | None,
    members: Places,
    shares: NDArray[np.float64],
    first_multiplier: int,
    dtype: DTypeLike,
) -> Sums:
    """The elements of summed groups on copies of their particles.

    Args:
        layout: of the elements, if there are any.
        members: particles of each group.
        shares: of how many constraints each particle is part, shape (n,).
    """
    particles = np.concatenate([np.empty(0, np.int64), *members])
    table = np.zeros(len(summed), SUM).view(np.recarray)
    if layout is not None:
        program = layout.program(sum_specification)
        table.first_batch = np.searchsorted(layout.owners, np.arange(len(summed)))
        table.last_batch = np.searchsorted(layout.owners, np.arange(len(summed)), side="right")
        arrays = program[:4]
    else:
        none = np.zeros(0, BATCH).view(np.recarray)
        arrays = none, np.empty(0, np.uint32), *np.empty((2, 0), dtype)
    table.last_particle = np.cumsum([len(each) for each in members])
    table.first_particle = table.last_particle - [len(each) for each in members]
    table.multiplier = first_multiplier + np.arange(len(summed))
    table.compliance = [group.compliance[0, 0] for group in summed]
    table.damping = [group.damping[0, 0] for group in summed]
    table.stiffness = 1.0
    return Sums(
        table,
        np.zeros(len(summed)),
        np.zeros(len(summed)),
        particles,
        shares[particles],
        new_rows(len(particles), dtype),
        new_rows(len(particles), dtype),
        *arrays,
    )


def _rank(group: Group) -> tuple[int, bool]:
    """Sweep order; chains come last of their kind, because they hold best."""
    return group.constraint.order, group.chains is not None


def _with_parameters(kernel: KernelSpecification, width: int) -> KernelSpecification:
    """The kernel for a layout that may have further parameters, which it does not read."""
    if kernel.parameters == width:
        return kernel
    if kernel.parameters > width:
        raise ValueError(f"{kernel.name} reads {kernel.parameters} numbers, there are {width}.")
    return replace(kernel, name=f"{kernel.name}_of_{width}", parameters=width)


def _parameters_of(group: Group) -> NDArray[np.float64]:
    if group.constraint.summed:
        return group.rest
    parameters = [group.rest, group.compliance]
    if group.damped:
        parameters.append(group.damping)
    return np.concatenate(parameters, axis=1)


def _by_block(rows: NDArray[Any], lanes: int) -> NDArray[Any]:
    """(count, k) → flat [block][k][lane]."""
    return np.ascontiguousarray(rows.reshape(-1, lanes, rows.shape[1]).transpose(0, 2, 1)).ravel()
