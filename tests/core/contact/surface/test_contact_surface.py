# SPDX-License-Identifier: GPL-3.0-or-later
"""What touches is kept apart: through the solver, judged by an exact count of crossing faces."""

from __future__ import annotations

from typing import Any

import contact_scenes as shapes
import naive
import numpy as np
import pytest
from contact_scenes import ball
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

import core
from bench import contact_run, contact_scenes
from bench.contact_meshes import cone
from core.contact.data import LEAST_THICKNESS

pytestmark = pytest.mark.long

FRAME = 1 / 24

Points = NDArray[np.float64]


def crossings(simulation: core.Simulation) -> int:
    faces = np.concatenate([cloth.triangles for cloth in simulation.model.cloths])
    return len(crossing_pairs(simulation.positions.astype(float), faces))


def frames(name: str, solver: core.XPBD, **options: Any) -> Any:
    """Each frame's simulation, and the scene."""
    scene = contact_scenes.make(name, **options)
    simulation = contact_run.build(scene, solver)
    for _ in contact_run.steps(scene, simulation):
        yield simulation


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fold_on_floor", {"n": 20, "frames": 24}),
        ("stack_on_sphere", {"layers": 3, "n": 16, "frames": 24}),
        ("crumpled_ball", {"n": 17, "frames": 24}),
        ("pleats", {"n": 24, "frames": 8}),
    ],
)
def test_no_faces_cross(name: str, options: dict[str, Any]) -> None:
    for simulation in frames(name, core.XPBD(substeps=20), **options):
        assert crossings(simulation) == 0


def test_without_self_collision_they_do() -> None:
    scene = contact_scenes.make("fold_on_floor", n=20, frames=16)
    simulation = contact_run.build(scene, core.XPBD(substeps=20), self_collision=False)
    for _ in contact_run.steps(scene, simulation):
        pass
    assert crossings(simulation) > 0


def test_a_cone_does_not_come_through_a_coarse_sheet() -> None:
    scene = contact_scenes.make("spike", n=20)
    simulation = contact_run.build(scene, core.XPBD(substeps=20))
    cone = simulation.model.colliders[0]
    for _ in contact_run.steps(scene, simulation):
        found = crossing_pairs(
            simulation.positions.astype(float),
            simulation.model.cloths[0].triangles,
            (cone.vertices, cone.triangles),
        )
        assert len(found) == 0


def test_a_corner_far_from_where_something_presses_is_not_flung_away() -> None:
    model = core.Model()
    face = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.05, 0.1, 0.0]]
    cloth = model.add_cloth(face, [[0, 1, 2]], pins=[0, 1])
    beside = np.array([[0.05, 0.001, -0.003], [0.1, -0.1, -0.003], [0.0, -0.1, -0.003]])
    other = model.add_cloth(beside, [[0, 1, 2]], pins=[0, 1, 2])
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for height in np.linspace(0.0, 0.006, 12):
        simulation.set_targets(other.particles, beside + np.array([0.0, 0.0, height]))
        simulation.advance(FRAME)
        # To make room of a millimetre at once it would have to go 10 cm in a substep, at 48 m/s.
        assert np.linalg.norm(simulation.velocities[cloth.particles[2]]) < 10.0


def test_momentum_is_kept_and_energy_does_not_rise() -> None:
    momentum, highest = None, None
    for simulation in frames("two_free_sheets", core.XPBD(substeps=20), n=16):
        masses = simulation.model.masses[:, None]
        velocities = simulation.velocities.astype(float)
        now = (masses * velocities).sum(axis=0)
        kinetic = 0.5 * (masses * velocities**2).sum()
        if momentum is None or highest is None:
            momentum, highest = now, kinetic
            scale = (masses * np.abs(velocities)).sum()
        # What the sheets give back after being bent by the impact was kinetic before.
        assert kinetic < 1.0001 * highest
        assert np.linalg.norm(now - momentum) < 1e-4 * scale
    assert kinetic < 0.5 * highest


@pytest.mark.parametrize("speed", [10.0, 25.0])
def test_momentum_is_kept_however_hard_the_impact(speed: float) -> None:
    """Also of what is held back, and of what is pushed to where nothing was expected."""
    scene = contact_scenes.make("two_free_sheets", n=16, frames=4)
    simulation = contact_run.build(scene, core.XPBD(substeps=20), dtype=np.float64)
    simulation.velocities[:] *= 0.5 * speed
    masses = simulation.model.masses[:, None]
    scale = (masses * np.abs(simulation.velocities)).sum()
    for _ in contact_run.steps(scene, simulation):
        momentum = (masses * simulation.velocities).sum(axis=0)
        assert np.linalg.norm(momentum) < 1e-8 * scale
        assert crossings(simulation) == 0


