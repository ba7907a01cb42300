# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel without machine code: the same body on Python floats, for runs with the JIT off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .specification import ChainSpecification, KernelSpecification, Link, RecurrenceSpecification


def interpret(specification: KernelSpecification, lanes: int) -> Callable[..., None]:
    """A function of a kernel's arguments that does what its machine code does, lane by lane."""

    def kernel(
        positions: NDArray[Any],
        previous: NDArray[Any],
        offsets: NDArray[Any],
        parameters: NDArray[Any],
        multipliers: NDArray[Any],
        outputs: NDArray[Any],
        inverse_time_step: float,
        blocks: int,
    ) -> None:
        def table(array: NDArray[Any], size: int) -> NDArray[Any]:
            return array[: blocks * size * lanes].reshape(blocks, size, lanes)

        rows = table(offsets, specification.vertices) // (4 * positions.itemsize)
        values = table(parameters, specification.parameters)
        lambdas = table(multipliers, specification.components)
        if specification.writes == "values":
            results = table(outputs, specification.outputs)
        else:
            results = outputs.reshape(-1, 4)
        for block in range(blocks):
            for lane in range(lanes):
                corners = rows[block, :, lane]
                written, updated = specification.update(
                    positions[corners, :3].tolist(),
                    positions[corners, 3].tolist(),
                    previous[corners, :3].tolist() if specification.reads_previous else [],
                    values[block, :, lane].tolist(),
                    lambdas[block, :, lane].tolist(),
                    float(inverse_time_step),
                )
                if specification.writes == "positions":
                    positions[corners, :3] = written
                elif specification.writes == "rows":
                    results[corners] += np.array(written)
                else:
                    results[block, :, lane] = written
                lambdas[block, :, lane] = updated

    return kernel


def interpret_chain(specification: ChainSpecification, lanes: int) -> Callable[..., None]:
    """The same for a kernel that solves chains."""

    def kernel(
        positions: NDArray[Any],
        previous: NDArray[Any],
        offsets: NDArray[Any],
        parameters: NDArray[Any],
        multipliers: NDArray[Any],
        _scratch: NDArray[Any],
        inverse_time_step: float,
        links: int,
    ) -> None:
        rows = offsets[: 2 * links * lanes].reshape(links, 2, lanes) // (4 * positions.itemsize)
        width = specification.parameters
        values = parameters[: links * width * lanes].reshape(links, width, lanes)
        lambdas = multipliers[: links * lanes].reshape(links, lanes)
        for lane in range(lanes):

            def link_at(link: int, lane: int = lane) -> Link:
                ends = rows[link, :, lane]
                return Link(
                    positions[ends, :3].tolist(),
                    positions[ends, 3].tolist(),
                    previous[ends, :3].tolist() if specification.reads_previous else [],
                    values[link, :, lane].tolist(),
                    float(lambdas[link, lane]),
                    float(inverse_time_step),
                )

            kept = []
            carried: list[Any] = [0.0] * specification.ahead
            if specification.begin is not None:
                carried = specification.begin(link_at(links - 1))
            for link in range(links if specification.close is None else links - 1):
                carried, left = specification.eliminate(link_at(link), carried)
                kept.append(left)
            if specification.close is not None:
                kept.append(specification.close(link_at(links - 1), carried))
            handed: list[Any] = [0.0] * specification.back
            for link in reversed(range(links)):
                lambdas[link, lane], handed, kept[link] = specification.substitute(
                    kept[link], float(lambdas[link, lane]), handed
                )
            first = rows[0, 0, lane]
            kept.insert(0, specification.release(float(positions[first, 3]), handed))
            step: list[Any] = [0.0] * 3
            for particle, released in zip([first, *rows[:, 1, lane]], kept, strict=True):
                place = positions[particle, :3].tolist()
                positions[particle, :3], step = specification.move(place, released, step)

    return kernel


def interpret_recurrence(specification: RecurrenceSpecification, lanes: int) -> Callable[..., None]:
    """The same for a kernel that goes along rows."""

    def kernel(_positions: Any, _previous: Any, *arguments: Any) -> None:
        *flat, _rate, count = arguments
        arrays = [
            array[: count * size * lanes].reshape(count, size, lanes)
            for array, size in zip(flat, specification.sizes, strict=True)
        ]
        order = reversed(range(count)) if specification.backward else range(count)
        handed: list[list[Any]] = [[0.0] * specification.carried for _ in range(lanes)]
        for row in order:
            for lane in range(lanes):
                numbers = [
                    array[row, :, lane].tolist() if read else []
                    for array, read in zip(arrays, specification.reads, strict=True)
                ]
                written, handed[lane] = specification.step(numbers, handed[lane])
                for array, values in zip(arrays, written, strict=True):
                    array[row, : len(values), lane] = values

    return kernel
