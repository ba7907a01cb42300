# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that write LLVM vector instructions when a constraint body computes with them."""

from __future__ import annotations

from llvmlite import ir

from .arithmetic import Condition, Scalar, Traced

FAST = ("reassoc", "contract", "arcp", "afn", "nsz")
"""Fast-math flags that keep the meaning of NaN and infinity, so that a blow-up can be seen."""


class Mask(Condition):
    """One bit a lane of the number that was compared."""

    def __init__(self, compared: Lane, value: ir.Value) -> None:
        self.compared = compared
        self.value = value

    def select(self, true: Scalar, false: Scalar) -> Lane:
        """``true`` in lanes where it holds, else ``false``."""
        lane = self.compared
        chosen = lane.builder.select(self.value, lane.operand(true), lane.operand(false))
        return Lane(lane.builder, chosen)


class Lane(Traced):
    """A number of a constraint body: one LLVM vector value of W lanes."""

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder = builder
        self.value = value

    @property
    def single(self) -> bool:
        """Whether it is of single precision."""
        return bool(self.value.type.element == ir.FloatType())

    def operand(self, other: Scalar) -> ir.Value:
        """The vector value of a lane or of a constant."""
        if isinstance(other, Lane):
            return other.value
        kind = self.value.type
        return ir.Constant(kind, [float(other)] * kind.count)

    def _emit(self, operation: str, left: ir.Value, right: ir.Value) -> Lane:
        return Lane(self.builder, getattr(self.builder, operation)(left, right, flags=FAST))

    def _compare(self, operator: str, other: Scalar) -> Mask:
        compare = self.builder.fcmp_ordered
        return Mask(self, compare(operator, self.value, self.operand(other)))

    def __add__(self, other: Scalar) -> Lane:
        return self._emit("fadd", self.value, self.operand(other))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Lane:
        return self._emit("fsub", self.value, self.operand(other))

    def __rsub__(self, other: Scalar) -> Lane:
        return self._emit("fsub", self.operand(other), self.value)

    def __mul__(self, other: Scalar) -> Lane:
        return self._emit("fmul", self.value, self.operand(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Lane:
        return self._emit("fdiv", self.value, self.operand(other))

    def __rtruediv__(self, other: Scalar) -> Lane:
        return self._emit("fdiv", self.operand(other), self.value)

    def __neg__(self) -> Lane:
        return self * -1.0

    def __lt__(self, other: Scalar) -> Mask:
        return self._compare("<", other)

    def __gt__(self, other: Scalar) -> Mask:
        return self._compare(">", other)

    def intrinsic(self, name: str) -> Lane:
        """The LLVM intrinsic ``llvm.<name>`` of one argument."""
        kind = self.value.type
        suffix = f"v{kind.count}f{32 if self.single else 64}"
        signature = ir.FunctionType(kind, [kind])
        module = self.builder.module
        symbol = f"llvm.{name}.{suffix}"
        function = module.globals.get(symbol) or ir.Function(module, signature, symbol)
        return Lane(self.builder, self.builder.call(function, [self.value], fastmath=FAST))