def sheet(side: int, size: float, height: float) -> tuple[Points, Any]:
    positions, faces = naive.quad_grid(side, side, size, size)
    return positions + np.array([-0.5 * size, -0.5 * size, height]), faces


def test_layers_lie_apart_by_the_sum_of_their_thicknesses() -> None:
    model = core.Model()
    below, faces = sheet(8, 0.5, 0.0)
    model.add_cloth(below, faces, pins=range(len(below)), thickness=0.002)
    above, faces = sheet(9, 0.3, 0.006)
    upper = model.add_cloth(above, faces, thickness=0.001)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(24):
        simulation.advance(FRAME)
    heights = simulation.positions[upper.particles, 2]
    np.testing.assert_allclose(heights, 0.003, rtol=0.05)
    assert np.abs(simulation.velocities[upper.particles]).max() < 5e-3


@pytest.mark.parametrize(
    ("size", "thickness"),
    [(1.0, 0.0005), (1.0, 0.002), (1.0, 0.025), (0.02, 0.00006), (20.0, 0.06)],
)
def test_cloth_of_any_thickness_and_size_lies_on_a_ball(size: float, thickness: float) -> None:
    """Which has no thickness of its own. Its facets are up to 0.6 % inside of the ball."""
    kept = max(thickness, LEAST_THICKNESS)
    model = core.Model()
    points, faces = sheet(24, size, 0.32 * size)
    vertices, triangles = 0.3 * size * ball(24)[0], ball(24)[1]
    cloth = model.add_cloth(points + 0.003 * size, faces, thickness=thickness)
    model.add_collider(vertices, triangles, thickness=0.0)
    simulation = core.Simulation(model, core.XPBD(substeps=400, iterations=8, largest_stretch=0.03))
    for _ in range(24):
        simulation.advance(FRAME)
        assert simulation.crossings == 0
    radii = np.linalg.norm(simulation.positions[cloth.particles].astype(float), axis=1)
    assert 0.994 * 0.3 * size < radii.min() - kept < 1.001 * 0.3 * size


@pytest.mark.parametrize(("slope", "slides"), [(0.95, False), (1.05, True)])
def test_cloth_slides_on_cloth_where_it_is_steeper_than_its_friction(
    slope: float, slides: bool
) -> None:
    friction = 0.4
    angle = np.arctan(slope * friction)
    model = core.Model(np.float64)
    below, faces = sheet(8, 1.0, 0.0)
    model.add_cloth(below, faces, pins=range(len(below)), thickness=0.002, friction=friction)
    above, faces = sheet(5, 0.2, 0.004)
    upper = model.add_cloth(above, faces, thickness=0.002, friction=friction)
    gravity = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=gravity)
    for _ in range(24):
        simulation.advance(FRAME)
    way = (simulation.positions[upper.particles, 0] - above[:, 0]).mean()
    # What is left of gravity beyond friction moves it ½ a t² in a second.
    expected = 0.5 * 9.81 * np.cos(angle) * (slope - 1.0) * friction
    if slides:
        assert way == pytest.approx(expected, rel=0.25)
    else:
        assert abs(way) < 0.002


@pytest.mark.parametrize("way", [0.0, 0.02])
def test_a_large_collider_far_away_changes_nothing(way: float) -> None:
    """Until it comes near."""
    found = []
    for far in (False, True):
        model = core.Model()
        positions, faces = sheet(12, 0.5, 0.05)
        cloth = model.add_cloth(positions, faces, thickness=0.002)
        model.add_collider(*cone(24, 0.3, 0.1), thickness=0.002)
        if far:
            floor, triangles = naive.irregular_triangles(30, 30, 2.0, 2.0)
            floor[:, 2] = 0.0
            wall = model.add_collider(floor[:, [2, 0, 1]] - np.array([0.5, 1.0, 1.0]), triangles)
        simulation = core.Simulation(model, core.XPBD(substeps=20))
        for _ in range(24):
            if far:
                wall.set_target(wall.vertices + np.array([way, 0.0, 0.0]))
            simulation.advance(FRAME)
        found.append(simulation.positions[cloth.particles])
    assert np.array_equal(found[0], found[1]) == (way == 0.0)
    assert found[1][:, 0].min() > wall.vertices[0, 0]


