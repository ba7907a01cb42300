# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that goes on with another model: values and pins that change over time."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.mesh.lattice import body_centred_box
from core.state import CATCHING_SPEED

pytestmark = pytest.mark.long

GRAVITY = (0.0, 0.0, -9.81)


CORNERS = np.concatenate([np.eye(3), -np.eye(3)])
SIDES = [
    (0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5),
]  # fmt: skip


def scene(**material: Any) -> core.Model:
    """Two sheets far from each other, one of which falls on an octahedron, pulled at a side."""
    points, quads = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model()
    stiffness = np.where(np.arange(9) < 4, np.inf, 300.0)
    first = points + np.array([0.0, 0.0, 0.3])
    model.add_cloth(first, quads, pins=range(9), pin_stiffness=stiffness, **material)
    model.add_cloth(points + np.array([9.0, 0.0, 0.0]), quads, **material)
    model.add_collider(0.25 * CORNERS + np.array([0.5, 0.5, 0.0]), SIDES)
    return model


def simulation_of(model: core.Model, **options: Any) -> core.Simulation:
    return core.Simulation(model, core.XPBD(substeps=10, **options), gravity=GRAVITY)


AUTOMATIC: dict[str, Any] = {
    "largest_stretch": 0.03, "near_pins": True, "implicit_bending": True
}  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"warm_start": 0.5}, AUTOMATIC], ids=str)
def test_going_on_with_the_same_changes_no_byte(options: Any) -> None:
    steady, renewed = simulation_of(scene(), **options), simulation_of(scene(), **options)
    for frame in range(24):
        for simulation in (steady, renewed):
            (ball,) = simulation.model.colliders
            ball.set_target(ball.vertices + np.array([0.0, 0.0, 0.01]))
            simulation.advance(1 / 24)
        if frame % 5 == 4:
            renewed.go_on_with(scene())
    np.testing.assert_array_equal(renewed.positions, steady.positions)
    np.testing.assert_array_equal(renewed.velocities, steady.velocities)


@pytest.mark.parametrize(("material", "is_kept"), [
    ({"friction": 0.9, "thickness": 0.003, "drag": 2.0}, True),
    ({"density": 0.3}, False),
    ({"stretch_compliance": 6e-4}, False),
    ({"bend_damping": 0.1}, False),
    ({"shrinkage": 0.01}, False),
])  # fmt: skip
def test_constraints_that_are_the_same_stay_laid_out(
    material: dict[str, Any], is_kept: bool
) -> None:
    """What goes on from a checkpoint, laid out anew, makes the same bytes."""
    simulation = simulation_of(scene(), **AUTOMATIC)
    for _ in range(6):
        simulation.advance(1 / 24)
    layouts = {id(island.prepared.layout) for island in simulation.islands}
    simulation.go_on_with(scene(**material))
    kept = {id(island.prepared.layout) for island in simulation.islands} == layouts
    assert kept == is_kept
    simulation.advance(1 / 24)
    other = simulation_of(scene(**material), **AUTOMATIC)
    other.restore(simulation.checkpoint())
    for each in (simulation, other):
        for _ in range(3):
            each.advance(1 / 24)
    np.testing.assert_array_equal(simulation.positions, other.positions)


def test_automatic_quality_goes_on_with_its_effort() -> None:
    simulation = core.Simulation(scene(), core.XPBD(substeps=400, iterations=8, **AUTOMATIC))
    for _ in range(8):
        simulation.advance(1 / 24)
    before = simulation.report().substeps
    simulation.go_on_with(scene(stretch_compliance=6e-4))
    simulation.advance(1 / 24)
    assert 0.5 * before <= simulation.report().substeps <= 2.0 * before


