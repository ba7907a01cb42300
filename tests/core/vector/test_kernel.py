# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels as machine code do what the Python body does, at every width and precision."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import naive
import numpy as np
import pytest

from core.constraints import REGISTRY, Constraint
from core.native.compiled import native
from core.native.rows import aligned_rows
from core.solvers.common import residual
from core.solvers.common.projection import specification
from core.vector import compiler
from core.vector.call import BEGINNING, call_kernel
from core.vector.specification import KernelSpecification

pytestmark = pytest.mark.long

RATE = 100.0


@native
def _run(  # type: ignore[no-untyped-def]
    address, rows, previous, offsets, parameters, multipliers, outputs, rate, blocks
):
    call_kernel(
        address, rows, previous, offsets, parameters, multipliers, outputs, BEGINNING, rate, blocks
    )


needs_machine_code = pytest.mark.skipif(
    not hasattr(_run, "py_func"), reason="machine code is switched off"
)
each_constraint = pytest.mark.parametrize("constraint", REGISTRY.values(), ids=REGISTRY.keys())
# Elements of a sum are not projected one by one; test_sums.py has the sums.
WHOLE = [constraint for constraint in REGISTRY.values() if not constraint.summed]
each_whole = pytest.mark.parametrize("constraint", WHOLE, ids=[c.kind for c in WHOLE])


@dataclass
class Layout:
    """Arguments of a kernel for ``count`` constraints that share no particle."""

    rows: np.ndarray
    previous: np.ndarray
    offsets: np.ndarray
    parameters: np.ndarray
    multipliers: np.ndarray
    outputs: np.ndarray
    blocks: int
    lanes: int

    def places(self, count: int) -> Iterator[tuple[int, int, int]]:
        for i in range(count):
            yield i, i // self.lanes, i % self.lanes