def test_a_strand_lies_on_cloth_and_on_the_edge_of_a_collider() -> None:
    model = core.Model()
    below, faces = sheet(4, 0.5, 0.0)
    model.add_cloth(below, faces, pins=range(len(below)), thickness=0.002)
    x = np.linspace(-0.2, 0.2, 4)
    strand = np.stack([x, 0.01 + 0 * x, 0.02 + 0 * x], axis=1)
    hair = model.add_strands(strand, [(0, 1), (1, 2), (2, 3)], thickness=0.002)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(24):
        simulation.advance(FRAME)
    assert simulation.positions[hair.particles, 2].min() > 0.0036


def test_threads_do_not_change_a_byte() -> None:
    found = []
    for threads in (1, 3):
        solver = core.XPBD(substeps=20, threads=threads)
        *_, simulation = frames("fold_on_floor", solver, n=20, frames=12)
        found.append(simulation.positions.copy())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("substeps", "second_order", "late"), [(1, False, 0.0), (3, False, 0.0), (3, True, 0.5)]
)
def test_the_edges_of_a_floor_are_no_brake(substeps: int, second_order: bool, late: float) -> None:
    """Cloth slides over them as on an even floor, however far it gets in a substep.

    Its velocities are those of half a substep before, where motion is of second order.
    """
    slope, friction = np.radians(30.0), 0.3
    model = core.Model(np.float64)
    positions, faces = naive.quad_grid(6, 6, 0.5, 0.5)
    positions[:, 2] = 0.03
    model.add_cloth(positions, faces, thickness=0.01, friction=friction)
    floor, triangles = naive.irregular_triangles(9, 9, 4.0, 4.0)
    floor[:, :2] -= 1.0
    floor[:, 2] = 0.0
    model.add_collider(floor, triangles, thickness=0.02, friction=friction)
    gravity = 9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    solver = core.XPBD(substeps=substeps, second_order=second_order)
    simulation = core.Simulation(model, solver, tuple(gravity))
    for _ in range(24):
        simulation.advance(1 / 48)
    seconds = 0.5 - late / 48 / substeps
    speed = seconds * 9.81 * (np.sin(slope) - friction * np.cos(slope))
    np.testing.assert_allclose(simulation.velocities[:, 0], speed, rtol=2e-3)
    np.testing.assert_allclose(simulation.positions[:, 2], 0.03, atol=1e-5)


def strain(simulation: core.Simulation) -> float:
    """How much too long edges are, all but the worst hundredth."""
    cloth = simulation.model.cloths[0]
    ways = np.diff(simulation.positions[cloth.edges], axis=1)[:, 0]
    return float(np.percentile(np.linalg.norm(ways, axis=1) / cloth.rest_lengths - 1.0, 99))


@pytest.mark.parametrize(("substeps", "n"), [(20, 40), (24, 38), (80, 36)])
def test_cloth_is_drawn_through_a_ring_without_sticking(substeps: int, n: int) -> None:
    solver = core.XPBD(substeps=substeps)
    for number, simulation in enumerate(frames("pull_through_ring", solver, n=n)):
        assert crossings(simulation) == 0
        if number == 40:
            break
    assert strain(simulation) < 0.1


@pytest.mark.parametrize(("substeps", "n"), [(20, 64), (25, 64), (20, 38), (25, 36), (20, 42)])
def test_nothing_crosses_in_the_folds_that_are_drawn_into_a_ring(substeps: int, n: int) -> None:
    """Where in a substep vertices are pushed and rubbed as far as half a cell is wide."""
    drawn = frames("pull_through_ring", core.XPBD(substeps=substeps), frames=16, n=n)
    assert all(crossings(each) == 0 for each in drawn)


def test_cloths_that_are_driven_through_each_other_let_each_other_pass() -> None:
    for simulation in frames("crossing_fast", core.XPBD(substeps=120), n=32):
        assert crossings(simulation) == 0
    assert strain(simulation) < 0.05


def sheets_with_a_bump() -> core.Simulation:
    """Two sheets above each other, and the upper one's middle starts below the lower one."""
    model = core.Model()
    below, faces = sheet(20, 0.5, 0.0)
    model.add_cloth(below, faces, pins=range(20), thickness=0.001)
    above, faces = sheet(20, 0.5, 0.01)
    above[:, :2] += 0.0037, 0.0023  # so that no edge meets an edge
    upper = model.add_cloth(above, faces, thickness=0.001).particles
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    x, y, _ = above.T
    deep = 0.04 * (1.0 - (np.hypot(x + 0.02, y) / 0.12) ** 2)
    simulation.positions[upper, 2] -= np.maximum(0.0, deep)
    return simulation


