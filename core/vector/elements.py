# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel that computes values of elements: it reads rows of four numbers and moves nothing.

Elements that only read need no batches: they lie one after the other in blocks of W.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..native.compiled import native, native_part
from . import call, compiler
from .interpreter import interpret, interpret_recurrence
from .specification import KernelSpecification, RecurrenceSpecification


class ElementArrays(NamedTuple):
    """A kernel and its elements for native code; see :class:`ElementKernel`."""

    address: int
    offsets: NDArray[np.uint32]
    parameters: NDArray[Any]
    outputs: NDArray[Any]
    blocks: int


@native_part
def compute_elements(rows, address, offsets, parameters, outputs, blocks):  # type: ignore[no-untyped-def]
    """Compute the outputs of :class:`ElementArrays`, given one by one, from aligned rows."""
    rate = rows.dtype.type(1.0)
    call.call_kernel(
        address, rows, rows, offsets, parameters, outputs, outputs, call.BEGINNING, rate, blocks
    )


@native
def _compute(rows, address, offsets, parameters, outputs, blocks):  # type: ignore[no-untyped-def]
    compute_elements(rows, address, offsets, parameters, outputs, blocks)


class ElementKernel:
    """A kernel that ``writes="values"`` and keeps no λ, bound to its elements.

    Args:
        kernel: what is computed.
        indices: rows of each element, shape (m, vertices).
        parameters: of each element, shape (m, parameters).
        dtype: np.float32 or np.float64, also that of the rows.

    Attributes:
        outputs: the values, flat, [block][value][lane].
        places: where in ``outputs`` the first value of each element lies, shape (m,).
        stride: how far apart the values of an element lie.
        arrays: all of it for native code.
    """

    def __init__(
        self,
        kernel: KernelSpecification,
        indices: NDArray[np.integer],
        parameters: NDArray[Any],
        dtype: DTypeLike,
    ) -> None:
        self.dtype = np.dtype(dtype)
        count = len(indices)
        self.stride = compiler.native_lanes()
        blocks = -(-count // self.stride)
        # Lanes left over in the last block compute the first element once more.
        members = np.resize(np.arange(count), blocks * self.stride)
        members[count:] = 0
        self.outputs = np.zeros(len(members) * kernel.outputs, self.dtype)
        self.arrays = ElementArrays(
            address_of(kernel, self.stride, self.dtype == np.float64),
            _in_blocks(indices[members] * (4 * self.dtype.itemsize), self.stride, np.uint32),
            _in_blocks(parameters[members], self.stride, self.dtype),
            self.outputs,
            blocks,
        )
        block, lane = np.divmod(np.arange(count), self.stride)
        self.places = block * (self.stride * kernel.outputs) + lane
        self._value_count = kernel.outputs

    def run(self, rows: NDArray[Any]) -> None:
        """Compute ``outputs`` from aligned rows, shape (n, 4)."""
        _compute(rows, *self.arrays)

    @property
    def values(self) -> NDArray[Any]:
        """The outputs as one row an element, a copy of shape (m, outputs)."""
        return self.outputs[self.places[:, None] + self.stride * np.arange(self._value_count)]


def _in_blocks(table: NDArray[Any], lanes: int, dtype: DTypeLike) -> NDArray[Any]:
    """(count, k) → flat [block][k][lane]."""
    shaped = table.reshape(len(table) // lanes, lanes, table.shape[1])
    return np.ascontiguousarray(shaped.transpose(0, 2, 1), dtype).ravel()


def address_of(
    kernel: KernelSpecification | RecurrenceSpecification, lanes: int, double: bool
) -> int:
    """What native code calls a kernel by."""
    if numba.config.DISABLE_JIT:
        if isinstance(kernel, RecurrenceSpecification):
            call.PYTHON_KERNELS.append(interpret_recurrence(kernel, lanes))
        else:
            call.PYTHON_KERNELS.append(interpret(kernel, lanes))
        return len(call.PYTHON_KERNELS) - 1
    return compiler.address(kernel, lanes, double)
