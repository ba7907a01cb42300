# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a soft body hold together up to their strength, and come apart beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from naive.solids import Mesh, box, bricks, joined, prism

import core
from core.bodies.embedded import EmbeddedBody

pytestmark = pytest.mark.long

FRAME = 1.0 / 24.0
SIZE = np.array([1.0, 0.2, 0.2])
WHOLE = box((0.0, 0.0, 0.0), SIZE)
HALVES = bricks((0.0, 0.0, 0.0), SIZE, (2, 1, 1))
DENSITY = 1000.0


def bar(
    mesh: Mesh = HALVES,
    held: bool = True,
    substeps: int = 40,
    dtype: Any = np.float32,
    **options: Any,
) -> tuple[core.Simulation, EmbeddedBody]:
    """A soft bar along x, held at x = 0, without gravity."""
    model = core.Model(dtype=dtype)
    given: dict[str, Any] = {
        "cell_size": 0.05, "young_modulus": 1e5, "poisson_ratio": 0.3, "density": DENSITY,
        "damping": 0.02, "thickness": 0.002, "drag": 4.0, "strength": 1e9,
    }  # fmt: skip
    pins = np.flatnonzero(mesh[0][:, 0] == 0.0) if held else None
    body = model.add_soft_body(*mesh, pins=pins, **given | options)
    assert isinstance(body, EmbeddedBody)
    solver = core.XPBD(substeps=substeps, second_order=True, implicit_bending=True)
    return core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0)), body


def torn(simulation: core.Simulation, body: EmbeddedBody) -> np.ndarray:
    assert body.bonds is not None
    return simulation.torn(body.bonds)


def breaking_pull(strength: float, most: float, **options: Any) -> float:
    """Acceleration [m/s²] along x, raised slowly, at which the first bond breaks."""
    simulation, body = bar(strength=strength, **options)
    frames = 72
    for frame in range(1, frames + 1):
        pull = most * frame / frames
        simulation.gravity = (pull, 0.0, 0.0)
        simulation.advance(FRAME)
        if torn(simulation, body).any():
            return pull
    return np.inf


@pytest.mark.parametrize("cell", [0.1, 0.067, 0.05])
def test_it_breaks_where_what_hangs_below_pulls_as_strongly(cell: float) -> None:
    # ρ g L / 2 in the middle. What a shape of few cells concentrates at rims comes on top.
    pull = breaking_pull(2500.0, 8.0, cell_size=cell)
    assert DENSITY * pull * 0.5 == pytest.approx(2500.0, rel=0.15)


def test_and_so_it_does_in_few_substeps_which_need_more_iterations() -> None:
    pull = breaking_pull(2500.0, 8.0, substeps=8)
    assert DENSITY * pull * 0.5 == pytest.approx(2500.0, rel=0.2)


def test_only_the_parts_break_that_are_pulled_apart() -> None:
    mesh = bricks((0.0, 0.0, 0.0), SIZE, (4, 1, 1))
    simulation, body = bar(mesh, strength=4500.0)
    for frame in range(60):
        simulation.gravity = (min(frame / 36, 1.0) * 8.0, 0.0, 0.0)
        simulation.advance(FRAME)
    assert body.bonds is not None
    places = body.cage.positions[body.bonds.indices[:, 0] - body.particles[0], 0]
    gone = torn(simulation, body)
    assert gone[places < 0.35].all()  # 6 kPa here,
    assert not gone[places > 0.4].any()  # 4 kPa and less below, and none once they fall.


@pytest.mark.parametrize("pull", [(2.0, 0.0, 0.0), (0.0, 0.0, -0.5), (-2.0, 0.5, 0.0)])
def test_what_holds_moves_like_one_body(pull: tuple[float, float, float]) -> None:
    ends = []
    for mesh, strength in ((WHOLE, None), (bricks((0, 0, 0), SIZE, (2, 1, 1)), 1e9)):
        simulation, body = bar(mesh, strength=strength)
        simulation.gravity = pull
        for _ in range(36):
            simulation.advance(FRAME)
        ends.append(simulation.surface(body)[mesh[0][:, 0] == 1.0].mean(axis=0))
    went = np.linalg.norm(ends[0] - [1.0, 0.1, 0.1])
    assert np.linalg.norm(ends[1] - ends[0]) < 0.05 * went