def test_what_starts_through_each_other_is_pulled_out_to_the_right_side() -> None:
    simulation = sheets_with_a_bump()
    assert crossings(simulation) > 50
    for _ in range(12):
        simulation.advance(FRAME)
    assert crossings(simulation) == 0
    lower, upper = (simulation.positions[cloth.particles] for cloth in simulation.model.cloths)
    for point in upper[np.hypot(upper[:, 0], upper[:, 1]) < 0.15]:
        nearest = np.argmin(np.hypot(*(lower - point)[:, :2].T))
        assert point[2] > lower[nearest, 2]


def test_a_sheet_that_starts_through_itself_gets_free() -> None:
    scene = contact_scenes.make("tangled_start", n=48)
    rolled = scene.cloths[2]
    model = core.Model()
    model.add_cloth(rolled.positions, rolled.triangles, thickness=rolled.thickness)
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    simulation.positions[:] = rolled.start
    assert crossings(simulation) > 50
    for _ in range(24):
        simulation.advance(FRAME)
    assert crossings(simulation) == 0


def test_a_sheet_that_starts_on_a_cone_gets_off_it() -> None:
    model = core.Model()
    positions, faces = sheet(20, 0.5, 0.01)
    cloth = model.add_cloth(positions, faces, thickness=0.001)
    points, triangles = cone(24, 0.08, 0.2)
    model.add_collider(points + np.array([0.0, 0.0, 0.05]), triangles, thickness=0.001)
    simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    collider = model.colliders[0]
    for _ in range(24):
        simulation.advance(FRAME)
    others = collider.vertices, collider.triangles
    assert len(crossing_pairs(simulation.positions.astype(float), cloth.triangles, others)) == 0


@pytest.mark.parametrize("depth", [0.004, 0.012])
def test_a_body_that_starts_through_coarse_cloth_is_led_out(depth: float) -> None:
    """No particle is inside, only the body's edges go through faces that are pulled tight."""
    points, faces = sheet(7, 0.6, 0.3 - depth)
    ball, triangles = shapes.ball(24)
    model = core.Model()
    cloth = model.add_cloth(points, faces, density=0.2, thickness=0.001)
    others = 0.3 * ball, triangles
    model.add_collider(*others, thickness=0.0)
    simulation = core.Simulation(model, solver=core.XPBD(substeps=20))
    assert len(crossing_pairs(points, cloth.triangles, others)) > 0
    for _ in range(8):
        simulation.advance(FRAME)
    assert len(crossing_pairs(simulation.positions.astype(float), cloth.triangles, others)) == 0


@pytest.mark.parametrize("depth", [0.02, 0.05, 0.1])
def test_cloth_that_starts_inside_a_body_is_led_out_of_it(depth: float) -> None:
    points, faces = naive.quad_grid(20, 20, 1.0, 1.0)
    points = points - points.mean(axis=0) + [0.0, 0.0, 0.3 - depth]
    ball, triangles = shapes.ball(24)
    model = core.Model()
    cloth = model.add_cloth(points, faces, density=0.2)
    model.add_collider(0.3 * ball, triangles)
    simulation = core.Simulation(model, solver=core.XPBD(substeps=20))
    for _ in range(8):
        simulation.advance(FRAME)
    found = crossing_pairs(
        simulation.positions.astype(float), cloth.triangles, (0.3 * ball, triangles)
    )
    assert len(found) == 0


def test_crossings_are_counted_as_they_are() -> None:
    simulation = sheets_with_a_bump()
    assert simulation.crossings == crossings(simulation) > 50
    lower, upper = simulation.model.cloths
    found = simulation.crossings_of(lower, upper)
    assert [each.pairs for each in found] == [simulation.crossings] * 2
    for _ in range(2):
        simulation.advance(FRAME)
        assert simulation.crossings == crossings(simulation)


def test_crossings_with_a_collider_are_counted_before_the_first_frame() -> None:
    model = core.Model()
    positions, faces = sheet(20, 0.5, 0.01)
    cloth = model.add_cloth(positions, faces)
    points, triangles = cone(24, 0.08, 0.2)
    model.add_collider(points + np.array([0.0037, 0.0023, 0.05]), triangles)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    others = model.colliders[0].vertices, model.colliders[0].triangles
    found = crossing_pairs(simulation.positions.astype(float), cloth.triangles, others)
    assert simulation.crossings == len(found) > 10


def test_looking_at_crossings_changes_nothing() -> None:
    one, other = sheets_with_a_bump(), sheets_with_a_bump()
    for _ in range(3):
        one.advance(FRAME)
        other.advance(FRAME)
        assert other.crossings >= 0
    np.testing.assert_array_equal(one.positions, other.positions)
