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
from typing import Any

from llvmlite import ir

from .arithmetic import Scalar
from .emitter import INDEX, Emitter, Loop, begin_kernel
from .specification import ChainSpecification, Link
from .trace import Lane


def emit_chain(specification: ChainSpecification, lanes: int, double: bool) -> ir.Module:
    """The LLVM module that holds the kernel under the specification's name."""
    function, emitter = begin_kernel(specification.name, lanes, double)
    _emit_way_along(emitter, specification, function.args)
    first = _emit_way_back(emitter, specification, function.args)
    _emit_moves(emitter, specification, function.args, first)
    emitter.builder.ret_void()
    return function.module


def _emit_way_along(
    emitter: Emitter, specification: ChainSpecification, arguments: Sequence[ir.Value]
) -> None:
    """The elimination, from the first link to the last."""
    rows, previous, offsets, parameters, multipliers, scratch, rate, links = arguments

    def particle_at(link: ir.Value, end: int) -> list[Lane]:
        """Position, inverse mass and, where links look at it, previous position."""
        row = emitter.row_offsets(offsets, link, end, 2)
        now = emitter.load_particles(rows, row)
        before = emitter.load_particles(previous, row)[:3] if specification.reads_previous else []
        return now + before

    def link_between(here: list[Lane], there: list[Lane], link: ir.Value) -> Link:
        return Link(
            [here[:3], there[:3]],
            [here[3], there[3]],
            [here[4:], there[4:]] if specification.reads_previous else [],
            [emitter.load(p) for p in emitter.pointers(parameters, link, specification.parameters)],
            emitter.load(next(emitter.pointers(multipliers, link, 1))),
            inverse_time_step,
        )

    def keep(link: ir.Value, kept: Sequence[Scalar]) -> None:
        emitter.store_all(list(emitter.pointers(scratch, link, specification.kept)), kept)

    inverse_time_step, size = emitter.splat(rate), specification.ahead
    handed, count = emitter.zeros(size), links
    if specification.begin is not None:
        count = emitter.builder.sub(links, ir.Constant(INDEX, 1))
        last = link_between(particle_at(count, 0), particle_at(count, 1), count)
        handed = emitter.lanes_of(specification.begin(last))
    # The end of a link is the beginning of the next: it is handed on, not loaded again.
    start = particle_at(ir.Constant(INDEX, 0), 0)
    loop = Loop(emitter.builder, "along", count, [*handed, *start])
    handed, here = loop.lanes()[:size], loop.lanes()[size:]
    there = particle_at(loop.index, 1)
    handed, kept = specification.eliminate(link_between(here, there, loop.index), handed)
    keep(loop.index, kept)
    loop.close([*emitter.lanes_of(handed), *there])
    if specification.close is not None:
        keep(count, specification.close(last, loop.lanes()[:size]))


def _emit_way_back(
    emitter: Emitter, specification: ChainSpecification, arguments: Sequence[ir.Value]
) -> list[Lane]:
    """The substitution, from the last link to the first; returns what that one handed back."""
    multipliers, scratch, _, links = arguments[4:]
    builder = emitter.builder
    loop = Loop(builder, "back", links, emitter.zeros(specification.back))
    link = builder.sub(builder.sub(links, loop.index), ir.Constant(INDEX, 1))
    kept = list(emitter.pointers(scratch, link, specification.kept))
    own = next(emitter.pointers(multipliers, link, 1))
    updated, handed, released = specification.substitute(
        [emitter.load(pointer) for pointer in kept], emitter.load(own), loop.lanes()
    )
    emitter.store_all([own], [updated])
    # Over what the elimination kept of this link, which is needed no more.
    emitter.store_all(kept[: specification.released], released)
    loop.close(emitter.lanes_of(handed))
    return loop.lanes()


def _emit_moves(
    emitter: Emitter,
    specification: ChainSpecification,
    arguments: Sequence[ir.Value],
    handed: Sequence[Scalar],
) -> None:
    """Move the particles, of which a chain has one more than links: the first before the loop."""
    rows, _, offsets, _, _, scratch, _, links = arguments

    def move(row: Sequence[ir.Value], particle: list[Lane], released: Any, step: Any) -> Any:
        moved, step = specification.move(particle[:3], released, step)
        emitter.store_particles(rows, row, [lane.value for lane in (*moved, particle[3])])
        return step

    row = emitter.row_offsets(offsets, ir.Constant(INDEX, 0), 0, 2)
    particle = emitter.load_particles(rows, row)
    step = move(row, particle, specification.release(particle[3], handed), emitter.zeros(3))
    loop = Loop(emitter.builder, "moves", links, step)
    kept = list(emitter.pointers(scratch, loop.index, specification.kept))
    released = [emitter.load(pointer) for pointer in kept[: specification.released]]
    row = emitter.row_offsets(offsets, loop.index, 1, 2)
    loop.close(move(row, emitter.load_particles(rows, row), released, loop.lanes()))
