# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel without machine code: the same body on Python floats, for runs with the JIT off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from .kernel import KernelSpecification


def interpret(specification: KernelSpecification, lanes: int) -> Callable[..., None]:
    """A function of a kernel's arguments that does what its machine code does, lane by lane."""

    def kernel(
        positions: NDArray[Any],
        previous: NDArray[Any],
        offsets: NDArray[Any],
        parameters: NDArray[Any],
        multipliers: NDArray[Any],
        inverse_time_step: float,
        blocks: int,
    ) -> None:
        def table(array: NDArray[Any], size: int) -> NDArray[Any]:
            return array[: blocks * size * lanes].reshape(blocks, size, lanes)

        rows = table(offsets, specification.vertices) // (4 * positions.itemsize)
        values = table(parameters, specification.parameters)
        lambdas = table(multipliers, specification.components)
        for block in range(blocks):
            for lane in range(lanes):
                corners = rows[block, :, lane]
                moved, updated = specification.update(
                    positions[corners, :3].tolist(),
                    positions[corners, 3].tolist(),
                    previous[corners, :3].tolist() if specification.reads_previous else [],
                    values[block, :, lane].tolist(),
                    lambdas[block, :, lane].tolist(),
                    float(inverse_time_step),
                )
                positions[corners, :3] = moved
                lambdas[block, :, lane] = updated

    return kernel
