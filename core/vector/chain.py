# SPDX-License-Identifier: GPL-3.0-or-later
"""From the three recurrences of a chain solver to a native loop along W chains at a time.

Layout of W chains of so many links, shorter ones filled up with links without length:

- offsets: [link][end][lane], byte offset of a particle's row, uint32;
- parameters: [link][parameter][lane];
- multipliers: [link][lane];
- scratch: [link][kept number][lane], written on each pass, read on the next.

Signature as of :mod:`core.vector.kernel`, with scratch in the place of ``outputs`` and the number
of links in that of ``blocks``.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from .arithmetic import Scalar
from .emitter import ARRAYS, BYTE_POINTER, INDEX, Emitter
from .specification import ChainSpecification
from .trace import Lane


class _Loop:
    """A counted loop that carries vectors from one turn to the next."""

    def __init__(
        self, builder: ir.IRBuilder, name: str, count: ir.Value, carried: Sequence[ir.Value]
    ) -> None:
        function, entry = builder.function, builder.block
        self.builder = builder
        self.head = function.append_basic_block(f"{name}.head")
        self.body = function.append_basic_block(f"{name}.body")
        self.done = function.append_basic_block(f"{name}.done")
        builder.branch(self.head)
        builder.position_at_end(self.head)
        self.turn = builder.phi(INDEX)
        self.turn.add_incoming(ir.Constant(INDEX, 0), entry)
        self.carried = [builder.phi(value.type) for value in carried]
        for phi, value in zip(self.carried, carried, strict=True):
            phi.add_incoming(value, entry)
        builder.cbranch(builder.icmp_signed("<", self.turn, count), self.body, self.done)
        builder.position_at_end(self.body)

    def lanes(self) -> list[Lane]:
        return [Lane(self.builder, phi) for phi in self.carried]

    def close(self, carried: Sequence[ir.Value]) -> None:
        builder = self.builder
        for phi, value in zip(self.carried, carried, strict=True):
            phi.add_incoming(value, builder.block)
        self.turn.add_incoming(builder.add(self.turn, ir.Constant(INDEX, 1)), builder.block)
        builder.branch(self.head)
        builder.position_at_end(self.done)


def emit_chain(specification: ChainSpecification, lanes: int, double: bool) -> ir.Module:
    """The LLVM module that holds the kernel under the specification's name."""
    real = ir.DoubleType() if double else ir.FloatType()
    signature = ir.FunctionType(ir.VoidType(), [BYTE_POINTER] * ARRAYS + [real, INDEX])
    module = ir.Module(specification.name)
    function = ir.Function(module, signature, specification.name)
    for array in function.args[:ARRAYS]:
        array.add_attribute("noalias")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    emitter = Emitter(builder, real, lanes)
    _emit_way_along(emitter, specification, function.args)
    first = _emit_way_back(emitter, specification, function.args)
    _emit_moves(emitter, specification, function.args, first)
    builder.ret_void()
    return module


def _emit_way_along(
    emitter: Emitter, specification: ChainSpecification, arguments: Sequence[ir.Value]
) -> None:
    rows, previous, offsets, parameters, multipliers, scratch, rate, links = arguments
    inverse_time_step = emitter.splat(rate)
    zero = ir.Constant(emitter.vector, [0.0] * emitter.lanes)
    start = emitter.row_offsets(offsets, ir.Constant(INDEX, 0), 0, 2)
    particle = emitter.load_particles(rows, start)
    before = emitter.load_particles(previous, start)[:3] if specification.reads_previous else []
    size = specification.ahead
    carried = [zero] * size + [lane.value for lane in (*particle, *before)]
    loop = _Loop(emitter.builder, "along", links, carried)
    values = loop.lanes()
    here, before = values[size : size + 4], values[size + 4 :]
    place = emitter.row_offsets(offsets, loop.turn, 1, 2)
    there = emitter.load_particles(rows, place)
    there_before = (
        emitter.load_particles(previous, place)[:3] if specification.reads_previous else []
    )
    handed, kept = specification.eliminate(
        [here[:3], there[:3]],
        [here[3], there[3]],
        [before, there_before] if specification.reads_previous else [],
        [emitter.load(s) for s in emitter.slots(parameters, loop.turn, specification.parameters)],
        emitter.load(next(emitter.slots(multipliers, loop.turn, 1))),
        inverse_time_step,
        values[:size],
    )
    emitter.store_all(list(emitter.slots(scratch, loop.turn, specification.kept)), kept)
    loop.close([lane.value for lane in (*handed, *there, *there_before)])


def _emit_way_back(
    emitter: Emitter, specification: ChainSpecification, arguments: Sequence[ir.Value]
) -> list[Scalar]:
    """Returns what the last link of this pass, the first of the chain, handed back."""
    multipliers, scratch, _, links = arguments[4:]
    builder = emitter.builder
    zero = ir.Constant(emitter.vector, [0.0] * emitter.lanes)
    loop = _Loop(builder, "back", links, [zero] * specification.back)
    link = builder.sub(builder.sub(links, loop.turn), ir.Constant(INDEX, 1))
    places = list(emitter.slots(scratch, link, specification.kept))
    slot = next(emitter.slots(multipliers, link, 1))
    updated, handed, released = specification.substitute(
        [emitter.load(place) for place in places], emitter.load(slot), loop.lanes()
    )
    emitter.store_all([slot], [updated])
    emitter.store_all(places[: specification.released], released)
    loop.close([lane.value for lane in handed])
    return list(loop.lanes())


def _emit_moves(
    emitter: Emitter,
    specification: ChainSpecification,
    arguments: Sequence[ir.Value],
    handed: Sequence[Scalar],
) -> None:
    rows, _, offsets, _, _, scratch, _, links = arguments
    zero = Lane(emitter.builder, ir.Constant(emitter.vector, [0.0] * emitter.lanes))
    place = emitter.row_offsets(offsets, ir.Constant(INDEX, 0), 0, 2)
    particle = emitter.load_particles(rows, place)
    released = specification.release(particle[3], handed)
    moved, step = specification.move(particle[:3], released, [zero] * 3)
    emitter.store_particles(rows, place, [lane.value for lane in (*moved, particle[3])])
    loop = _Loop(emitter.builder, "moves", links, [lane.value for lane in step])
    places = list(emitter.slots(scratch, loop.turn, specification.kept))
    released = [emitter.load(slot) for slot in places[: specification.released]]
    place = emitter.row_offsets(offsets, loop.turn, 1, 2)
    particle = emitter.load_particles(rows, place)
    moved, step = specification.move(particle[:3], released, loop.lanes())
    emitter.store_particles(rows, place, [lane.value for lane in (*moved, particle[3])])
    loop.close([lane.value for lane in step])
