# SPDX-License-Identifier: GPL-3.0-or-later
"""A barrier for threads that work on one step together, a fraction of a microsecond long.

Threads spin: they meet after every batch of constraints, far too often to sleep in between. One
that waits long, because another program has taken the processor of a thread that is missing,
offers its own.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

INDEX = ir.IntType(64)
GENERATION, YIELD, LENGTH = 8, 16, 24
"""Places in a barrier's memory, a cache line apart; the number of arrivals stands at 0."""

PATIENCE = 2000
"""Looks at the generation between two offers of the processor."""


@cache
def _yield_address() -> int:
    """Address of the operating system's "let others run"."""
    if sys.platform == "win32":
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def new_barrier() -> NDArray[np.int64]:
    """The memory of a barrier."""
    barrier = np.zeros(LENGTH, np.int64)
    barrier[YIELD] = _yield_address()
    return barrier


def _alone(barrier: NDArray[np.int64], threads: int) -> None:
    """With the JIT off a step runs on one thread."""


def _emit_spin(builder: ir.IRBuilder, memory: ir.Value, generation: ir.Value) -> None:
    """Look at the generation until it has changed."""
    place = builder.gep(memory, [ir.Constant(INDEX, GENERATION)])
    yield_type = ir.FunctionType(ir.VoidType(), []).as_pointer()
    address = builder.load(builder.gep(memory, [ir.Constant(INDEX, YIELD)]))
    entry = builder.block
    spin, offer, onward = (builder.append_basic_block(n) for n in ("spin", "offer", "onward"))
    builder.branch(spin)

    # Two blocks lead back to `spin`: one at once, the other by way of the operating system.
    builder.position_at_end(spin)
    looks = builder.phi(INDEX)
    more = builder.add(looks, ir.Constant(INDEX, 1))
    same = builder.icmp_signed("==", builder.load_atomic(place, "acquire", 8), generation)
    tired = builder.icmp_signed("==", more, ir.Constant(INDEX, PATIENCE))
    again = builder.append_basic_block("again")
    builder.cbranch(same, again, onward)
    builder.position_at_end(again)
    builder.cbranch(tired, offer, spin)

    builder.position_at_end(offer)
    builder.call(builder.inttoptr(address, yield_type), [])
    builder.branch(spin)
    zero = ir.Constant(INDEX, 0)
    for value, block in ((zero, entry), (more, again), (zero, offer)):
        looks.add_incoming(value, block)
    builder.position_at_end(onward)


@intrinsic
def _spin(typing_context: Any, barrier: Any, threads: Any) -> Any:
    signature = types.void(barrier, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(memory, [ir.Constant(INDEX, GENERATION)])
        one = ir.Constant(INDEX, 1)
        generation = builder.load_atomic(place, "acquire", 8)
        arrived = builder.atomic_rmw("add", memory, one, "acq_rel")
        last = builder.icmp_signed("==", builder.add(arrived, one), arguments[1])
        with builder.if_else(last) as (release, wait_for_others):
            with release:
                # Zero before the generation changes: who is let go may be back at once.
                builder.store_atomic(ir.Constant(INDEX, 0), memory, "monotonic", 8)
                builder.store_atomic(builder.add(generation, one), place, "release", 8)
            with wait_for_others:
                _emit_spin(builder, memory, generation)
        return context.get_dummy_value()

    return signature, generate


wait = _alone if numba.config.DISABLE_JIT else _spin
"""``wait(barrier, threads)``: return once all threads have come here."""
