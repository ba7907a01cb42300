# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of contact are what they say, and what is told of them is right."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from naive.crossings import crossing_pairs

from bench import contact_meshes as meshes
from bench import contact_run
from bench.contact_judge import count_crossings, parts, watch
from bench.contact_objects import Scene
from bench.contact_scenes import SCENES, make
from bench.contact_scenes_driven import trouser_leg
from bench.scenes import Positions, lengths

pytestmark = pytest.mark.long

IRREGULAR = ("fold_on_floor", "stack_on_sphere", "free_fall", "two_free_sheets", "crumpled_ball")

each_scene = pytest.mark.parametrize("scene", [make(name, n=33) for name in SCENES], ids=SCENES)


@each_scene
def test_nothing_crosses_at_the_start_but_where_it_should(scene: Scene) -> None:
    found = count_crossings(scene, scene.start_positions, 0)
    if scene.name == "tangled_start":
        assert found.own > 0 and found.between > 0 and found.colliders == 0
    else:
        assert (found.own, found.between, found.colliders) == (0, 0, 0)


@each_scene
def test_cloth_starts_near_its_rest_shape_and_pins_where_they_are(scene: Scene) -> None:
    for cloth, targets in zip(scene.cloths, scene.pin_targets(0.0), strict=True):
        start, rest = (
            lengths(cloth.start_positions, cloth.edges),
            lengths(cloth.positions, cloth.edges),
        )
        assert np.all(rest > 0.0) and np.abs(start / rest - 1.0).max() < 0.2
        np.testing.assert_allclose(targets, cloth.start_positions[cloth.pins], atol=1e-12)
        assert sorted(np.unique(cloth.triangles)) == list(range(len(cloth.positions)))
    for collider, vertices in zip(scene.colliders, scene.collider_vertices(0.0), strict=True):
        np.testing.assert_allclose(vertices, collider.vertices, atol=1e-12)


@each_scene
def test_what_moves_keeps_its_shape_of_array_and_stays_finite(scene: Scene) -> None:
    for frame in range(0, scene.frames + 1, 4):
        time = scene.time(frame)
        for cloth, targets in zip(scene.cloths, scene.pin_targets(time), strict=True):
            assert targets.shape == (len(cloth.pins), 3) and np.isfinite(targets).all()
        for collider, vertices in zip(scene.colliders, scene.collider_vertices(time), strict=True):
            assert vertices.shape == collider.vertices.shape and np.isfinite(vertices).all()


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (meshes.box((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)), 6.0),
        (meshes.cone(400, 1.0, 3.0), np.pi),
        (meshes.closed_tube(400, 3, 1.0, 2.0), 2.0 * np.pi),
        (meshes.ring(120, 120, 1.0, 0.1), 2.0 * np.pi**2 * 0.01),
    ],
)
def test_shapes_are_closed_and_look_outwards(mesh: meshes.Mesh, volume: float) -> None:
    vertices, triangles = mesh
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(volume, rel=2e-3)
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    assert {tuple(side) for side in sides.tolist()} == {(b, a) for a, b in sides.tolist()}


def test_a_sheet_that_is_bent_is_not_stretched() -> None:
    sheet = meshes.rectangle(200, 3, 1.0, 0.1)
    bent = meshes.bent(sheet, meshes.folds(4, 0.2, 0.04))
    assert (
        np.abs(lengths(bent, sheet.edges) / lengths(sheet.positions, sheet.edges) - 1).max() < 0.01
    )
    x, _, z = bent.T
    assert z.max() == pytest.approx(3 * 0.04, abs=1e-3)
    assert x.max() - x.min() == pytest.approx(0.2 + 0.04, abs=0.02)


@pytest.mark.parametrize("name", IRREGULAR)
def test_irregular_triangles_cover_the_same_sheet(name: str) -> None:
    regular, irregular = make(name, n=9), make(name, n=9, irregular=True)
    for one, other in zip(regular.cloths, irregular.cloths, strict=True):
        assert len(one.triangles) == len(other.triangles)
        assert len(np.unique(np.round(lengths(other.positions, other.edges), 6))) > 60
        normals = [
            np.cross(c.positions[b] - c.positions[a], c.positions[d] - c.positions[a])
            for c in (one, other)
            for a, b, d in [c.triangles.T]
        ]
        areas = [np.linalg.norm(n, axis=1).sum() for n in normals]
        assert areas[0] == pytest.approx(areas[1], rel=0.02)
        assert np.all(normals[1] @ normals[0].mean(axis=0) > 0.0)