def test_what_presses_parts_together_breaks_nothing() -> None:
    simulation, body = bar(strength=600.0)
    for frame in range(48):
        simulation.gravity = (-8.0 * min(1.0, frame / 24), 0.0, 0.0)  # 4 kPa in the middle
        simulation.advance(FRAME)
    assert not torn(simulation, body).any()


def test_what_shears_them_does() -> None:
    simulation, body = bar(prism_pair(), strength=300.0)
    for frame in range(48):
        simulation.gravity = (-8.0 * min(1.0, frame / 24), 0.0, 0.0)
        simulation.advance(FRAME)
        if torn(simulation, body).any():
            return
    raise AssertionError("Pressed along a slanting face, they must glide.")


def prism_pair() -> Mesh:
    """A bar cut at 45°."""
    return joined(prism(0.0, 0.0, 0.4, 0.6), prism(0.4, 0.6, 1.0, 1.0))


def test_halves_fly_apart_and_keep_their_momentum() -> None:
    simulation, body = bar(held=False, dtype=np.float64, strength=500.0, drag=0.0)
    nodes = body.particles
    masses = simulation.model.masses[nodes]
    way = np.sign(body.cage.positions[:, :1] - 0.5) * np.array([1.0, 0.0, 0.0])
    velocities = way + np.array([0.0, 0.2, 0.0])
    simulation.set_velocities(body, velocities)
    before = masses @ velocities
    for _ in range(24):
        simulation.advance(FRAME)
    assert torn(simulation, body).all()
    after = masses @ simulation.velocities[nodes]
    np.testing.assert_allclose(after, before, atol=1e-9 * masses.sum())
    points = simulation.surface(body)
    assert points[8:, 0].min() - points[:8, 0].max() > 0.3


def test_a_block_breaks_on_the_floor_and_nothing_crosses() -> None:
    model = core.Model()
    points, faces = bricks((0.0, 0.0, 0.3), (0.4, 0.4, 0.7), (2, 2, 2))
    body = model.add_soft_body(
        points, faces, cell_size=0.05, strength=2000.0, young_modulus=2e5, thickness=0.002
    )
    floor = np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]])
    model.add_collider(floor, [[0, 1, 2]])
    simulation = core.Simulation(model, core.XPBD(substeps=60, second_order=True))
    assert isinstance(body, EmbeddedBody)
    for _ in range(24):
        simulation.advance(FRAME)
        assert simulation.crossings == 0
    assert torn(simulation, body).all()
    assert simulation.surface(body)[:, 2].min() > -1e-3


def test_a_painted_strength_breaks_where_it_is_least() -> None:
    mesh = bricks((0.0, 0.0, 0.0), SIZE, (4, 1, 1))
    strength = np.where(np.abs(mesh[0][:, 0] - 0.75) < 0.3, 500.0, 1e9)
    strength[mesh[0][:, 0] < 0.55] = 1e9
    simulation, body = bar(mesh, strength=strength)
    for _ in range(24):
        simulation.gravity = (8.0, 0.0, 0.0)
        simulation.advance(FRAME)
    assert body.bonds is not None
    places = body.cage.positions[body.bonds.indices[:, 0] - body.particles[0], 0]
    gone = torn(simulation, body)
    assert gone[places > 0.7].all()
    assert not gone[places < 0.3].any()


def test_a_strength_that_is_none_is_refused() -> None:
    with pytest.raises(core.ModelError, match=r"strength of 'Jar' must be positive, not 0 Pa"):
        bar(strength=0.0, name="Jar")


def test_what_breaks_is_the_same_behind_other_bodies() -> None:
    """Particles that pull bonds are counted in the part of the model that is stepped."""
    found: list[list[np.ndarray]] = []
    for far in (False, True):
        model = core.Model()
        if far:
            model.add_soft_body(*box(9.0 + 0.0 * SIZE, 9.0 + SIZE), cell_size=0.1)
        pins = np.flatnonzero(HALVES[0][:, 0] == 0.0)
        body = model.add_soft_body(
            *HALVES, cell_size=0.1, young_modulus=1e5, pins=pins, strength=1.5e4
        )
        assert isinstance(body, EmbeddedBody)
        simulation = core.Simulation(model, core.XPBD(substeps=40))
        found.append([])
        for _ in range(12):
            simulation.advance(FRAME)
            found[-1] += torn(simulation, body), simulation.positions[body.particles].copy()
    assert found[0][-2].any()
    for alone, behind in zip(*found, strict=True):
        np.testing.assert_array_equal(alone, behind)