def test_a_material_that_gets_softer_sags_without_a_jump() -> None:
    """A hanging strip; where it is softened nothing jumps, and it comes to the new sag."""

    def strip(stiffness: float) -> core.Model:
        points, quads = naive.quad_grid(10, 1, 1.0, 0.1)
        hanging = np.stack([points[:, 1], np.zeros(len(points)), -points[:, 0]], axis=1)
        pins = np.flatnonzero(points[:, 0] < 1e-9)
        model = core.Model()
        model.add_cloth(
            hanging,
            quads,
            pins=pins,
            density=0.2,
            stretch_compliance=1.0 / stiffness,
            shear_compliance=50.0 / stiffness,
            drag=5.0,
        )
        return model

    def sag(simulation: core.Simulation) -> float:
        return -float(simulation.positions[:, 2].min()) - 1.0

    simulation = core.Simulation(strip(400.0), core.XPBD(substeps=40), gravity=GRAVITY)
    for _ in range(48):
        simulation.advance(1 / 24)
    assert sag(simulation) == pytest.approx(0.2 * 9.81 / 800.0, rel=0.03)
    before = simulation.positions.copy()
    simulation.go_on_with(strip(100.0))
    np.testing.assert_array_equal(simulation.positions, before)
    simulation.advance(1 / 240)
    assert np.abs(simulation.positions - before).max() < 1e-3
    for _ in range(72):
        simulation.advance(1 / 24)
    assert sag(simulation) == pytest.approx(0.2 * 9.81 / 200.0, rel=0.03)


def model_of(pins: Any, colliders: int) -> core.Model:
    points, quads = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model()
    for place in (0.0, 9.0):
        model.add_cloth(points + np.array([place, 0.0, 0.3]), quads, pins=pins)
    for number in range(colliders):
        model.add_collider(0.25 * CORNERS + np.array([0.5, 0.5, -number]), SIDES)
    return model


@pytest.mark.parametrize("colliders", [0, 1, 2])
@pytest.mark.parametrize("pins", [[], [0], [3, 80]], ids=str)
def test_a_checkpoint_goes_on_with_other_pins_and_colliders(pins: Any, colliders: int) -> None:
    before = simulation_of(model_of([0, 8], 1))
    for _ in range(12):
        before.advance(1 / 24)
    after = simulation_of(model_of(pins, colliders))
    for collider in after.model.colliders:
        collider.set_target(collider.vertices + np.array([0.0, 0.0, -0.1]))
    after.restore(before.checkpoint(), changed=True)
    np.testing.assert_array_equal(after.positions, before.positions)
    free = np.isfinite(after.model.masses)
    np.testing.assert_array_equal(after.velocities[free], before.velocities[free])
    for collider in after.model.colliders:
        assert collider.target is None
        np.testing.assert_allclose(collider.vertices, collider.rest - [0.0, 0.0, 0.1])
    held = after.positions[~free].copy()
    for _ in range(6):
        after.advance(1 / 24)
    np.testing.assert_array_equal(after.positions[~free], held)
    assert np.abs(after.positions - before.positions)[free].max() < 2.0


def test_a_checkpoint_of_another_number_of_particles_is_refused() -> None:
    with pytest.raises(core.CheckpointError, match="of another simulation"):
        simulation_of(model_of([], 0)).restore(simulation_of(scene()).checkpoint(), changed=True)


def test_other_bodies_are_refused() -> None:
    points, quads = naive.quad_grid(2, 2, 1.0, 1.0)
    simulation = simulation_of(sheet_of(points, quads))
    others = [core.Model(), sheet_of(*naive.quad_grid(3, 2, 1.0, 1.0)), core.Model()]
    others[2].add_strands(points, [(number, number + 1) for number in range(8)])
    for other in others:
        with pytest.raises(core.ModelError, match="same bodies and particles"):
            simulation.go_on_with(other)
    loose = sheet_of(points, quads)
    loose.add_particles([(0.0, 0.0, 3.0)], 1.0)
    with pytest.raises(core.ModelError, match="same bodies and particles"):
        simulation.go_on_with(loose)
    with pytest.raises(core.ModelError, match="same colliders"):
        simulation.go_on_with(scene())


