# SPDX-License-Identifier: GPL-3.0-or-later
"""The layout for kernels: every constraint once, in its place, in the order promised."""

from __future__ import annotations

from typing import Any, Literal

import naive
import numpy as np
import pytest

import core
from core.layout.layout import Layout
from core.native.rows import PADDING
from core.solvers.common import residual
from core.solvers.common.projection import parameter_count, specification
from core.solvers.common.sweep import sweep
from core.solvers.xpbd import jacobi
from core.vector.specification import KernelSpecification

pytestmark = pytest.mark.jit_off

Order = Literal["colors", "given"]


def a_model(order: Order = "colors", dtype: type = np.float64) -> core.Model:
    model = core.Model(dtype)
    model.add_particles(np.random.default_rng(0).normal(size=(60, 3)), 1.0)
    pairs = np.array([(i, j) for i in range(60) for j in (i + 1, i + 7) if j < 60])
    random = np.random.default_rng(1)
    model.add_constraints(
        "distance", pairs, compliance=random.uniform(1, 2, len(pairs)), order=order
    )
    quads = np.array([(i, i + 1, i + 8, i + 9) for i in range(0, 50, 3)])
    model.add_constraints("bending", quads, compliance=0.5, damping=0.1, order=order)
    triangles = np.array([(i, i + 1, i + 7) for i in range(0, 50, 2)])
    model.add_constraints("strain", triangles, compliance=0.2)
    return model


def decoded(model: core.Model) -> list[dict[str, Any]]:
    """All constraints of a program, read back from its arrays batch by batch."""
    arranged = Layout(model.groups, model.particle_count, model.dtype)
    program, slots = arranged.program(specification), arranged.slots
    owner = {
        int(place): (number, row)
        for number, places in enumerate(slots)
        for row, place in enumerate(places[:, 0])
    }
    found = []
    for batch, row in enumerate(program.batches):
        blocks, lanes = int(row.blocks), int(row.lanes)
        k, size = int(row.vertices), int(row["values"])
        components = int(row.components)
        offsets = program.offsets[row.offsets :][: blocks * k * lanes]
        particles = offsets.reshape(blocks, k, lanes) // (4 * model.dtype.itemsize)
        values = program.parameters[row.parameters :][: blocks * size * lanes]
        for block in range(blocks):
            for lane in range(lanes):
                place = int(row.multipliers) + block * lanes * components + lane
                found.append(
                    {
                        "batch": batch,
                        "particles": particles[block, :, lane].tolist(),
                        "parameters": values.reshape(blocks, size, lanes)[block, :, lane],
                        "owner": owner.get(place),
                    }
                )
    return found


