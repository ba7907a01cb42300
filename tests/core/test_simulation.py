# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole frames against the naive algorithm, conservation laws, pins, determinism, bad input."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

pytestmark = pytest.mark.long

GRAVITY = (0.0, 0.0, -9.81)


def mixed_faces(nx: int, ny: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A grid in which of every third quad there is only half, a triangle."""
    positions, quads = naive.quad_grid(nx, ny, 1.0, 1.0)
    faces: list[tuple[int, ...]] = []
    for number, (a, b, c, d) in enumerate(quads):
        faces.append((a, b, c) if number % 3 == 0 else (a, b, c, d))
    return positions, faces


def crumpled(positions: np.ndarray, amount: float = 0.02) -> np.ndarray:
    random = np.random.default_rng(7)
    return positions + random.uniform(-amount, amount, positions.shape)


def small_cloth(
    dtype: Any, *, pins: list[int] | None = None, size: int = 5, **options: Any
) -> core.Model:
    positions, faces = mixed_faces(size, size)
    model = core.Model(dtype)
    settings: dict[str, Any] = {
        "density": 0.3,
        "stretch_compliance": 1e-2,
        "shear_compliance": 3e-2,
        "bend_compliance": 1e3,
        "velocities": crumpled(np.zeros_like(positions), 0.5),
    }
    model.add_cloth(positions, faces, pins=pins, **(settings | options))
    return model


class Follower:
    """The naive algorithm on a model's own constraints, in the order of its program."""

    def __init__(self, simulation: core.Simulation) -> None:
        model = simulation.model
        slots = simulation.prepared.slots
        listed = naive.blocks_of(model.groups, slots)
        self.places = [places for places, _ in listed]
        self.solver = simulation.solver
        self.gravity = simulation.gravity
        self.constraints = [constraint for _, constraint in listed]
        self.x = np.array(simulation.positions, np.float64)
        self.v = np.array(simulation.velocities, np.float64)
        self.w = np.array(1.0 / model.masses)

    def advance(self, dt: float, targets: dict[int, np.ndarray]) -> None:
        count = self.solver.substeps
        start = {p: self.x[p].copy() for p in targets}
        for substep in range(1, count + 1):
            part = substep / count
            self.x, self.v, self.multipliers = naive.xpbd_step(
                self.x,
                self.v,
                self.w,
                self.constraints,
                dt / count,
                gravity=self.gravity,
                iterations=self.solver.iterations,
                kinematic={p: start[p] + part * (targets[p] - start[p]) for p in targets},
            )


@pytest.mark.jit_off
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("membrane", ["automatic", "continuum", "springs"])
def test_frames_equal_the_naive_algorithm(
    dtype: type, tolerance: float, damping: float, membrane: str
) -> None:
    pins = [0, 5]
    model = small_cloth(
        dtype,
        pins=pins,
        membrane=membrane,
        stretch_damping=damping,
        shear_damping=2 * damping,
        bend_damping=damping,
    )
    simulation = core.Simulation(model, core.XPBD(substeps=2, iterations=3), GRAVITY)
    follower = Follower(simulation)
    for frame in range(1, 4):
        targets = {p: follower.x[p] + (0.01 * frame, 0.0, 0.02) for p in pins}
        simulation.set_targets(pins, list(targets.values()))
        simulation.advance(1 / 30)
        follower.advance(1 / 30, targets)
    np.testing.assert_allclose(simulation.positions, follower.x, atol=tolerance)
    # Velocities are differences of positions over a substep of 1/60 s.
    np.testing.assert_allclose(simulation.velocities, follower.v, atol=60 * tolerance)
    assert np.abs(follower.x - model.state().positions).max() > 0.02


def test_forces_are_those_of_the_naive_algorithm() -> None:
    model = small_cloth(np.float64, pins=[0, 5])
    simulation = core.Simulation(model, core.XPBD(substeps=3, iterations=2), GRAVITY)
    follower = Follower(simulation)
    simulation.advance(0.03)
    follower.advance(0.03, {})
    slots = simulation.prepared.slots
    multipliers = np.zeros(len(simulation.prepared.program.multipliers))
    for places, multiplier in zip(follower.places, follower.multipliers, strict=True):
        multipliers[places] = multiplier
    for kind in ("distance", "bending", "strain"):
        found = simulation.forces(kind)
        groups = [
            (g, s) for g, s in zip(model.groups, slots, strict=True) if g.constraint.kind == kind
        ]
        assert len(found) == sum(len(g.indices) for g, _ in groups)
        expected = np.concatenate([np.linalg.norm(multipliers[s], axis=1) for _, s in groups])
        np.testing.assert_allclose(found, expected / 0.01**2, rtol=1e-7, atol=1e-9)


def test_free_fall_is_exact() -> None:
    """Substeps of symplectic Euler: z = -g h² n (n + 1) / 2 and no strain at all."""
    model = small_cloth(np.float64, velocities=(1.0, 0.0, 0.5))
    start = model.state().positions.copy()
    simulation = core.Simulation(model, core.XPBD(substeps=10), GRAVITY)
    for _ in range(24):
        simulation.advance(1 / 24)
    h, n = 1 / 240, 240
    fall = 0.5 * n * h - 9.81 * h**2 * n * (n + 1) / 2
    moved = np.tile((n * h, 0.0, fall), (len(start), 1))
    np.testing.assert_allclose(simulation.positions - start, moved, atol=1e-11)
    np.testing.assert_allclose(
        simulation.velocities, np.tile((1.0, 0.0, 0.5 - 9.81), (len(start), 1)), atol=1e-10
    )


@pytest.mark.jit_off
def test_drag_slows_each_particle_at_its_own_rate() -> None:
    """dv/dt = g - c v by implicit Euler: v ← (v + h g) / (1 + h c)."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0)], 1.0, (3.0, 0.0, 0.0))
    model.add_particles([(0, 0, 0)], 5.0, (3.0, 0.0, 0.0), drag=2.0)
    simulation = core.Simulation(model, core.XPBD(substeps=4), GRAVITY)
    for _ in range(10):
        simulation.advance(0.1)
    expected = np.array([(3.0, 0.0, 0.0), (3.0, 0.0, 0.0)])
    for _ in range(40):
        expected[:, 2] -= 0.025 * 9.81
        expected[1] /= 1.0 + 0.025 * 2.0
    np.testing.assert_allclose(simulation.velocities, expected, rtol=1e-12)


def energies(model: core.Model, simulation: core.Simulation, reference: list[Any]) -> float:
    kinetic = 0.5 * (model.masses[:, None] * simulation.velocities**2).sum()
    return float(kinetic) + naive.elastic_energy(reference, np.array(simulation.positions))


@pytest.mark.parametrize("membrane", ["continuum", "springs"])
@pytest.mark.parametrize("iterations", [1, 5])
def test_energy_does_not_grow_by_itself(membrane: str, iterations: int) -> None:
    """A free cloth after a blow, undamped, 200 substeps: each implicit step loses energy."""
    model = small_cloth(np.float64, membrane=membrane)
    solver = core.XPBD(substeps=1, iterations=iterations)
    simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
    reference = Follower(simulation).constraints
    history = [energies(model, simulation, reference)]
    for _ in range(200):
        simulation.advance(1 / 240)
        history.append(energies(model, simulation, reference))
    assert (np.diff(history) <= 1e-12 * history[0]).all()
    assert history[-1] < 0.5 * history[0]


def test_momentum_of_a_free_cloth_is_kept() -> None:
    model = small_cloth(np.float64)
    simulation = core.Simulation(model, core.XPBD(substeps=10), gravity=(0, 0, 0))
    masses = model.masses[:, None]
    before = (masses * simulation.velocities).sum(axis=0)
    for _ in range(20):
        simulation.advance(1 / 24)
    after = (masses * simulation.velocities).sum(axis=0)
    np.testing.assert_allclose(after, before, atol=1e-12)


def test_a_spinning_cloth_loses_angular_momentum_only_as_implicit_euler_does() -> None:
    """dL/dt = -h ω² L for steps of h: 1.7% in a second at 2 rad/s and 240 substeps."""
    positions, faces = mixed_faces(5, 5)
    centred = positions - (0.5, 0.5, 0.0)
    omega, duration = 2.0, 1.0

    def loss(substeps: int) -> float:
        model = core.Model(np.float64)
        spin = np.cross((0.0, 0.0, omega), centred)
        model.add_cloth(centred, faces, velocities=spin, stretch_compliance=1e-3)
        simulation = core.Simulation(model, core.XPBD(substeps=substeps), gravity=(0, 0, 0))

        def momentum() -> float:
            x, v = simulation.positions, simulation.velocities
            return float((model.masses[:, None] * np.cross(x, v)).sum(axis=0)[2])

        start = momentum()
        for _ in range(24):
            simulation.advance(duration / 24)
        return 1.0 - momentum() / start

    coarse, fine = loss(10), loss(20)
    assert coarse == pytest.approx(omega**2 * duration / 240, rel=0.1)
    assert coarse / fine == pytest.approx(2.0, rel=0.1)


# --- pins -----------------------------------------------------------------------------------------


def test_pins_end_exactly_on_their_targets() -> None:
    pins = [0, 3, 17, 35]
    model = small_cloth(np.float32, pins=pins)
    simulation = core.Simulation(model, core.XPBD(substeps=7, iterations=2))
    random = np.random.default_rng(0)
    for _ in range(5):
        targets = simulation.positions[pins] + random.uniform(-0.1, 0.1, (4, 3))
        order = random.permutation(4)
        simulation.set_targets(np.array(pins)[order], targets[order])
        simulation.advance(1 / 24)
        assert (simulation.positions[pins] == targets.astype(np.float32)).all()


def test_pins_without_a_new_target_stay_bitwise() -> None:
    model = small_cloth(np.float32, pins=[0, 5])
    simulation = core.Simulation(model)
    simulation.set_targets([0], [(0.123456789, 1 / 3, -0.7)])
    simulation.advance(1 / 24)
    there = simulation.positions[[0, 5]].copy()
    for _ in range(5):
        simulation.advance(1 / 24)
        assert (simulation.positions[[0, 5]] == there).all()
    np.testing.assert_array_equal(simulation.velocities[[0, 5]], 0.0)


@pytest.mark.jit_off
def test_pins_move_evenly_through_the_substeps() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0)], np.inf)
    simulation = core.Simulation(model, core.XPBD(substeps=8))
    simulation.set_targets([0], [(0.0, 2.0, 0.0)])
    simulation.advance(0.5)
    # The last substep moved it as far as all others.
    np.testing.assert_allclose(simulation.velocities[0], (0.0, 4.0, 0.0), rtol=1e-12)
    np.testing.assert_array_equal(simulation.positions[0], (0.0, 2.0, 0.0))


# --- determinism ----------------------------------------------------------------------------------


def bytes_after(model: core.Model, frames: int = 10, **solver: Any) -> bytes:
    simulation = core.Simulation(model, core.XPBD(**solver))
    for _ in range(frames):
        simulation.advance(1 / 24)
    return simulation.positions.tobytes() + simulation.velocities.tobytes()


def test_the_same_input_gives_the_same_bytes() -> None:
    assert bytes_after(small_cloth(np.float32, pins=[0])) == bytes_after(
        small_cloth(np.float32, pins=[0])
    )


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_the_number_of_threads_changes_no_byte(threads: int) -> None:
    model = small_cloth(np.float32, pins=[0], size=20)
    assert bytes_after(model, 3, threads=threads) == bytes_after(model, 3, threads=1)


@pytest.mark.parametrize("threads", [2, 3])
def test_a_given_order_is_kept_by_several_threads(threads: int) -> None:
    """A chain in the order given is one long dependency: no two links may be done at once."""
    count = 2000
    points = crumpled(np.outer(0.01 * np.arange(count), (1.0, 0.0, 0.0)), 0.005)
    model = core.Model(np.float64)
    model.add_particles(points, 0.01, crumpled(np.zeros((count, 3)), 1.0))
    links = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    model.add_constraints("distance", links, compliance=1e-6, order="given")
    for _ in range(5):
        assert bytes_after(model, 1, threads=threads) == bytes_after(model, 1, threads=1)


def test_the_order_of_unrelated_constraints_does_not_matter() -> None:
    points = np.random.default_rng(0).uniform(0, 1, (12, 3))
    parts: list[tuple[str, list[tuple[int, ...]]]] = [
        ("distance", [(0, 1), (1, 2)]),
        ("bending", [(3, 4, 5, 6)]),
        ("strain", [(7, 8, 9)]),
        ("distance", [(10, 11)]),
    ]
    results = set()
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        model = core.Model(np.float64)
        model.add_particles(points, 1.0, np.roll(points, 1, axis=0))
        for number in order:
            model.add_constraints(*parts[number], compliance=1e-3)
        results.add(bytes_after(model))
    assert len(results) == 1


def test_a_second_cloth_far_away_changes_nothing() -> None:
    alone = small_cloth(np.float64)
    together = small_cloth(np.float64)
    positions, faces = mixed_faces(4, 3)
    together.add_cloth(positions + np.array((50.0, 0.0, 0.0)), faces, stretch_damping=0.1)
    ends = []
    for model in (alone, together):
        simulation = core.Simulation(model)
        simulation.advance(1 / 24)
        ends.append(simulation.positions[: alone.particle_count].copy())
    # The same arithmetic; only vector lanes may round differently.
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-13)


def test_a_frame_in_one_step_or_continued_from_its_state_is_the_same() -> None:
    model = small_cloth(np.float64)
    one = core.Simulation(model, core.XPBD(substeps=8))
    two = core.Simulation(model, core.XPBD(substeps=4))
    one.advance(0.08)
    two.advance(0.04)
    two.advance(0.04)
    np.testing.assert_allclose(one.positions, two.positions, atol=1e-13)