# --- other pins -----------------------------------------------------------------------------------

FRAME = 1 / 24
SOLVERS: dict[str, Any] = {
    "XPBD": core.XPBD(substeps=20, implicit_bending=True, second_order=True),
    "XPBD, two substeps": core.XPBD(substeps=2, second_order=True),
    "XPBD, Euler": core.XPBD(substeps=20),
    "PBD": core.PBD(substeps=20),
    "ProjectiveDynamics": core.ProjectiveDynamics(substeps=20),
    "ConstrainedDynamics": core.ConstrainedDynamics(substeps=20),
}


def sheet_of(points: Any, quads: Any, **options: Any) -> core.Model:
    model = core.Model()
    model.add_cloth(points, quads, **options)
    return model


def flat(**options: Any) -> core.Model:
    points, quads = naive.quad_grid(8, 8, 1.0, 1.0)
    return sheet_of(points, quads, **options)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_is_let_go_flies_on_with_the_velocity_of_its_pins(solver: str) -> None:
    every, velocity, gravity = np.arange(81), np.array([2.0, 0.5, 1.0]), np.array(GRAVITY)
    simulation = core.Simulation(flat(pins=every), SOLVERS[solver], gravity=GRAVITY)
    start = simulation.positions.copy()
    for frame in range(1, 7):
        (cloth,) = simulation.model.cloths
        simulation.set_targets(cloth.pins, start + velocity * frame * FRAME)
        simulation.advance(FRAME)
    simulation.go_on_with(flat())
    np.testing.assert_allclose(simulation.positions, start + velocity / 4, atol=1e-6)
    np.testing.assert_allclose(simulation.velocities - velocity, 0.0, atol=2e-4)
    at, time = simulation.positions.copy(), 12 * FRAME
    for _ in range(12):
        simulation.advance(FRAME)
    thrown = at + velocity * time + 0.5 * gravity * time**2
    euler = 0.0 if getattr(SOLVERS[solver], "second_order", False) else 9.81 * time * FRAME / 40
    np.testing.assert_allclose(simulation.positions, thrown, atol=1e-4 + 1.01 * euler)


def hanging(pins: Any, stiffness: float = np.inf, **options: Any) -> core.Model:
    """A sheet of 1 m² that hangs from z = 1 on."""
    points, quads = naive.quad_grid(12, 12, 1.0, 1.0)
    options = {"pin_stiffness": stiffness, "density": 0.2, "drag": 0.5} | options
    return sheet_of(points[:, [0, 2, 1]], quads, pins=pins, **options)


TOP = np.arange(156, 169)


def fallen(stiffness: float) -> core.Simulation:
    """One that was let go, and has just been caught."""
    simulation = simulation_of(
        hanging(TOP, stiffness), largest_stretch=0.03, implicit_bending=True, second_order=True
    )
    simulation.advance(FRAME)
    simulation.go_on_with(hanging(None))
    for _ in range(11):
        simulation.advance(FRAME)
    assert simulation.positions[TOP, 2].max() < 0.2
    simulation.go_on_with(hanging(TOP, stiffness))
    return simulation


@pytest.mark.parametrize("target_speed", [0.0, 12.0])
@pytest.mark.parametrize("stiffness", [np.inf, 1e4])
def test_what_is_caught_comes_nearer_at_no_more_than_a_speed(
    stiffness: float, target_speed: float
) -> None:
    simulation = fallen(stiffness)
    wanted = hanging(None).positions[TOP]
    (cloth,) = simulation.model.cloths
    away = np.linalg.norm(simulation.positions[cloth.pins] - wanted, axis=1)
    assert 0.8 < away.min()
    for frame in range(15):
        simulation.set_targets(
            cloth.pins, wanted + np.array([target_speed * frame * FRAME, 0.0, 0.0])
        )
        assert not simulation.has_caught(cloth) or frame > 5
        simulation.advance(FRAME)
        at = simulation.positions[cloth.pins] - [target_speed * frame * FRAME, 0.0, 0.0]
        now = np.linalg.norm(at - wanted, axis=1)
        np.testing.assert_allclose(now, np.maximum(away - CATCHING_SPEED * FRAME, 0.0), atol=1e-5)
        away = now
    assert simulation.has_caught(cloth)
    last = wanted + np.array([target_speed * frame * FRAME, 0.0, 0.0])
    np.testing.assert_array_equal(simulation.positions[cloth.pins], last.astype(np.float32))