def lay_out(
    specification: KernelSpecification,
    points: np.ndarray,
    table: np.ndarray,
    lanes: int,
    real: type,
) -> Layout:
    """Constraint i has the particles i·k … i·k + k-1; unused lanes have fixed ones at the end."""
    count, k = points.shape[:2]
    blocks = -(-count // lanes)
    rows = aligned_rows((count + 1) * k, real)
    rows[: count * k, :3] = points.reshape(-1, 3)
    rows[: count * k, 3] = np.resize([1.0, 0.5, 2.0, 0.0, 1.5], count * k)
    rows[count * k :, :3] = np.eye(k, 3)
    previous = rows.copy()
    previous[:, :3] += 0.01 * np.sin(np.arange(previous.size // 4 * 3)).reshape(-1, 3)
    shape = (blocks, specification.vertices, lanes)
    offsets = np.empty(shape, np.uint32)
    parameters = np.empty((blocks, specification.parameters, lanes), real)
    multipliers = np.zeros((blocks, specification.components, lanes), real)
    for i in range(blocks * lanes):
        block, lane = i // lanes, i % lanes
        corners = min(i, count) * k + np.arange(k)
        offsets[block, :, lane] = corners * 4 * rows.itemsize
        parameters[block, :, lane] = table[i if i < count else 0]
        multipliers[block, :, lane] = 0.001 * i if i < count else 0.0
    aligned = aligned_rows(len(previous), real)
    aligned[:] = previous
    if specification.writes == "values":
        outputs = np.zeros(blocks * lanes * specification.outputs, real)
    else:
        outputs = aligned_rows(len(rows), real).reshape(-1)
    return Layout(rows, aligned, offsets, parameters, multipliers, outputs, blocks, lanes)


def run_kernel(kernel: KernelSpecification, layout: Layout, real: type) -> None:
    _run(
        compiler.address(kernel, layout.lanes, real is np.float64),
        layout.rows,
        layout.previous,
        layout.offsets.ravel(),
        layout.parameters.ravel(),
        layout.multipliers.reshape(-1),
        layout.outputs,
        real(RATE),
        layout.blocks,
    )


def some_table(constraint: Constraint, count: int, damped: bool) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    corners = np.array([(0, 0, 0), (1, 0, 0), (0.2, 1, 0), (0.4, -0.8, 0.6)])
    shape = np.resize(corners, (constraint.vertices, 3))
    points = shape + random.uniform(-0.2, 0.2, (count, constraint.vertices, 3))
    rest = constraint.measure_rest(shape + random.uniform(-0.2, 0.2, points.shape))
    size = constraint.components
    block = (1e-3 * (np.eye(size) + 0.2))[np.tril_indices(size)]
    parts = [rest, np.tile(block, (count, 1)) * random.uniform(0.5, 2.0, (count, 1))]
    if damped:
        parts.append(np.full((count, size), 0.02))
    return points, np.concatenate(parts, axis=1)


@needs_machine_code
@each_whole
@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize(("lanes", "count"), [(1, 3), (4, 6), (8, 8), (16, 21)])
def test_machine_code_equals_the_body(
    constraint: Constraint, damped: bool, double: bool, lanes: int, count: int
) -> None:
    kernel = specification(constraint, damped)
    real = np.float64 if double else np.float32
    points, table = some_table(constraint, count, damped)
    layout = lay_out(kernel, points, table, lanes, real)
    before = layout.rows.copy()
    lambdas = layout.multipliers.copy()
    run_kernel(kernel, layout, real)
    # Fifty roundings of numbers near one, amplified by condition numbers of about ten.
    tolerance = 1e-12 if double else 1e-4
    k = constraint.vertices
    for i, block, lane in layout.places(count):
        corners = slice(i * k, (i + 1) * k)
        moved, updated = kernel.update(
            before[corners, :3].tolist(),
            before[corners, 3].tolist(),
            layout.previous[corners, :3].tolist() if damped else [],
            layout.parameters[block, :, lane].tolist(),
            lambdas[block, :, lane].tolist(),
            RATE,
        )
        np.testing.assert_allclose(layout.rows[corners, :3], moved, atol=tolerance)
        np.testing.assert_allclose(layout.multipliers[block, :, lane], updated, atol=tolerance)
    assert np.abs(layout.rows[: count * k, :3] - before[: count * k, :3]).max() > 1e-3
    np.testing.assert_array_equal(layout.rows[:, 3], before[:, 3])
    np.testing.assert_array_equal(layout.rows[count * k :], before[count * k :])


def measuring(constraint: Constraint) -> KernelSpecification:
    """A kernel that puts out C, ∇C and a constant for each constraint."""

    def update(x, _w, _previous, parameters, multipliers, _rate):  # type: ignore[no-untyped-def]
        values, gradients = constraint.evaluate(x, parameters[: constraint.rest_size])
        flat = [number for gradient in gradients for vector in gradient for number in vector]
        return [*values, *flat, 7.0], multipliers

    return KernelSpecification(
        name=f"measuring_{constraint.kind}",
        update=update,
        vertices=constraint.vertices,
        parameters=constraint.rest_size + constraint.compliance_size,
        components=constraint.components,
        reads_previous=False,
        writes="values",
        outputs=constraint.components * (1 + 3 * constraint.vertices) + 1,
    )


@needs_machine_code
@each_constraint
@pytest.mark.parametrize(("lanes", "count"), [(1, 3), (4, 6), (8, 8), (16, 21)])
def test_kernels_put_out_values(constraint: Constraint, lanes: int, count: int) -> None:
    kernel = measuring(constraint)
    points, table = some_table(constraint, count, False)
    layout = lay_out(kernel, points, table, lanes, np.float64)
    before, lambdas = layout.rows.copy(), layout.multipliers.copy()
    run_kernel(kernel, layout, np.float64)
    values = layout.outputs.reshape(layout.blocks, kernel.outputs, lanes)
    for i, block, lane in layout.places(count):
        C, gradient = naive.evaluate_body(constraint, points[i], table[i, : constraint.rest_size])
        expected = [*C, *gradient.ravel(), 7.0]
        np.testing.assert_allclose(values[block, :, lane], expected, atol=1e-12)
    np.testing.assert_array_equal(layout.rows, before)
    np.testing.assert_array_equal(layout.multipliers, lambdas)


@needs_machine_code
@each_constraint
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
def test_kernels_add_to_rows(constraint: Constraint, lanes: int) -> None:
    """Twice the same corrections, with the vertices' constraints counted in the last column."""
    kernel, count, k = residual.specification(constraint, False), 21, constraint.vertices
    points, table = some_table(constraint, count, False)
    layout = lay_out(kernel, points, table, lanes, np.float64)
    before = layout.rows.copy()
    for _ in range(2):
        run_kernel(kernel, layout, np.float64)
    sums = layout.outputs.reshape(-1, 4)
    for i, block, lane in layout.places(count):
        corners = slice(i * k, (i + 1) * k)
        moved, _ = specification(constraint, False).update(
            before[corners, :3].tolist(),
            before[corners, 3].tolist(),
            [],
            layout.parameters[block, :, lane].tolist(),
            layout.multipliers[block, :, lane].tolist(),
            RATE,
        )
        step = np.array(moved) - before[corners, :3]
        np.testing.assert_allclose(sums[corners, :3], 2.0 * step, atol=1e-12)
        np.testing.assert_array_equal(sums[corners, 3], 2.0)
    np.testing.assert_array_equal(layout.rows, before)


@needs_machine_code
@each_whole
@pytest.mark.parametrize("scale", [1e-5, 1e-8, 1e-12, 1e-16, 1e-20, 1e-24, 0.0])
@pytest.mark.parametrize("alpha", [0.0, 1e-3])
def test_collapsed_shapes_stay_finite_in_single_precision(
    constraint: Constraint, scale: float, alpha: float
) -> None:
    """From a hundredth of a millimetre down to nothing, past the smallest normal numbers."""
    kernel = specification(constraint, False)
    points, table = some_table(constraint, 8, False)
    table[:, constraint.rest_size :] *= alpha / 1e-3
    layout = lay_out(kernel, points * scale, table, 8, np.float32)
    for _ in range(2):
        run_kernel(kernel, layout, np.float32)
    assert np.isfinite(layout.rows).all()
    assert np.isfinite(layout.multipliers).all()


# What is flat has no rest state of these; without compliance both components of these others, which
# are not zero at rest, contradict each other.
OF_SOLIDS = ("corotational", "patch_", "tie_")
BALANCED = "neo_hookean"
EACH_RELIEF = [
    (constraint, relief)
    for constraint in WHOLE
    for relief in (0.0, 1e-4, 0.01, 1.0)
    if not constraint.kind.startswith(BALANCED)
    and (relief > 0.0 or not constraint.kind.startswith(OF_SOLIDS))
]


@needs_machine_code
@pytest.mark.parametrize(("constraint", "relief"), EACH_RELIEF)
def test_one_free_corner_is_not_thrown_in_single_precision(
    constraint: Constraint, relief: float
) -> None:
    """Without compliance the block of a triangle held at two corners is singular."""
    if constraint.kind == "corotational" and relief == 0.0:
        pytest.skip("a flat tetrahedron has no rest state")
    kernel = specification(constraint, False)
    count, k = 64, constraint.vertices
    points, table = some_table(constraint, count, False)
    points[..., 2] *= relief
    table[:, : constraint.rest_size] = constraint.measure_rest(points)
    table[:, constraint.rest_size :] = 0.0
    layout = lay_out(kernel, points, table, 8, np.float32)
    layout.rows[: count * k, 3] = np.tile([0.0] * (k - 1) + [1.0], count)
    layout.rows[k - 1 : count * k : k, :3] += (0.01, -0.02, 0.01 * relief)
    before = layout.rows.copy()
    for _ in range(5):
        run_kernel(kernel, layout, np.float32)
    # The corner was moved by 0.02; undoing that needs no more than a small multiple.
    assert np.abs(layout.rows - before)[:, :3].max() < 0.1


@needs_machine_code
def test_zero_blocks_touch_nothing() -> None:
    constraint = REGISTRY["distance"]
    kernel = specification(constraint, False)
    points, table = some_table(constraint, 4, False)
    layout = lay_out(kernel, points, table, 4, np.float64)
    before = layout.rows.copy()
    run_kernel(kernel, replace(layout, blocks=0), np.float64)
    np.testing.assert_array_equal(layout.rows, before)


@needs_machine_code
def test_a_kernel_is_loaded_once() -> None:
    kernel = specification(REGISTRY["distance"], False)
    addresses = {
        (lanes, double): compiler.address(kernel, lanes, double)
        for lanes, double in itertools.product((1, 4), (False, True))
    }
    assert len(set(addresses.values())) == 4
    assert addresses[4, True] == compiler.address(kernel, 4, True)


@pytest.mark.jit_off
@each_constraint
def test_blocks_of_parameters_match_the_type(constraint: Constraint) -> None:
    for damped in (False, True):
        kernel = specification(constraint, damped)
        assert kernel.vertices == constraint.vertices
        assert kernel.components == constraint.components
        expected = constraint.rest_size + len(np.tril_indices(constraint.components)[0])
        assert kernel.parameters == expected + (constraint.components if damped else 0)
        assert naive.block_of(np.arange(constraint.compliance_size)).shape == (
            constraint.components,
            constraint.components,
        )