@pytest.mark.parametrize("order", ["colors", "given"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_constraint_is_in_its_place(order: Order, dtype: type) -> None:
    model = a_model(order, dtype)
    constraints = [c for c in decoded(model) if c["owner"] is not None]
    assert len(constraints) == sum(len(group.indices) for group in model.groups)
    for found in constraints:
        number, row = found["owner"]
        group = model.groups[number]
        assert found["particles"] == group.indices[row].tolist()
        expected = [*group.rest[row], *group.compliance[row]]
        if group.damped:
            expected.extend(group.damping[row])
        np.testing.assert_array_equal(found["parameters"], np.array(expected, dtype))


def test_batches_are_free_of_conflicts_and_unused_lanes_hold_padding() -> None:
    model = a_model()
    batches: dict[int, list[int]] = {}
    for found in decoded(model):
        if found["owner"] is None:
            assert all(
                model.particle_count <= p < model.particle_count + PADDING
                for p in found["particles"]
            )
        else:
            batches.setdefault(found["batch"], []).extend(found["particles"])
    assert all(len(particles) == len(set(particles)) for particles in batches.values())


def test_the_given_order_is_kept() -> None:
    model = a_model("given")
    rows = [c["owner"][1] for c in decoded(model) if c["owner"] and c["owner"][0] == 0]
    assert rows == list(range(len(model.groups[0].indices)))


def test_kinds_are_swept_by_their_order() -> None:
    model = a_model()
    orders = [model.groups[c["owner"][0]].constraint.order for c in decoded(model) if c["owner"]]
    assert orders == sorted(orders)
    assert len(set(orders)) == 3


def test_multipliers_have_places_of_their_own() -> None:
    prepared = core.XPBD().prepare(a_model())
    program, slots = prepared.program, prepared.slots
    places = np.concatenate([s.ravel() for s in slots])
    assert len(places) == len(set(places.tolist()))
    assert places.min() >= 0
    assert places.max() < len(program.multipliers)


def test_an_empty_model_has_an_empty_program() -> None:
    model = core.Model()
    model.add_particles([(0, 0, 0)], 1.0)
    model.add_constraints("distance", np.empty((0, 2), int))
    prepared = core.XPBD().prepare(model)
    program, slots = prepared.program, prepared.slots
    assert len(program.batches) == 0
    assert [s.shape for s in slots] == [(0, 1)]


def test_the_naive_reader_agrees_with_the_layout() -> None:
    """The order that other tests take from λ's places is that of the batches."""
    model = a_model()
    slots = core.XPBD().prepare(model).slots
    expected = [c["particles"] for c in decoded(model) if c["owner"]]
    listed = [c.indices for _, c in naive.constraints_of(model.groups, slots)]
    # Within a block the first multipliers of lanes are neighbours, so the orders are equal.
    assert listed == expected


def test_programs_of_a_layout_share_arrays_and_have_their_own_kernels() -> None:
    model = a_model()
    prepared = core.XPBD().prepare(model)
    other = prepared.layout.program(residual.specification)
    assert other.multipliers is prepared.program.multipliers
    assert other.parameters is prepared.program.parameters
    addresses = [p.batches.address for p in (prepared.program, other)]
    assert (addresses[0] != addresses[1]).all()


def test_values_have_places_of_their_own() -> None:
    """A kernel that puts out the number of its constraint fills them as `places` says."""
    model = a_model()
    extra = [np.arange(len(group.indices), dtype=float)[:, None] for group in model.groups]
    numbered = Layout(model.groups, model.particle_count, model.dtype, extra)

    def specify(constraint: Any, damped: bool) -> KernelSpecification:
        width = parameter_count(constraint, damped) + 1
        return KernelSpecification(
            name=f"numbers_{constraint.kind}_{damped}",
            update=lambda x, w, p, parameters, multipliers, rate: (
                [parameters[-1], 2.0 * parameters[-1]],
                multipliers,
            ),
            vertices=constraint.vertices,
            parameters=width,
            components=constraint.components,
            reads_previous=False,
            writes="values",
            outputs=2,
        )

    program, state = numbered.program(specify), model.state()
    sweep(program, state.rows, state.previous, program.outputs, 1.0)
    for number, places in enumerate(numbered.places([2] * len(model.groups))):
        expected = extra[number] * [1.0, 2.0]
        np.testing.assert_array_equal(program.outputs[places], expected)


def test_further_parameters_leave_a_kernel_as_it_is() -> None:
    model = a_model()
    plain = core.XPBD().prepare(model).program
    extra = [np.full((len(group.indices), 3), 5.0) for group in model.groups]
    wide = Layout(model.groups, model.particle_count, model.dtype, extra).program(specification)
    states = [model.state(), model.state()]
    for state, program in zip(states, (plain, wide), strict=True):
        state.rows[: state.count, 0] *= 1.1
        sweep(program, state.rows, state.previous, program.outputs, 50.0)
    np.testing.assert_array_equal(states[0].rows, states[1].rows)
    assert (states[0].positions != model.state().positions).any()


def test_a_kernel_that_reads_what_is_not_there_is_refused() -> None:
    model = a_model()
    with pytest.raises(ValueError, match="reads"):
        Layout(model.groups, model.particle_count, model.dtype).program(jacobi.specification)