def test_the_leg_does_not_go_through_itself() -> None:
    leg = trouser_leg(n=8).colliders[0]
    for time in (1.0, 1.4):
        assert len(crossing_pairs(leg.positions(time), leg.triangles)) == 0
    bent = leg.positions(1.4)
    assert bent[:, 0].min() < -0.5 and leg.positions(2.6) == pytest.approx(leg.vertices)


def test_some_scenes_are_closer_than_the_thickness() -> None:
    for cloth in make("thick_stack").cloths:
        assert lengths(cloth.positions, cloth.edges).max() < cloth.thickness
    (curtain,) = make("pleats").cloths
    assert np.ptp(curtain.positions[:, 0]) / 11 < 2.0 * curtain.thickness


def test_a_frame_tells_how_cloth_moved_and_stretched() -> None:
    scene = make("two_free_sheets", n=5)
    start, second = scene.start_positions, 1.0 / scene.frames_per_second
    flown = np.concatenate([np.tile(cloth.velocity, (25, 1)) for cloth in scene.cloths]) * second
    held = start + flown
    frames = list(watch(scene, [(held, 0.5), (held, 0.25), (1.1 * held, 0.0)]))
    assert [frame.number for frame in frames] == [1, 2, 3]
    assert [frame.seconds for frame in frames] == [0.5, 0.25, 0.0]
    assert frames[0].jolt == pytest.approx(0.0, abs=1e-12) and frames[0].speed == pytest.approx(1.0)
    assert frames[1].jolt == pytest.approx(second) and frames[1].speed == 0.0
    assert frames[1].strain_largest == pytest.approx(0.0, abs=1e-12)
    assert frames[2].strain_largest == pytest.approx(0.1)
    assert frames[2].strain_99 == pytest.approx(0.1)
    assert frames[2].lowest == pytest.approx(1.1 * held[:, 2].min())


def test_crossings_are_told_apart() -> None:
    scene = make("stack_on_sphere", n=9, layers=2)
    low, high = (part for _, part in parts(scene, scene.start_positions))

    def counts(first: Positions, second: Positions) -> tuple[bool, bool, bool]:
        found = count_crossings(scene, np.concatenate([first, second]), 0)
        return found.own > 0, found.between > 0, found.colliders > 0

    assert counts(low, high) == (False, False, False)
    tilted = meshes.moved(high @ meshes.rotation("x", 5.0).T, z=0.01)
    assert counts(low, tilted) == (False, True, False)
    assert counts(meshes.moved(low, z=-0.1), high) == (False, False, True)
    shuffled = np.random.default_rng(0).permutation(high)
    assert counts(low, shuffled) == (True, False, False)


def test_the_core_simulates_a_scene() -> None:
    scene = make("pinch", n=9, frames=3)
    simulation = contact_run.build(scene, self_collision=False)
    np.testing.assert_array_equal(simulation.positions, scene.start_positions.astype(np.float32))
    frames = list(contact_run.run(scene))
    assert len(frames) == 3 and all(frame.seconds > 0.0 for frame in frames)
    assert frames[-1].lowest < scene.start_positions[:, 2].min()


def test_the_core_leads_pins_and_colliders() -> None:
    scene = make("pull_through_ring", n=9, frames=6)
    (cloth,) = scene.cloths
    last = list(contact_run.run(scene))[-1]
    np.testing.assert_allclose(
        last.positions[cloth.pins], scene.pin_targets(scene.time(6))[0], atol=1e-6
    )
    pressed = make("pinch", n=9, frames=26)
    simulation = contact_run.build(pressed)
    assert len(list(contact_run.steps(pressed, simulation))) == 26
    np.testing.assert_allclose(
        simulation.model.colliders[1].vertices, pressed.collider_vertices(pressed.time(26))[1]
    )


def test_a_scene_can_be_looked_at_more_often() -> None:
    scene = make("two_free_sheets", n=5, frames=2)
    finer = contact_run.divided(scene, 4)
    assert finer.frames == 8 and finer.time(8) == pytest.approx(scene.time(2))
    assert dataclasses.replace(finer, frames=2, frames_per_second=24.0) == scene


def test_the_summary_counts_frames_with_crossings(capsys: pytest.CaptureFixture[str]) -> None:
    assert contact_run.main(["two_free_sheets", "--n", "6", "--finer", "8", "--frames", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "72 vertices, 24 frames" in lines[0]
    assert len([line for line in lines if line.lstrip()[:1].isdigit()]) == 24
    assert any(line.startswith("crossings, between: ") for line in lines)
