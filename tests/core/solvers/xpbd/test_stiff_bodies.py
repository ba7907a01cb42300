# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies of any stiffness and viscosity, in any substeps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import core
from core.layout.layout import Layout
from core.mesh.lattice import body_centred_box
from core.solvers.xpbd.stiff_bodies import MOST_DAMPED, STIFFEST, StiffBodies

pytestmark = pytest.mark.long

FRAME, SUBSTEPS = 1 / 24, 50
LENGTH, CELLS = 0.4, (8, 2, 2)


def bar(young_modulus: float, **options: Any) -> tuple[core.Model, np.ndarray]:
    """A bar with a corner that is hardly filled, as cages have them."""
    points, tetrahedra = body_centred_box(CELLS, (LENGTH, 0.1, 0.1))
    fill = np.ones(len(tetrahedra))
    fill[(tetrahedra == 0).any(axis=1)] = 0.05
    model = core.Model(np.float64)
    model.add_soft_body(
        points, tetrahedra=tetrahedra, fill=fill, young_modulus=young_modulus, density=700.0,
        thickness=0.0, self_collision=False, **options,
    )  # fmt: skip
    return model, points


def solver(substeps: int = SUBSTEPS) -> core.XPBD:
    return core.XPBD(substeps=substeps, second_order=True, symmetric=True)


@pytest.mark.parametrize("energy", ["neo-hookean", "corotational"])
@pytest.mark.parametrize("ratio", [0.3, 0.49])
@pytest.mark.parametrize("damping", [0.0, 0.004, 0.5])
@pytest.mark.parametrize("young_modulus", [1e5, 1e8, 1e12])
def test_what_turns_freely_does_so_calmly(
    young_modulus: float, damping: float, ratio: float, energy: core.Energy
) -> None:
    """From 1e8 on the lightest particles of the neo-Hookean one rattled at 30 to 500 m/s."""
    model, points = bar(young_modulus, damping=damping, poisson_ratio=ratio, energy=energy)
    simulation = core.Simulation(model, solver(), gravity=(0, 0, 0))
    turning = np.cross([0.0, 0.0, 2.0], points - points.mean(axis=0))
    simulation.set_velocities(model.soft_bodies[0], turning)
    fastest = np.linalg.norm(turning, axis=1).max()
    for _ in range(6):
        simulation.advance(FRAME)
        assert np.linalg.norm(simulation.velocities, axis=1).max() < 1.5 * fastest
    assert np.ptp(simulation.positions[:, :2], axis=0).max() < 1.2 * LENGTH


def described(model: core.Model) -> tuple[Any, StiffBodies]:
    prepared = solver().prepare(model)
    return prepared.layout.parameters, prepared.stiff_bodies


def test_what_is_within_the_limits_is_as_described() -> None:
    model, _ = bar(1e8, damping=0.01)
    parameters, bodies = described(model)
    before = parameters.copy()
    small, large = FRAME / 4000, FRAME / 40
    bodies.begin(math.sqrt(0.5) * small, small)
    assert parameters.tobytes() == before.tobytes()
    bodies.begin(math.sqrt(0.5) * large, large)
    assert parameters.tobytes() != before.tobytes()
    bodies.begin(math.sqrt(0.5) * small, small)
    assert parameters.tobytes() == before.tobytes()


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_patches_keep_to_the_limits(damping: float) -> None:
    """κ of the softened material is what a slow sum over patches finds."""
    model, _ = bar(1e9, damping=damping)
    prepared = solver().prepare(model)
    h = FRAME / SUBSTEPS
    prepared.stiff_bodies.begin(math.sqrt(0.5) * h, h)
    found, damped = np.zeros(model.particle_count), []
    for particles, gradients, stiffness, _ in patches_of(prepared.layout):
        for particle, gradient in zip(particles, gradients, strict=True):
            share = 0.5 * h**2 * stiffness * (gradient @ gradient)
            found[particle] += share / model.masses[particle]
    for particles, _, _, time in patches_of(prepared.layout):
        damped.append(found[particles].max() * (1.0 + (time / h if damping else 0.0)))
    assert found.max() == pytest.approx(STIFFEST)
    assert max(damped) == pytest.approx(MOST_DAMPED if damping else STIFFEST)


def patches_of(layout: Layout) -> Iterator[tuple[np.ndarray, np.ndarray, float, float]]:
    """Particles, gradients, stiffness and the last parameter, damping if there is any."""
    for group, own in zip(layout.groups, layout.parameter_places(), strict=True):
        if not group.constraint.kind.startswith("neo_hookean"):
            continue
        corners = group.constraint.vertices
        for patch, where in zip(group.indices, own, strict=True):
            others = layout.parameters[where[: 3 * (corners - 1)]].reshape(-1, 3)
            gradients = np.concatenate([-others.sum(axis=0, keepdims=True), others])
            stiffness = 1.0 / layout.parameters[where[group.constraint.rest_size]]
            yield patch, gradients, stiffness, layout.parameters[where[-1]] / math.sqrt(0.5)


def test_damping_asks_for_substeps() -> None:
    """As many as keep κ (1 + β / h) at the limit; what is hardly damped asks for none."""
    model, _ = bar(1e6, damping=0.5)
    _, bodies = described(model)
    count = bodies.substeps_for(FRAME)
    assert count > 1
    for substeps, changes in ((count, False), (count - 1, True)):
        parameters, bodies = described(model)
        before, h = parameters.copy(), FRAME / substeps
        bodies.begin(math.sqrt(0.5) * h, h)
        assert (parameters.tobytes() != before.tobytes()) == changes
    assert described(bar(1e6, damping=0.0)[0])[1].substeps_for(FRAME) == 0
    assert described(core.Model())[1].substeps_for(FRAME) == 0


def test_what_is_wholly_pinned_needs_no_limit() -> None:
    """Nothing can move it, and nothing overflows."""
    points, _ = body_centred_box(CELLS, (LENGTH, 0.1, 0.1))
    model, _ = bar(1e12, damping=0.1, pins=np.flatnonzero(points[:, 0] < 0.5 * LENGTH))
    parameters, bodies = described(model)
    before = parameters.copy()
    with np.errstate(all="raise"):
        bodies.begin(math.sqrt(0.5) * FRAME, FRAME)
    layout, any_held = solver().prepare(model).layout, False
    for group, places in zip(layout.groups, layout.parameter_places(), strict=True):
        held = np.isinf(model.masses[group.indices]).all(axis=1)
        any_held |= bool(held.any())
        assert parameters[places[held]].tobytes() == before[places[held]].tobytes()
    assert any_held
