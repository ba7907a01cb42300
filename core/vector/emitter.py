# SPDX-License-Identifier: GPL-3.0-or-later
"""What kernels have in common: how they are called, loops, loading and storing W particles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir

from .arithmetic import Scalar
from .trace import Lane

ARRAYS = 6
"""How many arrays a kernel gets."""

BYTE_POINTER = ir.IntType(8).as_pointer()
INDEX = ir.IntType(64)
WORD = ir.IntType(32)


def kernel_type(real: ir.Type) -> ir.FunctionType:
    """The signature of every kernel: arrays, 1/Δt, how many blocks or links."""
    return ir.FunctionType(ir.VoidType(), [BYTE_POINTER] * ARRAYS + [real, INDEX])


def begin_kernel(name: str, lanes: int, double: bool) -> tuple[ir.Function, Emitter]:
    """An empty kernel in a module of its own, and what emits instructions at its entry.

    Args:
        lanes: W, one of 1, 4, 8, 16.
        double: double instead of single precision.
    """
    real = ir.DoubleType() if double else ir.FloatType()
    function = ir.Function(ir.Module(name), kernel_type(real), name)
    for array in function.args[:ARRAYS]:
        # One that a kernel only reads may be given twice: as positions and as previous.
        array.add_attribute("noalias")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    return function, Emitter(builder, real, lanes)


class Loop:
    """A counted loop that carries vectors from one pass through its body to the next.

    What is emitted until :meth:`close` is that body.

    Attributes:
        index: how many passes were made before this one.
    """

    def __init__(
        self, builder: ir.IRBuilder, name: str, count: ir.Value, carried: Sequence[Lane] = ()
    ) -> None:
        function, entry = builder.function, builder.block
        self.builder = builder
        self.head = function.append_basic_block(f"{name}.head")
        body = function.append_basic_block(f"{name}.body")
        self.done = function.append_basic_block(f"{name}.done")
        builder.branch(self.head)
        builder.position_at_end(self.head)
        self.index = builder.phi(INDEX)
        self.index.add_incoming(ir.Constant(INDEX, 0), entry)
        self.carried = [builder.phi(lane.value.type) for lane in carried]
        for phi, lane in zip(self.carried, carried, strict=True):
            phi.add_incoming(lane.value, entry)
        builder.cbranch(builder.icmp_signed("<", self.index, count), body, self.done)
        builder.position_at_end(body)

    def lanes(self) -> list[Lane]:
        """What is carried: in the body from the pass before, after the loop from the last."""
        return [Lane(self.builder, phi) for phi in self.carried]

    def close(self, carried: Sequence[Lane] = ()) -> None:
        """End the body, which hands these vectors on; what comes next is after the loop."""
        builder = self.builder
        # The body may have made blocks of its own: the way back starts where it has ended.
        for phi, lane in zip(self.carried, carried, strict=True):
            phi.add_incoming(lane.value, builder.block)
        self.index.add_incoming(builder.add(self.index, ir.Constant(INDEX, 1)), builder.block)
        builder.branch(self.head)
        builder.position_at_end(self.done)


class Emitter:
    """Emits instructions for one scalar type and lane count."""

    def __init__(self, builder: ir.IRBuilder, real: ir.Type, lanes: int) -> None:
        self.builder = builder
        self.real = real
        self.lanes = lanes
        self.vector = ir.VectorType(real, lanes)
        self.row = ir.VectorType(real, 4)
        self.real_bytes = 4 if real == ir.FloatType() else 8

    def address(self, base: ir.Value, byte_offset: ir.Value, kind: ir.Type) -> ir.Value:
        """A pointer to ``kind`` at a byte offset."""
        pointer = self.builder.gep(base, [byte_offset])
        return self.builder.bitcast(pointer, kind.as_pointer())

    def shuffle(self, a: ir.Value, b: ir.Value, order: Sequence[int]) -> ir.Value:
        """Elements of two vectors in an order."""
        mask = ir.Constant(ir.VectorType(WORD, len(order)), list(order))
        return self.builder.shuffle_vector(a, b, mask)

    def concatenate(self, rows: list[ir.Value]) -> ir.Value:
        """Vectors end to end."""
        while len(rows) > 1:
            count = range(2 * rows[0].type.count)
            rows = [self.shuffle(rows[i], rows[i + 1], count) for i in range(0, len(rows), 2)]
        return rows[0]

    def fence(self, vector: ir.Value) -> ir.Value:
        """The vector itself, which LLVM must have whole here.

        Otherwise it takes the last step of a transposition apart into single rows.
        """
        suffix = f"v{self.lanes}f{8 * self.real_bytes}"
        kind = ir.FunctionType(vector.type, [vector.type])
        module = self.builder.module
        name = f"llvm.arithmetic.fence.{suffix}"
        function = module.globals.get(name) or ir.Function(module, kind, name)
        return self.builder.call(function, [vector])

    def transpose(self, quads: Sequence[ir.Value]) -> list[ir.Value]:
        """Four vectors of W lanes, each W/4 groups of four, transposed group by group."""
        groups = [4 * group for group in range(self.lanes // 4)]

        def interleave(first: int) -> list[int]:
            pairs = (first, self.lanes + first, first + 1, self.lanes + first + 1)
            return [group + pair for group in groups for pair in pairs]

        def halves(first: int) -> list[int]:
            pairs = (first, first + 1, self.lanes + first, self.lanes + first + 1)
            return [group + pair for group in groups for pair in pairs]

        # 4 × 4 in two steps of shuffles within groups, which processors do fastest.
        a, b, c, d = quads
        low_ab, high_ab = self.shuffle(a, b, interleave(0)), self.shuffle(a, b, interleave(2))
        low_cd, high_cd = self.shuffle(c, d, interleave(0)), self.shuffle(c, d, interleave(2))
        return [
            self.shuffle(low, high, halves(first))
            for low, high in ((low_ab, low_cd), (high_ab, high_cd))
            for first in (0, 2)
        ]

    def row_offsets(
        self, offsets: ir.Value, block: ir.Value, vertex: int, size: int, again: bool = False
    ) -> list[Any]:
        """Byte offsets of the W particles of a vertex.

        Args:
            again: read them anew, even if they have been read before: there are too many of them to
                stay in registers through a body.
        """
        builder = self.builder
        first = builder.mul(block, ir.Constant(INDEX, size * self.lanes * 4))
        result = []
        for lane in range(self.lanes):
            place = builder.add(first, ir.Constant(INDEX, 4 * (vertex * self.lanes + lane)))
            address = self.address(offsets, place, WORD)
            # An atomic load is the one that LLVM doesn't replace by the value it read before.
            load = builder.load_atomic(address, "monotonic", 4) if again else builder.load(address)
            result.append(builder.zext(load, INDEX))
        return result

    def load_particles(self, array: ir.Value, offsets: Sequence[ir.Value]) -> list[Lane]:
        """x, y, z, inverse mass of W particles."""
        rows = []
        for offset in offsets:
            row = self.builder.load(self.address(array, offset, self.row))
            row.align = 16
            rows.append(row)
        if self.lanes == 1:
            columns = [self.shuffle(rows[0], rows[0], [k]) for k in range(4)]
        else:
            columns = self.transpose([self.concatenate(rows[quad::4]) for quad in range(4)])
        return [Lane(self.builder, column) for column in columns]

    def store_particles(
        self, array: ir.Value, offsets: Sequence[ir.Value], columns: Sequence[ir.Value]
    ) -> None:
        """Rows of x, y, z, inverse mass of W particles."""
        if self.lanes == 1:
            pairs = [self.shuffle(columns[k], columns[k + 1], [0, 1]) for k in (0, 2)]
            rows = {0: self.concatenate(pairs)}
        else:
            quads = [self.fence(quad) for quad in self.transpose(columns)]
            rows = {
                quad + 4 * group: self.shuffle(
                    quads[quad], quads[quad], range(4 * group, 4 * group + 4)
                )
                for quad in range(4)
                for group in range(self.lanes // 4)
            }
        for lane, row in rows.items():
            self.builder.store(row, self.address(array, offsets[lane], self.row)).align = 16

    def pointers(self, base: ir.Value, block: ir.Value, size: int) -> Iterator[ir.Value]:
        """To the ``size`` vectors that belong to a block."""
        stride = self.lanes * self.real_bytes
        first = self.builder.mul(block, ir.Constant(INDEX, size * stride))
        for number in range(size):
            place = self.builder.add(first, ir.Constant(INDEX, number * stride))
            yield self.address(base, place, self.vector)

    def load(self, pointer: ir.Value) -> Lane:
        """W numbers."""
        value = self.builder.load(pointer)
        value.align = self.real_bytes
        return Lane(self.builder, value)

    def lanes_of(self, numbers: Sequence[Scalar]) -> list[Lane]:
        """Numbers a body may have given as constants, too."""
        return [
            number
            if isinstance(number, Lane)
            else Lane(self.builder, ir.Constant(self.vector, [float(number)] * self.lanes))
            for number in numbers
        ]

    def store_all(self, pointers: Sequence[ir.Value], numbers: Sequence[Scalar]) -> None:
        """Store a number at each place."""
        for pointer, lane in zip(pointers, self.lanes_of(numbers), strict=True):
            self.builder.store(lane.value, pointer).align = self.real_bytes

    def zeros(self, count: int) -> list[Lane]:
        """As many vectors of zeros."""
        return [Lane(self.builder, ir.Constant(self.vector, [0.0] * self.lanes))] * count

    def splat(self, scalar: ir.Value) -> Lane:
        """W times the same number."""
        empty = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(empty, scalar, ir.Constant(WORD, 0))
        return Lane(self.builder, self.shuffle(first, first, [0] * self.lanes))
