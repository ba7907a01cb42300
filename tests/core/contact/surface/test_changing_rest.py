# SPDX-License-Identifier: GPL-3.0-or-later
"""What is near at rest keeps less than its thickness, however the rest shape changes."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from naive.near import edges_to_edges, vertices_to_faces
from naive.solids import ball
from numpy.typing import NDArray

import core
from core.bodies.soft_body import SoftBody
from core.contact.surface.candidates import LISTED, REST_PART, SKIN_PART
from core.contact.surface.data import EDGE_EDGE, LANES, ROW_SHIFT, STREAMS
from core.contact.surface.tree import EDGE_PART
from core.mesh.lattice import body_centred_box

pytestmark = pytest.mark.long

FRAME = 1 / 24
CELLS, CELL = 16, 0.01
THICKNESS = CELL / 1.2
GRID = naive.quad_grid(CELLS, CELLS, CELLS * CELL, CELLS * CELL)
FLAT = np.asarray(GRID[0], np.float64)
BLOCK = body_centred_box((6, 6, 12), (0.06, 0.06, 0.12))
BALL = ball(24, 0.04)

Points = NDArray[np.float64]


def rumpled(points: Points, by: float) -> Points:
    return points + by * np.random.default_rng(0).normal(size=points.shape)


def simulated(model: core.Model, **options: Any) -> core.Simulation:
    return core.Simulation(model, core.XPBD(substeps=20, **options), gravity=(0.0, 0.0, 0.0))


def check_wanted(
    simulation: core.Simulation, rest: Points, factors: Points, part: float = REST_PART
) -> None:
    """All candidates want their thickness, or a part of their distance at rest where that is less.

    Args:
        rest: of all particles [m], and by which factors lengths around them are longer than there.
        part: of a distance at rest that is kept.
    """
    simulation.advance(1e-4)
    arrays = simulation.state.contact.surface.arrays
    shape, candidates = arrays.shape, arrays.candidates
    lanes, shift = (int(shape.numbers[k]) for k in (LANES, ROW_SHIFT))
    less = 0
    for thread, stream in np.ndindex(len(candidates.listed), STREAMS):
        count = int(candidates.listed[thread, stream, LISTED])
        blocks = candidates.offsets[thread, stream, : 4 * lanes * -(-count // lanes)]
        fours = (blocks.reshape(-1, 4, lanes).transpose(0, 2, 1).reshape(-1, 4) >> shift)[:count]
        a, b, c, d = rest[fours].transpose(1, 0, 2)
        edges = stream & EDGE_EDGE != 0
        at_rest = edges_to_edges(a, b, c, d) if edges else vertices_to_faces(a, rest[fours[:, 1:]])
        most = (EDGE_PART if edges else 1.0) * 2.0 * THICKNESS
        wanted = candidates.wanted[thread, stream, :count]
        expected = np.minimum(most, part * at_rest * factors[fours].min(axis=1))
        np.testing.assert_allclose(wanted, expected, atol=1e-6)
        less += int(np.sum(wanted < 0.99 * most))
    assert less > 100


def sheet(**options: Any) -> tuple[core.Model, core.Cloth]:
    model = core.Model(np.float64)
    start = rumpled(FLAT, 0.5 * CELL)
    return model, model.add_cloth(
        start, GRID[1], rest_positions=FLAT, thickness=THICKNESS, **options
    )


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.6])
def test_it_is_that_of_the_shape_that_is_followed(scale: float) -> None:
    """Also with another model, that shrinks it."""
    model, cloth = sheet()
    simulation, shape = simulated(model), rumpled(scale * FLAT, 0.2 * CELL)
    check_wanted(simulation, FLAT, np.ones(len(FLAT)))
    simulation.follow_rest(cloth, shape)
    check_wanted(simulation, shape, np.ones(len(FLAT)))
    simulation.go_on_with(sheet(shrinkage=0.2)[0])
    check_wanted(simulation, shape, np.full(len(FLAT), 0.8))


def test_it_is_shrunk_where_that_is_painted() -> None:
    painted = np.linspace(0.0, 0.6, len(FLAT))
    model, _ = sheet(shrinkage=painted)
    check_wanted(simulated(model), FLAT, 1.0 - painted)


def soft_body(model: core.Model, skinned: bool, **options: Any) -> SoftBody:
    """A ball in a cage, or a block of tetrahedra."""
    options = {"young_modulus": 2e4, "thickness": THICKNESS, "drag": 8.0} | options
    if skinned:
        return model.add_soft_body(*BALL, cell_size=0.02, **options)
    return model.add_soft_body(BLOCK[0], tetrahedra=BLOCK[1], **options)


@pytest.mark.parametrize("skinned", [False, True])
@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize(
    ("growth", "factor"),
    [({"inflation": 0.2}, np.cbrt(0.2)), ({"contraction": 0.5}, 0.5), ({"inflation": 1.5}, 1.1447)],
)
def test_it_grows_with_soft_bodies(
    growth: dict[str, float], factor: float, described: bool, skinned: bool
) -> None:
    """Whether they were described like that, or have grown since."""
    model = core.Model(np.float64)
    body = soft_body(model, skinned, **growth if described else {})
    simulation = simulated(model)
    if not described:
        simulation.grow(body, **growth)
    factors = np.full(model.particle_count, factor)
    part = SKIN_PART if skinned else REST_PART
    check_wanted(simulation, model.rest_positions, factors, part)


def shrunk_to_half(own: bool) -> tuple[float, float]:
    """The greatest strain of a sheet that has shrunk, and how far [m] it is from a plane.

    Something else is far away, an island by itself.

    Args:
        own: whether it touches itself.
    """
    model = core.Model()
    start = rumpled(FLAT, 0.01 * CELL)
    cloth = model.add_cloth(
        start, GRID[1], thickness=THICKNESS, bend_compliance=1e3, drag=2.0, rest_positions=FLAT,
        self_collision=own,
    )  # fmt: skip
    model.add_cloth(np.eye(3) + np.array([9.0, 0.0, 0.0]), [(0, 1, 2)])
    simulation = simulated(model)
    for frame in range(1, 19):
        simulation.follow_rest(cloth, (1.0 - 0.5 * min(1.0, frame / 12)) * FLAT)
        simulation.advance(FRAME)
    points = simulation.positions[cloth.particles].astype(np.float64)
    ends = points[cloth.edges - cloth.particles[0]]
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    strain = np.abs(lengths / simulation.rest_lengths(cloth) - 1.0).max()
    return float(strain), float(np.linalg.svd(points - points.mean(axis=0))[1][2])


def test_cloth_of_small_cells_shrinks_as_its_rest_shape_does() -> None:
    """To half its size, without strain, and no more wrinkled than what touches nothing."""
    (_, bent), (strain, wrinkled) = (shrunk_to_half(own) for own in (False, True))
    assert strain < 1e-3
    assert wrinkled < 1.2 * bent


def off_rest(skinned: bool, own: bool, growth: dict[str, float], grown: bool) -> float:
    """How far [m] a soft body is from its rest shape in the end.

    Args:
        own: whether it touches itself.
        grown: whether it grows while it is simulated, or is like that from its start.
    """
    model = core.Model()
    body = soft_body(model, skinned, self_collision=own, **{} if grown else growth)
    simulation = simulated(model, second_order=True)
    for frame in range(1, 31):
        if grown:
            share = min(1.0, frame / 12)
            simulation.grow(body, **{name: _between(name, share, v) for name, v in growth.items()})
        simulation.advance(FRAME)
    shorter = 1.0 - growth.get("contraction", 0.0)
    scale = np.cbrt(growth.get("inflation", 1.0)) * np.array([1.0, 1.0, shorter**1.5])
    rest = model.rest_positions[body.particles] * scale / np.sqrt(shorter)
    found = simulation.positions[body.particles].astype(np.float64)
    rest, found = rest - rest.mean(axis=0), found - found.mean(axis=0)
    left, _, right = np.linalg.svd(found.T @ rest)
    return float(np.linalg.norm(found @ (left @ right) - rest, axis=1).max())


def _between(name: str, share: float, value: float) -> float:
    """A share of the way from nothing to a value."""
    nothing = 1.0 if name == "inflation" else 0.0
    return nothing + share * (value - nothing)


@pytest.mark.parametrize("skinned", [False, True])
@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize("growth", [{"contraction": 0.5}, {"inflation": 0.1}, {"inflation": 2.0}])
def test_soft_bodies_of_small_cells_are_what_they_grow_to(
    growth: dict[str, float], grown: bool, skinned: bool
) -> None:
    alone, touching = (off_rest(skinned, own, growth, grown) for own in (False, True))
    assert touching < max(1.5 * alone, 0.02 * CELL)


def test_what_goes_through_itself_at_rest_is_that_of_the_present_shape() -> None:
    """A vertex beyond its neighbours, through what is around it."""
    middle = (CELLS // 2) * (CELLS + 2)
    folded = FLAT.copy()
    folded[middle] += np.multiply((1.6, 0.3, -0.1), CELL)
    folded[[middle + 1, middle + CELLS + 1]] += np.multiply((0.0, 0.0, -0.6), CELL)
    model = core.Model()
    cloth = model.add_cloth(folded, GRID[1], rest_positions=FLAT, thickness=0.1 * CELL)
    simulation = simulated(model)
    assert simulation.crossings > 0
    simulation.follow_rest(cloth, folded)
    assert simulation.crossings == 0
    simulation.follow_rest(cloth, FLAT)
    assert simulation.crossings > 0