def test_what_is_caught_is_not_thrown_about() -> None:
    """No faster than twice what leads it beside what it had, and at rest soon."""
    simulation = fallen(np.inf)
    wanted, (cloth,) = hanging(None).positions[TOP], simulation.model.cloths
    fell = np.linalg.norm(simulation.velocities, axis=1).max()
    speeds = []
    for _ in range(72):
        simulation.set_targets(cloth.pins, wanted)
        simulation.advance(FRAME)
        speeds.append(float(np.linalg.norm(simulation.velocities, axis=1).max()))
    assert max(speeds) < fell + 2.0 * CATCHING_SPEED
    assert max(speeds[24:]) < 2.0 and speeds[-1] < 0.5


def test_pins_that_get_softer_and_firmer_stay_on_their_way() -> None:
    """Held, pulled and held again, as their targets go at 12 m/s: none falls behind."""
    simulation = simulation_of(hanging(TOP), second_order=True)
    wanted = hanging(None).positions[TOP]
    for frame in range(1, 9):
        if frame in (3, 6):
            simulation.go_on_with(hanging(TOP, 1e5 if frame == 3 else np.inf))
        (cloth,) = simulation.model.cloths
        simulation.set_targets(cloth.pins, wanted + np.array([12.0 * frame * FRAME, 0.0, 0.0]))
        simulation.advance(FRAME)
        led = simulation.positions[cloth.pins]
        assert np.abs(led - wanted - [12.0 * frame * FRAME, 0.0, 0.0]).max() < 1e-5
        assert len(cloth.anchors) == (13 if 3 <= frame < 6 else 0)


def with_others(first_pins: Any) -> core.Model:
    """A sheet with pins, some of which pull, and bodies far away that come after it."""
    model = core.Model()
    points, quads = naive.quad_grid(6, 6, 1.0, 1.0)
    model.add_cloth(points, quads, pins=first_pins, pin_stiffness=100.0)
    crumpling: dict[str, Any] = {"plasticity": 50.0, "yield_bend": 0.05, "bend_compliance": 20.0}
    model.add_cloth(points + np.array([9.0, 0.0, 0.0]), quads, pins=[0, 6], **crumpling)
    turn = 0.6 * np.arange(12)
    curl = np.stack([20.0 + 0.1 * np.cos(turn), 0.1 * np.sin(turn), -0.02 * turn], axis=1)
    links = np.stack([np.arange(11), np.arange(1, 12)], axis=1)
    options: dict[str, Any] = {
        "thickness": 0.002,
        "stretch_compliance": 1e-4,
        "bend_compliance": 1.0,
    }
    model.add_strands(curl, links, pins=[0, 1], **options)
    model.add_strands(
        curl + np.array([9.0, 0.0, 0.0]), links, pins=[0], twist_compliance=0.3, **options
    )
    boxed, tetrahedra = body_centred_box((2, 2, 2), (0.3, 0.3, 0.3))
    model.add_soft_body(
        boxed + np.array([40.0, 0.0, 0.0]), tetrahedra=tetrahedra, young_modulus=2e4
    )
    return model


