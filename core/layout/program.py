# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints as the kernels of one kind of sweep see them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from ..native.by_address import by_address
from ..native.threads import available
from .sums import Sums

WORK_PER_THREAD = 400
"""Constraints a thread needs in an average batch to earn what meeting the others costs."""

BATCH = np.dtype(
    [
        ("address", np.int64),  # of the kernel
        ("offsets", np.int64),  # first element of the batch in each of the program's arrays
        ("parameters", np.int64),
        ("multipliers", np.int64),
        ("outputs", np.int64),
        ("blocks", np.int64),
        ("lanes", np.int64),  # W; 1 where constraints keep their order, 0 for a sum
        ("vertices", np.int64),  # sizes of one constraint: particles,
        ("values", np.int64),  # parameters,
        ("components", np.int64),
        ("output_values", np.int64),  # and what the kernel puts out
        ("runs", np.int64),  # along chains, where there are any,
        ("first_run", np.int64),  # and the first of them among the program's
        ("summed", np.int64),  # number of the summed group that the batch stands for, else -1
        ("use", np.int64),  # what the sweep does with it, a place in ``sums.USES``
        ("twice", np.int64),  # whether a symmetric sweep goes over it both ways
    ]
)
"""A conflict-free batch."""


@by_address
class Program(NamedTuple):
    """All constraints as the kernels of one kind of sweep see them.

    Attributes:
        batches: BATCH of each, in sweep order.
        offsets: byte offsets of particles, uint32, flat.
        parameters: rest state, compliance, damping, flat.
        multipliers: λ, flat.
        outputs: what kernels that write values put out, flat.
        runs: first block of each run, the blocks along W chains, and the one after its last, shape
            (runs, 2).
        scratch: of each thread for a chain, shape (threads, any).
        sums: the constraints that are sums over elements.
    """

    batches: Any
    offsets: NDArray[np.uint32]
    parameters: NDArray[Any]
    multipliers: NDArray[Any]
    outputs: NDArray[Any]
    runs: NDArray[np.int64]
    scratch: NDArray[Any]
    sums: Sums


def sensible_threads(program: Program) -> int:
    """How many threads a program of this size keeps busy."""
    if len(program.batches) == 0 or numba.config.DISABLE_JIT:
        return 1
    constraints = (program.batches.blocks * program.batches.lanes).mean()
    return max(1, min(available(), int(constraints / WORK_PER_THREAD)))