def test_the_pins_of_one_change_no_byte_of_others() -> None:
    """Their particles get other numbers."""
    pins = [[0, 6], [0, 6], [0, 1, 2, 6], [], [48], [48]]
    steady, changing = (simulation_of(with_others([0, 6]), **AUTOMATIC) for _ in range(2))
    for frame in range(24):
        if frame % 4 == 3:
            changing.go_on_with(with_others(pins[frame // 4]))
        for simulation in (steady, changing):
            simulation.advance(FRAME)
    pairs = zip(steady.model.bodies, changing.model.bodies, strict=True)
    for number, (one, other) in enumerate(pairs):
        same = np.array_equal(steady.positions[one.particles], changing.positions[other.particles])
        assert same == (number > 0), one.name


@pytest.mark.parametrize("changes", [(True, True), (True, False), (False, True)])
def test_what_has_yielded_stays_where_clamps_come_and_go(changes: tuple[bool, bool]) -> None:
    """Hinges between two pinned faces are none: others keep what they have become."""

    def strip(clamped: bool) -> core.Model:
        points, quads = naive.quad_grid(6, 1, 0.6, 0.1)
        pins = [0, 7, 1, 8, 2, 9] if clamped else None
        return sheet_of(
            points, quads, pins=pins, plasticity=1e3, yield_bend=0.1, bend_compliance=20.0
        )

    def angles(simulation: core.Simulation) -> dict[tuple[int, ...], float]:
        group = simulation.rest_states.model.groups[0]
        return {
            tuple(hinge): float(angle)
            for hinge, angle in zip(group.indices.tolist(), group.rest[:, 0], strict=True)
        }

    simulation = simulation_of(strip(changes[0]))
    simulation.velocities[-1] = simulation.velocities[6] = 0.0, 0.0, 8.0
    for _ in range(3):
        simulation.advance(FRAME)
    before = angles(simulation)
    assert max(map(abs, before.values())) > 0.05
    simulation.go_on_with(strip(changes[1]))
    after = angles(simulation)
    assert (len(after) == len(before)) == (changes[0] == changes[1])
    assert {each: after[each] for each in after if each in before} == {
        each: before[each] for each in before if each in after
    }


BOX_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def jelly(pins: Any, depth: float) -> core.Model:
    """A box of 0.4 m inside of its surface."""
    corners = np.stack(np.meshgrid(*[[-0.2, 0.2]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    model = core.Model()
    options: dict[str, Any] = {"cell_size": 0.2, "young_modulus": 5e4, "goal_stiffness": 0.0}
    model.add_soft_body(corners, BOX_FACES, pins=pins, pin_depth=depth, **options)
    return model


@pytest.mark.parametrize("depth", [0.0, 0.15])
def test_a_soft_body_is_let_go_and_caught(depth: float) -> None:
    top = [1, 3, 5, 7]
    simulation = simulation_of(jelly(top, depth), second_order=True)
    start = simulation.surface(simulation.model.soft_bodies[0]).copy()
    pins = {0: top, 3: None, 12: top}
    for frame in range(30):
        if frame in (3, 12):
            before = simulation.surface(simulation.model.soft_bodies[0]).copy()
            simulation.go_on_with(jelly(pins[frame], depth))
            (body,) = simulation.model.soft_bodies
            np.testing.assert_allclose(simulation.surface(body), before, atol=5e-3)
        (body,) = simulation.model.soft_bodies
        if len(body.pins):
            simulation.set_targets(*body.led(start[body.pinned]))
        simulation.advance(FRAME)
        if frame == 11:
            fell = start[:, 2] - simulation.surface(body)[:, 2]
            assert fell.mean() == pytest.approx(0.5 * 9.81 * (9 * FRAME) ** 2, rel=0.03)
    assert simulation.has_caught(body)
    np.testing.assert_array_equal(simulation.positions[body.pins], start[top].astype(np.float32))
    assert np.abs(simulation.surface(body) - start).max() < 0.1


def test_nothing_is_led_before_it_is_told_where() -> None:
    simulation = simulation_of(flat())
    for _ in range(3):
        simulation.advance(FRAME)
    simulation.go_on_with(flat(pins=[0, 8]))
    before = simulation.positions[[0, 8]].copy()
    simulation.advance(FRAME)
    np.testing.assert_array_equal(simulation.positions[[0, 8]], before)
